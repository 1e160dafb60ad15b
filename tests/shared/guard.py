"""Fails a test with the mark `quick` that does what a quick test must not do.

In: the events that Python itself reports, see `sys.addaudithook`. A quick test starts no process, and so no compiler;
it loads no compiled kernel, and it does not import torch.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

PROCESSES = ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.exec", "os.system")

_is_watching = False
_is_installed = False
_found: list[str] = []


def _see(event: str, arguments: tuple[object, ...]) -> None:
    """Stops what is forbidden at once; it is noted down as well, for code that swallows exceptions."""
    if not _is_watching:
        return
    if event in PROCESSES:
        what = f"starts a process ({event})"
    elif event == "import" and arguments[0] == "torch":
        what = "imports torch"
    elif event == "ctypes.dlopen" and arguments[0]:
        what = f"loads {arguments[0]}"
    else:
        return
    _found.append(what)
    raise RuntimeError(f"a quick test {what}")


@contextmanager
def watching(item: pytest.Item) -> Iterator[None]:
    """While a quick test, or what it needs, runs."""
    global _is_installed, _is_watching
    if item.get_closest_marker("quick") is None:
        yield
        return
    if not _is_installed:
        sys.addaudithook(_see)  # for good: Python has no way to remove one
        _is_installed = True
    _found.clear()
    _is_watching = True
    try:
        yield
    finally:
        _is_watching = False
    if _found:
        pytest.fail(f"a quick test {_found[0]}; take its mark away", pytrace=False)
