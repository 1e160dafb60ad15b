"""Functions of `asc.adv` against NumPy: every float16, float32 of every exponent, every form, and wrong uses."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from call_kernels import NUMPY, Calls, Tensor, calls, takes
from image import load
from math_reference import ONE, judge, wanted

from opwright.ascendc.row import MASK
from opwright.ascendc.table import CHAPTERS, ROWS
from opwright.errors import OutOfRange, RaceError, RuleBroken, RuleError

OLD = "ascend910b"
SCALAR = 0.75
MATH = [row for chapter, rows in CHAPTERS.items() if chapter.startswith("adv_math") for row in rows]
TWO = ("power", "xor")
# Types of dst and of the sources -> the calls.
GROUPS: dict[str, tuple[str, str, list[str]]] = {
    "float16 a": ("float16", "float16", [*list(ONE)[:12], "axpy"]),
    "float16 b": ("float16", "float16", [*list(ONE)[12:], "power"]),
    "float32 a": ("float32", "float32", [*list(ONE)[:12], "axpy"]),
    "float32 b": ("float32", "float32", [*list(ONE)[12:], "power"]),
    "two types": ("float32", "float16", ["axpy"]),
    "int16": ("int16", "int16", ["xor"]),
    "uint16": ("uint16", "uint16", ["xor"]),
    "int32": ("int32", "int32", ["power"]),
}


def forms_of(call: str) -> list[int]:
    return list(range(len(ROWS[f"adv.{call}"].forms)))


def text_of(call: str, form: int) -> str:
    """A form of a call on the tensors of the test."""
    named = ROWS[f"adv.{call}"].forms[form].named
    given = {"dst": "z_ub", "src": "x_ub", "src0": "x_ub", "src1": "y_ub", "scalar": str(SCALAR), "count": "count"}
    given |= {"taylor_expand_level": "10", "temp_buffer": "t_ub"}
    return f"asc.adv.{call}({', '.join(f'{name}={given[name]}' for name in named if name in given)})"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("adv_math")


@cache
def made(folder: Path, group: str, elements: int, is_short: bool) -> tuple[Calls, list[tuple[str, int]]]:
    """All forms of the calls of a group, or only that with a count and no room, or with all it can have."""
    target, source, names = GROUPS[group]
    chosen = [(call, form) for call in names for form in forms_of(call)]
    if is_short:
        chosen = [(call, min(1, len(forms_of(call)) - 1) if call != "exp" else 0) for call in names]
    tensors = [
        Tensor("z", target, elements, written=True),
        Tensor("x", source, elements),
        Tensor("y", source, elements),
        Tensor("t", "uint8", 64),
    ]
    texts = [text_of(call, form) for call, form in chosen]
    name = f"adv_{group.replace(' ', '_')}_{elements}"
    return calls(folder, name, OLD, tensors, "count: int", texts), chosen


def content(dtype: str, elements: int, seed: int) -> np.ndarray:
    """Numbers of every kind: small integers and special ones among bits that are anything."""
    random = np.random.default_rng(seed)
    kind = NUMPY[dtype]
    values = random.integers(0, 256, elements * kind.itemsize, dtype=np.uint8).view(kind)
    if kind.kind != "f":
        values[::3] = random.integers(0, 12, len(values[::3]))
        return values
    special = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, 3.0, -2.0, np.inf, -np.inf, np.nan, np.finfo(kind).tiny]
    values[: len(special)] = special
    values[len(special) :: 2] = (10 * random.standard_normal(len(values[len(special) :: 2]))).astype(kind)
    return values


# Numbers ------------------------------------------------------------------------------------------------------


def numbers(dtype: str) -> np.ndarray:
    """Every float16; 256 float32 of every sign and exponent, the ends of each among them."""
    if dtype == "float16":
        return np.arange(65536, dtype=np.uint16).view(np.float16)
    mantissas = np.random.default_rng(7).integers(0, 1 << 23, (512, 256), dtype=np.uint32)
    mantissas[:, :4] = [0, 1, (1 << 22), (1 << 23) - 1]
    return (np.arange(512, dtype=np.uint32)[:, None] << 23 | mantissas).reshape(-1).view(np.float32)


@pytest.mark.parametrize("group", [group for group in GROUPS if group.startswith("float")])
def test_numbers(group: str, folder: Path) -> None:
    target, _, _ = GROUPS[group]
    size = 8192
    kernel, chosen = made(folder, group, size, is_short=True)
    x = numbers(target)
    y = np.roll(x, 12345)
    y[::2] = (3 * np.random.default_rng(8).standard_normal(len(y[::2]))).astype(y.dtype)
    x_power = x.copy()
    x_power[1::4] = np.abs(np.random.default_rng(9).standard_normal(len(x[1::4]))).astype(x.dtype)
    got = {call: [] for call, _ in chosen}
    held = np.full(size, 2.0, target)
    for start in range(0, len(x), size):
        for source, mine in ((x, lambda call: call != "power"), (x_power, lambda call: call == "power")):
            part = {"z": held, "x": source[start : start + size], "y": y[start : start + size]}
            out = kernel.run({**part, "t": np.zeros(64, np.uint8)}, [size])["z"]
            for (call, _), row in zip(chosen, out, strict=True):
                if mine(call):
                    got[call].append(row)
    for call, rows in got.items():
        source = x_power if call == "power" else x
        judge(call, np.concatenate(rows), wanted(call, source, y, np.full(len(x), 2.0, target)))


# Forms --------------------------------------------------------------------------------------------------------

ELEMENTS = 512
COUNTS = (0, 1, 63, 64, 65, 127, 128, 129, ELEMENTS - 1, ELEMENTS)


@pytest.mark.parametrize("group", GROUPS)
def test_forms(group: str, folder: Path, ran: Callable[[str, int, str], None]) -> None:
    """What is beyond the count, or beyond the size of the sources, keeps what it held."""
    target, source, _ = GROUPS[group]
    kernel, chosen = made(folder, group, ELEMENTS, is_short=False)
    for seed, count in enumerate(COUNTS):
        held = {
            "z": content(target, ELEMENTS, seed + 100),
            "x": content(source, ELEMENTS, seed),
            "y": content(source, ELEMENTS, seed + 50),
            "t": np.full(64, 99, np.uint8),
        }
        for whole in (False, True):
            # A form without a count takes as many elements as the first source has.
            sizes = {"x": count, "y": count} if whole else {}
            mine = [number for number, (call, form) in enumerate(chosen) if whole != has_count(call, form)]
            if not mine or (whole and count == 0):  # size 0 means: up to the end of the memory
                continue
            out = kernel.run(held, [count], sizes=sizes, checked=True)["z"] if not whole else None
            for number in mine:
                call, form = chosen[number]
                if out is None:
                    row = kernel.run(held, [1], only=number, sizes=sizes, checked=True)["z"][number]
                else:
                    row = out[number]
                what = f"{call} form {form} of {count}"
                np.testing.assert_array_equal(bits(row[count:]), bits(held["z"][count:]), what)
                judge(call, row[:count], wanted(call, held["x"][:count], held["y"][:count], held["z"][:count]))
                for dtype in (target, source, *(["uint8"] * has_room(call, form))):
                    ran(f"adv.{call}", form, dtype)
    assert not kernel.watched.check.report().findings


def bits(values: np.ndarray) -> np.ndarray:
    return values.view(np.uint8)


def has_count(call: str, form: int) -> bool:
    return "count" in ROWS[f"adv.{call}"].forms[form].named


def has_room(call: str, form: int) -> bool:
    return "temp_buffer" in ROWS[f"adv.{call}"].forms[form].named


def test_every_call_and_type_is_here() -> None:
    tested = {
        (call, dtype) for target, source, names in GROUPS.values() for call in names for dtype in (target, source)
    }
    legal = {
        (row.short, dtype)
        for row in MATH
        for dtypes in row.dtypes.values()
        for allowed in dtypes.by_soc.values()
        for dtype in allowed
    }
    assert tested == legal
    assert all(MASK not in form.named for row in MATH for form in row.forms)
    assert not takes("adv.sin", 0, OLD, T="bfloat16")


# What is wrong ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("group", GROUPS)
def test_wrong_uses(group: str, folder: Path) -> None:
    target, source, _ = GROUPS[group]
    kernel, chosen = made(folder, group, ELEMENTS, is_short=False)
    held = {"z": content(target, ELEMENTS, 1), "x": content(source, ELEMENTS, 2), "y": content(source, ELEMENTS, 3)}
    held["t"] = np.zeros(64, np.uint8)
    for number, (call, form) in enumerate(chosen):
        parameters = {"z": "dst", "x": "src0" if call in TWO else "src"}
        parameters |= {"y": "src1"} if call in TWO else {}
        short = [name for name in parameters if has_count(call, form) or name != "x"]
        for name in short:
            with pytest.raises(OutOfRange):
                kernel.run(held, [64], only=number, sizes={"x": 64, "y": 64, name: 63}, checked=True)
        parameters |= {"t": "temp_buffer"} if has_room(call, form) else {}
        for name, parameter in parameters.items():
            with pytest.raises(RuleError, match=f"{parameter} must start at a multiple of 32 bytes"):
                kernel.run(held, [64], only=number, moved={name: 4}, checked=True)
        with pytest.raises(RaceError):
            kernel.run(held, [64], only=number, is_right=False, checked=True)


OVERLAPS = """\
from opwright import asc

@asc.jit
def kernel(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    pipe = asc.TPipe()
    ub = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(ub, 4096)
    a = ub.get_with_offset(64, 0, asc.float32)
    b = ub.get_with_offset(64, 1024, asc.float32)
    t = ub.get_with_offset(64, 2048, asc.float32)
    h = ub.get_with_offset(64, 3072, asc.float16)
    asc.data_copy(a, x_gm, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    {call}
"""


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        ("asc.adv.sin(a, a)", RuleError, "dst overlaps src"),
        ("asc.adv.sin(b, a, 8, b.reinterpret_cast(asc.uint8))", RuleError, "temp_buffer overlaps dst"),
        ("asc.adv.sin(b, a, 8, a.reinterpret_cast(asc.uint8))", RuleError, "temp_buffer overlaps src"),
        ("asc.adv.power(b, a, a, is_reuse_source=True)", RuleError, "src0 overlaps src1"),
        # Room is written, and so is a source that was given away.
        ("asc.adv.sin(b, a, 8, t.reinterpret_cast(asc.uint8))\n    asc.data_copy(t, x_gm, 8)", RaceError, ""),
        ("asc.adv.sin(b, a, is_reuse_source=True)\n    asc.data_copy(x_gm, a, 64)", RaceError, ""),
        ("asc.adv.sin(b, a, 1 << 40)", RuleBroken, "count"),
        ("asc.adv.exp(b, a, 8, 256)", RuleBroken, "taylor_expand_level"),
        ("asc.adv.axpy(h, a, 2, 8, t.reinterpret_cast(asc.uint8))", RuleBroken, "float32"),
    ],
)
def test_overlaps_and_room(call: str, error: type[Exception], words: str, tmp_path: Path) -> None:
    kernel = load(tmp_path, "wrong", OVERLAPS.format(call=call)).kernel
    with pytest.raises(error) as caught:
        kernel.check[1](np.ones(64, np.float32))
    assert words in str(caught.value)


def test_what_is_not_given_away_stays(tmp_path: Path) -> None:
    """A source may be copied out while a call reads it; afterwards it is what it was, unless it was given away."""
    text = "asc.adv.sin(b, a)\n    asc.data_copy(x_gm, a, 64)"
    x = np.arange(64, dtype=np.float32)
    load(tmp_path, "kept", OVERLAPS.format(call=text)).kernel.check(perturb=4)[1](x)
    np.testing.assert_array_equal(x, np.arange(64))
    barrier = "asc.pipe_barrier(asc.PipeID.PIPE_ALL)"
    text = f"asc.adv.sin(b, a, 63, is_reuse_source=True)\n    {barrier}\n    asc.data_copy(x_gm, a, 64)"
    kernel = load(tmp_path, "given", OVERLAPS.format(call=text)).kernel
    kernel[1](x)
    assert np.isnan(x[:63]).all() and x[63] == 63
    assert "AscendC::Sin<float, true>(b, a, 63);" in kernel.emit("f32[64]")
