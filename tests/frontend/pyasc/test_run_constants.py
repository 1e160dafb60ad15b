"""Kernels written as PyAsc's are, run against NumPy: lists, tuples, values of an IntEnum, constants."""

import enum

import numpy as np
import pytest
from pyasc_kernels import Expected, compare, ones, show, show_count, store

from opwright import asc


class Mode(enum.IntEnum):
    FAST = 1
    SAFE = 3


TILE: asc.ConstExpr[int] = 24
SIZES = (16, 32, 64)


@asc.jit
def list_of_constants(y: asc.GlobalAddress):
    sizes = [16, 32]
    show_count(y, sizes[1])


@asc.jit
def last_of_a_list(y: asc.GlobalAddress):
    sizes = [16, 48]
    show_count(y, sizes[-1])


@asc.jit
def tuple_of_constants(y: asc.GlobalAddress):
    sizes = (16, 32)
    show_count(y, sizes[0])


@asc.jit
def tuple_from_outside(y: asc.GlobalAddress):
    show_count(y, SIZES[2])


@asc.jit
def list_taken_apart(y: asc.GlobalAddress):
    first, second = [8, 40]
    show(y, first * 100 + second)


@asc.jit
def length_of_a_list(y: asc.GlobalAddress):
    sizes = [16, 32, 7]
    show_count(y, len(sizes) * 8)


@asc.jit
def list_in_a_static_loop(y: asc.GlobalAddress):
    values = [5, 7, 11, 13]
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 0, 64)
    for k in asc.static_range(4):
        asc.duplicate(a[k * 16 :], asc.float32(values[k]), 16)
    store(y, a)


@asc.jit
def list_of_fractions(y: asc.GlobalAddress, n: int):
    values = [0.5, 2.25]
    show(y, values[0] * n + values[1])


@asc.jit
def list_in_a_list(y: asc.GlobalAddress):
    sizes = [[1, 2], [3, 4]]
    show(y, sizes[1][0] * 10 + sizes[0][1])


@asc.jit
def list_given_to_a_helper(y: asc.GlobalAddress):
    picked(y, [8, 56], 1)


@asc.jit
def picked(y: asc.GlobalAddress, sizes, index: asc.ConstExpr[int]):
    show_count(y, sizes[index])


@asc.jit
def mask_as_a_list(y: asc.GlobalAddress, r: float):
    mask = [0xF0F, 0]
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 0, 64)
    asc.duplicate(a, 0.0, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.duplicate(a, r, mask, 1, 1, 8)
    store(y, a)


@asc.jit
def product_with_an_enum(y: asc.GlobalAddress):
    show_count(y, Mode.SAFE * 8)


@asc.jit
def enum_as_an_argument(y: asc.GlobalAddress):
    show_count(y, Mode.SAFE)


@asc.jit
def enum_and_a_number_of_the_run(y: asc.GlobalAddress, n: int):
    show(y, n + Mode.SAFE)


@asc.jit
def comparison_with_an_enum(y: asc.GlobalAddress, n: int):
    if n == Mode.FAST:
        show(y, 10)
    else:
        show(y, 20)


@asc.jit
def branch_on_an_enum(y: asc.GlobalAddress):
    if Mode.SAFE == Mode.FAST:
        asc.trap()
    else:
        show(y, 30)


@asc.jit
def enum_by_its_value(y: asc.GlobalAddress):
    show_count(y, Mode.SAFE.value)


@asc.jit
def enum_as_an_index(y: asc.GlobalAddress):
    show_count(y, SIZES[Mode.FAST])


@asc.jit
def enum_of_a_helper(y: asc.GlobalAddress, n: int):
    show(y, by_mode(n, Mode.FAST) * 1000 + by_mode(n, Mode.SAFE))


@asc.jit
def by_mode(n: int, mode: asc.ConstExpr[int]):
    if mode == Mode.FAST:
        return n + 1
    return n + 2


@asc.jit
def constant_with_an_annotation(y: asc.GlobalAddress):
    show_count(y, TILE)


@asc.jit
def unwrapped_constant(y: asc.GlobalAddress):
    show_count(y, asc.ConstExpr.unwrap(TILE) // 2)


@asc.jit
def constants_of_a_helper(y: asc.GlobalAddress, n: int):
    show(y, scaled(n, 3) * 100 + scaled(n, 5))


@asc.jit
def scaled(value: int, by: asc.ConstExpr[int]) -> int:
    return value * by


@asc.jit
def static_assertion(y: asc.GlobalAddress):
    asc.static_assert(TILE % 8 == 0)
    show(y, TILE)


@asc.jit
def size_of_a_data_type(y: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 256, 64)
    show(y, a.dtype.sizeof() * 10 + asc.int64.sizeof())


@asc.jit
def static_loop_with_a_step(y: asc.GlobalAddress):
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECOUT, 0, 64)
    for k in asc.static_range(0, 64, 8):
        asc.duplicate(a[k:], asc.float32(k), 8)
    store(y, a)


@asc.jit
def run(x: asc.GlobalAddress, y: asc.GlobalAddress, which: int, n: int, r: float):
    if which == 0:
        list_of_constants(y)
    elif which == 1:
        last_of_a_list(y)
    elif which == 2:
        tuple_of_constants(y)
    elif which == 3:
        tuple_from_outside(y)
    elif which == 4:
        list_taken_apart(y)
    elif which == 5:
        length_of_a_list(y)
    elif which == 6:
        list_in_a_static_loop(y)
    elif which == 7:
        list_of_fractions(y, n)
    elif which == 8:
        list_in_a_list(y)
    elif which == 9:
        list_given_to_a_helper(y)
    elif which == 10:
        mask_as_a_list(y, r)
    elif which == 11:
        product_with_an_enum(y)
    elif which == 12:
        enum_as_an_argument(y)
    elif which == 13:
        enum_and_a_number_of_the_run(y, n)
    elif which == 14:
        comparison_with_an_enum(y, n)
    elif which == 15:
        branch_on_an_enum(y)
    elif which == 16:
        enum_by_its_value(y)
    elif which == 17:
        enum_as_an_index(y)
    elif which == 18:
        enum_of_a_helper(y, n)
    elif which == 19:
        constant_with_an_annotation(y)
    elif which == 20:
        unwrapped_constant(y)
    elif which == 21:
        constants_of_a_helper(y, n)
    elif which == 22:
        static_assertion(y)
    elif which == 23:
        size_of_a_data_type(y)
    elif which == 24:
        static_loop_with_a_step(y)


# In the order of `run`.
EXPECTED: dict[str, Expected] = {
    "list_of_constants": lambda x, n, r: ones(32),
    "last_of_a_list": lambda x, n, r: ones(48),
    "tuple_of_constants": lambda x, n, r: ones(16),
    "tuple_from_outside": lambda x, n, r: ones(64),
    "list_taken_apart": lambda x, n, r: 840,
    "length_of_a_list": lambda x, n, r: ones(24),
    "list_in_a_static_loop": lambda x, n, r: np.repeat([5, 7, 11, 13], 16),
    "list_of_fractions": lambda x, n, r: 0.5 * n + 2.25,
    "list_in_a_list": lambda x, n, r: 32,
    "list_given_to_a_helper": lambda x, n, r: ones(56),
    "mask_as_a_list": lambda x, n, r: np.where(np.isin(np.arange(64), [0, 1, 2, 3, 8, 9, 10, 11]), r, 0),
    "product_with_an_enum": lambda x, n, r: ones(24),
    "enum_as_an_argument": lambda x, n, r: ones(3),
    "enum_and_a_number_of_the_run": lambda x, n, r: n + 3,
    "comparison_with_an_enum": lambda x, n, r: 10 if n == 1 else 20,
    "branch_on_an_enum": lambda x, n, r: 30,
    "enum_by_its_value": lambda x, n, r: ones(3),
    "enum_as_an_index": lambda x, n, r: ones(32),
    "enum_of_a_helper": lambda x, n, r: (n + 1) * 1000 + n + 2,
    "constant_with_an_annotation": lambda x, n, r: ones(24),
    "unwrapped_constant": lambda x, n, r: ones(12),
    "constants_of_a_helper": lambda x, n, r: 305 * n,
    "static_assertion": lambda x, n, r: 24,
    "size_of_a_data_type": lambda x, n, r: 28,
    "static_loop_with_a_step": lambda x, n, r: np.arange(64) // 8 * 8,
}


@pytest.mark.parametrize("name", EXPECTED)
def test_runs(name: str) -> None:
    compare(run, list(EXPECTED).index(name), EXPECTED[name])
