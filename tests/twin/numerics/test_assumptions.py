"""The switches of OPWRIGHT_CHIP_ASSUMPTIONS: what they change, against NumPy, and how they are refused."""

import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.assumptions import ASSUMPTIONS, PLAIN, assumed, bits, parsed
from opwright.ascendc.row import Each
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import ROWS
from opwright.check.sarif import sarif
from opwright.errors import AssumedResult, BadOption, BadSetting
from opwright.settings import settings

COUNT = 64
# What each switch is about is among these: ends of types, ties at them, what is beyond, subnormals, specials.
NUMBERS = [
    0.0,
    -0.0,
    1.5,
    -2.5,
    32767,
    32768,
    -32769,
    70000,
    -70000,
    65519,
    65520,
    2.0**31,
    -(2.0**31),
    2.0**40 + 2.0**20,
]
NUMBERS += [448, 464, 465, -500, 57344, 61440, -70000.5, 1e30, -1e30, 3.4e38, 40959, 40960, np.inf, -np.inf, np.nan]
NUMBERS += [
    2.0**-130,
    -(2.0**-149),
    2.0**-126,
    2.0**-14,
    2.0**-15,
    -(2.0**-24),
    2.0**-14 - 2.0**-25,
    2.0**-14 - 2.0**-24,
]
NUMBERS += [-100.0, -87.5, -10.0, -9.5, 2.0**126, 2.0**127, 60000, -60000]
X = np.resize(np.array(NUMBERS, np.float64), COUNT).astype(np.float32)
CASTS = {
    "float16": (np.float16, "CAST_RINT"),
    "bfloat16": (ml_dtypes.bfloat16, "CAST_RINT"),
    "int16": (np.int16, "CAST_RINT"),
    "int32": (np.int32, "CAST_TRUNC"),
    "int64": (np.int64, "CAST_FLOOR"),
    "float8_e4m3": (ml_dtypes.float8_e4m3fn, "CAST_RINT"),
    "float8_e5m2": (ml_dtypes.float8_e5m2, "CAST_RINT"),
}
ALL_ON = ",".join(f"{name}=on" for name in ASSUMPTIONS)
ALL_OFF = ",".join(f"{name}=off" for name in ASSUMPTIONS)


@asc.jit(soc="ascend950", opt_level=0)
def everything(
    x: asc.GlobalAddress,
    h: asc.GlobalAddress,
    casts: asc.GlobalAddress,
    halves: asc.GlobalAddress,
    floats: asc.GlobalAddress,
):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    h_gm = asc.GlobalTensor()
    h_gm.set_global_buffer(h)
    casts_gm = asc.GlobalTensor()
    casts_gm.set_global_buffer(casts)
    halves_gm = asc.GlobalTensor()
    halves_gm.set_global_buffer(halves)
    floats_gm = asc.GlobalTensor()
    floats_gm.set_global_buffer(floats)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    b = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 1024, 64)
    z = asc.LocalTensor(asc.uint8, asc.TPosition.VECOUT, 2048, 4096)
    v = asc.LocalTensor(asc.float16, asc.TPosition.VECOUT, 8192, 256)
    w = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 16384, 128)
    room = asc.LocalTensor(asc.float16, asc.TPosition.VECCALC, 32768, 256)
    asc.data_copy(a, x_gm, 64)
    asc.data_copy(b, h_gm, 64)
    asc.data_copy(z, casts_gm, 4096)
    asc.data_copy(v, halves_gm, 256)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.cast(z.reinterpret_cast(asc.float16), a, asc.RoundMode.CAST_RINT, 64)
    asc.cast(z[512:].reinterpret_cast(asc.bfloat16), a, asc.RoundMode.CAST_RINT, 64)
    asc.cast(z[1024:].reinterpret_cast(asc.int16), a, asc.RoundMode.CAST_RINT, 64)
    asc.cast(z[1536:].reinterpret_cast(asc.int32), a, asc.RoundMode.CAST_TRUNC, 64)
    asc.cast(z[2048:].reinterpret_cast(asc.int64), a, asc.RoundMode.CAST_FLOOR, 64)
    asc.cast(z[2560:].reinterpret_cast(asc.float8_e4m3), a, asc.RoundMode.CAST_RINT, 64)
    asc.cast(z[3072:].reinterpret_cast(asc.float8_e5m2), a, asc.RoundMode.CAST_RINT, 64)
    asc.cast(z[3584:].reinterpret_cast(asc.hifloat8), a, asc.RoundMode.CAST_ROUND, 64)
    asc.add(v, b, b, 64)
    asc.reduce_sum(v[64:], b, room, 4, 1, 8)
    asc.sqrt(v[128:], b, 64)
    asc.div(v[192:], b, b[0:], 64)
    asc.exp(w, a, 64)
    asc.reciprocal(w[64:], a, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(casts_gm, z, 4096)
    asc.data_copy(halves_gm, v, 256)
    asc.data_copy(floats_gm, w, 128)


def launch(h: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    casts, halves, floats = np.zeros(4096, np.uint8), np.zeros(256, np.float16), np.zeros(128, np.float32)
    everything[1](X, h, casts, halves, floats)
    return casts.reshape(8, 512), halves.reshape(4, 64), floats.reshape(2, 64)


def whole(x: float, mode: str) -> int | None:
    """The integer that a number is rounded to; None where there is none."""
    if not np.isfinite(x):
        return None
    return int({"CAST_RINT": np.rint, "CAST_TRUNC": np.trunc, "CAST_FLOOR": np.floor}[mode](np.float64(x)))


def integer(x: float, kind: np.dtype, mode: str, saturates: bool) -> int:
    info, rounded = np.iinfo(kind), whole(x, mode)
    if rounded is None:
        return 0 if np.isnan(x) or not saturates else (info.max if x > 0 else info.min)
    if saturates:
        return min(max(rounded, info.min), info.max)
    low = rounded % (1 << info.bits)
    return low - (1 << info.bits) if low > info.max else low


def clipped(values: np.ndarray) -> np.ndarray:
    """A saturating type: its greatest numbers for infinity, 0 for NaN."""
    most = float(ml_dtypes.finfo(values.dtype).max)
    wide = values.astype(np.float64)
    return np.where(np.isnan(wide), 0, np.clip(wide, -most, most)).astype(values.dtype)


def small(x: np.ndarray, kind: type, saturates: bool) -> np.ndarray:
    if not saturates:
        return x.astype(kind)
    most = float(ml_dtypes.finfo(kind).max)
    return np.where(np.isnan(x), 0, np.clip(x, -most, most)).astype(kind)


def flushed(values: np.ndarray) -> np.ndarray:
    least = float(ml_dtypes.finfo(values.dtype).smallest_normal)
    return np.where(np.abs(values) < least, np.copysign(values.dtype.type(0), values), values)


def same(got: np.ndarray, wanted: np.ndarray, what: str) -> None:
    """Bit by bit, but for the bits of NaN."""
    wanted = wanted.astype(got.dtype)
    with np.errstate(invalid="ignore"):
        is_nan = np.isnan(wanted.astype(np.float64)) & np.isnan(got.astype(np.float64))
    where = np.flatnonzero(~is_nan & (got.view(f"u{got.itemsize}") != wanted.view(f"u{got.itemsize}")))
    assert not where.size, f"{what} of {X[where[0]]}: {got[where[0]]}, not {wanted[where[0]]}"


@pytest.mark.parametrize("given", ["", ALL_OFF, ALL_ON])
def test_what_a_switch_changes(given: str) -> None:
    states = assumed("ascend950", given)
    with settings.scope(chip_assumptions=given), np.errstate(all="ignore"):
        h = np.where(np.arange(COUNT) < 4, [60000, 60000, -30000, 100] * 16, X).astype(np.float16)
        casts, halves, floats = launch(h)
    with np.errstate(all="ignore"):
        for number, (name, (kind, mode)) in enumerate(CASTS.items()):
            got = casts[number, : COUNT * np.dtype(kind).itemsize].view(kind)
            if name.startswith("int"):
                wanted = np.array([integer(x, kind, mode, states["saturate_integers"]) for x in X], kind)
            elif name.startswith("float8"):
                wanted = small(X, kind, states["saturate_float8"])
            else:
                wanted = X.astype(kind)
                wanted = clipped(wanted) if states["saturate_casts"] else wanted
            same(got, wanted, name)
        codes = casts[7, :COUNT]
        too_big, is_nan = np.abs(X) > 32768, np.isnan(X)
        for is_it, code in ((is_nan, 0x00 if states["saturate_casts"] else 0x80),):
            assert (codes[is_it] == code).all()
        ends = codes[too_big & (np.abs(X) >= 40960)] & 0x7F
        assert (ends == (0x6E if states["saturate_casts"] else 0x6F)).all()
        result = clipped if states["saturate_arithmetic"] else np.asarray
        flush = flushed if states["flush_subnormals"] else np.asarray
        same(halves[0], result((h.astype(np.float32) * 2).astype(np.float16)), "add")
        pairs = result((h[:4:2].astype(np.float32) + h[1:4:2]).astype(np.float16)).astype(np.float32)
        same(halves[1, :1], result(pairs.sum(keepdims=True).astype(np.float16)), "reduce_sum")
        same(halves[2], result(flush(np.sqrt(flush(h).astype(np.float64)).astype(np.float16))), "sqrt")
        same(halves[3], result(flush((flush(h).astype(np.float64) / flush(h)).astype(np.float16))), "div")
        same(floats[1], flush((1 / flush(X).astype(np.longdouble)).astype(np.float32)), "reciprocal")
        exact = flush(np.exp(flush(X).astype(np.float64)).astype(np.float32))
        near = np.isclose(floats[0], exact, rtol=3e-7, atol=1.5e-45, equal_nan=True)
        assert near.all(), X[~near]


# The results of `everything` in the order of its lines: output, bytes of an element, switches that may decide it.
RESULTS = [
    (0, 2, "saturate_casts"),
    (0, 2, "saturate_casts"),
    (0, 2, "saturate_integers"),
    (0, 4, "saturate_integers"),
    (0, 8, "saturate_integers"),
    (0, 1, "saturate_float8"),
    (0, 1, "saturate_float8"),
    (0, 1, "saturate_casts"),
    (1, 2, "saturate_arithmetic"),
    (1, 2, "saturate_arithmetic"),
    (1, 2, "saturate_arithmetic flush_subnormals"),
    (1, 2, "saturate_arithmetic flush_subnormals"),
    (2, 4, "flush_subnormals"),
    (2, 4, "flush_subnormals"),
]


def test_check_tells_what_another_choice_changes() -> None:
    """Line by line and switch by switch, as many results as have other bits with the other choice."""
    with np.errstate(all="ignore"):
        h = np.where(np.arange(COUNT) < 4, [60000, 60000, -30000, 100] * 16, X).astype(np.float16)
    lines = [line.strip() for line in everything.source.lines]
    lines = lines[lines.index("asc.pipe_barrier(asc.PipeID.PIPE_ALL)") + 1 :]
    own, wanted = launch(h), {}
    for given in (ALL_OFF, ALL_ON):
        with settings.scope(chip_assumptions=given):
            other = launch(h)
        flipped = {name for name, state in assumed("ascend950", given).items() if state != assumed("ascend950")[name]}
        rows = iter([0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 0, 1])
        for line, row, (output, size, names) in zip(lines, rows, RESULTS, strict=False):
            mine, theirs = (one[output][row].view(np.uint8).view(f"u{size}")[:COUNT] for one in (own, other))
            if count := int((mine != theirs).sum()):
                (name,) = flipped.intersection(names.split())
                wanted[line, name] = count
    check = everything.check
    check[1](X, h, np.zeros(4096, np.uint8), np.zeros(256, np.float16), np.zeros(128, np.float32))
    report, told = check.report(), {}
    assert not report.findings
    assert str(report).splitlines()[0].endswith("nothing found, but a result depends on what is assumed of the chip")
    for one in report.assumed:
        assert (one.kind, one.severity) == (AssumedResult, "warning") and one.at is not None
        (name,) = (name for name in ASSUMPTIONS if f"as {name}=" in one.message)
        state, other = ("on", "off") if assumed("ascend950")[name] else ("off", "on")
        assert f"as {name}={state} is assumed; with {name}={other} it is " in one.message
        assert f"OPWRIGHT_CHIP_ASSUMPTIONS={name}={other} or @asc.jit(chip_assumptions='{name}={other}')" in one.hint
        told[one.at.text.strip(), name] = one.count
    sums = ("asc.reduce_sum(v[64:], b, room, 4, 1, 8)", "saturate_arithmetic")
    assert told.pop(sums) >= wanted.pop(sums) == 1  # every node of a sum counts
    assert told == wanted
    assert json.loads(report.to_json())["assumed"][0]["count"] == report.assumed[0].count


@asc.jit(soc="ascend910b", opt_level=0)
def overflows_and_underflows(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    b = asc.LocalTensor(asc.float16, asc.TPosition.VECCALC, 256, 64)
    asc.data_copy(a, x_gm, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.cast(b, a, asc.RoundMode.CAST_NONE, 64)
    asc.exp(a, a, 64)


def test_only_what_is_open_of_a_soc_is_told(tmp_path: Path) -> None:
    """Public texts say that ascend910b computes with subnormal numbers."""
    overflows_and_underflows.check[2](np.full(64, -100, np.float32))
    report = overflows_and_underflows.check.report()
    assert report.assumed == () and str(report).endswith("nothing found")
    overflows_and_underflows.check[2](np.array([-100, 1e6, np.nan] + [0] * 61, np.float32))
    report = overflows_and_underflows.check.report()
    (one,) = report.assumed
    assert (
        one.message
        == "asc.cast gives inf for 1000000, as saturate_casts=off is assumed; with saturate_casts=on it is 65504"
    )
    assert (one.count, one.cores) == (4, 2)
    (result,) = json.loads(sarif(report, tmp_path))["runs"][0]["results"]
    assert (result["ruleId"], result["level"], result["occurrenceCount"]) == ("AssumedResult", "warning", 4)


@asc.jit(opt_level=0)
def adds_over_a_whole_tile(x: asc.GlobalAddress, count: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(asc.float16, asc.TPosition.VECCALC, 0, 128)
    asc.data_copy(a, x_gm, count)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(a, a, 60000.0, 128)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(x_gm, a, count)


def test_what_becomes_of_garbage_is_no_result() -> None:
    """Elements that nothing has written are NaN; what overflows before them is told nevertheless."""
    for value, told in ((0, 0), (30000, 1)):
        adds_over_a_whole_tile.check[1](np.full(16, value, np.float16), 16)
        report = adds_over_a_whole_tile.check.report()
        assert not report.findings and report.garbage and len(report.assumed) == told


def test_saturated_sums_are_clipped_at_every_node() -> None:
    """The example that public texts give: 60000, 60000, -30000 and 100 are 35604, but for the rounding."""
    h = np.array([60000, 60000, -30000, 100] + [0] * 60, np.float16)
    with settings.scope(chip_assumptions=ALL_ON):
        assert launch(h)[1][1, 0] == np.float16(np.float32(65504) + np.float16(-29900))


@pytest.mark.quick
def test_states() -> None:
    for soc in SOCS:
        states = assumed(soc)
        assert list(states) == list(ASSUMPTIONS)
        assert states == {name: soc in one.default for name, one in ASSUMPTIONS.items()}
    assert bits(assumed("ascend910b")) == PLAIN
    assert bits(assumed("ascend910b", "saturate_casts=on,flush_subnormals=on")) == PLAIN | 1 << 1 | 1 << 4
    assert not assumed("ascend950", "saturate_float8=on", "saturate_float8=off")["saturate_float8"]
    assert parsed(" flush_subnormals = on ,saturate_casts=off") == "saturate_casts=off,flush_subnormals=on"


@pytest.mark.quick
@pytest.mark.parametrize(
    "bad", ["saturate", "saturate_casts", "saturate_casts=1", "saturate_casts=on;flush_subnormals=on"]
)
def test_bad_texts_are_refused_with_the_list(bad: str) -> None:
    names = ", ".join(ASSUMPTIONS)
    with pytest.raises(BadSetting, match=names), settings.scope(chip_assumptions=bad):
        pass
    with pytest.raises(BadOption, match=names):
        asc.jit(chip_assumptions=bad)


@pytest.mark.quick
def test_what_contradicts_itself_is_refused() -> None:
    with pytest.raises(BadOption, match="saturate_casts on and off"):
        asc.jit(chip_assumptions="saturate_casts=on,saturate_casts=off")
    with pytest.raises(BadOption, match="is a text"):
        asc.jit(chip_assumptions={"saturate_casts": True})  # type: ignore[call-overload]


def test_the_option_wins_and_is_part_of_the_key() -> None:
    """One function under three options: whatever was compiled before, a launch finds the kernel of its own switches."""
    options = ("", "saturate_casts=on", "saturate_casts=off")
    marked = {
        option: asc.jit(soc="ascend950", opt_level=0, chip_assumptions=option)(everything.function)
        for option in options
    }
    for setting in ("saturate_casts=on", "saturate_casts=off"):
        for option, kernel in marked.items():
            casts, halves, floats = np.zeros(4096, np.uint8), np.zeros(256, np.float16), np.zeros(128, np.float32)
            with settings.scope(chip_assumptions=setting), np.errstate(all="ignore"):
                kernel[1](X, X.astype(np.float16), casts, halves, floats)
                wanted = X.astype(np.float16)
            decides = option or setting
            same(casts[: 2 * COUNT].view(np.float16), clipped(wanted) if decides.endswith("on") else wanted, decides)


@pytest.mark.quick
def test_rows_name_their_switches() -> None:
    for row in ROWS.values():
        assert set(row.assumes) <= set(ASSUMPTIONS), row.name
        takes_halves = any(
            "float16" in kinds.by_soc[soc]
            for form in row.forms
            for kinds in row.dtypes_of(form).values()
            for soc in SOCS
        )
        computes = any(isinstance(form.meaning, Each) and form.pipe == "PIPE_V" for form in row.forms)
        if computes and takes_halves and row.name not in ("copy", "duplicate"):
            assert "saturate_arithmetic" in row.assumes, row.name
        flushes = any("flushing<T>" in form.meaning.expression for form in row.forms if isinstance(form.meaning, Each))
        assert flushes == ("flush_subnormals" in row.assumes), row.name
