"""The twin's library and kernels written by hand for it: built, loaded and launched from Python."""

import ctypes
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

from opwright.twin.constants import ABI
from opwright.twin.faults import FAULTS

HERE = Path(__file__).parent
TWIN = HERE.parents[2] / "src" / "opwright" / "twin"
FLAGS = (
    "-std=c++17 -O3 -ffp-contract=off -fno-fast-math -fwrapv -fno-strict-aliasing -fvisibility=hidden "
    "-fno-exceptions -fno-rtti -fPIC -shared -pthread -Wall -Wextra -Werror"
).split()
NUMBERS = {fault.name: number for number, fault in enumerate(FAULTS)}
NO_MEMORY, TRAP, RULE = (NUMBERS[name] for name in ("NO_MEMORY", "TRAP", "RULE"))
DEADLOCK, SYNC_GRID, CROSS_MODE = (NUMBERS[name] for name in ("DEADLOCK", "SYNC_GRID", "CROSS_MODE"))
AIV, AIC = 0, 1
NO_BLOCK = 2**32 - 1


WORDS = "abi bytes arch mode grid threads cores slots ranges flags dynamic_ub group"


class Record(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_uint32) for name in WORDS.split()),
        ("workspace", ctypes.c_uint64),
        ("seed", ctypes.c_uint64),
        ("memory_bytes", ctypes.c_uint64 * 7),
    )


class Waiter(ctypes.Structure):
    _fields_ = (
        ("block", ctypes.c_uint32),
        ("line", ctypes.c_int32),
        *((name, ctypes.c_uint32) for name in "kind awaited mode id partner partner_kind partner_sets sets".split()),
        ("partner_line", ctypes.c_int32),
        ("rank", ctypes.c_uint32),
    )


class Outcome(ctypes.Structure):
    _fields_ = (
        ("fault", ctypes.c_uint32),
        ("line", ctypes.c_int32),
        ("block", ctypes.c_uint32),
        ("core_kind", ctypes.c_uint32),
        ("details", ctypes.c_int64 * 14),
        ("waiters", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("waiting", Waiter * 128),
        ("printed", ctypes.c_void_p),
        ("printed_bytes", ctypes.c_uint64),
        ("findings", ctypes.c_void_p),
        ("finding_count", ctypes.c_uint64),
        ("events", ctypes.c_void_p),
        ("event_count", ctypes.c_uint64),
        ("events_lost", ctypes.c_uint64),
    )


class PrintArgument(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("bits", ctypes.c_uint64))


class Seen(ctypes.Structure):
    """What a core of a group saw: a row that the kernels see_aiv and see_aic write."""

    _fields_ = (
        *((name, ctypes.c_uint64) for name in "runs entry kind block sub_block core group aic".split()),
        ("aiv", ctypes.c_uint64 * 2),
        ("base", ctypes.c_uint64 * 7),
        ("bytes", ctypes.c_uint64 * 7),
    )


OF_AIC = (1 << 19, 1 << 16, 1 << 16, 1 << 17, 1024, 0)  # L1, L0A, L0B, L0C, BT; no FB
Slot = int | ctypes.Array  # an array stands for its address


def integers(count: int) -> ctypes.Array[ctypes.c_int32]:
    return (ctypes.c_int32 * count)()


def build(folder: Path) -> None:
    for source, output in (
        (TWIN / "library" / "library.cpp", "library.so"),
        (HERE / "kernels.cpp", "kernels.so"),
    ):
        subprocess.run(["g++", *FLAGS, f"-I{TWIN / 'include'}", source, "-o", folder / output], check=True)


class Twin:
    """The library and the kernels, loaded."""

    def __init__(self, folder: Path) -> None:
        self.library = ctypes.CDLL(str(folder / "library.so"))
        self.kernels = ctypes.CDLL(str(folder / "kernels.so"))
        self.library.opwright_layout.restype = ctypes.c_uint64
        self.library.opwright_launch.argtypes = (ctypes.c_void_p,) * 4
        for name in ("float_control", "flushing_control", "launch_flushing"):
            getattr(self.kernels, name).restype = ctypes.c_uint64
        self.kernels.launch_flushing.argtypes = (ctypes.c_void_p,) * 4 + (ctypes.c_uint64,)

    def entry(self, name: str) -> int:
        return ctypes.cast(getattr(self.kernels, name), ctypes.c_void_p).value or 0

    def record(
        self,
        grid: int,
        slots: Sequence[Slot] = (),
        threads: int = 2,
        cores: int = 48,
        ub: int = 196608,
        aiv: int = 1,
        aic: int = 0,
        of_aic: Sequence[int] = OF_AIC,
        arch: int = 2201,
        mode: int = 0,
    ) -> ctypes.Array[ctypes.c_char]:
        record = Record(abi=ABI, arch=arch, mode=mode, grid=grid, threads=threads, cores=cores, slots=len(slots))
        record.group = aiv | aic << 8
        record.memory_bytes[:] = [ub, *of_aic]
        record.bytes = ctypes.sizeof(record) + 8 * len(slots)
        values = [slot if isinstance(slot, int) else ctypes.addressof(slot) for slot in slots]
        return ctypes.create_string_buffer(bytes(record) + struct.pack(f"{len(slots)}Q", *values), record.bytes)

    def launch(
        self,
        name: str,
        grid: int,
        slots: Sequence[Slot] = (),
        threads: int = 2,
        cores: int = 48,
        ub: int = 196608,
        aiv: int = 1,
        aic: str = "",
        of_aic: Sequence[int] = OF_AIC,
        arch: int = 2201,
    ) -> SimpleNamespace:
        """`name` is the entry of the AIVs, `aic` that of the AICs; without a name there are none."""
        outcome = Outcome()
        record = self.record(grid, slots, threads, cores, ub, aiv if name else 0, int(bool(aic)), of_aic, arch)
        entries = [self.entry(one) if one else None for one in (name, aic)]
        returned = self.library.opwright_launch(record, *entries, ctypes.byref(outcome))
        assert returned == outcome.fault
        return self.result(outcome)

    def result(self, outcome: Outcome) -> SimpleNamespace:
        printed = ctypes.string_at(outcome.printed, outcome.printed_bytes) if outcome.printed else b""
        self.library.opwright_release(ctypes.byref(outcome))
        assert not outcome.printed
        return SimpleNamespace(
            fault=outcome.fault,
            line=outcome.line,
            block=outcome.block,
            kind=outcome.core_kind,
            details=list(outcome.details),
            waiters=outcome.waiters,
            waiting=[(w.block, w.line) for w in outcome.waiting[: min(outcome.waiters, 128)]],
            missing=[
                (w.kind, w.block, w.mode, w.id, w.partner_kind, w.partner, w.partner_sets, w.sets, w.partner_line)
                for w in outcome.waiting[: min(outcome.waiters, 128)]
                if w.awaited == 1
            ],
            printed=printed,
        )
