"""Gets a kernel that this process does not have yet: from the store, or by compiling it into the store.

In: a `Request`. Out: a loaded `Kernel` and the outside values it depends on. The key has two steps. The first needs
only the function's own source and leads to the list of names that it read; the second hashes what those names hold
now. So a hit runs neither the front end nor a compiler.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from opwright._version import __version__
from opwright.ascendc.assumptions import assumed, bits
from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.ascendc.socs import Soc
from opwright.kernel.captures import value_at
from opwright.kernel.options import Options
from opwright.kernel.place import Called, Place
from opwright.kernel.source import Source
from opwright.kernel.stable import stable
from opwright.settings import settings
from opwright.store.steps import Steps
from opwright.store.store import Store, key_of
from opwright.twin.build import assumed_flags, build_kernel, compiler_digest, core_flags, entry_text
from opwright.twin.constants import ABI
from opwright.twin.launch import Kernel
from opwright.twin.load import library, library_ahead, load_entry
from opwright.twin.toolchain import Toolchain, toolchain

if TYPE_CHECKING:
    from opwright.frontend.compile import Program

Reads = tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class Request:
    """A function to be had as a kernel for these argument types."""

    function: FunctionType
    source: Source
    types: Sequence[tuple[str, str]]
    constants: Mapping[str, object]
    soc: Soc
    options: Options
    checked: bool = False

    def identity(self) -> list[object]:
        """What the first key hashes; no path, no line, no argument value."""
        named = {name: stable(value) for name, value in self.constants.items()}
        return [
            self.source.text,
            list(self.types),
            named,
            self.soc.name,
            asdict(self.options),
            self.checked,
            settings.without,
            self.opt_level,
            self.assumed,
        ]

    @property
    def opt_level(self) -> int:
        """How hard the compiler tries; no result depends on it."""
        return min(self.options.opt_level, settings.opt_level)

    @property
    def assumed(self) -> int:
        """What is assumed of the chip, as the headers read it."""
        return bits(assumed(self.soc.name, settings.chip_assumptions, self.options.chip_assumptions))


@cache
def _store(root: Path) -> Store:
    return Store(root)


def obtain(request: Request) -> tuple[Kernel, Reads]:
    """The kernel, from wherever it is quickest to have."""
    steps = Steps()
    store = _store(settings.cache_dir)
    with steps("toolchain"):
        tools = toolchain(store)
    with steps("key"):
        index_key = key_of([__version__, compiler_digest(), *request.identity(), tools.identity])
    found = _find(store, tools, index_key, request, steps)
    what = "found"
    if found is None:
        # The library is built beside the kernel: on an empty cache both take a compiler.
        helper = threading.Thread(target=library_ahead, args=(store, tools, request.checked))
        helper.start()
        with store.building(index_key):
            # Whoever held the lock before us may have built it.
            found = _find(store, tools, index_key, request, steps)
            if found is None:
                what = "compiled"
                found = _build(store, tools, index_key, request, steps)
        helper.join()
    if settings.debug >= 1:
        steps.tell(f"{what} {request.source.name}")
    return found


def _find(
    store: Store, tools: Toolchain, index_key: str, request: Request, steps: Steps
) -> tuple[Kernel, Reads] | None:
    """The kernel from the store, or None."""
    with steps("look up"):
        index = store.manifest("index", index_key)
        key = _final_key(index_key, index["paths"], request.function) if index is not None else None
        manifest = store.manifest("kernels", key) if key is not None else None
    return _load(store, tools, manifest, request, steps) if manifest is not None else None


def _final_key(index_key: str, paths: Any, function: FunctionType) -> str:
    """The second step: what the kernel read from outside, as it is now."""
    return key_of([index_key, {path: stable(value_at(function, path)) for path in paths}])


def _build(store: Store, tools: Toolchain, index_key: str, request: Request, steps: Steps) -> tuple[Kernel, Reads]:
    """Compiles, stores and loads a kernel."""
    with steps("import front end"):
        from concurrent.futures import ThreadPoolExecutor

        from opwright.frontend.compile import compile_function
    with steps("AST to text"):
        program = compile_function(
            request.function,
            request.source,
            request.types,
            request.constants,
            request.soc,
            request.options.kernel_type,
            most_threads=request.options.threads,
        )
    if settings.debug >= 2:
        print(program.text if settings.debug == 2 else program.ir, file=sys.stderr)  # noqa: T201
    with steps("C++"), store.workspace() as folder:
        entry = entry_text(program.name, program.kinds, request.options.threads > 0)
        kernel_type = KERNEL_TYPES[request.options.kernel_type]
        level, checked, chip = request.opt_level, request.checked, request.assumed

        def build(kind: str) -> bytes:
            own = folder / kind
            own.mkdir()
            flags = core_flags(kernel_type, kind) + assumed_flags(chip)
            return build_kernel(tools, program.text, entry, own, level, checked, flags)

        with ThreadPoolExecutor() as pool:
            blobs = dict(zip(kernel_type.kinds, pool.map(build, kernel_type.kinds), strict=True))
    with steps("store"):
        manifest = _manifest(store, request, program, blobs)
        # A kernel may read other names when a global changes: the index only grows, so every key covers all of them.
        index = store.manifest("index", index_key)
        known: Any = index["paths"] if index is not None else []
        paths = sorted({*known, *program.reads})
        store.save_manifest("kernels", _final_key(index_key, paths, request.function), manifest)
        store.save_manifest("index", index_key, {"paths": paths})
    loaded = _load(store, tools, manifest, request, steps)
    assert loaded is not None
    return loaded


def _manifest(store: Store, request: Request, program: Program, blobs: Mapping[str, bytes]) -> dict[str, object]:
    """What the store keeps of a kernel."""
    uses = [program.argument_use.get(name, (False, False)) for name, _ in request.types]
    return {
        "name": request.source.name,
        "version": __version__,
        "abi": ABI,
        "soc": request.soc.name,
        "options": asdict(request.options),
        "types": [list(pair) for pair in request.types],
        "uses": [list(pair) for pair in uses],
        "reads": list(program.reads),
        "places": {str(line): list(place) for line, place in program.places.items()},
        "functions": [[called.path, [list(caller) for caller in called.callers]] for called in program.functions],
        "text": store.save_blob(program.text.encode(), ".cpp"),
        "blobs": {kind: store.save_blob(data, ".so") for kind, data in blobs.items()},
        "threads": program.threads,
        "static": _static(program, tuple(blobs)) if request.checked else {},
    }


def _static(program: Program, kinds: Sequence[str]) -> dict[str, list[list[Any]]]:
    """What the checked mode knows before any run."""
    from opwright.check.static import static_part

    return static_part(program.ir, kinds)


def _load(
    store: Store, tools: Toolchain, manifest: Mapping[str, Any], request: Request, steps: Steps
) -> tuple[Kernel, Reads] | None:
    """Loads a kernel whose blobs were just verified; None if one of them is gone or bad."""
    with steps("load"):
        paths = {kind: store.blob(name, ".so") for kind, name in manifest["blobs"].items()}
        found = {kind: path for kind, path in paths.items() if path is not None}
        if len(found) < len(paths):
            return None
        kernel = Kernel(
            name=request.source.name,
            source=request.source,
            soc=request.soc,
            library=library(store, tools, request.checked),
            entries={kind: load_entry(path) for kind, path in found.items()},
            kernel_type=KERNEL_TYPES[request.options.kernel_type],
            types=tuple((name, kind) for name, kind in manifest["types"]),
            uses=tuple((reads, writes) for reads, writes in manifest["uses"]),
            may_overlap=request.options.may_overlap,
            auto_sync=request.options.auto_sync,
            outputs=request.options.outputs,
            threads=manifest["threads"],
            is_simt_kernel=request.options.threads > 0,
            places={int(line): Place(*place) for line, place in manifest["places"].items()},
            functions=tuple(
                Called(path, tuple((number, at) for number, at in callers)) for path, callers in manifest["functions"]
            ),
            python=request.function,
            static=manifest["static"],
        )
    return kernel, tuple((name, value_at(request.function, name)) for name in manifest["reads"])
