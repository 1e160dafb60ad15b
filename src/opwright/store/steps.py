"""How long the steps to a kernel took, for OPWRIGHT_DEBUG=1.

In: named steps. Out: one line on stderr.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator


class Steps:
    """A stopwatch."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Times what happens inside."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[name] = self._seconds.get(name, 0.0) + time.perf_counter() - begin

    def tell(self, what: str) -> None:
        """Prints the steps in the order in which they ended."""
        words = ", ".join(f"{name} {seconds * 1e3:.1f} ms" for name, seconds in self._seconds.items())
        print(f"opwright: {what}: {words}", file=sys.stderr)  # noqa: T201
