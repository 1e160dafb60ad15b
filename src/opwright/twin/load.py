"""Loads what was compiled: the twin's library, once per process and toolchain, and the entries of kernels.

In: a store and a toolchain, or a file that was just verified. Out: a `Library`, an entry's address. Safe under threads
and after a fork.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
from pathlib import Path

from opwright.errors import OpwrightError
from opwright.store.progress import compiling
from opwright.store.store import Store, key_of
from opwright.twin.build import build_library, library_digest
from opwright.twin.launch import Library
from opwright.twin.toolchain import Toolchain

_LIBRARIES: dict[str, Library] = {}
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


def library(store: Store, tools: Toolchain, checked: bool = False) -> Library:
    """The twin's library for a toolchain and a mode: loaded once per process, compiled once per store."""
    key = key_of([library_digest(), tools.identity, checked])
    with _LOCK:
        if key not in _LIBRARIES:
            _LIBRARIES[key] = Library(_library_file(store, tools, key, checked))
        return _LIBRARIES[key]


def library_ahead(store: Store, tools: Toolchain, checked: bool) -> None:
    """Gets the library ready. What fails here fails again, where somebody listens, when a kernel is loaded."""
    with contextlib.suppress(OpwrightError):
        library(store, tools, checked)


def _library_file(store: Store, tools: Toolchain, key: str, checked: bool) -> Path:
    def stored() -> Path | None:
        manifest = store.manifest("libraries", key)
        return store.blob(str(manifest["blob"]), ".so") if manifest is not None else None

    if (path := stored()) is not None:
        return path
    with store.building(key):
        if (path := stored()) is not None:
            return path
        what, seconds = ("the checked twin", 13) if checked else ("the twin", 3)
        with store.workspace() as folder, compiling(what, seconds):
            blob = store.save_blob(build_library(tools, folder, checked), ".so")
        store.save_manifest("libraries", key, {"blob": blob})
        path = store.blob(blob, ".so")
        assert path is not None
        return path
