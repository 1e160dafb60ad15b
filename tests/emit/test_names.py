"""Names and literals of the text."""

import ctypes
import itertools
import struct

import numpy as np
import pytest

from opwright import asc
from opwright.emit.expressions import constant
from opwright.emit.names import C_LIBRARY, RESERVED, Names
from opwright.emit.values import _quote
from opwright.ir.language import ConstantOp
from opwright.ir.types import FLOAT, INT, scalar


@pytest.mark.quick
@pytest.mark.parametrize(
    ("wish", "name"),
    [
        ("x", "x"),
        ("x_1", "x_1"),
        ("_x", "x"),
        ("__x__y__", "x_y_"),
        ("_", "value"),
        ("__", "value"),
        ("int", "int_"),
        ("half", "half_"),
        ("bfloat16_t", "bfloat16_t_"),
        ("PIPE_V", "PIPE_V_"),
        ("INT32_MAX", "INT32_MAX_"),
        ("OPWRIGHT_INLINE", "OPWRIGHT_INLINE_"),
        ("floor_div", "floor_div_"),
        ("größe", "gruf6udfe"),
        ("_1", "v1"),
        ("exp", "exp"),
    ],
)
def test_take(wish: str, name: str) -> None:
    assert Names().take(wish) == name


@pytest.mark.quick
def test_names_are_unique_within_their_scope() -> None:
    names = Names()
    assert [names.take(wish) for wish in ("x", "x", "x_1", "int", "int", "_x")] == [
        "x",
        "x_1",
        "x_1_1",
        "int_",
        "int_1",
        "x_2",
    ]
    with names.scope():
        assert names.take("y") == "y"
        assert names.take("x") == "x_3"
    assert names.take("y") == "y"


@pytest.mark.quick
def test_no_two_wishes_become_one_name() -> None:
    names = Names()
    wishes = ["".join(parts) for parts in itertools.product(("x", "_", "ö", "1"), repeat=4)]
    taken = [names.take(wish) for wish in wishes]
    assert len(set(taken)) == len(taken)
    assert all(name.isidentifier() and name.isascii() and "__" not in name and name[0] != "_" for name in taken)
    assert not set(taken) & RESERVED


@pytest.mark.quick
def test_a_kernel_is_not_a_function_of_c() -> None:
    assert Names().take("exp", RESERVED | C_LIBRARY) == "exp_"
    assert Names().take("sqrtf", RESERVED | C_LIBRARY) == "sqrtf_"


@asc.jit
def exp(z_1: asc.GlobalAddress, z_2: asc.GlobalAddress, n_1: int):
    """Its name is a function of C, and its arguments end in numbers."""
    local = asc.LocalTensor(asc.int32, asc.TPosition.VECIN, 0, 8)
    asc.duplicate(local, n_1, 8)
    gm = asc.GlobalTensor()
    gm.set_global_buffer(z_2, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(gm, local, 8)


def test_such_a_kernel_runs() -> None:
    first, second = np.zeros(8, np.int32), np.zeros(8, np.int32)
    first.flags.writeable = False  # the kernel writes the other one
    exp[1](first, second, 5)
    assert second.tolist() == [5] * 8


def float_bits(number: float) -> int:
    return int.from_bytes(struct.pack("<f", number), "little")


@pytest.mark.quick
def test_float_literals_are_short_and_exact() -> None:
    strtof = ctypes.CDLL(None).strtof
    strtof.restype, strtof.argtypes = ctypes.c_float, [ctypes.c_char_p, ctypes.c_void_p]
    random = np.random.default_rng(3).integers(0, 1 << 31, 3000, dtype=np.int64).astype(np.uint32).view(np.float32)
    hard = [0.0, 0.1, 1e-45, 1.1754944e-38, 3.4028235e38, 16777216.0, 16777218.0, 33554432.0, 8388609.0, 1e10, 0.3]
    for value in [*np.float32(hard).tolist(), *random[np.isfinite(random)].tolist()]:
        text = constant(ConstantOp(value, FLOAT)).text
        assert text.endswith("f") and ("." in text or "e" in text)
        digits = text[:-1].encode()
        # Read as a float, and read as a double that is then rounded.
        assert float_bits(strtof(digits, None)) == float_bits(float(digits)) == float_bits(value), text
        assert len(text.replace(".", "").replace("-", "").split("e")[0].lstrip("0").rstrip("0f")) <= 9
    assert constant(ConstantOp(float(np.float32(0.1)), FLOAT)).text == "0.1f"


@pytest.mark.quick
@pytest.mark.parametrize(
    ("number", "kind", "text"),
    [
        (5, INT, "5"),
        (-5, INT, "-5"),
        (-(1 << 63), INT, "-9223372036854775807 - 1"),
        (7, scalar("int16"), "static_cast<int16_t>(7)"),
        ((1 << 64) - 1, scalar("uint64"), "static_cast<uint64_t>(18446744073709551615u)"),
        (1.5, scalar("float16"), "static_cast<half>(1.5f)"),
        (float("-inf"), FLOAT, "-__builtin_huge_valf()"),
        (-0.0, FLOAT, "-0.0f"),
        (True, scalar("bool"), "true"),
    ],
)
def test_literals(number: float, kind: object, text: str) -> None:
    assert constant(ConstantOp(number, kind)).text == text  # type: ignore[arg-type]


@pytest.mark.quick
@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ('a"b\\c', '"a\\"b\\\\c"'),
        ("\n\t\r", '"\\n\\t\\r"'),
        ("é9", '"\\303\\2519"'),
        ("\x019", '"\\0019"'),
        ("??=???", '"?\\?=?\\?\\?"'),
        ("%d%%", '"%d%%"'),
    ],
)
def test_texts(text: str, literal: str) -> None:
    assert _quote(text) == literal
