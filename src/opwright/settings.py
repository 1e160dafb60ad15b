"""Every OPWRIGHT_* variable, typed, in one class. Nothing else in the package reads the environment.

In: the environment, read once, when a setting is first asked for: a launch has no time for it. Out: `settings`; code
changes one for a while with `settings.scope(threads=1)`. Refuses a value it cannot read, by name.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, overload

from opwright.errors import BadSetting

T = TypeVar("T")
MAX_THREADS = 4096


def _flag(text: str) -> bool:
    if text.lower() not in ("0", "1", "true", "false", "on", "off"):
        raise ValueError("takes 0 or 1")
    return text.lower() in ("1", "true", "on")


def _threads(text: str) -> int:
    if not text.isdecimal() or len(text) > 9 or int(text) > MAX_THREADS:
        raise ValueError(f"takes 0 (all cores) or a number up to {MAX_THREADS}")
    return int(text)


def _opt_level(text: str) -> int:
    if text not in ("0", "1", "2", "3"):
        raise ValueError("takes 0, 1, 2 or 3")
    return int(text)


def _cache_dir(text: str) -> Path:
    if text:
        return Path(text).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "opwright"


def _layers(text: str) -> tuple[Path, ...]:
    return tuple(Path(part).expanduser() for part in text.split(os.pathsep) if part)


def _providers(text: str) -> dict[str, str]:
    """Operators with the provider that serves them."""
    chosen = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        operator, equals, provider = part.partition("=")
        if not equals or not operator.strip() or not provider.strip():
            raise ValueError(f"takes operator=provider, separated by commas; '{part}' is not that")
        chosen[operator.strip().removeprefix("opwright::")] = provider.strip()
    return chosen


def _without(text: str) -> str:
    """Names of passes, sorted."""
    given = sorted({name.strip() for name in text.split(",")} - {""})
    if given:
        import difflib  # so rare that a launch need not load them

        from opwright.passes import names

        for name in given:
            if name not in names():
                near = difflib.get_close_matches(name, names(), n=1)
                known = f"did you mean {near[0]}?" if near else f"the passes are {', '.join(names())}"
                raise ValueError(f"there is no pass '{name}'; {known}")
    return ",".join(given)


def _chip_assumptions(text: str) -> str:
    """Switches, sorted."""
    if not text.strip():
        return ""
    from opwright.ascendc.assumptions import parsed  # rare, as above

    return parsed(text)


@dataclass
class Setting(Generic[T]):
    """One variable: its name, how its text is read, its default and what it is for."""

    name: str
    parse: Callable[[str], T]
    default: str
    doc: str
    attribute: str = ""  # the name under which code knows it

    def __set_name__(self, owner: type, attribute: str) -> None:
        self.attribute = attribute

    @overload
    def __get__(self, instance: None, owner: type) -> Setting[T]: ...
    @overload
    def __get__(self, instance: Settings, owner: type) -> T: ...
    def __get__(self, instance: Settings | None, owner: type) -> Setting[T] | T:
        if instance is None:
            return self
        values = instance.values()
        if self.attribute not in values:
            values[self.attribute] = self.read(os.environ.get(self.name, self.default))
        value: T = values[self.attribute]
        return value

    def given(self) -> str | None:
        """Its text in the environment, or None."""
        return os.environ.get(self.name)

    def read(self, text: str) -> T:
        """The value that a text means; raises BadSetting."""
        try:
            return self.parse(text)
        except ValueError as error:
            raise BadSetting(name=self.name, value=text, message=str(error)) from None


class RunSettings(NamedTuple):
    """What decides how a kernel runs; `check`: on the checked twin."""

    threads: int
    elide: bool
    check: bool


class BuildSettings(NamedTuple):
    """What selects the build of a kernel; `soc_is_given`: not the default; `without`: disabled passes."""

    target: str
    soc: str
    soc_is_given: bool
    compiler: str
    cpu: str
    cache_dir: str
    cache_layers: tuple[Path, ...]
    without: str
    opt_level: int
    chip_assumptions: str


class Settings:
    """The settings, by attribute."""

    cache_dir = Setting("OPWRIGHT_CACHE_DIR", _cache_dir, "", "where compiled kernels are kept")
    cache_layers = Setting(
        "OPWRIGHT_CACHE_LAYERS", _layers, "", f"read-only caches to ask first, separated by '{os.pathsep}'"
    )
    target = Setting("OPWRIGHT_TARGET", str, "twin", "what runs kernels: twin, emit (only writes text), or another")
    soc = Setting("OPWRIGHT_SOC", str, "ascend910b", "the SoC of kernels that name none")
    compiler = Setting("OPWRIGHT_CXX", str, "", "C++ compiler of the twin; otherwise g++, then clang++")
    cpu = Setting("OPWRIGHT_CPU", str, "native", "instruction set of the twin: native, or a -march name")
    opt_level = Setting("OPWRIGHT_OPT_LEVEL", _opt_level, "3", "0 to 3: the highest optimisation level of kernels")
    threads = Setting("OPWRIGHT_THREADS", _threads, "0", "threads of one launch on the twin; 0: all cores")
    elide = Setting("OPWRIGHT_TWIN_ELIDE", _flag, "1", "let the twin read global memory in place instead of copying")
    check = Setting("OPWRIGHT_CHECK", _flag, "0", "1: every launch is checked, like kernel.check[cores](...)")
    without = Setting("OPWRIGHT_WITHOUT", _without, "", "passes over the IR to disable, separated by commas")
    chip_assumptions = Setting(
        "OPWRIGHT_CHIP_ASSUMPTIONS",
        _chip_assumptions,
        "",
        "what public texts leave open: saturate_casts=on,...",
    )
    providers = Setting(
        "OPWRIGHT_PROVIDERS", _providers, "", "providers of operators: rms_norm=reference,... (read once)"
    )
    isa = Setting("OPWRIGHT_CPU_ISA", str, "", "best instruction set that native operators may use: vbmi, avx512, ...")
    debug = Setting("OPWRIGHT_DEBUG", int, "0", "1: print the time of each compile step; 2: the text, too; 3: the IR")

    def __init__(self) -> None:
        # What was read so far. Outside of scopes all threads share one; a scope has its own.
        shared: dict[str, Any] = {}
        self._values = ContextVar("opwright settings", default=shared)

    def values(self) -> dict[str, Any]:
        """The values in effect here that were read so far, by attribute."""
        return self._values.get()

    # What every launch asks for is kept as it asks for it.

    def build(self) -> BuildSettings:
        """What selects the build of a kernel."""
        values = self._values.get()
        kept: BuildSettings | None = values.get("build()")
        if kept is None:
            given = any(setting.attribute == "soc" and setting.given() is not None for setting in self)
            kept = values["build()"] = BuildSettings(
                self.target,
                self.soc,
                given or "soc" in values.get("scope()", {}),
                self.compiler,
                self.cpu,
                str(self.cache_dir),
                self.cache_layers,
                self.without,
                self.opt_level,
                self.chip_assumptions,
            )
        return kept

    def run(self) -> RunSettings:
        """What decides how a kernel runs."""
        values = self._values.get()
        kept: RunSettings | None = values.get("run()")
        if kept is None:
            kept = values["run()"] = RunSettings(self.threads, self.elide, self.check)
        return kept

    def reload(self) -> None:
        """Forgets what was read, so that the environment is read anew; what a scope gave stays."""
        values = self._values.get()
        given = values.get("scope()", {})
        values.clear()
        values.update(given, **{"scope()": given})

    def prefer(self, **values: str) -> None:
        """Other values from now on, as the environment would give them; code of PyAsc chooses its platform so."""
        known = {setting.attribute: setting for setting in self}
        read = {name: known[name].read(value) for name, value in values.items()}
        held = self._values.get()
        given = {**held.get("scope()", {}), **read}
        for kept in ("build()", "run()"):
            held.pop(kept, None)
        held.update(read, **{"scope()": given})

    @contextlib.contextmanager
    def scope(self, **values: object) -> Iterator[None]:
        """Other values for a while: `with settings.scope(elide=False): ...`.

        They hold for this thread or asyncio task only; a thread that it starts meanwhile does not see them.
        """
        known = {setting.attribute: setting for setting in self}
        unknown = values.keys() - known.keys()
        if unknown:
            raise TypeError(f"no setting is called {', '.join(sorted(unknown))}")
        before = {name: value for name, value in self.values().items() if name in known}
        read = {name: known[name].read(str(value)) for name, value in values.items()}
        given = {**self.values().get("scope()", {}), **read}
        token = self._values.set({**before, **given, "scope()": given})
        try:
            yield
        finally:
            self._values.reset(token)

    def __iter__(self) -> Iterator[Setting[object]]:
        return (value for value in vars(type(self)).values() if isinstance(value, Setting))


settings = Settings()


def unknown_variables() -> list[str]:
    """OPWRIGHT_* names in the environment that are not settings: most likely typos."""
    known = {setting.name for setting in settings}
    return sorted(name for name in os.environ if name.startswith("OPWRIGHT_") and name not in known)


def cann_home() -> str | None:
    """Where the environment says that CANN is installed; nothing but the doctor asks."""
    return os.environ.get("ASCEND_HOME_PATH") or os.environ.get("ASCEND_TOOLKIT_HOME") or None
