"""Atomic operations of threads, against what any order of the threads must give: results, and the old values of all."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from image import NUMPY, load
from thread_calls import HEAD, empty

from opwright.ascendc.table import CHAPTERS, ROWS
from opwright.errors import KernelError

Ran = Callable[[str, int, str], None]
BLOCK, GRID = 256, 6
IN_UB = {
    "add": ("int32", "uint32", "float32", "float16", "bfloat16"),
    "sub": ("int32", "uint32", "float32"),
    "exch": ("int32", "uint32", "float32"),
    "max": ("int32", "uint32", "float32", "float16", "bfloat16"),
    "min": ("int32", "uint32", "float32", "float16", "bfloat16"),
    "cas": ("int32", "uint32", "float32"),
    "inc": ("uint32",),
    "dec": ("uint32",),
    "and": ("int32", "uint32"),
    "or": ("int32", "uint32"),
    "xor": ("int32", "uint32"),
}
WIDE = {name: ("uint64",) if name in ("inc", "dec") else ("int64", "uint64") for name in IN_UB}
IN_GM = {name: (*types, *WIDE[name]) for name, types in IN_UB.items()}
LIMIT = 100  # of inc and dec
START = {
    "add": 3,
    "sub": 90,
    "exch": 7,
    "max": 5,
    "min": 5,
    "cas": 0,
    "inc": 0,
    "dec": 40,
    "and": 127,
    "or": 0,
    "xor": 9,
}


def operations(dtype: str, table: dict[str, tuple[str, ...]]) -> list[str]:
    return [name for name, types in table.items() if dtype in types]


def text_of(name: str, place: str) -> str:
    """Each thread's number is x[i]; inc and dec count around, and cas lets the first thread win."""
    value = {"inc": str(LIMIT), "dec": str(LIMIT), "cas": "0, x[i] + 1"}.get(name, "x[i]")
    return f"simt.atomic_{name}({place}, {value})"


def in_global_memory(dtype: str) -> str:
    lines = ["i = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x", "n = simt.gridDim.x * simt.blockDim.x"]
    for number, name in enumerate(operations(dtype, IN_GM)):
        lines.append(f"olds[{number} * n + i] = {text_of(name, f'out[{number}:]')}")
    return "\n".join(lines)


def in_ub(dtype: str) -> str:
    names = operations(dtype, IN_UB)
    lines = [
        "i = simt.threadIdx.x",
        "n = simt.blockDim.x",
        f"tile = simt.shared(asc.{dtype}, {len(names)})",
        f"if i < {len(names)}:\n    tile[i] = out[i]",
        "simt.syncthreads()",
        *(f"olds[{number} * n + i] = {text_of(name, f'tile[{number}:]')}" for number, name in enumerate(names)),
        "simt.syncthreads()",
        f"if i < {len(names)}:\n    out[i] = tile[i]",
    ]
    return "\n".join(lines)


def run(folder: Path, dtype: str, names: list[str], body: str, grid: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What each element became, the old values of all threads, and their numbers."""
    text = "".join(f"    {line}\n" for line in body.splitlines())
    parameters = "out: asc.GlobalAddress, olds: asc.GlobalAddress, x: asc.GlobalAddress"
    kernel = load(folder, f"atomics_{dtype}", f"{HEAD}\n@simt\ndef atomics({parameters}):\n{text}").atomics
    count = grid * BLOCK
    # Small, so that sums of floats are exact in every order; bfloat16 has 8 bits.
    most = 2 if dtype in ("bfloat16", "float16") else 100
    x = np.random.default_rng(count).integers(0, most, count)
    x = (x * (np.arange(count) < 100) if dtype in ("bfloat16", "float16") else x).astype(NUMPY[dtype])
    out = np.array([START[name] for name in names]).astype(NUMPY[dtype])
    olds = empty(dtype, len(names), count)
    kernel[grid, BLOCK](out, olds, x)
    return out, olds, x


def judge(name: str, dtype: str, now: int, olds: list[int], x: list[int]) -> None:
    """Whatever the order was, it is one: the old values are the steps on the way from the start to the end."""
    start = START[name]
    size = 1 << (8 * NUMPY[dtype].itemsize)
    is_unsigned = NUMPY[dtype].kind == "u"
    where = (name, dtype)
    match name:
        case "add" | "sub":
            sign = 1 if name == "add" else -1
            want = start + sign * sum(x)
            assert now == (want % size if is_unsigned else want), where
            after = [
                (old + sign * value) % size if is_unsigned else old + sign * value
                for old, value in zip(olds, x, strict=True)
            ]
            assert sorted([*olds, now]) == sorted([start, *after]), where
        case "exch":
            assert sorted([*olds, now]) == sorted([start, *x]), where
        case "max" | "min":
            choose = max if name == "max" else min
            assert now == choose([start, *x]), where
            assert set(olds) <= {start, *x} and choose(olds) in (now, choose([start, *x])), where
            assert start in olds, where
        case "inc":
            assert now == (start + len(x)) % (LIMIT + 1), where
            assert sorted(olds) == sorted((start + step) % (LIMIT + 1) for step in range(len(x))), where
        case "dec":
            assert now == (start - len(x)) % (LIMIT + 1), where
            assert sorted(olds) == sorted((start - step) % (LIMIT + 1) for step in range(len(x))), where
        case "and":
            assert now == np.bitwise_and.reduce([start, *x]), where
            assert start in olds and all(old & now == now for old in olds), where
        case "or":
            assert now == np.bitwise_or.reduce([start, *x]), where
            assert start in olds and all(old | now == now for old in olds), where
        case "xor":
            assert now == np.bitwise_xor.reduce([start, *x]), where
            after = [old ^ value for old, value in zip(olds, x, strict=True)]
            assert sorted([*olds, now]) == sorted([start, *after]), where
        case "cas":
            first = [number for number, old in enumerate(olds) if old == start]
            assert len(first) == 1 and now == x[first[0]] + 1, where
            assert set(olds) == {start, now}, where


def integers(values: np.ndarray) -> list[int]:
    return [int(value) for value in values]


@pytest.mark.quick
def test_the_rows_take_what_the_tests_run() -> None:
    assert {f"simt.atomic_{name}" for name in IN_UB} == {row.name for row in CHAPTERS["simt_atomic"]}
    for name in IN_UB:
        in_gm, in_local = (form.dtypes["T"].by_soc["ascend950"] for form in ROWS[f"simt.atomic_{name}"].forms)
        assert (set(in_gm), set(in_local)) == (set(IN_GM[name]), set(IN_UB[name])), name


@pytest.mark.parametrize("dtype", sorted({dtype for types in IN_GM.values() for dtype in types}))
def test_in_global_memory(dtype: str, tmp_path: Path, ran: Ran) -> None:
    """Several blocks, which run on several threads of the CPU."""
    names = operations(dtype, IN_GM)
    out, olds, x = run(tmp_path, dtype, names, in_global_memory(dtype), GRID)
    for name, now, old in zip(names, out, olds, strict=True):
        judge(name, dtype, int(now), integers(old), integers(x))
        ran(f"simt.atomic_{name}", 0, dtype)


@pytest.mark.parametrize("dtype", sorted({dtype for types in IN_UB.values() for dtype in types}))
def test_in_ub(dtype: str, tmp_path: Path, ran: Ran) -> None:
    names = operations(dtype, IN_UB)
    out, olds, x = run(tmp_path, dtype, names, in_ub(dtype), 1)
    for name, now, old in zip(names, out, olds, strict=True):
        judge(name, dtype, int(now), integers(old), integers(x))
        ran(f"simt.atomic_{name}", 1, dtype)


def test_limits_and_special_values(tmp_path: Path) -> None:
    """Integers wrap; a NaN gives way to a number; floats are compared by their bits."""
    lines = f"""{HEAD}
@simt
def special(n: asc.GlobalAddress, x: asc.GlobalAddress, w: asc.GlobalAddress):
    simt.atomic_add(n, 1)
    simt.atomic_sub(n[1:], 1)
    simt.atomic_max(x, 2.0)
    simt.atomic_min(x[1:], float("nan"))
    simt.atomic_cas(x[2:], 0.0, 5.0)
    simt.atomic_cas(x[3:], 0.0, 5.0)
    simt.atomic_max(x[4:], -float("inf"))
    simt.atomic_inc(w, 0)
    simt.atomic_dec(w[1:], 4294967295)
    simt.atomic_add(w[2:], 4294967295)
"""
    kernel = load(tmp_path, "special", lines).special
    info = np.iinfo(np.int32)
    n = np.array([info.max, info.min], np.int32)
    x = np.array([np.nan, 3.0, 0.0, -0.0, -np.inf], np.float32)
    w = np.array([7, 0, 9], np.uint32)
    kernel[1, 1](n, x, w)
    assert n.tolist() == [info.min, info.max]
    assert x.tolist() == [2.0, 3.0, 5.0, 0.0, -np.inf] and np.signbit(x[3])
    assert w.tolist() == [0, 4294967295, 8]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("kinds", "text", "words"),
    [
        (
            "i64",
            "tile = simt.shared(asc.int64, 4)\n    simt.atomic_add(tile, 1)",
            "only elements in global memory may have 64 bits",
        ),
        ("f16", "simt.atomic_sub(x, 1.0)", "threads can only add, and take the larger or smaller, in 16 bits"),
        ("f32", "simt.atomic_and(x, 1)", "asc.simt.atomic_and"),
        ("i32", "simt.atomic_inc(x, 1)", "asc.simt.atomic_inc"),
        ("i16", "simt.atomic_add(x, 1)", "asc.simt.atomic_add"),
        ("i32", "simt.atomic_add(x, 1.5)", "1.5"),
        ("i32", "simt.atomic_add(x[0], 1)", "address must be"),
        ("u32", "simt.atomic_add(x, -1)", "-1"),
        ("i32", "simt.atomic_cas(x, 1)", "'val' is missing"),
        ("i32", "simt.atomic_nand(x, 1)", "atomic_nand"),
    ],
)
def test_wrong_uses(kinds: str, text: str, words: str, tmp_path: Path) -> None:
    lines = f"{HEAD}\n@simt\ndef wrong(x: asc.GlobalAddress):\n    {text}\n"
    with pytest.raises(KernelError, match=re.escape(words)):
        load(tmp_path, "wrong", lines).wrong.emit(f"{kinds}[4]")
