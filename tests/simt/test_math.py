"""Functions of floats that threads call, against NumPy: float32 of every sign and exponent, and special values."""

import math
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from float_reference import EXACT, MORE, ONE, TWO, Wide, each, judge
from image import load
from thread_calls import HEAD, calls

from opwright.ascendc.table import CHAPTERS
from opwright.errors import KernelError

Ran = Callable[[str, int, str], None]
SPECIAL = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 2.0, 3.0, -3.0, np.inf, -np.inf, np.nan]
SPECIAL += [1e-45, -1e-45, 1.1754942e-38, 1.1754944e-38, 3.4028235e38, -3.4028235e38, 8388607.5, 16777216.0, 1e-20]
SPECIAL += [0.99999994, -0.99999994, 1.0000001, 88.72283, 88.72284, -103.97, -104.0, -149.0, -150.0, -150.5, 128.0]
SPECIAL += [35.04, 35.05, -35.5, -9.38, -9.39, 10.0, 27.0, -20.0, 0.25, 0.75]
INVERSE = {"erfinvf", "erfcinvf", "normcdfinvf"}
INTEGERS = {"ldexpf", "scalbnf", "scalblnf"}
OF_FLOATS = [*ONE, *TWO, *MORE, "fmaf", *sorted(INVERSE), *sorted(INTEGERS)]
TO_INT = {
    "ilogbf": ("int32", "simt.ilogbf(x[i])"),
    "signbit": ("int32", "simt.signbit(x[i])"),
    **{name: ("", f"int(simt.{name}(x[i]))") for name in ("isfinite", "isinf", "isnan")},
    **{name: ("int64", f"simt.{name}(x[i])") for name in ("lroundf", "llroundf", "lrintf", "llrintf")},
}


def numbers() -> np.ndarray:
    """Special values, and 128 floats of every sign and exponent, the ends of each among them."""
    mantissas = np.random.default_rng(7).integers(0, 1 << 23, (512, 128), dtype=np.uint32)
    mantissas[:, :4] = [0, 1, (1 << 22), (1 << 23) - 1]
    made = (np.arange(512, dtype=np.uint32)[:, None] << 23 | mantissas).reshape(-1).view(np.float32)
    made[:: len(made) // len(SPECIAL)][: len(SPECIAL)] = SPECIAL
    made[1::4] = (10 * np.random.default_rng(8).standard_normal(len(made[1::4]))).astype(np.float32)
    return made


def pairs() -> tuple[np.ndarray, np.ndarray]:
    """Every pair of special values, and others."""
    x = numbers()
    y = np.random.default_rng(9).permutation(x)
    y[2::4] = np.random.default_rng(10).integers(-9, 9, len(y[2::4]))
    first, second = np.meshgrid(np.array(SPECIAL, np.float32), np.array(SPECIAL, np.float32))
    return np.concatenate([first.ravel(), x]), np.concatenate([second.ravel(), y])


@pytest.mark.quick
def test_every_row_is_tested() -> None:
    assert {f"simt.{name}" for name in (*OF_FLOATS, *TO_INT)} == {row.name for row in CHAPTERS["simt_math"]}


HALF = len(ONE) // 2


@pytest.mark.parametrize("names", [list(ONE)[:HALF], list(ONE)[HALF:]], ids=["powers and angles", "others"])
def test_of_one(names: list[str], tmp_path: Path, ran: Ran) -> None:
    x = numbers()
    texts = [f"simt.{name}(x[i])" for name in names]
    got = calls(tmp_path, "of_one", texts, "float32", ["x"]).run({"x": x}, len(x))
    for name, row in zip(names, got, strict=True):
        with np.errstate(all="ignore"):
            judge(name, row, ONE[name](x.astype(Wide)))
        ran(f"simt.{name}", 0, "")


def test_of_more(tmp_path: Path, ran: Ran) -> None:
    x, y = pairs()
    texts = [f"simt.{name}(x[i], y[i])" for name in TWO]
    texts[list(TWO).index("atan2f")] = "simt.atan2f(y[i], x[i])"
    texts += [f"simt.{name}(x[i], y[i], 2.0{', -3.0' * ('4' in name)})" for name in MORE]
    got = calls(tmp_path, "of_more", texts, "float32", ["x", "y"]).run({"x": x, "y": y}, len(x))
    for (name, reference), row in zip((TWO | MORE).items(), got, strict=True):
        with np.errstate(all="ignore"):
            judge(name, row, reference(x.astype(Wide), y.astype(Wide)))
        ran(f"simt.{name}", 0, "")


def is_nearest(got: np.float32, right: Fraction) -> bool:
    """Whether no other float is nearer to a number; of two that are as near it must be the even one."""
    away = abs(Fraction(float(got)) - right)
    with np.errstate(over="ignore"):
        others = [float(np.nextafter(got, np.float32(side))) for side in (-np.inf, np.inf)]
    distances = [abs(Fraction(other) - right) for other in others if math.isfinite(other)]
    is_even = got.view(np.uint32) % 2 == 0
    return all(away < distance or (away == distance and is_even) for distance in distances)


def test_fused_product_and_scales(tmp_path: Path, ran: Ran) -> None:
    """The exact product and sum are fractions of Python."""
    x, y = (values[:: len(values) // 8000].copy() for values in pairs())
    z = np.random.default_rng(11).permutation(x)
    with np.errstate(all="ignore"):
        z[::3] = -(x[::3] * y[::3])  # what is left is what rounding dropped
    n = np.random.default_rng(12).integers(-300, 300, len(x)).astype(np.int32)
    texts = ["simt.fmaf(x[i], y[i], z[i])", *(f"simt.{name}(x[i], n[i])" for name in sorted(INTEGERS))]
    arrays = {"x": x, "y": y, "z": z, "n": n}
    fused, *scaled = calls(tmp_path, "fused", texts, "float32", list(arrays)).run(arrays, len(x))
    with np.errstate(all="ignore"):
        rounded = (x.astype(np.float64) * y + z).astype(np.float32)  # in two steps
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(fused[~finite], rounded[~finite])
    assert (fused != rounded)[finite].any(), "a sum that two roundings get wrong"
    for got, a, b, c in zip(fused[finite], x[finite], y[finite], z[finite], strict=True):
        exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        assert is_nearest(got, exact), (a, b, c, got)
    for row in scaled:
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(row, np.ldexp(x.astype(np.float64), n).astype(np.float32))
    for name in ("fmaf", *INTEGERS):
        ran(f"simt.{name}", 0, "")


def test_inverses(tmp_path: Path, ran: Ran) -> None:
    """The function of the float before and of the float after lie on either side of the argument."""
    x = np.concatenate([numbers(), np.random.default_rng(13).uniform(-1, 2, 20000).astype(np.float32)])
    x = np.concatenate([x, 1 - np.float32(2) ** -np.arange(1, 25, dtype=np.float32)])
    texts = [f"simt.{name}(x[i])" for name in sorted(INVERSE)]
    complement, error, normal = calls(tmp_path, "inverses", texts, "float32", ["x"]).run({"x": x}, len(x))
    erfc = each(math.erfc, math.nan)
    for got, low, high, tail in (
        (error, -1, 1, lambda y: 1 - each(math.erf, math.nan)(y)),
        (complement, 0, 2, erfc),
        (normal, 0, 1, lambda y: erfc(-y / math.sqrt(2)) / 2),
    ):
        inside = (x > low) & (x < high)
        np.testing.assert_array_equal(np.isnan(got), ~((x >= low) & (x <= high)))
        assert np.isinf(got[(x == low) | (x == high)]).all()
        assert np.isfinite(got[inside]).all()
        wanted = x[inside].astype(np.float64)
        before = tail(np.nextafter(got[inside], np.float32(-np.inf)).astype(np.float64))
        after = tail(np.nextafter(got[inside], np.float32(np.inf)).astype(np.float64))
        if got is error:
            # Of small results erf itself is precise, and of large ones what is left to 1.
            y = got[inside].astype(np.float64)
            small = np.abs(y) < 0.5
            values = [np.nextafter(got[inside], np.float32(side)).astype(np.float64) for side in (-np.inf, np.inf)]
            erf = [each(math.erf, math.nan)(value) for value in values]
            assert ((erf[0] <= wanted) & (wanted <= erf[1]))[small].all()
            sign = np.sign(y)
            ends = [erfc(sign * value) for value in values]
            left = 1 - sign * wanted
            between = (np.minimum(*ends) <= left * (1 + 1e-14)) & (left * (1 - 1e-14) <= np.maximum(*ends))
            assert between[~small].all()
        else:
            slack = 1e-13 * np.abs(wanted)
            assert ((np.minimum(before, after) <= wanted + slack) & (wanted - slack <= np.maximum(before, after))).all()
    assert (complement[x == 0] == np.inf).all() and (normal[x == 0] == -np.inf).all()
    for name in INVERSE:
        ran(f"simt.{name}", 0, "")


def test_to_integers(tmp_path: Path, ran: Ran) -> None:
    x = numbers()
    texts = [text for _, text in TO_INT.values()]
    got = dict(zip(TO_INT, calls(tmp_path, "to_integers", texts, "int64", ["x"]).run({"x": x}, len(x)), strict=True))
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
    np.testing.assert_array_equal(got["signbit"], np.signbit(x))
    for name, reference in (("isfinite", np.isfinite), ("isinf", np.isinf), ("isnan", np.isnan)):
        np.testing.assert_array_equal(got[name], reference(x))
    info = np.iinfo(np.int32)
    special = np.where(np.isinf(x), info.max, info.min)
    np.testing.assert_array_equal(got["ilogbf"], np.where(np.isfinite(x) & (x != 0), np.frexp(wide)[1] - 1, special))
    with np.errstate(all="ignore"):
        for names, rounded in (
            (("lroundf", "llroundf"), np.copysign(np.floor(np.abs(wide) + 0.5), wide)),
            (("lrintf", "llrintf"), np.rint(wide)),
        ):
            want = np.array([0 if v != v else int(max(-(2.0**63), min(v, 2.0**63))) for v in rounded], object)
            want = np.minimum(want, 2**63 - 1).astype(np.int64)
            for name in names:
                np.testing.assert_array_equal(got[name], want, name)
    for name in TO_INT:
        ran(f"simt.{name}", 0, "")


@pytest.mark.quick
def test_bits_are_those_of_no_library(tmp_path: Path) -> None:
    """The text says expf, and the kernel needs no function of the C library that has this name."""
    made = calls(tmp_path, "plain", ["simt.expf(x[i])", "simt.powf(x[i], 2.0)"], "float32", ["x"])
    text = made.kernel.emit("f32[8]", "f32[4]", 4)
    assert "= expf(x[i]);" in text and "= powf(x[i], 2.0f);" in text and "cmath" not in text


def test_names_of_c_stay_free(tmp_path: Path) -> None:
    """Variables, functions and kernels may be called as functions of C are."""
    lines = f"""{HEAD}
@simt
def erff(x):
    return x * 2.0


@simt
def umax(x: asc.GlobalAddress, y: asc.GlobalAddress, laneid: int):
    rsqrtf = x[0]
    isnan = simt.rsqrtf(rsqrtf)
    gm_pointer = x[1]
    threadIdx = simt.load_volatile(x)
    y[0] = isnan + erff(gm_pointer) + simt.fabsf(-threadIdx)
    y[1] = simt.laneid() + laneid + simt.umax(1, laneid)
"""
    kernel = load(tmp_path, "names", lines).umax
    x, y = np.array([4.0, 3.0], np.float32), np.full(2, np.nan, np.float32)
    kernel[1, 1](x, y, 8)
    assert y.tolist() == [0.5 + 6.0 + 4.0, 16.0]


BITS = """
import sys
import numpy as np
sys.path[:0] = {paths!r}
from test_math import ONE, TWO, calls, numbers, pairs
from pathlib import Path
x, y = (values[::5].copy() for values in pairs())
one = calls(Path({folder!r}), "one", [f"simt.{{name}}(x[i])" for name in ONE], "float32", ["x"]).run({{"x": x}}, len(x))
two = calls(Path({folder!r}), "two", [f"simt.{{name}}(x[i], y[i])" for name in TWO], "float32", ["x", "y"])
got = np.concatenate([one, two.run({{"x": x, "y": y}}, len(x))])
got[np.isnan(got)] = np.nan
np.save({result!r}, got)
"""


@pytest.mark.slow
def test_bits_are_the_same_everywhere(tmp_path: Path) -> None:
    """With another compiler, and without fused products or vectors."""
    results = []
    here = Path(__file__).parent
    for number, settings in enumerate(({}, {"OPWRIGHT_CPU": "x86-64"}, {"OPWRIGHT_CXX": "clang++"})):
        if "OPWRIGHT_CPU" in settings and platform.machine() != "x86_64":
            continue
        if "OPWRIGHT_CXX" in settings and shutil.which("clang++") is None:
            pytest.skip("clang++ is not installed")
        folder = tmp_path / str(number)
        folder.mkdir()
        paths = [str(here), str(here.parent / "ascendc")]
        result = str(folder / "result.npy")
        script = BITS.format(paths=paths, folder=str(folder), result=result)
        environment = {**os.environ, **settings, "OPWRIGHT_CACHE_DIR": str(folder / "cache")}
        subprocess.run([sys.executable, "-c", script], env=environment, check=True)
        results.append(np.load(result).view(np.uint32))
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("y[0] = simt.expf()", "'x' is missing"),
        ("y[0] = simt.expf(x)", "x must be a number, got address of float32 in global memory"),
        ("y[0] = simt.powf(x[0])", "'y' is missing"),
        ("y[0] = simt.fmaf(x[0], 1.0, 2.0, 3.0)", "takes 3 arguments, got 4"),
        ("y[0] = simt.ldexpf(x[0], 1.5)", "n must be an integer, got float 1.5"),
        ("y[0] = simt.sincosf(x[0])", "sincosf"),
    ],
)
def test_wrong_uses(text: str, words: str, tmp_path: Path) -> None:
    lines = f"{HEAD}\n@simt\ndef wrong(x: asc.GlobalAddress, y: asc.GlobalAddress):\n    {text}\n"
    with pytest.raises(KernelError, match=re.escape(words)):
        load(tmp_path, "wrong", lines).wrong.emit("f32[4]", "f32[4]")


@pytest.mark.quick
def test_what_is_called_exact_is_judged_so() -> None:
    exact = {row.name.removeprefix("simt.") for row in CHAPTERS["simt_math"] if row.exactness == "exact"}
    assert exact & {*ONE, *TWO} <= EXACT
