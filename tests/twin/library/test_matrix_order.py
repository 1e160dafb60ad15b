"""The order of a matrix core's work: its memories and pipes, products one after another, unit flags, and memories of
other cores of its group, in the library of the checked mode."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest
from library_harness import AIC, AIV, FLAGS, HERE, NUMBERS, TWIN, Outcome, Twin

from opwright.kernel.target import Mode
from opwright.settings import settings
from opwright.store.store import Store
from opwright.twin.launch_record import Found
from opwright.twin.target import library
from opwright.twin.toolchain import toolchain

S, V, M, MTE1, MTE2, MTE3, FIX = 0, 1, 2, 3, 4, 5, 10
UB, L1, L0A, L0B, L0C, BT, FB = range(7)
SELF, AIV_0, AIV_1, OF_AIC = range(4)
CHECKED = 1
RACE, BETWEEN, UNINITIALISED, UNIT_FLAG = (
    NUMBERS[name] for name in ("RACE", "RACE_BETWEEN_CORES", "UNINITIALISED", "UNIT_FLAG")
)
PRODUCT = 10 * 1024  # bytes of results from which on the next product waits for them

Step = tuple[int, ...]


def access(pipe: int, memory: int, written: bool, begin: int, end: int, owner: int = SELF) -> Step:
    return 0, pipe, memory, owner, int(written), begin, end


def reads(pipe: int, memory: int, begin: int = 0, end: int = 512) -> Step:
    return access(pipe, memory, False, begin, end)


def writes(pipe: int, memory: int, begin: int = 0, end: int = 512) -> Step:
    return access(pipe, memory, True, begin, end)


def flag(source: int, destination: int) -> list[Step]:
    return [(1, source, destination, 0, 0, 0, 0), (2, source, destination, 0, 0, 0, 0)]


def barrier(pipe: int) -> Step:
    return 3, pipe, 0, 0, 0, 0, 0


def unit(pipe: int, ends: bool, begin: int = 0, end: int = 1024) -> Step:
    return 4, pipe, int(ends), 0, 0, begin, end


def cross(is_set: bool, pipe: int, flag_id: int) -> Step:
    return 5, int(is_set), 2, pipe, flag_id, 0, 0


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> Twin:
    if not shutil.which("g++"):
        pytest.skip("g++ is not installed")
    folder = tmp_path_factory.mktemp("matrix")
    store = Store(settings.cache_dir)
    subprocess.run(
        ["g++", *FLAGS, f"-I{TWIN / 'include'}", HERE / "matrix.cpp", "-o", folder / "kernels.so"], check=True
    )
    shutil.copy(library(store, toolchain(store), Mode.CHECKED).path, folder / "library.so")
    return Matrix(folder)


class Matrix(Twin):
    """The library of the checked mode and the kernel that tells it things."""

    def __init__(self, folder: Path) -> None:
        self.library = ctypes.CDLL(str(folder / "library.so"))
        self.kernels = ctypes.CDLL(str(folder / "kernels.so"))
        self.library.opwright_launch.argtypes = (ctypes.c_void_p,) * 4

    def told(self, aic: list[Step], aiv: list[Step] | None = None, arch: int = 2201) -> list[tuple[int, ...]]:
        """Fault, kind of the core, line, and of a race the other line."""
        slots = [
            (ctypes.c_int32 * (1 + 7 * len(steps)))(len(steps), *(number for step in steps for number in step))
            for steps in (aic, aiv or [])
        ]
        outcome = Outcome()
        record = self.record(1, slots, 1, aiv=int(aiv is not None), aic=1, arch=arch, mode=CHECKED)
        entry = self.entry("tell")
        self.library.opwright_launch(record, entry, entry, ctypes.byref(outcome))
        all_found = ctypes.cast(outcome.findings, ctypes.POINTER(Found)) if outcome.findings else None
        found = [all_found[i] for i in range(outcome.finding_count)] if all_found else []
        told = [(f.fault, f.core_kind, f.line, *([f.details[0]] if f.fault in (RACE, BETWEEN) else [])) for f in found]
        if outcome.fault:
            told.append((outcome.fault, outcome.core_kind, outcome.line))
        self.library.opwright_release(ctypes.byref(outcome))
        return told


@pytest.mark.parametrize(
    ("source", "destination", "memory"),
    [
        (MTE2, MTE1, L1),
        (MTE2, MTE3, L1),
        (MTE2, FIX, L1),
        (MTE1, M, L0A),
        (MTE1, M, L0B),
        (MTE1, M, BT),
        (M, FIX, L0C),
        (FIX, FIX, FB),
        (S, MTE1, L1),
    ],
)
def test_what_one_pipe_writes_another_reads(checked: Matrix, source: int, destination: int, memory: int) -> None:
    write, read, again = writes(source, memory), reads(destination, memory), writes(source, memory)
    ways = (
        [[barrier(source)], [barrier(source)]]
        if source == destination
        else [flag(source, destination), flag(destination, source)]
    )
    there, back = ways
    assert checked.told([write, read])[0] == (RACE, AIC, 2, 1)
    assert checked.told([write, *there, read]) == []
    if source != S:
        late = (RACE, AIC, 3 + len(there))
        assert {one[:3] for one in checked.told([write, *there, read, again])} == {late}
        assert checked.told([write, *there, read, *back, again]) == []
    # Memories are apart.
    assert checked.told([writes(source, memory), writes(destination, (memory + 1) % 7), barrier(6)]) == []


def test_what_nothing_has_written(checked: Matrix) -> None:
    for pipe, memory in ((M, L0A), (M, L0B), (FIX, L0C), (M, BT), (FIX, FB), (MTE3, L1), (MTE1, L1)):
        assert checked.told([reads(pipe, memory)]) == [(UNINITIALISED, AIC, 1)]
        assert checked.told([writes(pipe, memory, 0, 256), barrier(pipe), reads(pipe, memory, 0, 256)]) == []
    # A load takes whole fractals, of which a copy may have filled some rows; anything else reads what it asks for.
    part = [writes(MTE2, L1, 0, 32), barrier(6)]
    assert checked.told([*part, reads(MTE1, L1)]) == []
    assert checked.told([*part, reads(MTE3, L1)]) == [(UNINITIALISED, AIC, 3)]
    assert checked.told([*part, reads(MTE1, L1, 32, 512)]) == [(UNINITIALISED, AIC, 3)]


def test_products_into_one_place(checked: Matrix) -> None:
    """A short product and the next one need a barrier of their pipe; a long one is waited for."""
    for size, found in ((PRODUCT - 64, [(RACE, AIC, 2, 1)]), (PRODUCT, [])):
        product = writes(M, L0C, 0, size)
        assert checked.told([product, product]) == found
        assert checked.told([product, barrier(M), product]) == []
    # That is so of results, not of operands, and of no other pipe.
    assert checked.told([writes(M, L0C, 0, PRODUCT), reads(FIX, L0C, 0, PRODUCT)]) == [(RACE, AIC, 2, 1)]
    assert checked.told([writes(MTE1, L0A, 0, PRODUCT), writes(MTE1, L0A, 0, PRODUCT)]) == [(RACE, AIC, 2, 1)]


def test_unit_flags(checked: Matrix) -> None:
    product = [unit(M, False), writes(M, L0C, 0, 1024), unit(M, True)]
    copy = [unit(FIX, False), reads(FIX, L0C, 0, 1024), unit(FIX, True)]
    assert checked.told([*product, *copy, barrier(M), *product, *copy]) == []
    # The copy between two short products orders them; without one, or where the first keeps its flag, nothing does.
    assert checked.told([*product, *copy, *product, *copy]) == []
    assert checked.told([*product[:2], *product, *copy]) == [(RACE, AIC, 4, 2)]
    # Only one of the two has flags.
    assert checked.told([*product, reads(FIX, L0C, 0, 1024)]) == [(RACE, AIC, 4, 2)]
    assert checked.told([writes(M, L0C, 0, 1024), unit(FIX, False)]) == [(UNIT_FLAG, AIC, 2)]
    # A product waits for the copy of the one before, which comes later; a copy for a product that keeps the flag.
    assert checked.told([*product, barrier(M), *product]) == [(UNIT_FLAG, AIC, 5)]
    assert checked.told([*product[:2], *copy]) == [(UNIT_FLAG, AIC, 3)]
    assert checked.told([*product, unit(FIX, False, 1024, 2048)]) == [(UNIT_FLAG, AIC, 4)]


def test_memories_of_other_cores(checked: Matrix) -> None:
    """From 3510 on results go to UB of an AIV, and an AIV fills L1: like global memory between the two."""
    result = access(FIX, UB, True, 0, 512, AIV_0)
    use = [reads(V, UB, 0, 256)]
    aic, aiv = [result, cross(True, FIX, 0)], [cross(False, S, 0), *use]
    assert checked.told(aic, aiv, 3510) == []
    wrong = checked.told([result, cross(True, M, 0)], aiv, 3510)
    assert wrong == [(BETWEEN, AIV, 2, 1)]
    # What nobody wrote is not there, and two results in one place need a barrier.
    assert checked.told([cross(True, FIX, 0)], aiv, 3510) == [(UNINITIALISED, AIV, 2)]
    assert checked.told([result, result, cross(True, FIX, 0)], aiv, 3510) == [(RACE, AIC, 2, 1)]
    # The other way round: an AIV fills L1 of its AIC.
    fill = access(MTE3, L1, True, 0, 512, OF_AIC)
    load = [cross(False, S, 1), reads(MTE1, L1)]
    assert checked.told(load, [fill, cross(True, MTE3, 1)], 3510) == []
    told = checked.told(load, [fill, cross(True, MTE2, 1)], 3510)
    assert told == [(BETWEEN, AIV, 1, 2)]
