"""Words of the kernel language beside calls: data types and constants, in a kernel and outside."""

import re
from collections.abc import Callable

import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.errors import NotAKernel, OutOfRange, UnsupportedSyntax, WrongDtype, WrongType

# Name: bytes, integer, float, signed, unsigned.
FACTS = {
    "int8": (1, 1, 0, 1, 0),
    "int16": (2, 1, 0, 1, 0),
    "int32": (4, 1, 0, 1, 0),
    "int64": (8, 1, 0, 1, 0),
    "uint8": (1, 1, 0, 0, 1),
    "uint16": (2, 1, 0, 0, 1),
    "uint32": (4, 1, 0, 0, 1),
    "uint64": (8, 1, 0, 0, 1),
    "float16": (2, 0, 1, 0, 0),
    "float32": (4, 0, 1, 0, 0),
    "float64": (8, 0, 1, 0, 0),
    "void": (0, 0, 0, 0, 0),
}
OTHER_NAMES = {"int_": "int32", "half": "float16", "float_": "float32", "double": "float64"}
METHODS = ("sizeof", "is_int", "is_float", "is_signed", "is_unsigned", "is_numeric", "is_void")


@asc.jit
def asks(z: asc.GlobalAddress, dtype: asc.ConstExpr):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 7)
    z_gm.set_value(0, dtype.sizeof())
    z_gm.set_value(1, int(dtype.is_int()))
    z_gm.set_value(2, int(dtype.is_float()))
    z_gm.set_value(3, int(dtype.is_signed()))
    z_gm.set_value(4, int(dtype.is_unsigned()))
    z_gm.set_value(5, int(dtype.is_numeric()))
    z_gm.set_value(6, int(dtype.is_void()))


@pytest.mark.parametrize("name", FACTS)
def test_types(name: str, asserted: Callable[[str], None]) -> None:
    dtype = getattr(asc, name)
    size, is_int, is_float, is_signed, is_unsigned = FACTS[name]
    wanted = [size, is_int, is_float, is_signed, is_unsigned, int(is_int or is_float), int(name == "void")]
    assert [int(getattr(dtype, method)()) for method in METHODS] == wanted
    text = asks.emit("i64[7]", dtype)  # in a kernel the answers are constants
    assert [int(number) for number in re.findall(r"SetValue\(\d, \D*(?:64_t)?\D*(\d+)\D*;", text)] == wanted
    assert repr(dtype) == f"asc.{name}" and isinstance(dtype, asc.DataType)
    for word in (name, "DataType", *(f"DataType.{method}" for method in METHODS)):
        asserted(word)


@pytest.mark.parametrize(("name", "same"), OTHER_NAMES.items())
def test_other_names(name: str, same: str, asserted: Callable[[str], None]) -> None:
    assert getattr(asc, name) is getattr(asc, same)
    asserted(name)


@pytest.mark.parametrize("dtype", [asc.float64, asc.void])
def test_types_that_nothing_has(dtype: asc.DataType) -> None:
    """A kernel may name them; no tensor, number, array, variable or parameter has one."""

    @asc.jit
    def tensor():
        asc.LocalTensor(dtype, asc.TPosition.VECIN, 0, 8)

    @asc.jit
    def number(n: int):
        asc.printf("%d", asc.number(n, dtype))

    @asc.jit
    def array(n: int):
        values = asc.array(dtype, 8)
        values[0] = n

    @asc.jit
    def variable(n: int):
        m: dtype = n
        asc.printf("%d", m)

    with pytest.raises(WrongDtype, match=dtype.name):
        tensor.emit()
    for kernel in (number, array, variable):
        with pytest.raises(UnsupportedSyntax):
            kernel.emit(1)
    with pytest.raises(NotAKernel, match=dtype.name):

        @asc.jit
        def parameter(n: dtype):  # type: ignore[valid-type]
            asc.printf("%d", n)

    assert dtype.name not in DTYPES


@asc.jit
def unwraps(z: asc.GlobalAddress, tile: asc.ConstExpr[int]):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 4)
    size = asc.ConstExpr.unwrap(tile)
    asc.static_assert(size == tile)
    for i in asc.static_range(size):
        z_gm.set_value(i, asc.ConstExpr.unwrap(7) + i)


def test_unwrap(asserted: Callable[[str], None]) -> None:
    z = np.full(4, 99, np.int64)
    unwraps[1](z, 3)
    assert z.tolist() == [7, 8, 9, 99]
    assert asc.ConstExpr.unwrap(5) == 5

    @asc.jit
    def of_the_run(n: int):
        asc.printf("%d", asc.ConstExpr.unwrap(n))

    with pytest.raises(WrongType, match=r"asc\.ConstExpr\.unwrap"):
        of_the_run.emit(1)
    for word in ("ConstExpr", "ConstExpr.unwrap", "static_assert", "static_range"):
        asserted(word)


@asc.jit
def says(z: asc.GlobalAddress, n: int):
    """Arrays, numbers of one width, loops, rounding up, C++ as it stands."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 12)
    filled = asc.array(asc.int16, 4, fill_value=3)
    listed = asc.array(asc.int32, [5, n, 7])
    filled[1] += n
    z_gm.set_value(0, filled[0] + 10 * filled[1] + 100 * listed[1] + len(listed))
    z_gm.set_value(1, asc.number(n * 100, asc.int8))
    z_gm.set_value(2, asc.number(n - 100, asc.uint16))
    total = 0
    for i in asc.range(n):
        total += i
    for i in asc.range(10, 10 + n):
        total += i
    for i in asc.range(100, 100 - 7 * n, -7):
        total += i
    z_gm.set_value(3, total)
    z_gm.set_value(4, asc.ceildiv(n, 4))
    z_gm.set_value(5, asc.ceildiv(-n, 4))
    asc.inline("$0.SetValue(6, $1 * 2);", (z_gm, n))
    for i in asc.static_range(7, 11, 2):
        z_gm.set_value(i, i)


@pytest.mark.parametrize("n", [0, 1, 5, 300])
def test_says(n: int, asserted: Callable[[str], None]) -> None:
    z = np.full(12, 99, np.int64)
    says[1](z, n)
    total = sum(range(n)) + sum(range(10, 10 + n)) + sum(range(100, 100 - 7 * n, -7))
    int8 = int(np.int64(n * 100).astype(np.int8))
    uint16 = int(np.int64(n - 100).astype(np.uint16))
    first = 3 + 10 * (3 + n) + 100 * n + 3
    up = int(np.ceil(n / 4)), int(np.ceil(-n / 4))
    assert z.tolist() == [first, int8, uint16, total, *up, 2 * n, 7, 99, 9, 99, 99]
    assert (asc.ceildiv(n, 4), asc.ceildiv(-n, 4)) == up
    for word in ("array", "number", "range", "ceildiv", "inline", "static_range"):
        asserted(word)


@asc.jit
def starts_later(x: asc.GlobalAddress, z: asc.GlobalAddress, offset: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + offset + 2, 1)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z + 1, 1)
    z_gm.set_value(0, x_gm.get_value(0))


@pytest.mark.parametrize("dtype", DTYPES)
def test_addresses(dtype: str, ran: Callable[[str, int, str], None], asserted: Callable[[str], None]) -> None:
    kind = np.dtype(getattr(pytest.importorskip("ml_dtypes", reason="absent"), dtype) if dtype == "bfloat16" else dtype)
    x = np.arange(16).astype(kind)
    for offset in (-2, 0, 13):
        z = np.full(3, 99, kind)
        starts_later[1](x, z, offset)
        assert z.astype(int).tolist() == [99, offset + 2, 99]
    for offset in (-3, 14):
        with pytest.raises(OutOfRange):
            starts_later[1](x, np.zeros(3, kind), offset)
    ran("GlobalAddress.__add__", 0, dtype)
    asserted("GlobalAddress")
