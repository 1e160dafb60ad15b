"""Calls whose operands hold two types: casts in every way of rounding, and sums of products of halves in float32.

The references look neighbours up: in the sorted values of a 16-bit type, or from `numpy.nextafter`. Python's integers
and float64 hold every value exactly.
"""

import importlib.util
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import ml_dtypes
import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.dtypes import DTYPES, PACKED, SMALL
from opwright.ascendc.enums import RoundMode
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import ROWS
from opwright.ascendc.type_rules import Conversion
from opwright.errors import NoForm, RuleBroken, RuleError, WrongDtype
from opwright.runtime.jit import JitFunction
from opwright.settings import settings
from opwright.twin.toolchain import FLAGS

HERE = Path(__file__).parent
INCLUDE = HERE.parents[2] / "src" / "opwright" / "twin" / "include"
SOC = "ascend950"  # has every pair
ELEMENTS = 4096
NUMPY = {name: np.dtype(getattr(ml_dtypes, name) if name == "bfloat16" else name) for name in DTYPES}
(RULE,) = (rule for rule in ROWS["cast"].forms[0].rules if isinstance(rule, Conversion))
PAIRS = {pair: modes for pair, modes in RULE.modes[SOC].items() if set(pair) <= set(DTYPES)}
SOURCES = list(dict.fromkeys(source for source, _ in PAIRS))

# What the public tables say, in words of their own: 5 is every rounding but NONE and ODD.
FIVE = "RINT FLOOR CEIL ROUND TRUNC"
PUBLIC = {
    "ascend910b": """
        i8>f16 NONE, u8>f16 NONE, i16>f16 5 NONE, i16>f32 NONE, f16>i8 5 NONE, f16>u8 5 NONE, f16>i16 5, f16>i32 5,
        f16>f32 NONE, bf16>i32 5, bf16>f32 NONE, i32>i16 NONE, i32>f16 NONE, i32>f32 5 NONE, i32>i64 NONE, f32>i16 5,
        f32>i32 5, f32>i64 5, f32>bf16 5, f32>f32 5, f32>f16 5 ODD NONE, i64>i32 NONE, i64>f32 5, i4>f16 NONE,
        f16>i4 5 NONE""",
    "ascend950": """
        i8>f16 NONE, u8>f16 NONE, i16>f16 5 NONE, i16>f32 NONE, f16>i8 5 NONE, f16>u8 5 NONE, f16>i16 5, f16>i32 5,
        f16>f32 NONE, bf16>i32 5, bf16>f32 NONE, i32>i16 NONE, i32>f16 NONE, i32>f32 5 NONE, i32>i64 NONE, f32>i16 5,
        f32>i32 5, f32>i64 5, f32>bf16 5, f32>f32 5, f32>f16 5 ODD NONE, i64>i32 NONE, i64>f32 5, i4>f16 NONE,
        f16>i4 5 NONE, f16>bf16 5,
        bf16>f16 5, i8>i16 NONE, i8>i32 NONE, u8>u16 NONE, u8>u32 NONE, i16>u8 NONE, i16>i32 NONE, i16>u32 NONE,
        u16>u8 NONE, u16>u32 NONE, i32>u8 NONE, i32>u16 NONE, u32>u8 NONE, u32>i16 NONE, u32>u16 NONE,
        f16>hif8 ROUND, f32>hif8 ROUND, f32>e4m3 RINT, f32>e5m2 RINT, hif8>f16 NONE, hif8>f32 NONE, e4m3>f32 NONE,
        e5m2>f32 NONE""",
}


def public(text: str) -> dict[tuple[str, str], set[RoundMode]]:
    short = {dtype.short: name for name, dtype in {**DTYPES, **SMALL, **PACKED}.items()}
    table = {}
    for entry in text.split(","):
        pair, *modes = entry.split()
        modes = [mode for given in modes for mode in (FIVE.split() if given == "5" else [given])]
        source, target = pair.split(">")
        table[short[source], short[target]] = {RoundMode[f"CAST_{mode}"] for mode in modes}
    return table


@pytest.mark.quick
@pytest.mark.parametrize("soc", PUBLIC)
def test_pairs_are_the_public_ones(soc: str) -> None:
    assert {pair: set(modes) for pair, modes in RULE.modes[soc].items()} == public(PUBLIC[soc])


# References ---------------------------------------------------------------------------------------------------


def magnitudes(dtype: str) -> np.ndarray:
    """The values of a 16-bit float by their bits; the last, in the place of infinity, is what would come next."""
    last = 0x7C00 if dtype == "float16" else 0x7F80
    values = np.arange(last + 1, dtype=np.uint16).view(NUMPY[dtype]).astype(np.float64)
    values[last] = 2 * values[last - 1] - values[last - 2]
    return values


def choose(mode: RoundMode, negative, bits, below, above):
    """Whether to take the outer of two neighbours; `below` and `above` are how far they are."""
    match mode:
        case RoundMode.CAST_FLOOR:
            return negative
        case RoundMode.CAST_CEIL:
            return ~negative if isinstance(negative, np.ndarray) else not negative
        case RoundMode.CAST_TRUNC:
            return negative & False
        case RoundMode.CAST_ODD:
            return bits % 2 == 0
        case RoundMode.CAST_ROUND:
            return below >= above
        case _:
            return (below > above) | ((below == above) & (bits % 2 == 1))


def to_16_bits(x: np.ndarray, dtype: str, mode: RoundMode) -> np.ndarray:
    exact = x.astype(np.float64)
    table = magnitudes(dtype)
    size, negative = np.abs(exact), np.signbit(exact)
    bits = np.searchsorted(table, np.where(np.isnan(size), 0, size), side="right") - 1
    bits = np.minimum(bits, len(table) - 1)
    inner = table[bits]
    outer = table[np.minimum(bits + 1, len(table) - 1)]
    finite = bits < len(table) - 1
    with np.errstate(invalid="ignore"):
        step = finite & (inner != size) & choose(mode, negative, bits, size - inner, outer - size)
    # A finite number beyond the last one is infinite only where the rounding leads away from 0.
    beyond = ~finite & np.isfinite(size)
    away = choose(mode, negative, np.full_like(bits, len(table) - 2), np.ones_like(size), np.zeros_like(size))
    bits = np.where(beyond & ~away, len(table) - 2, bits + step)
    result = (bits.astype(np.uint16) | (negative.astype(np.uint16) << 15)).view(NUMPY[dtype]).copy()
    result[np.isnan(exact)] = np.nan
    return result


def integer_to_float32(x: np.ndarray, mode: RoundMode) -> np.ndarray:
    """With Python's integers."""
    results = []
    for value in x.tolist():
        size, negative = abs(value), value < 0
        near = np.float32(float(size >> 11 << 11) if size >= 1 << 53 else float(size))  # towards 0, or a double
        if int(near) > size:
            near = np.nextafter(near, np.float32(0))
        bits, outer = int(near.view(np.uint32)), np.nextafter(near, np.float32(np.inf))
        below, above = size - int(near), int(outer) - size
        if below and choose(mode, negative, bits, below, above):
            near = outer
        results.append(-near if negative else near)
    return np.array(results, np.float32)


def to_integral(x: np.ndarray, mode: RoundMode) -> np.ndarray:
    """In float64, which is exact."""
    exact = x.astype(np.float64)
    match mode:
        case RoundMode.CAST_FLOOR:
            return np.floor(exact)
        case RoundMode.CAST_CEIL:
            return np.ceil(exact)
        case RoundMode.CAST_TRUNC:
            return np.trunc(exact)
        case RoundMode.CAST_ROUND:
            return np.trunc(exact + np.copysign(0.5, exact))
        case _:
            return np.rint(exact)


def saturated(values: np.ndarray, dtype: str) -> np.ndarray:
    low, high = DTYPES[dtype].limits
    whole = [0 if value != value else value for value in values.tolist()]
    clipped = [
        int(min(max(value, low), high)) if abs(value) != float("inf") else (low, high)[value > 0] for value in whole
    ]
    return np.array(clipped, NUMPY[dtype])


def reference(x: np.ndarray, target: str, mode: RoundMode) -> np.ndarray:
    source_is_float, target_is_float = DTYPES[x.dtype.name].is_float(), DTYPES[target].is_float()
    if not target_is_float:
        return saturated(to_integral(x, mode) if source_is_float else x, target)
    if target != "float32":
        return to_16_bits(x, target, mode)
    if not source_is_float:
        return integer_to_float32(x, mode)
    return (to_integral(x, mode) if x.dtype == np.float32 else x).astype(np.float32)


# Casts --------------------------------------------------------------------------------------------------------


def inputs(dtype: str, seed: int = 3) -> np.ndarray:
    """Random bits, and what is hard: halfway cases, the ends of every integer type, overflow, subnormals."""
    random = np.random.default_rng(seed)
    kind = NUMPY[dtype]
    values = random.integers(0, 256, ELEMENTS * kind.itemsize, dtype=np.uint8).view(kind).copy()
    if not DTYPES[dtype].is_float():
        info = np.iinfo(kind)
        ends = [0, 1, info.min, info.max, info.max - 1]
        powers = [sign * (1 << n) + d for n in range(8 * kind.itemsize - 1) for d in (-1, 0, 1) for sign in (-1, 1)]
        # Halfway between floats of 24 and of 11 bits.
        ties = [(2 * n + 1) << s for n in (1 << 23, (1 << 23) + 1, 1 << 10, (1 << 10) + 1) for s in range(39)]
        hard = [n for n in (*ends, *powers, *ties, *(-n for n in ties)) if info.min <= n <= info.max]
        values[: len(hard)] = hard
        return values
    steps = np.arange(-600, 600) / 4
    limits = [s * 2.0**n + d for n in (7, 8, 15, 16, 31, 32, 63) for d in (-1, -0.5, 0, 0.5, 1) for s in (-1, 1)]
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 65504, 65519.99, 65520, 65535, 65536, 3.39e38, 3.4e38, -65520, 1e30]
    bits = random.integers(0, 0x7C00, 600, dtype=np.uint16)
    for narrow in (np.float16, ml_dtypes.bfloat16):
        low = bits.view(narrow).astype(np.float64)
        high = (bits + 1).astype(np.uint16).view(narrow).astype(np.float64)
        middle = ((low + high) / 2).astype(np.float32)
        special += [*middle, *-middle, *np.nextafter(middle[:200], np.float32(0))]
    with np.errstate(all="ignore"):
        hard = np.concatenate([steps, limits, special]).astype(np.float32).astype(kind)
    half = ELEMENTS - 400
    values[: min(half, len(hard))] = hard[:half]
    return values


def load(folder: Path, name: str, text: str) -> ModuleType:
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def casts_of(source: str) -> list[tuple[str, RoundMode]]:
    """All but what multiplies by a scale, which has tests of its own."""
    pairs = {pair: modes for pair, modes in PAIRS.items() if pair[0] == source and pair != ("int32", "float16")}
    return [(target, mode) for (_, target), modes in pairs.items() for mode in modes]


def kernel_of(source: str, folder: Path) -> JitFunction:
    """A kernel with every cast from one type; each has an output of its own."""
    casts = casts_of(source)
    outputs = [f"z{number}" for number in range(len(casts))]
    parameters = ", ".join(f"{name}: asc.GlobalAddress" for name in ("x", *outputs))
    lines = [
        "from opwright import asc",
        f'@asc.jit(soc="{SOC}")',
        f"def casts({parameters}, count: int):",
        "    x_gm = asc.GlobalTensor()",
        "    x_gm.set_global_buffer(x)",
        f"    a = asc.LocalTensor(asc.{source}, asc.TPosition.VECIN, 0, {ELEMENTS})",
        f"    asc.data_copy(a, x_gm, {ELEMENTS})",
    ]
    for (target, mode), name in zip(casts, outputs, strict=True):
        lines += [
            f"    {name}_gm = asc.GlobalTensor()",
            f"    {name}_gm.set_global_buffer({name})",
            f"    {name}_ub = asc.LocalTensor(asc.{target}, asc.TPosition.VECOUT, {8 * ELEMENTS}, {ELEMENTS})",
            f"    asc.data_copy({name}_ub, {name}_gm, {ELEMENTS})",
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
            f"    asc.cast({name}_ub, a, asc.RoundMode.{mode.name}, count)",
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
            f"    asc.data_copy({name}_gm, {name}_ub, {ELEMENTS})",
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
        ]
    return load(folder, f"cast_{source}", "\n".join(lines) + "\n").casts


def in_sets(sources: list[str]) -> list:
    """Conversions take long to compile: the set for every change has those from floats and the widest integer."""
    fast = ("float16", "float32", "int64")
    return [source if source in fast else pytest.param(source, marks=pytest.mark.slow) for source in sources]


@pytest.mark.parametrize("source", in_sets(SOURCES))
def test_casts(source: str, tmp_path: Path) -> None:
    kernel = kernel_of(source, tmp_path)
    for count in (ELEMENTS, 333):
        x = inputs(source)
        outputs = [np.full(ELEMENTS * NUMPY[target].itemsize, 0xA5, np.uint8) for target, _ in casts_of(source)]
        arrays = [z.view(NUMPY[target]) for z, (target, _) in zip(outputs, casts_of(source), strict=True)]
        kernel[1](x, *arrays, count)
        for z, (target, mode) in zip(arrays, casts_of(source), strict=True):
            with np.errstate(all="ignore"):
                expected = reference(x[:count], target, mode)
            same(z[:count], expected, f"{source} to {target} with {mode.name}")
            assert (z[count:].view(np.uint8) == 0xA5).all()


@pytest.mark.slow
@pytest.mark.parametrize(("compiler", "cpu"), [("g++", "x86-64-v2"), ("clang++", "native")])
@pytest.mark.parametrize("source", SOURCES)
def test_casts_of_other_builds(source: str, compiler: str, cpu: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    with settings.scope(compiler=compiler, cpu=cpu):
        test_casts(source, tmp_path)


def same(got: np.ndarray, expected: np.ndarray, what: str) -> None:
    """Bit for bit; a NaN is a NaN."""
    number = expected == expected
    assert (got != got)[~number].all(), what
    unsigned = f"u{got.itemsize}"
    np.testing.assert_array_equal(got[number].view(unsigned), expected[number].view(unsigned), what)


@pytest.mark.slow
def test_same_bits_on_every_machine(tmp_path: Path) -> None:
    """Conversions, functions and fused sums, by three compilers and on another processor under an emulator."""
    builds = [("g++", ["-march=native"], []), ("g++", ["-O0"], []), ("clang++", ["-march=native"], [])]
    builds.append(("aarch64-linux-gnu-g++", ["-static"], ["qemu-aarch64"]))
    answers = []
    for number, (compiler, flags, emulator) in enumerate(builds):
        if not all(shutil.which(tool) for tool in (compiler, *emulator)):
            continue
        program = tmp_path / str(number)
        common = [flag for flag in FLAGS if flag not in ("-shared", "-fPIC")]
        command = [compiler, *common, *flags, f"-I{INCLUDE}", HERE / "conversions.cpp", "-o", program]
        subprocess.run(command, check=True)
        ran = subprocess.run([*emulator, program], capture_output=True, text=True, check=True)
        answers.append(ran.stdout)
    assert len(answers) > 1 and len(set(answers)) == 1, answers


def cast_kernel(source: str, target: str, mode: RoundMode, start: int = 1024) -> JitFunction:
    source_type, target_type = DTYPES[source], DTYPES[target]

    @asc.jit
    def cast(offset: int):
        a = asc.LocalTensor(source_type, asc.TPosition.VECIN, 0, 128)
        b = asc.LocalTensor(target_type, asc.TPosition.VECOUT, start, 256)
        asc.duplicate(a, 1, 128)
        asc.cast(b[offset:], a, mode, 64)

    return cast


@pytest.mark.quick
@pytest.mark.parametrize(
    ("soc", "source", "target", "mode", "words"),
    [
        ("ascend910b", "float16", "bfloat16", "RINT", "float16 to bfloat16"),
        ("ascend910b", "int32", "bfloat16", "NONE", "int32 to bfloat16"),
        ("ascend910b", "bfloat16", "float16", "RINT", "bfloat16 becomes int32, float32"),
        ("ascend950", "int64", "float16", "RINT", "int64 becomes int32, float32"),
        ("ascend910b", "float32", "int32", "NONE", "float32 to int32 with CAST_NONE"),
        ("ascend910b", "float16", "float32", "RINT", "use CAST_NONE"),
        ("ascend910b", "float32", "bfloat16", "ODD", "float32 to bfloat16 with CAST_ODD"),
        ("ascend950", "int64", "float32", "NONE", "use CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC"),
        ("ascend950", "float16", "float16", "RINT", "float16 to float16"),
    ],
)
def test_no_such_conversion(soc: str, source: str, target: str, mode: str, words: str) -> None:
    with pytest.raises(RuleBroken, match="must be a conversion that the SoC has") as caught:
        cast_kernel(source, target, RoundMode[f"CAST_{mode}"]).emit(0, soc=soc)
    assert words in str(caught.value)


@pytest.mark.quick
def test_no_such_type() -> None:
    with pytest.raises(WrongDtype, match="does not take uint16 on ascend910b"):
        cast_kernel("uint32", "uint16", RoundMode.CAST_NONE).emit(0, soc="ascend910b")
    with pytest.raises(NoForm, match=r"must be a value of asc\.RoundMode"):
        cast_kernel("float32", "int32", asc.PipeID.PIPE_V).emit(0)  # type: ignore[arg-type]


@pytest.mark.quick
@pytest.mark.parametrize("soc", SOCS)
def test_every_other_conversion_is_refused(soc: str) -> None:
    """The rule itself, for all types and roundings."""

    class Known:
        def __init__(self, source: str, target: str, mode: RoundMode) -> None:
            self.soc, self.types, self.mode = SOCS[soc], {"src": source, "dst": target}, mode

        def dtype(self, operand: str) -> str:
            return self.types[operand]

        def constant(self, operand: str) -> object:
            assert operand == "round_mode"
            return self.mode

    table = public(PUBLIC["ascend950" if soc == "ascend950" else "ascend910b"])
    for source in DTYPES:
        for target in DTYPES:
            for mode in RoundMode:
                value = RULE.value(Known(source, target, mode))  # type: ignore[arg-type]
                assert RULE.holds(value or 0) == (mode in table.get((source, target), ())), (source, target, mode)


def test_in_place() -> None:
    """Elements of one size may be converted in place; of two sizes not, before the run and in it."""
    cast_kernel("float32", "int32", RoundMode.CAST_RINT, start=0)[1](0)
    with pytest.raises(RuleError, match="overlaps src in part"):
        cast_kernel("float32", "float16", RoundMode.CAST_RINT, start=0)[1](0)

    @asc.jit
    def cast():
        a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 128)
        b = asc.LocalTensor(asc.float16, asc.TPosition.VECOUT, 0, 128)
        asc.cast(b, a, asc.RoundMode.CAST_RINT, 64)

    with pytest.raises(RuleBroken, match="must not overlap it in part"):
        cast.emit()


# float16 into float32 -----------------------------------------------------------------------------------------


@asc.jit
def widened(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, w: asc.GlobalAddress, scalar: float):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 512)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y, 512)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 512)
    w_gm = asc.GlobalTensor()
    w_gm.set_global_buffer(w, 512)
    a = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 0, 512)
    b = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 1024, 512)
    c = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 2048, 512)
    d = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 4096, 512)
    asc.data_copy(a, x_gm, 512)
    asc.data_copy(b, y_gm, 512)
    asc.data_copy(c, z_gm, 512)
    asc.data_copy(d, w_gm, 512)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.axpy(c, a, scalar, 500)
    asc.mul_add_dst(d, a, b, 500)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, c, 512)
    asc.data_copy(w_gm, d, 512)


@pytest.mark.parametrize("soc", ["ascend910b", "ascend950"])
def test_halves_into_floats(soc: str) -> None:
    random = np.random.default_rng(9)
    x, y = (random.integers(0, 1 << 16, 512, dtype=np.uint16).view(np.float16) for _ in range(2))
    z = random.standard_normal(512).astype(np.float32)
    got, products = z.copy(), z.copy()
    with settings.scope(soc=soc):
        widened[1](x, y, got, products, 0.7)
    with np.errstate(all="ignore"):
        # A product of halves is exact in float32; the sum is rounded once.
        expected = x.astype(np.float32) * np.float32(np.float16(0.7)) + z
        same(got[:500], expected[:500], "axpy")
        same(products[:500], (x.astype(np.float32) * y.astype(np.float32) + z)[:500], "mul_add_dst")
    same(got[500:], z[500:], "beyond the count")


@pytest.mark.quick
def test_no_such_mixture() -> None:
    @asc.jit
    def narrowing():
        a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
        b = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 256, 64)
        asc.axpy(b, a, 2.0, 64)

    with pytest.raises(WrongDtype):
        narrowing.emit()
