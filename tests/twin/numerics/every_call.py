"""One kernel per element type that makes every elementwise call of the table, and what each call means in NumPy.

A row added to the table is in the kernels at once; `REFERENCES` needs a line for it. Other tests load this file by its
path. The references are written from the documentation of Ascend C, not from the twin: floats are computed in a
type so wide that rounding its result once more is right, integers wrap.
"""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import ml_dtypes
import numpy as np

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import MASK, Each, Form
from opwright.ascendc.table import ROWS
from opwright.runtime.jit import JitFunction

SOC = "ascend950"  # takes the most element types; the text is the same on every SoC
ELEMENTS = 1024
NUMPY = {name: np.dtype(getattr(ml_dtypes, name) if name == "bfloat16" else name) for name in DTYPES}


def wide(values: np.ndarray) -> np.ndarray:
    """Floats in a type in which + - * / and roots may be rounded first; integers as they are."""
    if not DTYPES[values.dtype.name].is_float():
        return values
    # ml_dtypes makes bfloat16 from float32 only, which is wide enough for it.
    return values.astype(np.float32 if values.dtype.name == "bfloat16" else np.float64)


def above_zero(values: np.ndarray) -> np.ndarray:
    result = np.zeros_like(values)
    result[values > 0] = values[values > 0]
    return result


def pick(wanted: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    result = np.broadcast_to(b, a.shape).copy()
    result[wanted] = a[wanted]
    return result


def fused(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """a * b + c as float32: the nearest for float32 itself; for narrower types one that ends in a 1 bit if inexact."""
    if not DTYPES[a.dtype.name].is_float():
        return a * b + c
    a_wide, b_wide, c_wide = (values.astype(np.float32).astype(np.longdouble) for values in (a, b, c))
    products = a_wide * b_wide  # exact
    sums = products + c_wide
    part = sums - products
    error = (products - (sums - part)) + (c_wide - part)  # what the sum dropped, exactly
    near = sums.astype(np.float32)
    above = (sums > near) | ((sums == near) & (error > 0))
    below = (sums < near) | ((sums == near) & (error < 0))
    other = np.nextafter(near, np.where(sums > near, np.float32(np.inf), np.float32(-np.inf)))
    if a.dtype.name == "float32":
        # Halfway between two, what was dropped decides.
        tie = np.isfinite(near) & (sums != near) & (2 * (sums - near) == other.astype(np.longdouble) - near)
        wrong = tie & np.where(other > near, error > 0, error < 0)
        return np.where(wrong, other, near)
    bits = near.view(np.uint32).copy()
    even = np.isfinite(near) & (bits % 2 == 0)
    outwards = np.where(np.signbit(near), below, above)
    bits[even & (above | below) & outwards] += 1
    bits[even & (above | below) & ~outwards] -= 1
    return bits.view(np.float32)


def shifted(values: np.ndarray, amount: int, left: bool) -> np.ndarray:
    """With integers that have no width; amounts that the type does not have shift everything out."""
    width = 8 * values.itemsize
    steps = amount if 0 <= amount < width else width
    unsigned = [(value << steps if left else value >> steps) % (1 << width) for value in values.tolist()]
    return np.array(unsigned, f"u{values.itemsize}").view(values.dtype)


# Two sources, a scalar and what the destination held, all of the same type.
REFERENCES: dict[str, Callable[..., np.ndarray]] = {
    "add": lambda a, b, s, d: wide(a) + wide(b),
    "sub": lambda a, b, s, d: wide(a) - wide(b),
    "mul": lambda a, b, s, d: wide(a) * wide(b),
    "div": lambda a, b, s, d: wide(a) / wide(b),
    "max": lambda a, b, s, d: pick(a > b, a, b),
    "min": lambda a, b, s, d: pick(a < b, a, b),
    "bitwise_and": lambda a, b, s, d: np.bitwise_and(a, b),
    "bitwise_or": lambda a, b, s, d: np.bitwise_or(a, b),
    "add_relu": lambda a, b, s, d: above_zero(wide(a) + wide(b)),
    "sub_relu": lambda a, b, s, d: above_zero(wide(a) - wide(b)),
    "adds": lambda a, b, s, d: wide(a) + wide(s),
    "muls": lambda a, b, s, d: wide(a) * wide(s),
    "maxs": lambda a, b, s, d: pick(a > s, a, s),
    "mins": lambda a, b, s, d: pick(a < s, a, s),
    "shift_left": lambda a, b, s, d: shifted(a, s.item(), left=True),
    "shift_right": lambda a, b, s, d: shifted(a, s.item(), left=False),
    "abs": lambda a, b, s, d: np.abs(wide(a)),
    "relu": lambda a, b, s, d: above_zero(a),
    "sqrt": lambda a, b, s, d: np.sqrt(wide(a)),
    "leaky_relu": lambda a, b, s, d: pick(a >= 0, wide(a), wide(a) * wide(s)),
    "axpy": lambda a, b, s, d: fused(a, s, d),
    "mul_add_dst": lambda a, b, s, d: fused(a, b, d),
    "fused_mul_add": lambda a, b, s, d: fused(a, d, b),
    "fused_mul_add_relu": lambda a, b, s, d: above_zero(fused(a, d, b)),
    "rsqrt": lambda a, b, s, d: 1 / np.sqrt(wide(a)),
    "reciprocal": lambda a, b, s, d: 1 / wide(a),
    "exp": lambda a, b, s, d: np.exp(wide(a)),
    "ln": lambda a, b, s, d: np.log(wide(a)),
    "bitwise_not": lambda a, b, s, d: np.invert(a),
    "duplicate": lambda a, b, s, d: np.broadcast_to(s, a.shape),
}


def reference_of(name: str) -> Callable[..., np.ndarray]:
    """What a call means in NumPy."""
    if name not in REFERENCES:
        raise LookupError(
            f"asc.{name} has no reference: add a line to REFERENCES in tests/twin/numerics/every_call.py, "
            "written from the documentation of Ascend C"
        )
    return REFERENCES[name]


def expected(name: str, x: np.ndarray, y: np.ndarray, scalar: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The result of a call, in the type of its operands."""
    with np.errstate(all="ignore"):
        return reference_of(name)(x, y, scalar, before).astype(x.dtype)


def _is_basic(form: Form) -> bool:
    """Composed calls have tests of their own, in tests/ascendc."""
    return isinstance(form.meaning, Each) and not form.composed


def computing() -> list[tuple[str, Form]]:
    """The forms that compute a count of elements, one by one, on one type."""
    forms = [(row.name, form) for row in ROWS.values() for form in row.forms if _is_basic(form)]
    return [(name, form) for name, form in forms if not form.dtypes and "count" in form.named]


def legal(dtype: str) -> list[tuple[str, Form]]:
    """Those that take an element type."""
    return [(name, form) for name, form in computing() if dtype in ROWS[name].dtypes_of(form)["T"].by_soc[SOC]]


def kernel_text(dtype: str) -> str:
    """A kernel that makes every legal call on x and y, each with a part of z as its destination."""
    scalar = "float" if DTYPES[dtype].is_float() else "int"
    lines = [
        "from opwright import asc",
        f'@asc.jit(soc="{SOC}", chip_assumptions="flush_subnormals=off")',
        f"def calls(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, s: {scalar}, count: int):",
    ]
    for name in "xyz":
        lines += [f"    {name}_gm = asc.GlobalTensor()", f"    {name}_gm.set_global_buffer({name})"]
    for place, name in enumerate("xyz"):
        start = place * ELEMENTS * DTYPES[dtype].bytes
        lines.append(f"    {name}_local = asc.LocalTensor(asc.{dtype}, asc.TPosition.VECCALC, {start}, {ELEMENTS})")
    lines += [f"    asc.data_copy({name}_local, {name}_gm, {ELEMENTS})" for name in "xy"]
    for number, (name, form) in enumerate(legal(dtype)):
        sources = iter(("x_local", "y_local"))
        words = []
        for parameter in form.parameters:
            if parameter.name in form.written:
                words.append("z_local")
            elif parameter.is_tensor:
                words.append(next(sources))
            elif parameter.name != MASK:
                words.append("s" if parameter.kind == "number" else "count")
        lines += [
            f"    asc.data_copy(z_local, z_gm[{number * ELEMENTS}:], {ELEMENTS})",
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
            f"    asc.{name}({', '.join(words)})",
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
            f"    asc.data_copy(z_gm[{number * ELEMENTS}:], z_local, {ELEMENTS})",
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
        ]
    return "\n".join(lines) + "\n"


def kernels(folder: Path) -> dict[str, JitFunction]:
    """The kernel of every element type, its source written to a folder."""
    made = {}
    for dtype in DTYPES:
        path = folder / f"{dtype}.py"
        path.write_text(kernel_text(dtype))
        spec = importlib.util.spec_from_file_location(dtype, path)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        made[dtype] = module.calls
    return made
