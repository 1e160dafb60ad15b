"""Compiles a kernel with or without a removal, runs it on the checked twin, and says what came of it.

In: a launch, and programs with or without a removal. Out: the trace of a run with its findings and outputs; the verdict
on a mutant. Compiled files live in a temporary folder of the caller's: nothing is stored.
"""

from __future__ import annotations

import copy
import ctypes
import dataclasses
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mutation.mutants import Mutant
from mutation.order import Rules, read_events, unordered
from opwright.ascendc.assumptions import assumed, bits
from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.emit.module import emit
from opwright.errors import RaceError
from opwright.findings.finding import Finding
from opwright.frontend.compile import LoweredProgram
from opwright.ir.effects import argument_use
from opwright.ir.verifying import verify
from opwright.kernel.target import Mode
from opwright.runtime.compile import compile_program
from opwright.runtime.jit import JitFunction
from opwright.settings import settings
from opwright.store.store import Store
from opwright.twin.build import TEXT_NAME, assumed_flags, build_kernel, core_flags, entry_text, kernel_flags
from opwright.twin.launch import Kernel, TwinLibrary
from opwright.twin.report import findings_of
from opwright.twin.target import library
from opwright.twin.toolchain import Toolchain, toolchain

# Calls that stand alone and leave nothing that a later line names.
_STATEMENT = re.compile(r"\s*(AscendC::\w*(Flag|Barrier|SyncAll)\b.*|\w+\.(EnQue|FreeTensor)\(.*)\);")
_WORDS = re.compile(r"\w+|\W")
_SWITCHES = "opwright_switches"
MOST_SWITCHES = 1024  # of one program
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
def tools() -> tuple[Toolchain, TwinLibrary]:
    """The compiler and the library of the checked mode."""
    store = Store(settings.cache_dir)
    found = toolchain(store)
    return found, library(store, found, Mode.CHECKED)


def compiled(launch: Launch) -> LoweredProgram:
    """The kernel of a launch."""
    kernel = launch.kernel
    bound = kernel.binder.bind(launch.arguments, launch.keywords)
    return compile_program(kernel.request(bound))


def mutated(program: LoweredProgram, mutant: Mutant) -> LoweredProgram:
    """A program with a removal, made in a copy of its IR: the front end need not read the kernel again."""
    module = program.ir.clone()
    mutant.apply(module)
    verify(module)
    emitted = emit(module, program.kernel_type)
    assert emitted.text != program.text, "nothing was removed"
    use = argument_use(module)
    return dataclasses.replace(program, text=emitted.text, places=emitted.places, argument_use=use, ir=module)


def build(launch: Launch, programs: Sequence[LoweredProgram], folder: Path) -> None:
    """Compiles programs of one launch for the checked mode into one file for each kind of core.

    As quickly as can be: the compiler takes longer to read the headers than to compile a kernel.
    """
    toolchain_here, _ = tools()
    kernel_type = KERNEL_TYPES[programs[0].kernel_type]
    entries = []
    for number, program in enumerate(programs):
        (folder / f"{number}.cpp").write_text(_numbered(program.name, program.text, number), encoding="utf-8")
        entry = entry_text(program.name, program.kinds).replace(TEXT_NAME, f"{number}.cpp")
        entry = _numbered(program.name, _numbered("opwright_entry", entry, number), number)
        entries.append(f"namespace number_{number} {{\n{entry}}}\n")
    # What a text includes must be read before, outside of any namespace.
    texts = "".join(program.text for program in programs)
    includes = "".join(dict.fromkeys(re.findall(r"^#include .*\n", texts, re.MULTILINE)))
    switches = f"bool {_SWITCHES}[{MOST_SWITCHES}]"
    head = f'{includes}extern "C" {{ __attribute__((visibility("default"))) {switches}; }}\n'
    options, soc = launch.kernel.options, launch.kernel.soc()
    assumptions = assumed_flags(bits(assumed(soc.name, settings.chip_assumptions, options.chip_assumptions)))
    for kind in kernel_type.kinds:
        flags = core_flags(kernel_type, kind) + assumptions
        # The text is there for the flags that it needs: what is compiled are the files above.
        text = "".join(f"// {line}\n" for line in texts.splitlines())
        flags = kernel_flags(toolchain_here, text, 0, True, flags)
        compiled_file = build_kernel(toolchain_here, text, head + "".join(entries), folder, flags)
        (folder / f"{kind}.so").write_bytes(compiled_file.data)


def _numbered(name: str, text: str, number: int) -> str:
    """A text in which a name is another one; lines stay where they are."""
    return re.sub(rf"\b{name}\b", f"{name}_{number}", text)


class Edit(NamedTuple):
    """A line of a text that is gone, or in which a number is another one.

    line: from 1. place: of the number among the words and signs of the line; None: the line is gone.
    """

    line: int
    place: int | None = None
    number: str = ""


def edits_of(text: str, mutant: str) -> frozenset[Edit] | None:
    """How a text with a removal differs from that without; None unless in lines that are gone or in numbers."""
    before, after = text.splitlines(), mutant.splitlines()
    if len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True), 1)
        edits = [_edit(line, old, new) for line, (old, new) in pairs if old != new]
        known = frozenset(edit for edit in edits if edit is not None)
        return known if len(known) == len(edits) else None
    rest = after[::-1]
    gone = set()
    for number, line in enumerate(before, 1):
        if rest and rest[-1] == line:
            rest.pop()
        elif _STATEMENT.fullmatch(line):
            gone.add(Edit(number))
        else:
            return None
    return None if rest else frozenset(gone)


def _edit(line: int, before: str, after: str) -> Edit | None:
    old, new = (_WORDS.findall(one) for one in (before, after))
    places = [place for place, words in enumerate(zip(old, new, strict=False)) if words[0] != words[1]]
    if len(old) != len(new) or len(places) != 1:
        return None
    (place,) = places
    return Edit(line, place, new[place]) if old[place].isdigit() and new[place].isdigit() else None


def with_switches(program: LoweredProgram, edits: Sequence[Edit]) -> LoweredProgram:
    """A program in which each of some edits can be switched on, so that many mutants are compiled once."""
    lines = program.text.splitlines()
    for line in {edit.line for edit in edits}:
        here = [(f"{_SWITCHES}[{number}]", edit) for number, edit in enumerate(edits) if edit.line == line]
        words = _WORDS.findall(lines[line - 1])
        for switch, edit in here:
            if edit.place is not None:
                words[edit.place] = f"({switch} ? {edit.number} : {words[edit.place]})"
        text = "".join(words)
        for switch, _ in (one for one in here if one[1].place is None):
            text = f"if (!{switch}) {{ {text.strip()} }}"
        lines[line - 1] = text
    return dataclasses.replace(program, text="\n".join(lines) + "\n")


def load(
    launch: Launch, program: LoweredProgram, folder: Path, number: int = 0, switches: Collection[int] = ()
) -> Kernel:
    """Loads one of the programs that were built in a folder, with some switches on."""
    _, checked_library = tools()
    kernel = launch.kernel
    bound = kernel.binder.bind(launch.arguments, launch.keywords)
    kernel_type = KERNEL_TYPES[program.kernel_type]
    entries = {}
    for kind in kernel_type.kinds:
        loaded = ctypes.CDLL(str(folder / f"{kind}.so"))
        states = (ctypes.c_bool * MOST_SWITCHES).in_dll(loaded, _SWITCHES)
        for switch in range(MOST_SWITCHES):  # one that was loaded before may have left some on
            states[switch] = switch in switches
        address = ctypes.cast(loaded[f"opwright_entry_{number}"], ctypes.c_void_p).value
        assert address is not None
        entries[kind] = address
    types = (*bound.types, *((one.name, one.element) for one in program.workspaces))
    return Kernel(
        name=kernel.source.name,
        source=kernel.source,
        soc=kernel.soc(),
        library=checked_library,
        entries=entries,
        kernel_type=kernel_type,
        types=types,
        uses=tuple(program.argument_use.get(name, (False, False)) for name, _ in types),
        workspaces=program.workspaces,
        outputs=kernel.options.outputs,
        may_overlap=kernel.options.may_overlap,
        auto_sync=kernel.options.auto_sync,
        threads=program.threads,
        is_simt_kernel=False,
        places=program.places,
        functions=program.functions,
        python=kernel.function,
    )


def run(launch: Launch, kernel: Kernel) -> Run:
    """Runs it on copies of the recorded arguments."""
    arguments, keywords = copy.deepcopy((launch.arguments, launch.keywords))
    bound = launch.kernel.binder.bind(arguments, keywords)
    outcome = kernel.launch(launch.cores, bound, Mode.RECORDED)
    assert outcome is not None
    findings = findings_of(outcome, kernel, ())
    events, lost = read_events(outcome.events, outcome.event_count), outcome.events_lost
    kernel.take_printed(outcome)
    return Run(findings, events, lost, [_bytes(value) for value in (*arguments, *keywords.values())])


def rules(kernel: JitFunction) -> Rules:
    """What is ordered without the kernel's help: the toolchain's part, and from 3510 on the chip's."""
    auto_sync = kernel.options.auto_sync
    is_3510 = kernel.soc().arch >= 3510
    return Rules(auto_sync or is_3510, auto_sync, holds_core=not is_3510)


def judge(launch: Launch, program: LoweredProgram, kernel: Kernel, right: list[bytes]) -> Verdict:
    """Whether a mutant is caught, harmless or missed; `right`: the outputs without a removal."""
    got = run(launch, kernel)
    errors = got.errors()
    # A launch that ended early has told only a part of its order.
    ended = not errors or all(issubclass(error.kind, RaceError) for error in errors)
    pairs = unordered(got.events, rules(launch.kernel)) if ended and not got.lost else []
    if errors:
        # Accesses of threads are no events: the brute force cannot tell whether their races are some.
        is_judged = ended and not got.lost and all(error.access.thread is None for error in errors)
        return Verdict("caught", errors[0].kind.__name__, false_alarm=is_judged and not pairs)
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
