"""Every OPWRIGHT_* variable, typed, in one class. Nothing else in the package reads the environment.

In: the environment, read once, when a setting is first asked for: a launch has no time for it. Out: `settings`; code
changes one for a while with `settings.scope(threads=1)`. Refuses a value it cannot read, by name.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar, overload

from opwright.errors import BadSetting

T = TypeVar("T")


def _flag(text: str) -> bool:
    if text.lower() not in ("0", "1", "true", "false", "on", "off"):
        raise ValueError("takes 0 or 1")
    return text.lower() in ("1", "true", "on")


def _threads(text: str) -> int:
    if not text.isdecimal():
        raise ValueError("takes 0 (all cores) or a positive number")
    return int(text)


def _cache_dir(text: str) -> Path:
    if text:
        return Path(text).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "opwright"


@dataclass(frozen=True)
class Setting(Generic[T]):
    """One variable: its name, how its text is read, its default and what it is for."""

    name: str
    read: Callable[[str], T]
    default: str
    doc: str

    @overload
    def __get__(self, instance: None, owner: type) -> Setting[T]: ...
    @overload
    def __get__(self, instance: Settings, owner: type) -> T: ...
    def __get__(self, instance: Settings | None, owner: type) -> Setting[T] | T:
        if instance is None:
            return self
        text = os.environ.get(self.name, self.default)
        try:
            value = self.read(text)
        except ValueError as error:
            raise BadSetting(name=self.name, value=text, message=str(error)) from None
        # An instance attribute hides this descriptor from now on.
        vars(instance)[self.attribute] = value
        return value

    @property
    def attribute(self) -> str:
        """The name under which code knows it."""
        return next(name for name, value in vars(Settings).items() if value is self)


class Settings:
    """The settings, by attribute."""

    cache_dir = Setting("OPWRIGHT_CACHE_DIR", _cache_dir, "", "where compiled kernels are kept")
    soc = Setting("OPWRIGHT_SOC", str, "ascend910b", "the SoC a kernel is made for unless it says otherwise")
    compiler = Setting("OPWRIGHT_CXX", str, "", "C++ compiler of the twin; otherwise g++, then clang++")
    cpu = Setting("OPWRIGHT_CPU", str, "native", "instruction set of the twin: native, or a -march name")
    threads = Setting("OPWRIGHT_THREADS", _threads, "0", "threads of one launch on the twin; 0: all cores")
    elide = Setting("OPWRIGHT_TWIN_ELIDE", _flag, "1", "let the twin read global memory in place of a copy")
    debug = Setting("OPWRIGHT_DEBUG", int, "0", "1: how long each step to a kernel took; 2: the text too; 3: the IR")

    def build(self) -> tuple[object, ...]:
        """What decides which build of a kernel is meant. Asked for by every launch, so it is kept."""
        kept: tuple[object, ...] | None = vars(self).get("_build")
        if kept is None:
            kept = vars(self)["_build"] = (self.soc, self.compiler, self.cpu, str(self.cache_dir))
        return kept

    def reload(self) -> None:
        """Forgets what was read, so that the environment is read anew."""
        vars(self).clear()

    @contextlib.contextmanager
    def scope(self, **values: object) -> Iterator[None]:
        """Other values for a while: `with settings.scope(elide=False): ...`. Not for several threads at once."""
        before = dict(vars(self))
        unknown = values.keys() - {setting.attribute for setting in self}
        if unknown:
            raise TypeError(f"no setting is called {', '.join(sorted(unknown))}")
        vars(self).pop("_build", None)
        vars(self).update(values)
        try:
            yield
        finally:
            vars(self).clear()
            vars(self).update(before)

    def __iter__(self) -> Iterator[Setting[object]]:
        return (value for value in vars(type(self)).values() if isinstance(value, Setting))


settings = Settings()
