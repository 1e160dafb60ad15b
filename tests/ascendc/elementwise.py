"""What the tests of the elementwise chapters share: kernels with every form of every call, shapes, and what is right.

In: a chapter and an element type. Out: `Battery`: runs all its calls with one shape, and compares each with a reference
that knows only the addresses of lanes and what an element becomes (`every_call.py`). Masks, strides, counts and scalars
are arguments of the launch: one build serves all shapes.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import call_kernels
import ml_dtypes
import numpy as np
import pytest
import tally
from call_kernels import NUMPY, ROOM, Calls, Tensor, calls, may_leave_mask, takes

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import MASK, Each
from opwright.ascendc.table import CHAPTERS, ROWS
from opwright.errors import OutOfRange, RaceError, RuleError
from opwright.settings import settings

_SPEC = importlib.util.spec_from_file_location(
    "every_call", Path(__file__).parents[1] / "twin" / "numerics" / "every_call.py"
)
assert _SPEC and _SPEC.loader
every_call = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(every_call)

SOC = "ascend950"  # takes every element type of every SoC; the text is the same on all of them
BYTES = 1 << 16  # of each operand: 255 repeats, and a little that nobody touches
ALL_BITS = (1 << 64) - 1
MOST = (1 << 63) - 1  # of a number that a launch gives a uint64
NARROW = "float16 to float32"  # sources of float16, a destination of float32
# Compiling takes most of the time. These types are compiled as users' kernels are; the others fast, for the same bits.
OPTIMISED = ("float32", "int16")
# One type of each width is also run with the mask of the register, which knows only widths; of the others one call.
REGISTERS = ("float16", "int32", "int64", "uint8", NARROW)
SAMPLE = "add"
PARAMETERS = (
    "s: {scalar}, mask: int, low: int, high: int, set_low: int, set_high: int, repeats: int, count: int, "
    "dst_blk: int, src0_blk: int, src1_blk: int, dst_rep: int, src0_rep: int, src1_rep: int"
)


@dataclass(frozen=True)
class Variant:
    """One form of a call, with the mask of its arguments or with that of the register."""

    call: str
    form: int
    by_register: bool

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters of the form."""
        return ROWS[self.call].forms[self.form].named

    @property
    def by_count(self) -> bool:
        """Whether it takes a number of elements, not lanes and repeats."""
        return "count" in self.names

    @property
    def is_bits(self) -> bool:
        """Whether its mask is a list of words."""
        return ROWS[self.call].forms[self.form].parameters[self.names.index("mask")].kind == "array"

    @property
    def sources(self) -> int:
        """How many tensors it reads beside its destination."""
        return sum(name.startswith("src") for name in self.names)

    @property
    def reads_dst(self) -> bool:
        """Whether what the destination held counts."""
        accesses = ROWS[self.call].forms[self.form].accesses
        return any(access.operand == "dst" and not access.writes for access in accesses)

    def text(self, dtype: str) -> str:
        """The call, and for the register the calls that set it and set it back."""
        operands = ["z_ub", *("x_ub", "y_ub")[: self.sources], *(["s"] if "scalar" in self.names else [])]
        how = "3" if self.by_register else "count"
        if not self.by_count:
            params = "dst_blk, src0_blk, src1_blk, dst_rep, src0_rep, src1_rep"
            kind = "Binary" if self.sources == 2 else "Unary"
            if self.sources == 1:
                params = "dst_blk, src0_blk, dst_rep, src0_rep"
            words, number = ("[1, 0]", "1") if self.by_register else ("[low, high]", "mask")
            mask = words if self.is_bits else number
            how = f"{mask}, repeats, asc.{kind}RepeatParams({params})"
        call = f"asc.{self.call}({', '.join(operands)}, {how}{f', {MASK}=False' if self.by_register else ''})"
        if not self.by_register:
            return call
        if self.by_count:
            start = f"asc.set_mask_count()\nasc.set_vector_mask(count, asc.{dtype}, asc.MaskMode.COUNTER)"
        else:
            start = f"asc.set_vector_mask(set_high, set_low, asc.{dtype}, asc.MaskMode.NORMAL)"
        return f"{start}\n{call}\nasc.set_mask_norm()\nasc.reset_mask()"


def variants(chapter: str, kind: str) -> list[Variant]:
    """Every form of every call of a chapter that takes an element type; converting calls have tests of their own."""
    found = []
    for row in CHAPTERS[chapter]:
        for number, form in enumerate(row.forms):
            if not isinstance(form.meaning, Each) or ("U" in form.dtypes) != (kind == NARROW):
                continue
            if kind != NARROW and not takes(row.name, number, SOC, T=kind):
                continue
            found.append(Variant(row.name, number, by_register=False))
            if may_leave_mask(form) and (kind in REGISTERS or row.name == SAMPLE):
                found.append(Variant(row.name, number, by_register=True))
    return found


def kinds(chapter: str) -> list[str]:
    """The element types of a chapter, and the mixture if some call has it."""
    return [kind for kind in (*DTYPES, NARROW) if variants(chapter, kind)]


# Shapes -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """What a launch says: a share of the lanes, repeats, strides of dst, src0 and src1; a count as repeats and more."""

    share: float
    repeats: int
    blocks: tuple[int, int, int]
    steps: tuple[int, int, int]
    count: tuple[int, int]
    words: tuple[int, int] = (ALL_BITS, ALL_BITS)


SHAPES = [
    Shape(1.0, 255, (1, 1, 1), (8, 8, 8), (255, 0)),
    Shape(1.0, 1, (1, 1, 1), (8, 8, 8), (0, 1), (0x5555555555555555, 0xAAAAAAAAAAAAAAAA)),
    Shape(0.3, 3, (1, 1, 1), (8, 8, 8), (1, -1), (1 << 63, 1)),
    Shape(0.8, 5, (1, 1, 1), (9, 8, 11), (1, 0), (0, 1 << 40)),
    Shape(1.0, 3, (2, 1, 3), (17, 8, 25), (1, 1), (0xFFFFFFFF, 0)),
    Shape(0.6, 3, (2, 3, 0), (16, 24, 1), (3, 5), (0xF0F0F0F0F0F0F0F0, 7)),
    Shape(1.0, 2, (1, 0, 1), (8, 1, 0), (0, 0), (0, 0)),
    Shape(1.0, 6, (1, 1, 1), (8, 0, 0), (7, -1), (1, 0)),
    Shape(1.0, 3, (1, 1, 1), (0, 8, 8), (2, 1), (0x8000000080000001, ALL_BITS)),
    Shape(1.0, 2, (31, 30, 29), (1, 1, 2), (254, 3)),
    Shape(0.0, 3, (1, 1, 1), (8, 8, 8), (5, 17)),
    Shape(1.0, 0, (1, 1, 1), (8, 8, 8), (255, -1)),
    Shape(0.99, 255, (1, 1, 1), (8, 1, 0), (13, 0), (0x123456789ABCDEF1, 0xFEDCBA987654321F)),
]
INTEGERS = (3, 0, 1, 7, 15, 16, 31, -1, 63, 200)
REALS = (0.75, -3.25, 0.0, -0.0, float("nan"), 65504.0, 1e-7, float("inf"), 1e-42, 3e38, -0.001)


def scalar_of(kind: str, number: int) -> int | float:
    """A scalar for a shape; integers that a type does not have become its limits."""
    if kind == NARROW or DTYPES[kind].is_float():
        return REALS[number % len(REALS)]
    low, high = DTYPES[kind].limits
    return max(low, min(INTEGERS[number % len(INTEGERS)], high))


def places(size: int, repeats: int, lanes: np.ndarray, block: int, step: int) -> np.ndarray:
    """The element of each lane of each repeat, counted from the start of an operand."""
    byte = lanes * size
    return ((np.arange(repeats)[:, None] * step + byte // 32 * block) * 32 + byte % 32) // size


# Contents -----------------------------------------------------------------------------------------------------


def contents(dtype: str, seed: int, way: int) -> np.ndarray:
    """An operand: 0: NaN or 99 everywhere; 1: ordinary numbers; 2: bits of every kind, half of them special values."""
    kind, random = NUMPY[dtype], np.random.default_rng(seed)
    elements = BYTES // kind.itemsize
    if way == 0:
        return np.full(elements, np.nan if DTYPES[dtype].is_float() else 99, kind)
    if way == 1:
        return (random.standard_normal(elements) * 20).astype(np.float32).astype(kind)
    values = random.integers(0, 256, BYTES, dtype=np.uint8).view(kind)
    if DTYPES[dtype].is_float():
        info = ml_dtypes.finfo(kind)
        hard = [0.0, -0.0, info.tiny, -info.tiny, info.smallest_subnormal, info.max, -info.max, np.inf, -np.inf, 1]
        with np.errstate(all="ignore"):
            table = np.array([*map(float, hard), np.nan], np.float64).astype(kind)
        values[::2] = table[random.integers(0, len(table), elements // 2)]
    return values


# Batteries ----------------------------------------------------------------------------------------------------


@dataclass
class Battery:
    """All calls of a chapter on one element type."""

    kind: str
    variants: list[Variant]
    calls: Calls

    @property
    def written(self) -> str:
        """The element type of the destination."""
        return "float32" if self.kind == NARROW else self.kind

    @property
    def read(self) -> str:
        """The element type of the sources and of the scalar."""
        return "float16" if self.kind == NARROW else self.kind

    @property
    def lanes(self) -> int:
        """Lanes of a repeat."""
        return 256 // NUMPY[self.written].itemsize

    def arguments(self, shape: Shape, scalar: int | float) -> list[int | float]:
        """Those of the launch, in the order of PARAMETERS."""
        signed = [word - (1 << 64) if word >> 63 else word for word in shape.words]
        words = [*signed, *(word & MOST for word in shape.words)]
        return [scalar, self._mask(shape), *words, shape.repeats, self._count(shape), *shape.blocks, *shape.steps]

    def _mask(self, shape: Shape) -> int:
        return int(self.lanes * shape.share)

    def _count(self, shape: Shape) -> int:
        return shape.count[0] * self.lanes + shape.count[1]

    def given(self, seed: int) -> dict[str, np.ndarray]:
        """Fresh operands; two of three launches read special values."""
        way = 1 if seed % 3 == 1 else 2
        z = contents(self.written, 3 * seed, seed % 3)
        return {"z": z, "x": contents(self.read, 3 * seed + 1, way), "y": contents(self.read, 3 * seed + 2, way)}

    def run(self, number: int) -> None:
        """Launches with a shape and compares what every call left."""
        shape, given = SHAPES[number], self.given(number)
        scalar = scalar_of(self.kind, number)
        with np.errstate(all="ignore"):
            wide = np.float32 if isinstance(scalar, float) else NUMPY[self.read]
            rounded = np.array([scalar], wide).astype(NUMPY[self.read])
        with settings.scope(elide=number % 2 == 0):  # half of them read global memory in place
            out = self.calls.run(given, self.arguments(shape, scalar))
        for variant, got in zip(self.variants, out["z"], strict=True):
            wanted, touched = self.expected(variant, shape, given, rounded)
            what = f"{variant} on {self.kind}: {shape}, scalar {scalar}"
            same(got, wanted, what, variant.call in call_kernels.BOUNDED and self.kind == "float32")
            bits = f"u{got.itemsize}"
            assert (got.view(bits) == given["z"].view(bits))[~touched].all(), f"{what}: wrote elsewhere"

    def expected(
        self, variant: Variant, shape: Shape, given: dict[str, np.ndarray], scalar: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The destination after a call, and which of its elements the call wrote."""
        z, sources = given["z"].copy(), (given["x"], given["y"])
        sizes = (z.itemsize, scalar.itemsize, scalar.itemsize)
        if variant.by_count:
            at = [np.arange(self._count(shape))[None, :]] * 3
        else:
            lanes = np.arange(self._mask(shape))
            if variant.by_register or variant.is_bits:
                words = [word & MOST for word in shape.words] if variant.by_register else shape.words
                bits = [n for n in range(min(self.lanes, 128)) if words[n // 64] >> n % 64 & 1]
                lanes = np.array(bits, np.int64)
            at = [
                places(size, shape.repeats, lanes, block, step)
                for size, block, step in zip(sizes, shape.blocks, shape.steps, strict=True)
            ]
        touched = np.zeros(z.size, bool)
        touched[at[0]] = True
        # A repeat may go on with what an earlier one left only where the destination is read: then step by step.
        is_fed = variant.reads_dst and touched.sum() != at[0].size
        for part in [slice(n, n + 1) for n in range(len(at[0]))] if is_fed else [slice(None)]:
            to, *froms = (places_of[part].reshape(-1) for places_of in at)
            a, b = (source[where] for source, where in zip(sources, froms, strict=True))
            z[to] = self.element(variant.call, a, b, scalar, z[to])
        return z, touched

    def element(self, call: str, a: np.ndarray, b: np.ndarray, scalar: np.ndarray, held: np.ndarray) -> np.ndarray:
        """What elements become."""
        if "flush_subnormals" in ROWS[call].assumes:  # as this SoC does
            return flushed(every_call.expected(call, flushed(a), flushed(b), scalar, held))
        if self.kind != NARROW:
            return every_call.expected(call, a, b, scalar, held)
        with np.errstate(all="ignore"):  # a product of halves is exact in float32, and the sum is rounded once
            return a.astype(np.float32) * (scalar if call == "axpy" else b).astype(np.float32) + held


def flushed(values: np.ndarray) -> np.ndarray:
    """0, with its sign, in place of subnormal numbers."""
    least = ml_dtypes.finfo(values.dtype).smallest_normal
    return np.where(np.abs(values) < least, np.copysign(values.dtype.type(0), values), values)


def same(got: np.ndarray, wanted: np.ndarray, what: str, bounded: bool) -> None:
    """Bit for bit, or within 1 ulp; a NaN is a NaN."""
    tally.compared(wanted.size)
    bits = f"u{got.itemsize}"
    if not np.array_equal(got.view(bits), wanted.view(bits)):
        call_kernels.same(got, wanted, what, bounded)
        tally.compared(-wanted.size)  # counted twice


@cache
def battery(folder: Path, chapter: str, kind: str) -> Battery:
    """The calls of a chapter on an element type, as one kernel."""
    found = variants(chapter, kind)
    made = Battery(kind, found, None)  # type: ignore[arg-type]
    tensors = [
        Tensor("z", made.written, BYTES // NUMPY[made.written].itemsize, written=True),
        Tensor("x", made.read, BYTES // NUMPY[made.read].itemsize),
        Tensor("y", made.read, BYTES // NUMPY[made.read].itemsize),
    ]
    parameters = PARAMETERS.format(scalar="float" if isinstance(scalar_of(kind, 0), float) else "int")
    texts = [variant.text(made.written) for variant in found]
    name = f"{chapter}_{kind.replace(' ', '_')}"
    level = 3 if kind in OPTIMISED else 0
    made.calls = calls(folder, name, SOC, tensors, parameters, texts, opt_level=level)
    return made


# Chapters whose calls have one source with strides.
ONE_SOURCE = ("vec_unary", "vec_binary_scalar", "vec_ternary_scalar")


def run_battery(folder: Path, chapter: str, kind: str, ran: Callable[[str, int, str], None]) -> None:
    """Every shape; then what was run and compared is noted."""
    made = battery(folder, chapter, kind)
    for number in range(len(SHAPES)):
        made.run(number)
    for variant in made.variants:
        for dtype in {made.written, made.read}:
            ran(variant.call, variant.form, dtype)
        if not variant.by_count:
            ran("UnaryRepeatParams" if chapter in ONE_SOURCE else "BinaryRepeatParams", 0, "")
        if variant.by_register:
            ran("set_vector_mask", 0 if variant.by_count else 1, made.written)


# Wrong uses ---------------------------------------------------------------------------------------------------

USUAL = Shape(1.0, 4, (1, 1, 1), (8, 8, 8), (4, 0))
USUAL_NARROW = replace(USUAL, steps=(8, 4, 4))  # 64 halves fill 4 blocks


def wrong_uses(folder: Path, chapter: str, kind: str) -> None:
    """Right calls have no findings; each call is found out of range, not aligned, overlapping and without order."""
    made = battery(folder, chapter, kind)
    shape = USUAL_NARROW if kind == NARROW else USUAL
    usual = made.given(1), made.arguments(shape, scalar_of(kind, 0))
    made.calls.run(*usual, checked=True)
    assert not made.calls.watched.check.report().findings
    for number, variant in enumerate(made.variants):
        _, touched = made.expected(variant, shape, usual[0], np.ones(1, NUMPY[made.read]))
        enough = int(touched.nonzero()[0][-1]) + 1  # of every operand: they have the same shape
        for tensor in "zxy"[: 1 + variant.sources]:
            made.calls.run(*usual, only=number, sizes={tensor: enough})
            with pytest.raises(OutOfRange):
                made.calls.run(*usual, only=number, sizes={tensor: enough - 1})
            with pytest.raises(RuleError, match="must start at a multiple of 32 bytes"):
                made.calls.run(*usual, only=number, moved={tensor: NUMPY[made.written].itemsize})
        with pytest.raises(RuleError, match="overlaps src"):
            made.calls.run(*usual, only=number, moved={"z": BYTES + ROOM + 32})
        with pytest.raises(RaceError):
            made.calls.run(*usual, only=number, is_right=False, checked=True)
