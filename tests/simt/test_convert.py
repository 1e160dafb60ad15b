"""Conversions that threads call, against exact numbers: every half and bfloat16, floats of every exponent, limits."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from image import NUMPY
from test_integer import numbers as integers
from test_math import numbers as floats
from thread_calls import calls

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.table import CHAPTERS, ROWS

Ran = Callable[[str, int, str], None]
Wide = np.longdouble  # holds every number of 64 bits
WAYS = ("rn", "rz", "rd", "ru", "rna")
ROWS_OF_CHAPTER = {row.name.removeprefix("simt."): row for row in CHAPTERS["simt_convert"]}
TYPES = {"float": "float32", "half": "float16", "bfloat16": "bfloat16"}
TYPES |= {"int": "int32", "uint": "uint32", "ll": "int64", "ull": "uint64", "ushort": "uint16"}


def parts(name: str) -> tuple[str, str, str]:
    """The types of source and target, and the way of rounding; "" for the same bits."""
    if "_as_" in name:
        source, target = name.split("_as_")
        return TYPES[source], TYPES[target], ""
    source = next(word for word in TYPES if name.startswith(f"{word}2"))
    target, _, way = name.removeprefix(f"{source}2").partition("_")
    return TYPES[source], TYPES[target], way or "rn"


def sources(kind: str) -> np.ndarray:
    """Every number of 16 bits; of wider types limits and many others."""
    if NUMPY[kind].itemsize == 2:
        return np.arange(65536, dtype=np.uint16).view(NUMPY[kind])
    if DTYPES[kind].is_int():
        near = [value + step for value in (2048, 65504, 65520, 1 << 24, 1 << 25, 257, 383) for step in (-1, 0, 1, 2, 3)]
        return np.concatenate([integers(kind, 0), np.array(near, NUMPY[kind])])
    halves = np.arange(-4000, 4000) / 2
    limits = [s * (2.0**p) for p in (31, 32, 63, 64) for s in (1, -1)]
    around = [np.nextafter(np.float32(v), np.float32(side)) for v in limits for side in (np.inf, -np.inf)]
    ends = np.arange(65536, dtype=np.uint16).view(np.float16)
    ends = ends[np.isfinite(ends)].astype(np.float32)
    with np.errstate(all="ignore"):
        between = (ends + np.roll(ends, 1)) / 2  # ties of half
    return np.concatenate([floats(), halves.astype(np.float32), np.float32(limits), around, between]).astype(np.float32)


def neighbours(values: np.ndarray, target: str) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of a type at or below and at or above each value; beyond the largest there is the next power of 2."""
    if DTYPES[target].is_int():
        return np.floor(values), np.ceil(values)
    if NUMPY[target].itemsize == 2:
        with np.errstate(all="ignore"):
            all_of_it = np.arange(65536, dtype=np.uint16).view(NUMPY[target]).astype(np.float64)
        finite = np.unique(all_of_it[np.isfinite(all_of_it)]).astype(Wide)
        beyond = finite[-1] * 2 - finite[-2] if target == "float16" else Wide(2) ** 128
        known = np.concatenate([[-beyond], finite, [beyond]])
        above = np.searchsorted(known, values).clip(1, len(known) - 1)
        below = (np.searchsorted(known, values, side="right") - 1).clip(0, len(known) - 2)
        return known[below], known[above]
    nearest = values.astype(np.float32)
    below = np.where(nearest.astype(Wide) <= values, nearest, np.nextafter(nearest, np.float32(-np.inf)))
    above = np.where(nearest.astype(Wide) >= values, nearest, np.nextafter(nearest, np.float32(np.inf)))
    return below.astype(Wide), above.astype(Wide)


def is_even(values: np.ndarray, target: str) -> np.ndarray:
    """Whether the last bit is 0; infinity stands where the next power of 2 would."""
    if DTYPES[target].is_int():
        return np.fmod(values, 2) == 0
    with np.errstate(all="ignore"):
        made = values.astype(np.float32).astype(NUMPY[target])
    return made.view(f"u{made.itemsize}") % 2 == 0


def wanted(values: np.ndarray, target: str, way: str) -> np.ndarray:
    """The number of the target type, by the two that a value lies between."""
    number = np.isfinite(values)
    exact = np.where(number, values, 0).astype(Wide)
    below, above = neighbours(exact, target)
    inner = np.where(exact < 0, above, below)
    outer = np.where(exact < 0, below, above)
    down, up = exact - below, above - exact
    tie = np.where(is_even(below, target), below, above) if way == "rn" else outer
    by_way = {
        "rn": np.where(down < up, below, np.where(up < down, above, tie)),
        "rna": np.where(down < up, below, np.where(up < down, above, tie)),
        "rz": inner,
        "rd": below,
        "ru": above,
        "ro": np.where(is_even(below, target) & (below != above), above, below),
    }
    made = by_way[way]
    if DTYPES[target].is_int():
        low, high = DTYPES[target].limits
        made = np.where(values == np.inf, Wide(high), np.where(values == -np.inf, Wide(low), made))
        return np.array([min(max(int(value), low), high) for value in made], NUMPY[target])
    with np.errstate(all="ignore"):
        made = np.copysign(made, np.where(np.signbit(values), -1, 1))
        largest = Wide(65536) if target == "float16" else Wide(2) ** 128
        made = np.where(np.abs(made) >= largest, np.copysign(np.inf, made), made)
        return np.where(number, made, values).astype(np.float32).astype(NUMPY[target])


def test_every_row_is_a_conversion() -> None:
    """By the names of the list: each pair of types in five ways, and what is special."""
    ways = [
        f"{a}2{b}_{way}" for a in ("float", "half", "bfloat16") for b in ("int", "uint", "ll", "ull") for way in WAYS
    ]
    ways += [
        f"{b}2{a}_{way}" for a in ("float", "half", "bfloat16") for b in ("int", "uint", "ll", "ull") for way in WAYS
    ]
    pairs = ("float2float", "float2half", "float2bfloat16", "half2bfloat16", "bfloat162half")
    ways += [f"{pair}_{way}" for pair in pairs for way in WAYS]
    others = ["float2half", "float2half_ro", "float2bfloat16", "half2float", "bfloat162float"]
    others += ["int_as_float", "uint_as_float", "float_as_int", "float_as_uint"]
    others += ["ushort_as_half", "half_as_ushort", "ushort_as_bfloat16"]
    assert sorted([*ways, *others]) == sorted(ROWS_OF_CHAPTER)


PAIRS = sorted({parts(name)[:2] for name in ROWS_OF_CHAPTER if parts(name)[2]})
TARGETS = sorted({target for _, target in PAIRS})


@pytest.mark.parametrize("target", TARGETS)
def test_rounded(target: str, tmp_path: Path, ran: Ran) -> None:
    """One kernel for each type of result: every source and way."""
    names = [name for name in ROWS_OF_CHAPTER if parts(name)[1] == target and parts(name)[2]]
    arrays = {kind: sources(kind) for kind in sorted({parts(name)[0] for name in names})}
    count = max(map(len, arrays.values()))
    padded = {kind: np.resize(values, count) for kind, values in arrays.items()}
    texts = [f"simt.{name}(x_{parts(name)[0]}[i])" for name in names]
    made = calls(tmp_path, f"to_{target}", texts, target, [f"x_{kind}" for kind in padded])
    got = made.run({f"x_{kind}": values for kind, values in padded.items()}, count)
    for name, row in zip(names, got, strict=True):
        source, _, way = parts(name)
        values, row = arrays[source], row[: len(arrays[source])]
        with np.errstate(all="ignore"):
            wide = values.astype(np.float32).astype(Wide) if not DTYPES[source].is_int() else values.astype(Wide)
        if source == target:  # to an integer that is still a float
            want = np.where(np.isnan(wide), wide, integral(wide, way)).astype(np.float32)
        else:
            want = wanted(wide, target, way)
        if not DTYPES[target].is_int():
            np.testing.assert_array_equal(np.isnan(row), np.isnan(want), name)
            number = ~np.isnan(want)
            np.testing.assert_array_equal(
                row[number].view(f"u{row.itemsize}"), want[number].view(f"u{row.itemsize}"), name
            )
        else:
            np.testing.assert_array_equal(row, np.where(np.isnan(wide), 0, want), name)
        assert name in ROWS_OF_CHAPTER and ROWS[f"simt.{name}"].forms
        ran(f"simt.{name}", 0, "")


def integral(values: np.ndarray, way: str) -> np.ndarray:
    away = np.copysign(np.floor(np.abs(values) + Wide(0.5)), values)
    rounded = {"rn": np.rint, "rz": np.trunc, "rd": np.floor, "ru": np.ceil}.get(way, lambda _: away)
    return rounded(values)


@pytest.mark.parametrize("name", [name for name in ROWS_OF_CHAPTER if not parts(name)[2]])
def test_the_same_bits(name: str, tmp_path: Path, ran: Ran) -> None:
    source, target, _ = parts(name)
    x = sources(source)
    x = x[~np.isnan(x)]  # a signalling NaN may become a quiet one on its way
    (row,) = calls(tmp_path, name, [f"simt.{name}(x[i])"], target, ["x"]).run({"x": x}, len(x))
    with np.errstate(all="ignore"):
        number = ~np.isnan(x.view(NUMPY[target]))
    assert row.view(f"u{row.itemsize}")[number].tolist() == x.view(f"u{row.itemsize}")[number].tolist()
    with np.errstate(all="ignore"):
        assert np.isnan(row[~number]).all()
    ran(f"simt.{name}", 0, "")
