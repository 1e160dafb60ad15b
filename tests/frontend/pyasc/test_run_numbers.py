"""Kernels written as PyAsc's are, run against NumPy: numbers of a type, loops, conditions."""

import pytest
from pyasc_kernels import Expected, compare, show

from opwright import asc

TILE: asc.ConstExpr[int] = 2


@asc.jit
def constructor_of_an_int32(y: asc.GlobalAddress, n: int):
    show(y, asc.int32(n) * 7)


@asc.jit
def constructor_of_a_float(y: asc.GlobalAddress, n: int):
    show(y, asc.float32(n) / 2)


@asc.jit
def constructor_of_a_constant(y: asc.GlobalAddress, r: float):
    show(y, asc.float32(1.5) + r)


@asc.jit
def constructor_that_truncates(y: asc.GlobalAddress, r: float):
    show(y, asc.int32(r))


@asc.jit
def constructor_of_a_narrow_number(y: asc.GlobalAddress, n: int):
    show(y, asc.uint8(n * 100))


@asc.jit
def constructor_of_a_64_bit_number(y: asc.GlobalAddress, n: int):
    show(y, (asc.int64(n) + 2**40) // 2**32)


@asc.jit
def method_cast(y: asc.GlobalAddress, n: int):
    show(y, n.cast(asc.float32) * 0.25)


@asc.jit
def method_ceildiv(y: asc.GlobalAddress, n: int):
    show(y, n.ceildiv(2))


@asc.jit
def ceildiv(y: asc.GlobalAddress, n: int):
    show(y, asc.ceildiv(n + 10, TILE))


@asc.jit
def floor_of_a_negative_number(y: asc.GlobalAddress, n: int):
    show(y, (-n - 4) // 4)


@asc.jit
def rest_of_a_negative_number(y: asc.GlobalAddress, n: int):
    show(y, (-n - 4) % 4)


@asc.jit
def number_and_fraction(y: asc.GlobalAddress, n: int):
    show(y, n + 0.5)


@asc.jit
def range_of_asc(y: asc.GlobalAddress, n: int):
    total = 0
    for k in asc.range(5):
        total += k * n
    show(y, total)


@asc.jit
def range_backwards(y: asc.GlobalAddress, n: int):
    total = 0
    for k in range(n + 4, 0, -2):
        total = total * 10 + k
    show(y, total)


@asc.jit
def while_loop(y: asc.GlobalAddress, n: int):
    k = 1
    while k < n * 10:
        k = k * 2
    show(y, k)


@asc.jit
def exchange_in_a_loop(y: asc.GlobalAddress, n: int):
    first, second = 1, 10
    for _ in range(n):
        first, second = second, first + second
    show(y, first * 100 + second)


@asc.jit
def loop_in_a_loop(y: asc.GlobalAddress, n: int):
    total = 0
    for i in range(n):
        for j in range(i + 1):
            total += 10 * i + j
    show(y, total)


@asc.jit
def conditions_with_and(y: asc.GlobalAddress, n: int, r: float):
    if n > 2 and r > 0.25:
        show(y, 1)
    else:
        show(y, 2)


@asc.jit
def conditions_with_or_and_not(y: asc.GlobalAddress, n: int, r: float):
    if n == 3 or not r < 0:
        show(y, 3)
    else:
        show(y, 4)


@asc.jit
def second_condition_only_if_needed(y: asc.GlobalAddress, n: int):
    zero = n - 1
    if zero != 0 and 6 // zero > 2:
        show(y, 5)
    else:
        show(y, 6)


@asc.jit
def chain_of_branches(y: asc.GlobalAddress, n: int):
    value = 0
    if n == 1:
        value = 11
    elif n == 3:
        value = 33
    else:
        value = 99
    show(y, value)


@asc.jit
def choice_in_one_line(y: asc.GlobalAddress, n: int, r: float):
    show(y, n if r > 0 else n * 1000)


@asc.jit
def lesser_and_greater(y: asc.GlobalAddress, n: int):
    show(y, min(n, 2) * 10 + max(n, 2))


@asc.jit
def array_of_numbers(y: asc.GlobalAddress, n: int):
    k = asc.array(asc.int32, [17, 19, 23, 29])
    show(y, k[n])


@asc.jit
def run(x: asc.GlobalAddress, y: asc.GlobalAddress, which: int, n: int, r: float):
    if which == 0:
        constructor_of_an_int32(y, n)
    elif which == 1:
        constructor_of_a_float(y, n)
    elif which == 2:
        constructor_of_a_constant(y, r)
    elif which == 3:
        constructor_that_truncates(y, r)
    elif which == 4:
        constructor_of_a_narrow_number(y, n)
    elif which == 5:
        constructor_of_a_64_bit_number(y, n)
    elif which == 6:
        method_cast(y, n)
    elif which == 7:
        method_ceildiv(y, n)
    elif which == 8:
        ceildiv(y, n)
    elif which == 9:
        floor_of_a_negative_number(y, n)
    elif which == 10:
        rest_of_a_negative_number(y, n)
    elif which == 11:
        number_and_fraction(y, n)
    elif which == 12:
        range_of_asc(y, n)
    elif which == 13:
        range_backwards(y, n)
    elif which == 14:
        while_loop(y, n)
    elif which == 15:
        exchange_in_a_loop(y, n)
    elif which == 16:
        loop_in_a_loop(y, n)
    elif which == 17:
        conditions_with_and(y, n, r)
    elif which == 18:
        conditions_with_or_and_not(y, n, r)
    elif which == 19:
        second_condition_only_if_needed(y, n)
    elif which == 20:
        chain_of_branches(y, n)
    elif which == 21:
        choice_in_one_line(y, n, r)
    elif which == 22:
        lesser_and_greater(y, n)
    elif which == 23:
        array_of_numbers(y, n)


def fibonacci(n: int) -> int:
    first, second = 1, 10
    for _ in range(n):
        first, second = second, first + second
    return first * 100 + second


# In the order of `run`. n is 3 and r 0.5, then n is 1 and r -2.75.
EXPECTED: dict[str, Expected] = {
    "constructor_of_an_int32": lambda x, n, r: n * 7,
    "constructor_of_a_float": lambda x, n, r: n / 2,
    "constructor_of_a_constant": lambda x, n, r: 1.5 + r,
    "constructor_that_truncates": lambda x, n, r: int(r),
    "constructor_of_a_narrow_number": lambda x, n, r: n * 100 % 256,
    "constructor_of_a_64_bit_number": lambda x, n, r: 256,
    "method_cast": lambda x, n, r: n / 4,
    "method_ceildiv": lambda x, n, r: -(-n // 2),
    "ceildiv": lambda x, n, r: -(-(n + 10) // 2),
    "floor_of_a_negative_number": lambda x, n, r: -2,
    "rest_of_a_negative_number": lambda x, n, r: (-n - 4) % 4,
    "number_and_fraction": lambda x, n, r: n + 0.5,
    "range_of_asc": lambda x, n, r: 10 * n,
    "range_backwards": lambda x, n, r: {3: 7531, 1: 531}[n],
    "while_loop": lambda x, n, r: {3: 32, 1: 16}[n],
    "exchange_in_a_loop": lambda x, n, r: fibonacci(n),
    "loop_in_a_loop": lambda x, n, r: sum(10 * i + j for i in range(n) for j in range(i + 1)),
    "conditions_with_and": lambda x, n, r: {3: 1, 1: 2}[n],
    "conditions_with_or_and_not": lambda x, n, r: {3: 3, 1: 4}[n],
    "second_condition_only_if_needed": lambda x, n, r: {3: 5, 1: 6}[n],
    "chain_of_branches": lambda x, n, r: 11 * n,
    "choice_in_one_line": lambda x, n, r: {3: 3, 1: 1000}[n],
    "lesser_and_greater": lambda x, n, r: {3: 23, 1: 12}[n],
    "array_of_numbers": lambda x, n, r: {3: 29, 1: 19}[n],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_runs(name: str) -> None:
    compare(run, list(EXPECTED).index(name), EXPECTED[name])
