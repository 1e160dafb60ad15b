"""What `@asc.jit(...)` and `@asc.simt(...)` take. Refuses values that no option has."""

from __future__ import annotations

from dataclasses import dataclass

from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.ascendc.socs import SOCS, Soc
from opwright.errors import BadOption, UnknownSoc

BLOCK_THREADS = 2048  # that a block may have


def find_soc(name: str) -> Soc:
    """The SoC of a name; raises UnknownSoc."""
    try:
        return SOCS[name]
    except KeyError:
        raise UnknownSoc(soc=name, known=", ".join(SOCS)) from None


@dataclass(frozen=True)
class Options:
    """What `@asc.jit(...)` takes.

    soc: the SoC the kernel is for; None: the setting OPWRIGHT_SOC.
    may_overlap: arguments may overlap in part although one is written.
    auto_sync: the NPU's compiler adds barriers between vector calls, and between the scalar unit and the others.
    kernel_type: the cores it runs on: "vector", "cube", or "mix_0_1", "mix_1_0", "mix_1_1", "mix_1_2" for groups of so
        many AICs and AIVs; None leaves it to the NPU's compiler, and the kernel has vector cores only.
    opt_level: how hard the compilers try, 0 to 3; no result depends on it.
    outputs: names of arguments that the kernel writes in full: that it does not is an error of the checked twin.
    chip_assumptions: switches for what public texts leave open about numbers, such as "saturate_casts=on"; those that
        it leaves out are as the setting OPWRIGHT_CHIP_ASSUMPTIONS says, or as the SoC has them.
    """

    soc: str | None = None
    may_overlap: bool = False
    auto_sync: bool = True
    kernel_type: str | None = None
    opt_level: int = 3
    outputs: tuple[str, ...] = ()
    chip_assumptions: str = ""

    @property
    def threads(self) -> int:
        """How many threads of a block may run the function; 0: it is not one that threads run."""
        return 0

    def __post_init__(self) -> None:
        if self.soc is not None:
            find_soc(self.soc)
        for name in ("may_overlap", "auto_sync"):
            if not isinstance(getattr(self, name), bool):
                raise BadOption(name=name, value=getattr(self, name), message="is True or False")
        if self.kernel_type not in KERNEL_TYPES:
            message = f"is one of {', '.join(map(str, KERNEL_TYPES))}"
            raise BadOption(name="kernel_type", value=self.kernel_type, message=message)
        if type(self.opt_level) is not int or not 0 <= self.opt_level <= 3:
            raise BadOption(name="opt_level", value=self.opt_level, message="is 0, 1, 2 or 3")
        if not isinstance(self.outputs, tuple) or not all(isinstance(name, str) for name in self.outputs):
            raise BadOption(name="outputs", value=self.outputs, message='is a tuple of names, such as ("y",)')
        if self.chip_assumptions != "":
            self._check_assumptions()

    def _check_assumptions(self) -> None:
        from opwright.ascendc.assumptions import parsed  # rare

        try:
            if not isinstance(self.chip_assumptions, str):
                raise ValueError('is a text, such as "saturate_casts=on"')
            object.__setattr__(self, "chip_assumptions", parsed(self.chip_assumptions))  # in one order
        except ValueError as error:
            raise BadOption(name="chip_assumptions", value=self.chip_assumptions, message=str(error)) from None


@dataclass(frozen=True)
class SimtOptions(Options):
    """What `@asc.simt(...)` takes, beside options of `@asc.jit`.

    max_threads: how many threads of a block may run the function.
    """

    max_threads: int = 1024

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.max_threads) is not int or not 1 <= self.max_threads <= BLOCK_THREADS:
            message = f"is an integer from 1 to {BLOCK_THREADS}"
            raise BadOption(name="max_threads", value=self.max_threads, message=message)

    @property
    def threads(self) -> int:
        return self.max_threads
