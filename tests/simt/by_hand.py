"""Texts with threads that are written by hand: compiled against the twin's headers and launched without a front end.

In: a text, its arguments as arrays and numbers, grid and block. Out: what came of it: a fault with its line and
details, or changed arrays. Nothing here knows Python kernels, so that headers and library are tested alone.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np

from opwright.kernel.target import Mode
from opwright.settings import settings
from opwright.store import sources
from opwright.store.store import Store, digest
from opwright.twin.build import build_kernel, entry_text, kernel_flags
from opwright.twin.constants import ABI, CHECKED, FAST, GM_READ, GM_WRITTEN
from opwright.twin.faults import FAULTS
from opwright.twin.launch import load_entry
from opwright.twin.launch_record import Outcome
from opwright.twin.target import library
from opwright.twin.toolchain import toolchain

UB_BYTES = 216 * 1024
CORES = 64
MIXED = '#include "kernel_operator.h"\n#include "simt_api/asc_bf16.h"\n'
PURE = '#include "simt_api/asc_bf16.h"\n'


@dataclass
class Ended:
    """What came of a launch."""

    fault: str
    line: int
    block: int
    details: dict[str, int]
    printed: str
    findings: list[tuple[str, int, dict[str, int]]]


@dataclass
class ByHand:
    """A compiled text."""

    entry: int
    kinds: tuple[str, ...]
    is_simt_kernel: bool
    checked: bool

    def __call__(
        self,
        *values: np.ndarray | float,
        grid: int | Sequence[int] = 1,
        block: int | Sequence[int] = 1,
        threads: int = 2,
        mode: int | None = None,
        seed: int = 0,
    ) -> Ended:
        """Launches it; `block` counts for a kernel of threads only."""
        shape = [*_three(grid), *_three(block)]
        slots = [_slot(value) for value in values] + (shape if self.is_simt_kernel else [])
        arrays = [(number, value) for number, value in enumerate(values) if isinstance(value, np.ndarray)]
        ranges = [(value.ctypes.data, value.nbytes, GM_READ | GM_WRITTEN, number) for number, value in arrays]
        mode = (CHECKED if self.checked else FAST) if mode is None else mode
        numbers = [ABI, 0, 3510, mode, prod(shape[:3]), threads, CORES, len(slots), len(ranges), 0, 0, 1]
        record = struct.pack("=12I2Q7Q", *numbers, 0, seed, UB_BYTES, *[0] * 6)
        record += struct.pack(f"={len(slots)}Q", *slots) + b"".join(struct.pack("=QQII", *one) for one in ranges)
        outcome = Outcome()
        loaded = library(_store(), toolchain(_store()), Mode.CHECKED if self.checked else Mode.FAST)
        assert loaded.launch(record, self.entry, None, ctypes.addressof(outcome)) >= 0
        printed = ctypes.string_at(outcome.printed, outcome.printed_bytes) if outcome.printed else b""
        found = [outcome.findings[i] for i in range(outcome.finding_count)]
        ended = Ended(
            FAULTS[outcome.fault].name,
            outcome.line,
            outcome.block,
            _details(outcome.fault, outcome.details),
            printed.decode(),
            [(FAULTS[one.fault].name, one.line, _details(one.fault, one.details)) for one in found],
        )
        loaded.release(ctypes.addressof(outcome))
        return ended


def compile_by_hand(
    folder: Path, text: str, name: str, kinds: Sequence[str], pure: bool = False, checked: bool = False
) -> ByHand:
    """Compiles a text once per content; `kinds` are those of `entry_text`."""
    entry = entry_text(name, kinds, pure)
    path = folder / f"{digest((text + entry + sources.stage('twin') + str(checked)).encode())[:32]}.so"
    if not path.exists():
        tools = toolchain(_store())
        flags = kernel_flags(tools, text, checked=checked)
        path.write_bytes(build_kernel(tools, text, entry, folder, flags).data)
    return ByHand(load_entry(path), tuple(kinds), pure, checked)


def line_of(text: str, mark: str) -> int:
    """The line of a text on which something stands."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if mark in line)


def _store() -> Store:
    return Store(settings.cache_dir)


def _three(shape: int | Sequence[int]) -> list[int]:
    given = [shape] if isinstance(shape, int) else list(shape)
    return [*given, 1, 1][:3]


def _slot(value: np.ndarray | float) -> int:
    if isinstance(value, np.ndarray):
        return value.ctypes.data
    if isinstance(value, float):
        return int(struct.unpack("I", struct.pack("f", value))[0])
    return int(value) % 2**64


def _details(fault: int, values: Sequence[int]) -> dict[str, int]:
    return dict(zip(FAULTS[fault].details, values, strict=False))
