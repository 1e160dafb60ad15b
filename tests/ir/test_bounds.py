"""Bounds of integers hold for every value of the run, wrapping included."""

import random

from xdsl.ir import Block

from opwright.ascendc.table import ROWS
from opwright.ir import SSAValue
from opwright.ir.arithmetic import MEANING
from opwright.ir.bounds import bounds_of
from opwright.ir.calls import call
from opwright.ir.language import BinaryOp, ConstantOp, ForOp
from opwright.ir.types import INT, wrapped

LEAST, MOST = -(1 << 63), (1 << 63) - 1
NAMES = ["add", "sub", "mul", "min", "max", "mod", "floordiv", "and", "or", "xor"]


def leaf(chance: random.Random) -> tuple[SSAValue, int]:
    """A value and one of the numbers that it can be."""
    kind = chance.choice(["idx", "num", "size", "any", "constant", "index"])
    if kind == "constant":
        number = chance.choice([0, 1, -1, 7, 65535, MOST, LEAST, chance.randint(-100, 100)])
        return ConstantOp(number, INT).result, number
    if kind == "any":
        return Block(arg_types=[INT]).args[0], chance.choice([LEAST, MOST, 0, -5, 12])
    if kind == "index":
        start, stop = chance.randint(-9, 9), chance.randint(10, 30)
        body = Block(arg_types=[INT])
        ForOp(ConstantOp(start, INT).result, ConstantOp(stop, INT).result, chance.choice([1, 3]), "i", body)
        return body.args[0], chance.choice([start, stop - 1])
    name, low, high = {
        "idx": ("get_block_idx", 0, 65535),
        "num": ("get_block_num", 1, 65535),
        "size": ("get_data_block_size_in_bytes", 0, MOST),
    }[kind]
    return call(ROWS[name], ROWS[name].forms[0], [], [INT], {}).results[0], chance.choice([low, high])


def tree(chance: random.Random, depth: int) -> tuple[SSAValue, int]:
    if depth == 0 or chance.random() < 0.2:
        return leaf(chance)
    (left, a), (right, b) = tree(chance, depth - 1), tree(chance, depth - 1)
    name = chance.choice(NAMES)
    if name in ("mod", "floordiv") and b == 0:
        name = "add"  # the core stops before
    return BinaryOp(name, left, right).result, wrapped(int(MEANING[name](a, b)))


def test_every_number_lies_within() -> None:
    chance = random.Random(5)
    narrowed = 0
    for _ in range(4_000):
        value, number = tree(chance, chance.randint(0, 3))
        low, high = bounds_of(value)
        assert LEAST <= low <= number <= high <= MOST, (str(value), number)
        narrowed += (low, high) != (LEAST, MOST)
    assert narrowed > 1_000


def test_shared_values_take_no_time() -> None:
    value = call(ROWS["get_block_num"], ROWS["get_block_num"].forms[0], [], [INT], {}).results[0]
    for _ in range(200):
        value = BinaryOp("add", value, value).result
    assert bounds_of(value) == (LEAST, MOST)
