"""Gets a kernel that this process does not have yet: from the store, or by compiling it into the store.

In: a function, types, constants, SoC. Out: a loaded `Kernel` and the outside values it depends on. The key has two
steps. The first needs only the function's own source and leads to the list of names that it read; the second hashes
what those names hold now. So a hit runs neither the front end nor a compiler.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from opwright._version import __version__
from opwright.ascendc.socs import Soc
from opwright.errors import OpwrightError
from opwright.runtime.cache import Store, key_of
from opwright.runtime.launch import ABI, Kernel, Library
from opwright.runtime.place import Place
from opwright.runtime.reads import stable, value_at
from opwright.runtime.source import Source
from opwright.settings import settings
from opwright.twin.build import build_kernel, build_library, compiler_digest, entry_text, library_digest
from opwright.twin.toolchain import Toolchain, toolchain

if TYPE_CHECKING:
    from opwright.runtime.jit import Options

Reads = tuple[tuple[str, object], ...]
_LIBRARIES: dict[str, Library] = {}
_LIBRARIES_LOCK = threading.Lock()


def _after_fork() -> None:
    """In the child of a fork the thread that held a lock is gone."""
    global _LIBRARIES_LOCK
    _LIBRARIES_LOCK = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


@cache
def _store(root: Path) -> Store:
    return Store(root)


def obtain(
    function: FunctionType,
    source: Source,
    types: Sequence[tuple[str, str]],
    constants: Mapping[str, object],
    soc: Soc,
    options: Options,
) -> tuple[Kernel, Reads]:
    """The kernel, from wherever it is quickest to have."""
    store = _store(settings.cache_dir)
    tools = toolchain(store)
    named = {name: stable(value) for name, value in constants.items()}
    identity = [__version__, compiler_digest(), source.text, list(types), named, soc.name, asdict(options)]
    index_key = key_of([*identity, tools.identity])
    index = store.manifest("index", index_key)
    if index is not None:
        manifest = store.manifest("kernels", _final_key(index_key, _paths(index), function))
        if manifest is not None and (kernel := _load(store, tools, manifest, source, soc, options)) is not None:
            reads = manifest["reads"]
            assert isinstance(reads, list)
            return kernel, tuple((path, value_at(function, path)) for path in reads)
    with store.building(index_key):
        return _build(store, tools, index_key, function, source, types, constants, soc, options)


def _paths(index: Mapping[str, object]) -> list[str]:
    paths = index["paths"]
    assert isinstance(paths, list)
    return paths


def _final_key(index_key: str, paths: Sequence[str], function: FunctionType) -> str:
    """The second step: what the kernel read from outside, as it is now."""
    return key_of([index_key, {path: stable(value_at(function, path)) for path in paths}])


def _build(
    store: Store,
    tools: Toolchain,
    index_key: str,
    function: FunctionType,
    source: Source,
    types: Sequence[tuple[str, str]],
    constants: Mapping[str, object],
    soc: Soc,
    options: Options,
) -> tuple[Kernel, Reads]:
    """Compiles, stores and loads a kernel."""
    # Whoever held the lock before us may have built it.
    index = store.manifest("index", index_key)
    known = _paths(index) if index is not None else []
    if index is not None:
        manifest = store.manifest("kernels", _final_key(index_key, known, function))
        if manifest is not None and (kernel := _load(store, tools, manifest, source, soc, options)) is not None:
            return kernel, tuple((path, value_at(function, path)) for path in manifest["reads"])  # type: ignore[attr-defined]
    # The library is built beside the kernel: on an empty cache both take a compiler.
    helper = threading.Thread(target=_library_ahead, args=(store, tools))
    helper.start()
    begin = time.perf_counter()
    from opwright.frontend.compile import compile_function

    imported = time.perf_counter()
    program = compile_function(function, source, types, constants, soc)
    lowered = time.perf_counter()
    with store.workspace() as folder:
        entry = entry_text(program.name, [kind for _, kind in types])
        data = build_kernel(tools, program.text, entry, folder)
    compiled = time.perf_counter()
    uses = [program.argument_use.get(name, (False, False)) for name, _ in types]
    manifest = {
        "name": source.name,
        "version": __version__,
        "abi": ABI,
        "soc": soc.name,
        "types": [list(pair) for pair in types],
        "uses": [list(pair) for pair in uses],
        "reads": list(program.reads),
        "places": {str(line): list(place) for line, place in program.places.items()},
        "text": store.save_blob(program.text.encode(), ".cpp"),
        "blobs": {"aiv": store.save_blob(data, ".so")},
    }
    paths = sorted({*known, *program.reads})
    store.save_manifest("kernels", _final_key(index_key, paths, function), manifest)
    store.save_manifest("index", index_key, {"paths": paths})
    helper.join()
    _tell(program.text, program.ir, source.name, begin, imported, lowered, compiled)
    loaded = _load(store, tools, manifest, source, soc, options)
    assert loaded is not None
    return loaded, tuple(program.reads.items())


def _load(
    store: Store, tools: Toolchain, manifest: Mapping[str, Any], source: Source, soc: Soc, options: Options
) -> Kernel | None:
    """Loads a kernel whose blob was just verified; None if the blob is gone or bad."""
    path = store.blob(manifest["blobs"]["aiv"], ".so")
    if path is None:
        return None
    library = _library(store, tools)
    return Kernel(
        name=source.name,
        source=source,
        soc=soc,
        library=library,
        entry=load_entry(path),
        types=tuple((name, kind) for name, kind in manifest["types"]),
        uses=tuple((reads, writes) for reads, writes in manifest["uses"]),
        may_overlap=options.may_overlap,
        places={int(line): Place(*place) for line, place in manifest["places"].items()},
    )


def load_entry(path: Path) -> int:
    """Loads a kernel's shared object, which the caller has verified, and returns the address of its entry."""
    entry = ctypes.cast(ctypes.CDLL(str(path)).opwright_entry, ctypes.c_void_p).value
    assert entry is not None
    return entry


def _library(store: Store, tools: Toolchain) -> Library:
    """The twin's library for a toolchain: loaded once per process, compiled once per store."""
    key = key_of([library_digest(), tools.identity])
    with _LIBRARIES_LOCK:
        if key not in _LIBRARIES:
            _LIBRARIES[key] = Library(_library_file(store, tools, key))
        return _LIBRARIES[key]


def _library_ahead(store: Store, tools: Toolchain) -> None:
    # What fails here fails again, where somebody listens, when the kernel is loaded.
    with contextlib.suppress(OpwrightError):
        _library(store, tools)


def _library_file(store: Store, tools: Toolchain, key: str) -> Path:
    def stored() -> Path | None:
        manifest = store.manifest("libraries", key)
        return store.blob(str(manifest["blob"]), ".so") if manifest is not None else None

    if (path := stored()) is not None:
        return path
    with store.building(key):
        if (path := stored()) is not None:
            return path
        with store.workspace() as folder:
            blob = store.save_blob(build_library(tools, folder), ".so")
        store.save_manifest("libraries", key, {"blob": blob})
        path = store.blob(blob, ".so")
        assert path is not None
        return path


def _tell(text: str, ir: object, name: str, *times: float) -> None:
    """The debug ladder: 1 times, 2 the text, 3 the IR; on stderr."""
    level = settings.debug
    if level < 1:
        return
    steps = zip(("import front end", "AST to text", "C++"), times, times[1:], strict=False)
    words = ", ".join(f"{step} {(end - start) * 1e3:.1f} ms" for step, start, end in steps)
    print(f"opwright: compiled {name}: {words}", file=sys.stderr)  # noqa: T201
    if level >= 2:
        print(text, file=sys.stderr)  # noqa: T201
    if level >= 3:
        print(ir, file=sys.stderr)  # noqa: T201
