"""Compiles a kernel with or without a removal, runs it on the checked twin, and says what came of it.

In: a launch, and a `Mutant` or None. Out: the trace of the run with its findings and outputs; the verdict on a mutant.
Compiled files live in a temporary folder and are gone afterwards: nothing is stored.
"""

from __future__ import annotations

import copy
import dataclasses
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from mutation.mutants import Mutant
from mutation.order import Rules, read_events, unordered
from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.check.finding import Finding
from opwright.emit.module import emit
from opwright.errors import RaceError
from opwright.frontend.compile import Program, compile_function
from opwright.ir.effects import argument_use
from opwright.ir.verifying import verify
from opwright.runtime.cache import Store
from opwright.runtime.jit import JitFunction
from opwright.runtime.launch import Kernel, Library
from opwright.settings import settings
from opwright.twin.build import build_kernel, core_flags, entry_text
from opwright.twin.constants import CHECKED, RECORD
from opwright.twin.load import library, load_entry
from opwright.twin.report import findings_of
from opwright.twin.toolchain import Toolchain, toolchain

RESULTS = "results"  # what a mutant is caught by if nothing is found but other numbers come out


@dataclass
class Launch:
    """A launch that some example or test made, with its arguments as they were before."""

    origin: str  # the file that made it
    kernel: JitFunction
    cores: int
    arguments: tuple[object, ...]
    keywords: dict[str, object]

    @property
    def name(self) -> str:
        """For people: where it comes from."""
        return f"{self.origin}:{self.kernel.__name__}"


@dataclass
class Run:
    """What came of a run."""

    findings: list[Finding]
    events: np.ndarray
    lost: int
    outputs: list[bytes]

    def errors(self) -> list[Finding]:
        """The findings that would raise."""
        return [finding for finding in self.findings if finding.severity == "error"]


@dataclass(frozen=True)
class Verdict:
    """`outcome` is "caught", "equivalent", "missed" or "crash"; `why`: by what it was caught, or what was missed."""

    outcome: str
    why: str
    false_alarm: bool = False


@cache
def tools() -> tuple[Toolchain, Library]:
    """The compiler and the library of the checked mode."""
    store = Store(settings.cache_dir)
    found = toolchain(store)
    return found, library(store, found, True)


def compiled(launch: Launch) -> Program:
    """The kernel of a launch."""
    kernel = launch.kernel
    bound = kernel.border.bind(launch.arguments, launch.keywords)
    return compile_function(
        kernel.function, kernel.source, bound.types, bound.constants, kernel.soc(), kernel.options.kernel_type
    )


def mutated(program: Program, mutant: Mutant, kernel_type: str | None) -> Program:
    """A program with a removal, made in a copy of its IR: the front end need not read the kernel again."""
    module = program.ir.clone()
    mutant.apply(module)
    verify(module)
    emitted = emit(module, kernel_type)
    use = argument_use(module)
    return dataclasses.replace(program, text=emitted.text, places=emitted.places, argument_use=use, ir=module)


def load(launch: Launch, program: Program) -> Kernel:
    """Builds and loads a program for the checked mode, as quickly as can be."""
    toolchain_here, checked_library = tools()
    kernel = launch.kernel
    bound = kernel.border.bind(launch.arguments, launch.keywords)
    kernel_type = KERNEL_TYPES[kernel.options.kernel_type]
    entries = {}
    with tempfile.TemporaryDirectory() as folder:
        entry = entry_text(program.name, program.kinds)
        for kind in kernel_type.kinds:
            path = Path(folder) / f"{kind}.so"
            flags = core_flags(kernel_type, kind)
            path.write_bytes(build_kernel(toolchain_here, program.text, entry, Path(folder), 0, True, flags))
            entries[kind] = load_entry(path)
    return Kernel(
        name=kernel.source.name,
        source=kernel.source,
        soc=kernel.soc(),
        library=checked_library,
        entries=entries,
        kernel_type=kernel_type,
        types=tuple(bound.types),
        uses=tuple(program.argument_use.get(name, (False, False)) for name, _ in bound.types),
        outputs=kernel.options.outputs,
        may_overlap=kernel.options.may_overlap,
        auto_sync=kernel.options.auto_sync,
        threads=program.threads,
        pure=False,
        places=program.places,
        functions=program.functions,
        python=kernel.function,
    )


def run(launch: Launch, kernel: Kernel) -> Run:
    """Runs it on copies of the recorded arguments."""
    arguments, keywords = copy.deepcopy((launch.arguments, launch.keywords))
    bound = launch.kernel.border.bind(arguments, keywords)
    outcome = kernel.launch(launch.cores, bound, CHECKED, RECORD)
    assert outcome is not None
    findings = findings_of(outcome, kernel)
    events, lost = read_events(outcome.events, outcome.event_count), outcome.events_lost
    kernel.take_printed(outcome)
    return Run(findings, events, lost, [_bytes(value) for value in (*arguments, *keywords.values())])


def rules(kernel: JitFunction) -> Rules:
    """What is ordered without the kernel's help: the toolchain's part, and from 3510 on the chip's."""
    auto_sync = kernel.options.auto_sync
    is_3510 = kernel.soc().arch >= 3510
    return Rules(auto_sync or is_3510, auto_sync, holds_core=not is_3510)


def judge(launch: Launch, mutant: Mutant, original: Program, right: list[bytes]) -> Verdict:
    """Whether a mutant is caught, harmless or missed; `original` and `right`: without a removal, and its outputs."""
    program = mutated(original, mutant, launch.kernel.options.kernel_type)
    assert program.text != original.text, "nothing was removed"
    got = run(launch, load(launch, program))
    errors = got.errors()
    # A launch that ended early has told only a part of its order.
    ended = not errors or all(issubclass(error.kind, RaceError) for error in errors)
    pairs = unordered(got.events, rules(launch.kernel)) if ended and not got.lost else []
    if errors:
        return Verdict("caught", errors[0].kind.__name__, false_alarm=ended and not got.lost and not pairs)
    if got.lost or pairs:
        first = pairs[0] if pairs else None
        places = [program.places[line].at for line in (first.first_line, first.second_line)] if first else []
        return Verdict("missed", f"nothing orders {' and '.join(places)}" if first else "the trace is too long")
    if got.outputs != right:
        # Nothing is out of order, but bytes are shared that must not be: what any test sees that compares results.
        return Verdict("caught", RESULTS)
    return Verdict("equivalent", "")


def _bytes(value: object) -> bytes:
    """What an argument holds, if it is an array."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if hasattr(value, "untyped_storage"):  # torch
        import torch

        assert isinstance(value, torch.Tensor)
        return bytes(value.detach().contiguous().view(torch.uint8).numpy().tobytes()) if value.dim() else b""
    return b""
