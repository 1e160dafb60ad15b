"""`@tile.jit`: a Python function over tiles becomes a kernel.

In: a function and options. Out: `TileKernel`. So far a kernel runs in NumPy only, as `kernel.numpy(...)`; the compiler
does not exist yet, so that a launch is refused.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, Generic, NoReturn, ParamSpec, TypeVar, overload

from opwright.errors import BadOption, Location, NotAKernel, TileNotBuilt, brief
from opwright.tile.evaluate import Sizes, evaluate
from opwright.tile.parameters import Kind, kinds_of
from opwright.tile.place import running
from opwright.tracebacks import bordered

__tracebackhide__ = True  # pytest leaves out frames of this module
_P = ParamSpec("_P")
_F = TypeVar("_F", bound=Sizes)


class TileKernel(Generic[_P]):
    """A kernel over tiles."""

    __name__: str

    def __init__(self, function: FunctionType, tune: Mapping[str, Sequence[int]] | None) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.kinds = kinds_of(function)
        self.tune = dict(tune or {})
        self._sizes: Sizes | None = None
        for name in self.tune:
            if self.kinds.get(name) is not Kind.CONSTANT:
                message = f"names constants, and {function.__name__} has no constant {name!r}"
                raise BadOption(name="tune", value=tune, message=message)

    def __repr__(self) -> str:
        code = self.function.__code__
        return f"<tile kernel {self.__name__} of {code.co_filename}:{code.co_firstlineno}>"

    def sizes(self, function: _F) -> _F:
        """Marks a function that gives constants from shapes and dtypes: its parameters are tensors of the kernel."""
        code = function.__code__
        for name in code.co_varnames[: code.co_argcount]:
            if self.kinds.get(name) is not Kind.TENSOR:
                at = Location(code.co_filename, code.co_firstlineno, 0)
                reason = f"'{name}' is no tensor of {self.__name__}"
                hint = "its parameters are tensors of the kernel, by name"
                raise NotAKernel(at, name=function.__qualname__, reason=reason, hint=hint)
        self._sizes = function
        return function

    @bordered
    def numpy(self, *arguments: object, seed: int = 0, **keywords: object) -> None:
        """Runs the kernel as plain Python over arrays of NumPy, which it writes. bfloat16 is that of ml_dtypes.

        seed: chooses the order of the iterations of `tile.parallel`.
        """
        evaluate(self.function, self.kinds, self._sizes, arguments, keywords, seed)

    def __call__(self, *arguments: _P.args, **keywords: _P.kwargs) -> Any:
        """Launches the kernel, which is not built yet; within another kernel it is a part of that one."""
        if running.get() is None:
            raise self._not_built()
        return self.function(*arguments, **keywords)

    def __getitem__(self, cores: object) -> NoReturn:
        raise self._not_built()

    def _not_built(self) -> TileNotBuilt:
        hint = f"{self.__name__}.numpy(...) runs it in NumPy"
        return TileNotBuilt(what=f"{self.__name__}: compiling a tile kernel", hint=hint)


@overload
def jit(function: Callable[_P, Any], /) -> TileKernel[_P]: ...
@overload
def jit(*, tune: Mapping[str, Sequence[int]] | None = None) -> Callable[[Callable[_P, Any]], TileKernel[_P]]: ...
def jit(function: Any = None, /, *, tune: Mapping[str, Sequence[int]] | None = None) -> Any:
    """Marks a function as a kernel over tiles: `@tile.jit`, or `@tile.jit(tune={"BLOCK": (1024, 8192)})`.

    tune: values of constants that a search may choose from.
    """
    if function is None:
        return functools.partial(_marked, tune=tune)
    return _marked(function, tune)


@bordered
def _marked(function: object, tune: Mapping[str, Sequence[int]] | None) -> TileKernel[Any]:
    if not isinstance(function, FunctionType):
        raise NotAKernel(name=brief(function), reason="it is not a function", hint="put @tile.jit before a def")
    return TileKernel(function, tune)
