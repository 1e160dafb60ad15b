"""Tells a user at a terminal or in a notebook what a long compile is, and how long it takes.

In: what is compiled and how many seconds of a CPU that takes. Out: a spinner on standard error while it lasts, if that
is a terminal; one line there in a notebook; nothing otherwise, so that logs and pipes have only what a program prints
itself.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator

_LOCK = threading.Lock()
_showing = False


def showing() -> bool:
    """Whether a spinner is there now."""
    return _showing


def watched() -> bool:
    """Whether a user watches."""
    return sys.stderr is not None and (sys.stderr.isatty() or _in_notebook())


def _in_notebook() -> bool:
    """Whether this process runs the cells of a notebook: what does so is loaded before anything of ours."""
    return "ipykernel" in sys.modules


@contextlib.contextmanager
def compiling(what: str, seconds: int) -> Iterator[None]:
    """Shows what is compiled, once for a machine; of several at a time the first."""
    global _showing
    with _LOCK:
        is_first = not _showing and watched()
        _showing = _showing or is_first
    if not is_first:
        yield
        return
    words = f"opwright: compiling {what}, once: about {seconds} s of CPU time"
    try:
        if not sys.stderr.isatty():
            print(words, file=sys.stderr)  # noqa: T201
            yield
            return
        from rich.console import Console  # only a user who waits needs them
        from rich.live import Live
        from rich.spinner import Spinner

        # What the program prints meanwhile goes where it always goes.
        with Live(
            Spinner("dots", words),
            console=Console(stderr=True),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        ):
            yield
    finally:
        _showing = False
