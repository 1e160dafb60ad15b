"""How much the tests of the rows do: builds, launches, elements compared.

In: `watch` sees builds and launches; tests say what they compare. Out: `COUNTS`, and `line` for the end of the session.
"""

from collections import Counter
from typing import Any

import pytest

import opwright.runtime.compile
from opwright.runtime.launch import Kernel

COUNTS: Counter[str] = Counter()


def compared(elements: int) -> None:
    """Counts elements that were compared with a reference."""
    COUNTS["elements"] += elements


def watch(patch: pytest.MonkeyPatch) -> None:
    """Counts what is compiled and what is launched from now on."""
    build, launch = opwright.runtime.compile.build_kernel, Kernel.launch

    def counted_build(*arguments: Any, **keywords: Any) -> bytes:
        COUNTS["builds"] += 1
        return build(*arguments, **keywords)

    def counted_launch(*arguments: Any, **keywords: Any) -> Any:
        COUNTS["launches"] += 1
        return launch(*arguments, **keywords)

    patch.setattr(opwright.runtime.compile, "build_kernel", counted_build)
    patch.setattr(Kernel, "launch", counted_launch)


def line() -> str:
    """The counts in words."""
    return f"ascendc: {COUNTS['builds']} builds, {COUNTS['launches']} launches, {COUNTS['elements']} elements compared"
