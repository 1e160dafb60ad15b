"""Bounds of integers hold for every value of the run, wrapping included."""

import random

from xdsl.ir import Block

from opwright.ascendc.arithmetic import MEANING
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.table import ROWS
from opwright.ir import SSAValue
from opwright.ir.bounds import bounds_of, is_nonnegative
from opwright.ir.calls import call
from opwright.ir.language import BinaryOp, CastOp, CompareOp, ConstantOp, ForOp, SelectOp, TruncDivOp, UnaryOp
from opwright.ir.types import BOOL, FLOAT, INT, UINT64, scalar, wrapped

LEAST, MOST = -(1 << 63), (1 << 63) - 1
NAMES = ["add", "sub", "mul", "min", "max", "mod", "floordiv", "and", "or", "xor", "shl", "shr"]
NARROW = [name for name, dtype in DTYPES.items() if dtype.is_int() and name != "uint64"]


def leaf(chance: random.Random) -> tuple[SSAValue, int]:
    """A value and one of the numbers that it can be."""
    kind = chance.choice(["idx", "num", "size", "any", "constant", "index", "narrow"])
    if kind == "narrow":
        dtype = chance.choice(NARROW)
        value = Block(arg_types=[scalar(dtype)]).args[0]
        return CastOp(value, INT).result, chance.choice([*DTYPES[dtype].limits, 0, 1, 77])
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
    name = chance.choice([*NAMES, "neg", "invert", "abs", "cast", "select"])
    if name == "cast":
        dtype = chance.choice(NARROW)
        return CastOp(CastOp(left, scalar(dtype)).result, INT).result, wrapped(a, dtype)
    if name == "select":
        condition = CompareOp("lt", left, right).result
        return SelectOp(condition, left, right).result, a if a < b else b
    if name in ("neg", "invert", "abs"):
        return UnaryOp(name, left).result, wrapped(int(MEANING[name](a)))
    if (name in ("mod", "floordiv") and b == 0) or (name in ("shl", "shr") and not 0 <= b <= 63):
        name = "add"  # the core stops before
    if name in ("mod", "floordiv") and a >= 0 and b > 0 and chance.random() < 0.5:
        return TruncDivOp(name, left, right).result, wrapped(int(MEANING[name](a, b)))
    return BinaryOp(name, left, right).result, wrapped(int(MEANING[name](a, b)))


def test_every_number_lies_within() -> None:
    chance = random.Random(5)
    narrowed = 0
    for _ in range(6_000):
        value, number = tree(chance, chance.randint(0, 4))
        for known in (None, {}):
            low, high = bounds_of(value, known)
            assert LEAST <= low <= number <= high <= MOST, (str(value), number)
        narrowed += (low, high) != (LEAST, MOST)
    assert narrowed > 2_000


def parameter(dtype: str) -> SSAValue:
    return Block(arg_types=[scalar(dtype)]).args[0]


def test_what_a_type_cannot_hold() -> None:
    for dtype in NARROW:
        assert bounds_of(parameter(dtype)) == DTYPES[dtype].limits
        assert bounds_of(CastOp(parameter(dtype), INT).result) == DTYPES[dtype].limits
        assert is_nonnegative(parameter(dtype)) == dtype.startswith("u")
    assert bounds_of(parameter("uint64")) == (0, (1 << 64) - 1)
    assert bounds_of(CastOp(parameter("uint64"), INT).result) == (LEAST, MOST)
    assert bounds_of(BinaryOp("sub", parameter("uint64"), parameter("uint64")).result) == (0, (1 << 64) - 1)
    assert bounds_of(Block(arg_types=[BOOL]).args[0]) == (0, 1)
    for made in (ConstantOp(2.5, FLOAT), BinaryOp("mod", parameter("float32"), ConstantOp(2.0, FLOAT).result)):
        assert bounds_of(made.results[0]) == (LEAST, MOST) and not is_nonnegative(made.results[0])
    assert bounds_of(ConstantOp(3, UINT64).result) == (3, 3)


def test_a_part_of_the_work() -> None:
    """What one core takes of a number of tiles, and where it starts."""
    tiles = CastOp(parameter("uint32"), INT).result
    cores = call(ROWS["get_block_num"], ROWS["get_block_num"].forms[0], [], [INT], {}).results[0]
    core = call(ROWS["get_block_idx"], ROWS["get_block_idx"].forms[0], [], [INT], {}).results[0]
    each = UnaryOp("neg", BinaryOp("floordiv", UnaryOp("neg", tiles).result, cores).result).result
    assert bounds_of(each) == (0, (1 << 32) - 1)
    start = BinaryOp("mul", core, each).result
    assert is_nonnegative(BinaryOp("add", start, each).result)
    # In a kernel of both kinds of cores the index of a core may exceed the number, which is that of groups.
    assert not is_nonnegative(BinaryOp("sub", cores, core).result)


def test_shared_values_take_no_time() -> None:
    value = call(ROWS["get_block_num"], ROWS["get_block_num"].forms[0], [], [INT], {}).results[0]
    for _ in range(200):
        value = BinaryOp("add", value, value).result
    assert bounds_of(value) == (LEAST, MOST)
