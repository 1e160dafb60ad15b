"""What users see of an error of ours: their own frames, and one of ours at most."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from opwright.errors import OpwrightError
from opwright.settings import settings

__tracebackhide__ = True  # pytest leaves out frames of this module
_P = ParamSpec("_P")
_R = TypeVar("_R")


def hidden(error: OpwrightError) -> OpwrightError:
    """The error without the frames it came through: the user's line is in its message. OPWRIGHT_DEBUG shows them."""
    return error if settings.debug else error.with_traceback(None)


def bordered(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """A function that users call: what it refuses comes with one frame of ours."""

    @functools.wraps(function)
    def called(*arguments: _P.args, **keywords: _P.kwargs) -> _R:
        try:
            return function(*arguments, **keywords)
        except OpwrightError as error:
            raise hidden(error) from None

    return called
