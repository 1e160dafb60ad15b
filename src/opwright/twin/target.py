"""The twin as a target: it builds shared objects for this CPU, and loads them.

In: a `Job`. Out: blobs, one for each kind of core and one that is the twin's library; from verified blobs a `Kernel`.
Only `build` looks for a compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.kernel.target import Artefact, Job, Mode, register
from opwright.store import sources
from opwright.store.store import Store, current_store
from opwright.twin.constants import ABI
from opwright.twin.launch import Kernel, TwinLibrary, load_entry, load_library
from opwright.twin.machine import machine_identity

if TYPE_CHECKING:
    from opwright.twin.toolchain import Toolchain

_LIBRARY = "library.so"


class Twin:
    """The CPU twin."""

    name = "twin"

    def identity(self, mode: Mode) -> list[object]:
        """The build, the machine, and this package's part of it."""
        return [self.name, ABI, mode.built, sources.stage("twin"), machine_identity()]

    def build(self, job: Job) -> Mapping[str, bytes]:
        """The objects of all kinds of cores and the library, side by side: on an empty cache all take a compiler."""
        from concurrent.futures import ThreadPoolExecutor

        from opwright.twin.toolchain import toolchain

        store = current_store()
        with job.step("toolchain"):
            tools = toolchain(store)
        kinds = KERNEL_TYPES[job.program.kernel_type].kinds
        builds: dict[str, Callable[[], bytes]] = {_LIBRARY: lambda: library_object(store, tools, job.mode)}
        builds |= {f"{kind}.so": lambda kind=kind: _kernel_object(store, tools, job, kind) for kind in kinds}  # type: ignore[misc]
        with ThreadPoolExecutor() as pool:
            running = {name: pool.submit(build) for name, build in builds.items()}
            # A fault in the kernel's own text is reported before one in the library.
            return {name: running[name].result() for name in reversed(builds)}

    def load(self, artefact: Artefact) -> Kernel:
        """The kernel, with the library that was built for it."""
        request, facts = artefact.request, artefact.facts
        types = (*request.types, *((one.name, one.element) for one in facts.workspaces))
        entries = {name.removesuffix(".so"): path for name, path in artefact.blobs.items() if name != _LIBRARY}
        return Kernel(
            name=request.source.name,
            source=facts.source(request.source),
            soc=request.soc,
            library=load_library(artefact.blobs[_LIBRARY]),
            entries={kind: load_entry(path) for kind, path in entries.items()},
            kernel_type=KERNEL_TYPES[facts.kernel_type],
            types=types,
            uses=tuple(facts.argument_use.get(name, (False, False)) for name, _ in types),
            may_overlap=request.options.may_overlap,
            auto_sync=request.options.auto_sync,
            outputs=request.options.outputs,
            threads=facts.threads,
            is_simt_kernel=request.options.threads > 0,
            places=facts.places,
            functions=facts.functions,
            python=request.function,
            static=artefact.static,
            host=facts.host,
            workspaces=facts.workspaces,
        )


def _kernel_object(store: Store, tools: Toolchain, job: Job, kind: str) -> bytes:
    """The shared object for one kind of core."""
    from opwright.twin.build import Built, assumed_flags, build_kernel, core_flags, entry_text, kernel_flags
    from opwright.twin.objects import obtain_object

    program, options = job.program, job.request.options
    entry = entry_text(program.name, program.kinds, options.threads > 0)
    core = core_flags(KERNEL_TYPES[program.kernel_type], kind) + assumed_flags(job.assumptions)
    flags = kernel_flags(tools, program.text, job.opt_level, job.mode.built == "checked", core)

    def compiled() -> Built:
        with job.step("C++"), store.workspace() as folder:
            return build_kernel(tools, program.text, entry, folder, flags)

    return obtain_object(store, tools, {"text": program.text, "entry": entry, "arguments": flags}, compiled)


def library_object(store: Store, tools: Toolchain, mode: Mode) -> bytes:
    """The twin's library for a toolchain and a mode: compiled once per store."""
    from opwright.store.progress import compiling
    from opwright.twin.build import Built, build_library, library_flags
    from opwright.twin.objects import obtain_object

    checked = mode.built == "checked"

    def compiled() -> Built:
        what, seconds = ("the checked twin", 13) if checked else ("the twin", 3)
        with store.workspace() as folder, compiling(what, seconds):
            return build_library(tools, folder, checked)

    return obtain_object(store, tools, {"library": library_flags(checked)}, compiled)


def library(store: Store, tools: Toolchain, mode: Mode = Mode.FAST) -> TwinLibrary:
    """The twin's library, loaded."""
    blob = store.save_blob(library_object(store, tools, mode), ".so")
    path = store.blob(blob, ".so")
    assert path is not None
    return load_library(path)


register(Twin())
