"""What was compiled for the twin, loaded: its library, once per process and build of it, and kernels to launch.

In: blobs that were just verified, and a manifest. Out: runs, through a launch record of fixed layout. Refuses read-only
outputs, arguments that overlap in part, and grids that no launch has. Holds nothing that two threads could spoil for
each other; safe after a fork.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]
import ctypes
import os
import signal
import struct
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opwright.ascendc.kernel_types import AIC, AIV, CROSS_FLAG_CALLS
from opwright.ascendc.socs import MEMORIES
from opwright.errors import CorruptArtefact, GridOutOfRange, PartialOverlap
from opwright.kernel.arguments import BoundArguments
from opwright.kernel.arrays import Memory, written
from opwright.kernel.layouts import is_memory, slot_count, slot_format
from opwright.kernel.program import KernelFacts
from opwright.kernel.target import Mode
from opwright.settings import settings
from opwright.twin.constants import (
    ABI,
    AUTO_SYNC,
    CHECKED,
    CROSSES,
    ELIDE,
    FAST,
    GM_READ,
    GM_STABLE,
    GM_WRITTEN,
    PERTURBED,
    RECORD,
    STREAM,
)
from opwright.twin.launch_record import GmRange, LaunchRecord, Outcome, packing

MAX_GRID = 65535
# Starting a core takes as long as some hundred threads that do little, so that one core takes several blocks.
MAX_CORES_OF_THREADS = 256
# Stores that bypass the cache pay off once the output no longer fits it (measured: docs/performance.md).
STREAM_BYTES = 1 << 20
_HEADER, _RANGE = packing(LaunchRecord), packing(GmRange)
_INTERRUPTED = -2  # what a launch returns that Ctrl-C has ended
_MAIN = threading.main_thread()
_handler_of = _signal.getsignal  # that of the module signal makes an enum of it first
_CPUS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
# What a launch record says of a mode.
_RECORD_MODES = {Mode.FAST: FAST, Mode.CHECKED: CHECKED, Mode.PERTURBED: PERTURBED, Mode.RECORDED: CHECKED}


class TwinLibrary:
    """The twin's library, loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path
        library = ctypes.CDLL(str(path))
        library.opwright_layout.restype = ctypes.c_uint64
        sizes = [library.opwright_layout(which) for which in range(3)]
        if library.opwright_abi() != ABI or sizes != [ctypes.sizeof(kind) for kind in (LaunchRecord, GmRange, Outcome)]:
            raise CorruptArtefact(path=path)
        self.launch = library.opwright_launch
        self.launch_interruptible = library.opwright_launch_interruptible
        for launch in (self.launch, self.launch_interruptible):
            launch.argtypes = (ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        self.release = library.opwright_release
        self.release.argtypes = (ctypes.c_void_p,)


class _PerThread(threading.local):
    """One outcome per Python thread, made once."""

    def __init__(self) -> None:
        self.outcome = Outcome()
        self.address = ctypes.addressof(self.outcome)


_THREAD = _PerThread()


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


@dataclass(kw_only=True)
class Kernel(KernelFacts):
    """A kernel ready to run."""

    library: TwinLibrary
    entries: Mapping[str, int]  # of each kind of core
    may_overlap: bool
    auto_sync: bool

    def __post_init__(self) -> None:
        slots = "".join(slot_format(kind) for _, kind in self.types)
        slots += "6Q" * self.is_simt_kernel
        self._slots = sum(slot_count(kind) for _, kind in self.types) + 6 * self.is_simt_kernel
        count = sum(is_memory(kind) for _, kind in self.types)
        self._record = struct.Struct(f"={_HEADER}{slots}{_RANGE * count}")
        has = self.kernel_type.has
        self._memory = tuple(self.soc.usable(name, self.threads) if has(name) else 0 for name in MEMORIES)
        self._group = self.kernel_type.group
        self._cores = self.kernel_type.cores(self.soc)
        self._aiv, self._aic = self.entries.get(AIV), self.entries.get(AIC)
        self._crosses = CROSSES * any(place.call in CROSS_FLAG_CALLS for place in self.places.values())
        self._count = count
        uses = list(enumerate(self.uses))
        self._gm = [
            (slot, (reads and GM_READ) | (writes and GM_WRITTEN) | GM_STABLE)
            for slot, (reads, writes) in uses
            if is_memory(self.types[slot][1])
        ]
        self._written = [slot for slot, (_, writes) in uses if writes]

    def run(self, cores: int, bound: BoundArguments) -> None:
        """Launches and waits; raises what went wrong with the Python line."""
        outcome = self.launch(cores, bound, Mode.FAST)
        if outcome is None:
            return
        error = None
        if outcome.fault:
            from opwright.twin.report import error_of  # needs the table, which a good launch does not

            error = error_of(outcome, self)
        self.finish(outcome)
        if error is not None:
            raise error

    def launch(self, cores: int, bound: BoundArguments, mode: Mode, flags: int = 0, seed: int = 0) -> Outcome | None:
        """What came of a launch, until the next one of this thread; None if there is nothing to report.

        The caller passes an outcome to `finish` or `take_printed`. The perturbed mode runs on one thread: the order of
        cores is part of what its seed chooses; seed 0 is the program order.
        """
        if not 1 <= cores <= MAX_GRID:
            kind = self.kernel_type
            have = f"{kind.groups(self.soc)} {kind.group_description}"
            raise GridOutOfRange(kernel=self.name, cores=cores, max=MAX_GRID, soc=self.soc.name, have=have)
        is_fast = mode is Mode.FAST
        if self.is_simt_kernel and is_fast:
            cores = min(cores, MAX_CORES_OF_THREADS)
        if self.workspaces:
            from opwright.kernel.workspace import with_workspaces  # few kernels have some

            bound = with_workspaces(bound, self.workspaces, cores)
        ranges, streams, tensors = self._ranges(bound.memories)
        how = settings.run()
        if mode is Mode.RECORDED:
            flags |= RECORD
        # In the order of the fields of LaunchRecord.
        record = self._record.pack(
            ABI,
            self._record.size,
            self.soc.arch,
            FAST if is_fast else _RECORD_MODES[mode],
            cores,
            1 if mode is Mode.PERTURBED else how.threads or _CPUS,
            self._cores,
            self._slots,
            self._count,
            (how.elide and ELIDE) | (streams and STREAM) | (self.auto_sync and AUTO_SYNC) | self._crosses | flags,
            0,
            self._group,
            0,
            seed,
            *self._memory,
            *bound.slots,
            *ranges,
        )
        thread = _THREAD
        # A handler of the program's own may want the launch to end as it would.
        if threading.get_ident() == _MAIN.ident and _handler_of(signal.SIGINT) is signal.default_int_handler:
            try:
                failed = self.library.launch_interruptible(record, self._aiv, self._aic, thread.address)
                if failed == _INTERRUPTED:
                    raise KeyboardInterrupt
            except KeyboardInterrupt:
                self.library.release(thread.address)
                if tensors:
                    written(tensors)
                raise
        else:
            failed = self.library.launch(record, self._aiv, self._aic, thread.address)
        if tensors:
            written(tensors)
        if failed < 0:
            raise CorruptArtefact(path=self.library.path)
        outcome = thread.outcome
        return outcome if failed or outcome.printed_bytes or not is_fast else None

    def _ranges(self, memories: Sequence[Memory | None]) -> tuple[list[int], bool, list[object]]:
        """The record's memory ranges, whether stores should bypass the cache, and the torch tensors written to."""
        outputs = []
        tensors = []
        total = 0
        for slot in self._written:
            memory = memories[slot]
            assert memory is not None
            base, size, write_error, tensor = memory
            if write_error is not None:
                raise write_error(kernel=self.name, name=self.types[slot][0])
            if tensor is not None:
                tensors.append(tensor)
            outputs.append((base, size, base + size, slot))
            total += size
        flat: list[int] = []
        for slot, use in self._gm:
            memory = memories[slot]
            assert memory is not None
            base, size, _, _ = memory
            for other, other_size, other_end, other_slot in outputs:
                if base < other_end and other < base + size:
                    use &= ~GM_STABLE
                    if (base != other or size != other_size) and not self.may_overlap:
                        first, second = self.types[slot][0], self.types[other_slot][0]
                        raise PartialOverlap(kernel=self.name, first=first, second=second, written=second)
            flat += (base, size, use, slot)
        return flat, total >= STREAM_BYTES, tensors

    def finish(self, outcome: Outcome) -> None:
        """Prints what the kernel printed, and gives back what the library keeps for an outcome."""
        if printed := self.take_printed(outcome):
            sys.stdout.write(printed)
            sys.stdout.flush()

    def take_printed(self, outcome: Outcome) -> str:
        """What the kernel printed. Gives back what the library keeps for an outcome."""
        printed = ctypes.string_at(outcome.printed, outcome.printed_bytes) if outcome.printed else b""
        self.library.release(ctypes.addressof(outcome))
        return printed.decode(errors="replace")
