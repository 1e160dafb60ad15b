"""Gets a kernel that this process does not have yet: from the store, or by building it into the store.

In: a `Request` and a mode. Out: a loaded kernel and the outside values it depends on. The look-up has three steps. The
function's own source leads to the names that it captures. These with what they hold now lead to the program. The
program and the identity of the target lead to the blobs. So a hit runs neither the front end nor a compiler, and looks
for none.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.kernel.captures import value_at
from opwright.kernel.program import Program, Request, facts_of, register_front_end, registered_front_end
from opwright.kernel.stable import stable
from opwright.kernel.target import Artefact, Job, LoadedKernel, Mode, Target, registered
from opwright.settings import settings
from opwright.store import sources
from opwright.store.store import Store, current_store, key_of

if TYPE_CHECKING:
    from opwright.frontend.compile import LoweredProgram
    from opwright.ir import ModuleOp

Captures = tuple[tuple[str, object], ...]
_TEXT = ".cpp"


class AscFrontEnd:
    """The front end of `opwright.asc`."""

    name = "asc"

    def identity(self) -> list[object]:
        """The digest of its sources."""
        return [sources.stage("frontend")]

    def compile(self, request: Request, watch: Callable[[str, ModuleOp], None]) -> LoweredProgram:
        """The program of a Python function."""
        from opwright.frontend.compile import compile_function

        return compile_function(request, watch)


register_front_end(AscFrontEnd())


def compile_program(
    request: Request, watch: Callable[[str, ModuleOp], None] = lambda stage, module: None
) -> LoweredProgram:
    """The program from the front end that the request names; `watch` gets every stage on the way there."""
    from opwright.frontend.compile import LoweredProgram

    with _without_collector():
        program = registered_front_end(request.front_end).compile(request, watch)
    assert isinstance(program, LoweredProgram)
    return program


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """All IR is in use until the text is there: the garbage collector would look at it again and again in vain."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def find_target(name: str) -> Target:
    """The target of a name; ours register themselves when they are loaded."""
    import opwright.twin.target

    if name != "twin":
        import opwright.emit.target  # noqa: F401
    return registered(name)


def obtain(request: Request, mode: Mode) -> tuple[LoadedKernel, Captures]:
    """The kernel, from wherever it is quickest to have."""
    return _Search(request, mode, find_target(settings.target), current_store()).obtain()


def program_of(request: Request) -> Program:
    """The program of a request, from the store if it is there; nothing is built."""
    return _Search(request, Mode.FAST, find_target("twin"), current_store()).program()


@dataclass(frozen=True)
class _Found:
    """A program, what the checked mode knows of it before a launch, and its key."""

    program: Program
    static: dict[str, list[list[Any]]]
    key: str


class Steps:
    """A stopwatch, for OPWRIGHT_DEBUG=1."""

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

    def has(self, name: str) -> bool:
        """Whether a step was taken."""
        return name in self._seconds

    def report(self, what: str) -> None:
        """Prints the steps in the order in which they ended."""
        steps = ", ".join(f"{name} {seconds * 1e3:.1f} ms" for name, seconds in self._seconds.items())
        print(f"opwright: {what}: {steps}", file=sys.stderr)  # noqa: T201


class _Search:
    """The way to one kernel."""

    def __init__(self, request: Request, mode: Mode, target: Target, store: Store) -> None:
        self.request = request
        self.mode = mode
        self.target = target
        self.store = store
        self.steps = Steps()
        self._is_checked = mode.built == "checked"
        with self.steps("key"):
            self.opt_level = min(request.options.opt_level, settings.opt_level)
            front_end = registered_front_end(request.front_end).identity()
            self.index_key = key_of([front_end, *request.identity(), settings.without])
            # What is known before a launch is kept with the kernel.
            static = sources.stage("static") if self._is_checked else ""
            self.how = [target.identity(mode), static, self.opt_level, settings.chip_assumptions]

    def obtain(self) -> tuple[LoadedKernel, Captures]:
        """The kernel and what it captures."""
        loaded = self._find()
        if loaded is None:
            with self.store.building(self.index_key):
                # The process that held the lock before us may have built it.
                loaded = self._find() or self._build()
        if settings.debug >= 1:
            what = "compiled" if self.steps.has("C++") else "found"
            self.steps.report(f"{what} {self.request.source.name}")
        return loaded

    def program(self) -> Program:
        """The program alone."""
        return (self._stored_program() or self._compiled_program()).program

    def _find(self) -> tuple[LoadedKernel, Captures] | None:
        """The kernel from the store, or None."""
        manifests = (
            manifest
            for key in self._program_keys()
            for manifest in self.store.manifests("kernels", key_of([key, self.how]))
        )
        while True:
            with self.steps("look up"):
                manifest = next(manifests, None)
            if manifest is None:
                return None
            if (loaded := self._load(manifest)) is not None:
                return loaded

    def _program_keys(self) -> Iterator[str]:
        """Keys that the program may have: what was captured under each index entry, as it is now.

        A layer and the store itself may name other captures for one function, and neither hides the other's programs.
        """
        for index in self.store.manifests("index", self.index_key):
            yield self._program_key(index["captures"])

    def _program_key(self, captures: list[str]) -> str:
        function = self.request.function
        return key_of([self.index_key, {path: stable(value_at(function, path)) for path in captures}])

    def _build(self) -> tuple[LoadedKernel, Captures]:
        """Builds, stores and loads a kernel."""
        from opwright._version import __version__

        found = self._stored_program() or self._compiled_program()
        job = Job(self.request, found.program, self.mode, self.opt_level, _assumptions(self.request), self.steps)
        blobs = self.target.build(job)
        with self.steps("store"):
            manifest = {
                "name": self.request.source.name,
                "version": __version__,
                "target": self.target.name,
                "soc": self.request.soc.name,
                "types": [list(pair) for pair in self.request.types],
                **found.program.plain(),
                "text": self.store.save_blob(found.program.text.encode(), _TEXT),
                "static": found.static,
                "blobs": {name: self.store.save_blob(data, _suffix(name)) for name, data in blobs.items()},
            }
            self.store.save_manifest("kernels", key_of([found.key, self.how]), manifest)
        loaded = self._load(manifest)
        assert loaded is not None
        return loaded

    def _stored_program(self) -> _Found | None:
        """The program that another target or mode was built from."""
        for key in self._program_keys():
            known = self.store.manifests("static", self._static_key(key)) if self._is_checked else iter([{}])
            static = next(known, None)
            for manifest in self.store.manifests("programs", key) if static is not None else ():
                text = self.store.find_blob(manifest["text"], _TEXT)
                if text is not None:
                    return _Found(Program(**vars(facts_of(manifest)), text=text.read_text()), static or {}, key)
        return None

    def _compiled_program(self) -> _Found:
        """The program from the front end."""
        with self.steps("front end"):
            program = compile_program(self.request)
        if settings.debug >= 2:
            print(program.text if settings.debug == 2 else program.ir, file=sys.stderr)  # noqa: T201
        static: dict[str, list[list[Any]]] = {}
        if self._is_checked:
            from opwright.check.static import static_part

            static = static_part(program.ir, KERNEL_TYPES[program.kernel_type].kinds)
        with self.steps("store"):
            # A kernel may capture other names when a global changes: the index only grows, so every key covers all.
            index = self.store.manifest("index", self.index_key) or {"captures": []}
            captures = sorted({*index["captures"], *program.captures})
            key = self._program_key(captures)
            text = self.store.save_blob(program.text.encode(), _TEXT)
            self.store.save_manifest("programs", key, {**program.plain(), "text": text})
            if self._is_checked:
                self.store.save_manifest("static", self._static_key(key), static)
            self.store.save_manifest("index", self.index_key, {"captures": captures})
        return _Found(program, static, key)

    def _static_key(self, program_key: str) -> str:
        return key_of([program_key, sources.stage("static")])

    def _load(self, manifest: dict[str, Any]) -> tuple[LoadedKernel, Captures] | None:
        """Loads a kernel whose blobs were just verified; None if one of them is gone or bad."""
        with self.steps("load"):
            blobs = {}
            for name, blob in manifest["blobs"].items():
                path = self.store.find_blob(blob, _suffix(name))
                if path is None:
                    return None
                blobs[name] = path
            facts = facts_of(manifest)
            kernel = self.target.load(Artefact(self.request, facts, blobs, manifest["static"]))
        return kernel, tuple((path, value_at(self.request.function, path)) for path in facts.captures)


def _suffix(name: str) -> str:
    """The end of a file's name, from its point on."""
    return name[name.rindex(".") :]


def _assumptions(request: Request) -> int:
    """What is assumed of the chip, as the headers read it."""
    from opwright.ascendc.assumptions import assumed, bits  # only a build needs them

    return bits(assumed(request.soc.name, settings.chip_assumptions, request.options.chip_assumptions))
