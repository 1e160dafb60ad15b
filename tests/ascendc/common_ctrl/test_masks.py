"""The mask register: what calls do with is_set_mask=False, in both modes, and what other calls leave in it.

The reference steps through lanes one by one, in bytes of the destination; what a call computes is `REFERENCES` of
`tests/twin/numerics/every_call.py`.
"""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from call_kernels import may_leave_mask

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import Each
from opwright.ascendc.table import ROWS
from opwright.errors import OutOfRange, RuleBroken, RuleError, StateError, UninitialisedRead
from opwright.runtime.jit import JitFunction

_PATH = Path(__file__).parents[2] / "twin" / "numerics" / "every_call.py"
_SPEC = importlib.util.spec_from_file_location("every_call", _PATH)
assert _SPEC and _SPEC.loader
every_call = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(every_call)

BYTES = 2048  # of each operand
MOST = (1 << 63) - 1  # of an int of the run
Forms = list[tuple[str, int]]


def forms(dtype: str) -> Forms:
    """Elementwise calls that may take the register as it is: name and number of the form."""
    found = []
    for name, _ in every_call.legal(dtype):
        for number, form in enumerate(ROWS[name].forms):
            has_strides = {"count", "repeat_params"} & set(form.named)
            is_own = "U" not in form.dtypes and dtype in ROWS[name].dtypes_of(form)["T"].by_soc[every_call.SOC]
            if isinstance(form.meaning, Each) and is_own and may_leave_mask(form) and has_strides:
                found.append((name, number))
    return found


def kernel_of(dtype: str, calls: Forms, folder: Path) -> JitFunction:
    elements = BYTES // DTYPES[dtype].bytes
    scalar = "float" if DTYPES[dtype].is_float() else "int"
    lines = [
        "from opwright import asc",
        # Compiled fast, for the same bits: there are many calls.
        f'@asc.jit(soc="{every_call.SOC}", opt_level=0)',
        "def calls(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, "
        f"s: {scalar}, counts: int, high: int, low: int, repeats: int, blk: int):",
        "    two = asc.BinaryRepeatParams(blk, 1, blk, 8 * blk, 8, 8 * blk)",
        "    one = asc.UnaryRepeatParams(blk, 1, 8 * blk, 8)",
    ]
    for place, name in enumerate("xyz"):
        lines += [
            f"    {name}_gm = asc.GlobalTensor()",
            f"    {name}_gm.set_global_buffer({name})",
            f"    {name} = asc.LocalTensor(asc.{dtype}, asc.TPosition.VECCALC, {place * BYTES}, {elements})"
            if name != "z"
            else f"    d = asc.LocalTensor(asc.{dtype}, asc.TPosition.VECCALC, {place * BYTES}, {elements})",
        ]
    lines = [line.replace("    x = ", "    a = ").replace("    y = ", "    b = ") for line in lines]
    lines += [f"    asc.data_copy({local}, {name}_gm, {elements})" for local, name in (("a", "x"), ("b", "y"))]
    lines += [
        "    if counts >= 0:",
        "        asc.set_mask_count()",
        f"        asc.set_vector_mask(counts, asc.{dtype}, asc.MaskMode.COUNTER)",
        "    else:",
        f"        asc.set_vector_mask(high, low, asc.{dtype}, asc.MaskMode.NORMAL)",
    ]
    for place, (name, number) in enumerate(calls):
        form = ROWS[name].forms[number]
        kinds = [parameter.kind for parameter in form.parameters]
        sources = ["a", "b"][: kinds.count("ub") - 1] + ["s"] * ("number" in kinds)
        params = "two" if kinds.count("ub") == 3 else "one"
        which = {"count": "3", "mask": f"1, repeats, {params}"}["count" if "count" in form.named else "mask"]
        if "array" in kinds:
            which = f"[1, 0], repeats, {params}"
        lines += [
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
            f"    asc.data_copy(d, z_gm[{place * elements}:], {elements})",
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
            f"    asc.{name}(d, {', '.join(sources)}, {which}, is_set_mask=False)",
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
            f"    asc.data_copy(z_gm[{place * elements}:], d, {elements})",
        ]
    lines += ["    asc.set_mask_norm()", "    asc.reset_mask()"]
    path = folder / f"masks_{dtype}.py"
    path.write_text("\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.calls


def lanes_of(size: int, counts: int, words: tuple[int, int], repeats: int) -> list[tuple[int, int]]:
    """The pairs (repeat, lane) that take part."""
    most = 256 // size
    if counts >= 0:
        return [divmod(element, most) for element in range(counts)]
    return [(r, lane) for r in range(repeats) for lane in range(most) if words[lane // 64] >> lane % 64 & 1]


def place(size: int, repeat: int, lane: int, blk: int) -> int:
    """The element of a lane, blocks `blk` apart, repeats 8 times that."""
    block, inside = divmod(lane * size, 32)
    return ((repeat * 8 * blk + block * blk) * 32 + inside) // size


def expected(name: str, number: int, arrays: tuple[np.ndarray, ...], scalar: np.ndarray, state: tuple) -> np.ndarray:
    x, y, z = arrays
    counts, words, repeats, blk = state
    wanted = z.copy()
    by_count = "count" in ROWS[name].forms[number].named
    for repeat, lane in lanes_of(z.itemsize, counts, words, 1 if by_count else repeats):
        step = 1 if by_count else blk
        to, a = place(z.itemsize, repeat, lane, step), place(z.itemsize, repeat, lane, 1)
        part = slice(to, to + 1)
        wanted[part] = every_call.expected(name, x[a : a + 1], y[part], scalar, wanted[part])
    return wanted


def states(size: int) -> list[tuple[int, tuple[int, int], int, int]]:
    """Count or -1, words, repeats, block stride."""
    most = 256 // size
    return [
        (0, (0, 0), 2, 1),
        (1, (0, 0), 0, 1),
        (most - 1, (0, 0), 0, 1),
        (most, (0, 0), 7, 2),
        (3 * most + 5, (0, 0), 1, 2),
        (-1, (0x5555555555555555, 0xF0F), 3, 2),
        (-1, (1 << 31, 0), 2, 1),
        (-1, (MOST, MOST), 4, 1),
    ]


@pytest.mark.parametrize(
    "dtype",
    ["float32", "int16", *(pytest.param(name, marks=pytest.mark.slow) for name in ("float16", "int32", "int64"))],
)
def test_register(dtype: str, tmp_path: Path, ran: Callable[[str, int, str], None]) -> None:
    calls = forms(dtype)
    assert len(calls) > 5  # elements of 8 bytes have few forms with a mask
    kernel = kernel_of(dtype, calls, tmp_path)
    kind = every_call.NUMPY[dtype]
    elements = BYTES // kind.itemsize
    rng = np.random.default_rng(7)
    x, y = (rng.integers(1, 9, elements).astype(kind) for _ in range(2))
    scalar = np.array([3], kind)
    for number, (counts, words, repeats, blk) in enumerate(states(kind.itemsize)):
        z = rng.integers(1, 9, elements).astype(kind)
        out = np.tile(z, len(calls))
        launch = kernel.check[1] if number == 5 else kernel[1]
        launch(x, y, out, scalar.item(), counts, words[1], words[0], repeats, blk)
        for (name, form), got in zip(calls, out.reshape(len(calls), -1), strict=True):
            wanted = expected(name, form, (x, y, z), scalar, (counts, words, repeats, blk))
            np.testing.assert_allclose(
                got.astype(np.float64), wanted.astype(np.float64), rtol=1e-3, err_msg=f"{name} {form} {counts} {words}"
            )
    for name, form in calls:
        ran(name, form, dtype)


@asc.jit
def left(z: asc.GlobalAddress, which: asc.ConstExpr[int]):
    """Which lanes the register lets a call add 1 to, after other calls."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 256)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 256)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 1024, 256)
    asc.duplicate(a, 0.0, 256)
    asc.duplicate(b, 0.0, 256)
    if which == 0:
        asc.set_vector_mask(5, asc.float32, asc.MaskMode.NORMAL)
        asc.adds(b, b, 1.0, 256)  # leaves the register full
    elif which == 1:
        asc.adds(b, b, 1.0, 7, 1, asc.UnaryRepeatParams(1, 1, 8, 8))  # leaves its own mask
    elif which == 2:
        asc.set_vector_mask(5, asc.float32, asc.MaskMode.NORMAL)
        asc.init_soc_state()
    elif which == 3:
        asc.set_mask_count()
        asc.set_vector_mask(9, asc.float32, asc.MaskMode.COUNTER)
        asc.abs(b, b, 256)  # leaves normal mode
    elif which == 4:
        asc.set_mask_count()
        asc.set_vector_mask(70, asc.float32, asc.MaskMode.COUNTER)
    elif which == 5:
        asc.set_vector_mask(5, asc.float32, asc.MaskMode.NORMAL)
        asc.reset_mask()
    elif which == 6:
        asc.set_mask_count()
        asc.set_mask_norm()
        asc.set_vector_mask(3, asc.float32, asc.MaskMode.NORMAL)
    asc.adds(a, a, 1.0, 1, 2, asc.UnaryRepeatParams(1, 1, 8, 8), is_set_mask=False)
    asc.init_soc_state()
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a, 256)


@pytest.mark.parametrize(
    ("which", "lanes", "elements"),
    [(0, 64, 0), (1, 7, 0), (2, 64, 0), (3, 64, 0), (4, 0, 70), (5, 64, 0), (6, 3, 0), (7, 64, 0)],
)
def test_what_calls_leave(which: int, lanes: int, elements: int, ran: Callable[[str, int, str], None]) -> None:
    z = np.full(256, 99, np.float32)
    left.check[1](z, which)
    wanted = np.zeros(256, np.float32)
    wanted[:elements] = 1
    wanted[:lanes] = wanted[64 : 64 + lanes] = 1
    np.testing.assert_array_equal(z, wanted)
    for name in ("set_mask_count", "set_mask_norm", "reset_mask", "init_soc_state"):
        ran(name, 0, "")
    ran("set_vector_mask", 0, "float32")


@asc.jit
def broken(z: asc.GlobalAddress, which: asc.ConstExpr[int], n: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 64)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 128)
    b = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 512, 64)
    asc.duplicate(a, 1.0, 64)
    params = asc.UnaryRepeatParams(1, 1, 8, 8)
    if which == 0:
        asc.set_mask_count()
        asc.adds(a, a, 1.0, 64, 1, params)
    elif which == 1:
        asc.set_mask_count()
        asc.adds(a, a, 1.0, 64, 1, params, is_set_mask=False)
    elif which == 2:
        asc.set_mask_count()
        asc.set_vector_mask(n, asc.float32, asc.MaskMode.COUNTER)
        asc.adds(b, a, 1.0, 1, 1, params, is_set_mask=False)
    elif which == 3:
        asc.set_vector_mask(n, asc.float32, asc.MaskMode.NORMAL)
    elif which == 4:
        asc.set_vector_mask(n, asc.float32, asc.MaskMode.NORMAL)
        asc.adds(a, a[64:], 1.0, 1, is_set_mask=False)
        asc.reset_mask()
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a, 64)


@pytest.mark.parametrize(
    ("which", "n", "error", "words"),
    [
        (0, 0, RuleError, "would be taken for a number of elements"),
        (1, 0, RuleError, "does not hold one"),
        (2, 65, OutOfRange, "dst is used for 260 bytes"),
        (3, 65, RuleError, "must not be above the elements of a repeat"),
        (3, 63, StateError, "a mask is still set"),
        (4, 1, UninitialisedRead, "element 0 of src"),
    ],
)
def test_wrong(which: int, n: int, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        broken.check[1](np.zeros(64, np.float32), which, n)


def test_one_lane_is_one_lane() -> None:
    """The 64th element of a was never written: a mask of 64 reads it, one of none reads nothing."""
    broken.check[1](np.zeros(64, np.float32), 4, 0)


def test_a_constant_length_is_tested_before_the_run() -> None:
    @asc.jit
    def long_mask(z: asc.GlobalAddress):
        asc.set_vector_mask(65, asc.float32, asc.MaskMode.NORMAL)

    with pytest.raises(RuleBroken, match="must not be above"):
        long_mask[1](np.zeros(1, np.float32))
