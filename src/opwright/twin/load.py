"""Loads what was compiled: the twin's library, once per process and build of it, and the entries of kernels.

In: files that were just verified. Out: a `TwinLibrary`, an entry's address. Safe under threads and after a fork.
"""

from __future__ import annotations

import ctypes
import os
import threading
from pathlib import Path

from opwright.twin.launch import TwinLibrary

_LIBRARIES: dict[str, TwinLibrary] = {}
_LOCK = threading.Lock()


def _after_fork() -> None:
    """In the child of a fork the thread that held a lock is gone."""
    global _LOCK
    _LOCK = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def load_entry(path: Path) -> int:
    """Loads a kernel's shared object, which the caller has verified, and returns the address of its entry."""
    entry = ctypes.cast(ctypes.CDLL(str(path)).opwright_entry, ctypes.c_void_p).value
    assert entry is not None
    return entry


def load_library(path: Path) -> TwinLibrary:
    """The twin's library of a blob, which is named by its content: loaded once for a process, from whatever folder."""
    with _LOCK:
        if path.name not in _LIBRARIES:
            _LIBRARIES[path.name] = TwinLibrary(path)
        return _LIBRARIES[path.name]
