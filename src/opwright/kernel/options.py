"""What `@asc.jit(...)` and `@asc.simt(...)` take, each option stated once: name, type, default, sentence.

Out: `Options`, which refuses values that no option has; and `described`, which gives a decorator the signature and the
help that follow from them.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.ascendc.socs import SOCS, Soc
from opwright.errors import BadOption, UnknownSoc

BLOCK_THREADS = 2048  # that a block may have
T = TypeVar("T")
_F = TypeVar("_F", bound=Callable[..., Any])
_WIDTH = 120


def find_soc(name: str) -> Soc:
    """The SoC of a name; raises UnknownSoc."""
    try:
        return SOCS[name]
    except KeyError:
        raise UnknownSoc(soc=name, known=", ".join(SOCS)) from None


def option(default: T, sentence: str, takes: str = "") -> T:
    """A field that is an option: its default, what it does, and its type if it takes more than the field holds."""
    made: T = field(default=default, metadata={"sentence": sentence, "takes": takes})
    return made


@dataclass(frozen=True)
class Options:
    """What `@asc.jit(...)` takes. Signatures, stubs and help of the decorators follow from the fields."""

    soc: str | None = option(None, "the SoC the kernel is for; otherwise the setting OPWRIGHT_SOC.")
    may_overlap: bool = option(False, "arguments may overlap in part although the kernel writes to one of them.")
    auto_sync: bool = option(
        True,
        "the NPU's compiler adds barriers between vector calls, and between the scalar unit and the others.",
    )
    kernel_type: str | None = option(
        None,
        'the cores it runs on: "vector", "cube", or "mix_A_V" for groups of A cube cores and V vector cores, one of '
        '"mix_0_1", "mix_1_0", "mix_1_1" and "mix_1_2"; None leaves it to the NPU\'s compiler, and the kernel has '
        "vector cores only.",
        takes="str | int | None",
    )
    opt_level: int = option(3, "how hard the compilers try, 0 to 3; no result depends on it.")
    outputs: tuple[str, ...] = option(
        (),
        "names of arguments that the kernel writes in full: that it does not is an error of the checked twin.",
    )
    chip_assumptions: str = option(
        "",
        'switches for what public texts leave open about numbers, such as "saturate_casts=on"; those that it leaves '
        "out are as the setting OPWRIGHT_CHIP_ASSUMPTIONS says, or as the SoC has them.",
    )

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
    """What `@asc.simt(...)` takes, beside options of `@asc.jit`."""

    max_threads: int = option(
        1024,
        f"how many threads of a block may run it, up to {BLOCK_THREADS}; the more, the fewer registers each has.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.max_threads) is not int or not 1 <= self.max_threads <= BLOCK_THREADS:
            message = f"is an integer from 1 to {BLOCK_THREADS}"
            raise BadOption(name="max_threads", value=self.max_threads, message=message)

    @property
    def threads(self) -> int:
        return self.max_threads


# Options of PyAsc's decorator. One has a meaning here, the others change nothing: what there is instead.
CUBE_ONLY = "matmul_cube_only"
PRINT_IR = "print_ir_"
CHANGE_NOTHING = {
    "always_compile": "a kernel is found by its source, so that a cached one is always the right one",
    "debug": "errors name your line as it is; OPWRIGHT_DEBUG=1 shows the frames of Opwright too",
    "insert_sync": "no flags are added: set and wait for them; kernel.check[cores](...) finds missing ones",
    "verify_sync": "kernel.check[cores](...) judges the order",
}
# As `described` takes them.
PYASC_PARAMETERS = [
    *(
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation="bool")
        for name in (*CHANGE_NOTHING, CUBE_ONLY)
    ),
    inspect.Parameter("print_ir", inspect.Parameter.VAR_KEYWORD, annotation="bool"),
]
PYASC_NOTES = (
    f'{CUBE_ONLY}: the same as kernel_type="cube", for code of PyAsc, whose types of kernels are taken too.',
    f"{', '.join(CHANGE_NOTHING)}, {PRINT_IR}*: options of PyAsc that change nothing here.",
)


def described(
    kind: type[Options],
    names: Sequence[str],
    more: Sequence[inspect.Parameter] = (),
    notes: Sequence[str] = (),
    indent: int = 4,
) -> Callable[[_F], _F]:
    """Gives a decorator that takes `**options` their signature, and behind its docstring a line for each.

    names: the options it takes, in this order. more, notes: parameters and lines that are not among the fields.
    indent: of the docstring.
    """
    known = {one.name: one for one in fields(kind)}
    chosen = [known[name] for name in names]
    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [
        inspect.Parameter(one.name, keyword, default=one.default, annotation=one.metadata["takes"] or one.type)
        for one in chosen
    ]
    margin = " " * indent
    wrapped = textwrap.TextWrapper(_WIDTH, initial_indent=margin, subsequent_indent=f"{margin}    ")
    lines = [wrapped.fill(f"{one.name}: {one.metadata['sentence']}") for one in chosen]
    lines += [f"{margin}{note}" for note in notes]

    def describe(decorator: _F) -> _F:
        written = inspect.signature(decorator)
        before = [one for one in written.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        signature = written.replace(parameters=[*before, *own, *more])
        setattr(decorator, "__signature__", signature)  # noqa: B010
        decorator.__doc__ = "\n".join([f"{(decorator.__doc__ or '').rstrip()}\n", *lines, margin])
        return decorator

    return describe
