"""Loads and stores of threads that name caches, and volatile ones: the same bits, of every type, in both memories."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from image import NUMPY, load
from thread_calls import HEAD, empty

from opwright import asc
from opwright.asc import simt
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.table import CHAPTERS
from opwright.errors import KernelError, OpwrightError, OutOfRange

Ran = Callable[[str, int, str], None]
LOADS = ("ldcg", "ldca", "load_volatile")
STORES = ("stcg", "stwt", "store_volatile")
REFRESHES = ("dcci_single", "dcci_entire")
COUNT = 100


def kernel_text(dtype: str, last: str = "") -> str:
    """Each load and each store moves one row; rows behind them go through UB."""
    lines = [
        "i = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x",
        f"tile = simt.shared(asc.{dtype}, {COUNT})",
        f"if i < {COUNT}:",
    ]
    for number, name in enumerate(LOADS):
        lines.append(f"    out[{number * COUNT} + i] = simt.{name}(x[i:])")
    for number, name in enumerate(STORES, len(LOADS)):
        lines.append(f"    simt.{name}(out[{number * COUNT} + i:], x[i])")
    lines += [f"    simt.{name}(x[i:])" for name in REFRESHES]
    lines.append("    simt.store_volatile(tile[i:], x[i])")
    lines.append(f"    out[{len(LOADS + STORES) * COUNT} + i] = simt.load_volatile(tile[i:])")
    body = "".join(f"    {line}\n" for line in [*lines, last] if line)
    return f"{HEAD}\n@simt\ndef moves(out: asc.GlobalAddress, x: asc.GlobalAddress):\n{body}"


@pytest.mark.quick
def test_every_row_is_tested() -> None:
    assert {f"simt.{name}" for name in (*LOADS, *STORES, *REFRESHES)} == {row.name for row in CHAPTERS["simt_memory"]}


@pytest.mark.parametrize(
    ("dtype", "last"),
    [*((dtype, "") for dtype in DTYPES), *((dtype, "simt.syncthreads()") for dtype in ("float16", "int8"))],
)
def test_moves(dtype: str, last: str, tmp_path: Path, ran: Ran) -> None:
    """Threads that wait for each other do not run as turns of a loop, and have other pointers."""
    kernel = load(tmp_path, f"moves_{dtype}", kernel_text(dtype, last)).moves
    size = NUMPY[dtype].itemsize
    raw = np.random.default_rng(3).integers(0, 256, COUNT * size, np.uint8).view(NUMPY[dtype])
    x = raw if NUMPY[dtype].kind in "iu" else np.linspace(-9, 9, COUNT).astype(NUMPY[dtype])
    out = empty(dtype, len(LOADS + STORES) + 2, COUNT)
    kernel[1, 128](out, x)
    for row in out[:-1]:
        assert row.tobytes() == x.tobytes()
    assert out[-1].tobytes() == empty(dtype, COUNT).tobytes()
    for name in (*LOADS, *STORES, *REFRESHES):
        ran(f"simt.{name}", 0, dtype)
    for name in ("load_volatile", "store_volatile"):
        ran(f"simt.{name}", 1, dtype)


@pytest.mark.quick
def test_the_text(tmp_path: Path) -> None:
    text = load(tmp_path, "moves", kernel_text("float16")).moves.emit("f16[800]", "f16[100]")
    assert '#include "simt_api/asc_fp16.h"' in text
    assert "= asc_ldcg(x + i);" in text and "asc_stwt(out + (" in text
    assert "= static_cast<gm_pointer<volatile half>>(x + i)[0];" in text
    assert "static_cast<ub_pointer<volatile half>>(tile + i)[0] = " in text


def test_a_volatile_load_is_made_each_time(tmp_path: Path) -> None:
    """What was stored between two loads is seen, and none of the two is left out."""
    lines = f"""{HEAD}
@simt
def twice(out: asc.GlobalAddress, x: asc.GlobalAddress):
    first = simt.load_volatile(x)
    simt.store_volatile(x, first + 1)
    second = simt.load_volatile(x)
    out[0] = first
    out[1] = second
"""
    twice = load(tmp_path, "twice", lines).twice
    out, x = empty("int32", 2), np.array([5], np.int32)
    twice[1, 1](out, x)
    assert out.tolist() == [5, 6] and x.tolist() == [6]
    assert twice.emit("i32[2]", "i32[1]").count("volatile") == 3


@pytest.mark.parametrize("name", [*LOADS, *STORES])
def test_outside_of_the_argument(name: str, tmp_path: Path) -> None:
    call = f"out[0] = simt.{name}(x[n:])" if name in LOADS else f"simt.{name}(x[n:], 1.0)"
    lines = f"{HEAD}\n@simt\ndef wrong(out: asc.GlobalAddress, x: asc.GlobalAddress, n: int):\n    {call}\n"
    kernel = load(tmp_path, "wrong", lines).wrong
    kernel[1, 1](empty("float32", 1), np.zeros(4, np.float32), 3)
    for index in (4, -1):
        with pytest.raises(OpwrightError) as told:
            kernel[1, 1](empty("float32", 1), np.zeros(4, np.float32), index)
        assert told.value.at is not None and told.value.at.line == 7


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("y[0] = simt.ldcg(x[0])", "address must be a global address, got"),
        ("tile = simt.shared(asc.float32, 4)\n    y[0] = simt.ldcg(tile)", "address must be a global address, got"),
        ("tile = simt.shared(asc.float32, 4)\n    simt.dcci_single(tile)", "address must be a global address, got"),
        ("simt.stcg(x[1:])", "'val' is missing"),
        ("simt.ldcv(x)", "ldcv"),
    ],
)
def test_wrong_uses(text: str, words: str, tmp_path: Path) -> None:
    lines = f"{HEAD}\n@simt\ndef wrong(x: asc.GlobalAddress, y: asc.GlobalAddress):\n    {text}\n"
    with pytest.raises(KernelError, match=re.escape(words)):
        load(tmp_path, "wrong", lines).wrong.emit("f32[4]", "f32[4]")


@simt
def goes_outside_first(index: asc.GlobalAddress, x: asc.GlobalAddress, y: asc.GlobalAddress):
    i = simt.threadIdx.x
    j = index[i + 2]  # [first]
    y[i] = simt.ldcg(x[j - 1 :])


def test_the_first_access_outside_is_told() -> None:
    """A thread that has gone outside reads 0, which leads it outside once more."""
    index, x, y = np.ones(8, np.int32), np.ones(8, np.float32), np.full(8, np.nan, np.float32)
    with pytest.raises(OutOfRange, match="element 8 of index") as caught:
        goes_outside_first[1, 8](index, x, y)
    line = next(n for n, text in enumerate(goes_outside_first.source.text.splitlines()) if "# [first]" in text)
    assert caught.value.at is not None and caught.value.at.line == goes_outside_first.source.first_line + line
