"""The pass `fold`, case by case, and its arithmetic against NumPy."""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from opwright.ascendc.table import ROWS
from opwright.ir import Operation, StringAttr
from opwright.ir.calls import call
from opwright.ir.language import BinaryOp, CastOp, CompareOp, ConstantOp, UnaryOp, constant_of
from opwright.ir.types import BOOL, FLOAT, INT, ValueType, scalar
from opwright.passes import fold

NUMPY = {INT: np.int64, FLOAT: np.float32, BOOL: np.bool_}
INTEGERS = [0, 1, -1, 2, 7, -8, 63, 1 << 31, -(1 << 40), (1 << 53) + 1, (1 << 60) + (1 << 36) + 1, -(1 << 63)]
INTEGERS += [(1 << 63) - 1, *(random.Random(1).getrandbits(64) - (1 << 63) for _ in range(12))]
FLOATS = [0.0, -0.0, 1.0, -1.5, 1 / 3, 1e-45, -1e-38, 3.4e38, float("inf"), float("-inf"), float("nan")]
FLOATS = [float(np.float32(value)) for value in FLOATS]


def test_case(case: Path, check: Callable[[Path], None]) -> None:
    check(case)


def folded(*operations: Operation) -> int | float | None:
    """What the last operation becomes."""
    return folded_all([operations])[0]


def folded_all(cases: Sequence[Sequence[Operation]]) -> list[int | float | None]:
    """What the last operation of each case becomes, all of them in one module."""
    print_one = ROWS["printf"], ROWS["printf"].forms[0]
    sinks = [call(*print_one, [operations[-1].results[0]], [], {"format": "%d"}) for operations in cases]
    every = [operation for operations, sink in zip(cases, sinks, strict=True) for operation in (*operations, sink)]
    for operation in every:
        operation.attributes["at"] = StringAttr("1:0")
    fold.run(ModuleOp(every))
    return [constant_of(sink.operands[0]) for sink in sinks]


def folded_pairs(
    made: Callable[[SSAValue, SSAValue], Operation], values: Sequence[int | float], kind: ValueType
) -> Iterator[tuple[int | float, int | float, int | float | None]]:
    """All pairs of values, each with what an operation of the two becomes."""
    pairs = list(itertools.product(values, repeat=2))
    constants = [(ConstantOp(a, kind), ConstantOp(b, kind)) for a, b in pairs]
    results = folded_all([(left, right, made(left.result, right.result)) for left, right in constants])
    return ((a, b, result) for (a, b), result in zip(pairs, results, strict=True))


def same(got: int | float | None, expected: object) -> bool:
    if not isinstance(expected, np.float32):
        return got == int(expected)
    assert isinstance(got, float)
    return np.float32(got).tobytes() == expected.tobytes() or (np.isnan(got) and np.isnan(expected))


ARITHMETIC = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
}
COMPARISON = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater}


@pytest.mark.parametrize("name", ARITHMETIC)
def test_integers(name: str) -> None:
    for a, b, got in folded_pairs(partial(BinaryOp, name), INTEGERS, INT):
        if b == 0 and name in ("floordiv", "mod"):
            assert got is None
            continue
        with np.errstate(all="ignore"):
            expected = ARITHMETIC[name](np.int64(a), np.int64(b))
        if b == -1 and name == "floordiv":
            expected = np.negative(np.int64(a))  # NumPy's own is undefined for the lowest
        assert same(got, expected), (a, b)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div"])
def test_floats(name: str) -> None:
    for a, b, got in folded_pairs(partial(BinaryOp, name), FLOATS, FLOAT):
        if b == 0 and name == "div":
            assert got is None
            continue
        with np.errstate(all="ignore"):
            expected = {**ARITHMETIC, "div": np.divide}[name](np.float32(a), np.float32(b))
        assert same(got, expected), (a, b, got, expected)


@pytest.mark.parametrize("kind", [INT, FLOAT], ids=str)
@pytest.mark.parametrize("name", COMPARISON)
def test_comparisons(name: str, kind: ValueType) -> None:
    for a, b, got in folded_pairs(partial(CompareOp, name), INTEGERS if kind == INT else FLOATS, kind):
        assert same(got, COMPARISON[name](NUMPY[kind](a), NUMPY[kind](b))), (a, b)


@pytest.mark.parametrize("name", ["min", "max"])
def test_the_first_of_two_equals(name: str) -> None:
    first, second = ConstantOp(0.0, FLOAT), ConstantOp(-0.0, FLOAT)
    assert same(folded(first, second, BinaryOp(name, first.result, second.result)), np.float32(0.0))
    first, second = ConstantOp(-0.0, FLOAT), ConstantOp(0.0, FLOAT)
    assert same(folded(first, second, BinaryOp(name, first.result, second.result)), np.float32(-0.0))


@pytest.mark.parametrize("target", ["float32", "int8", "uint8", "int16", "uint32", "int32", "uint64"])
def test_casts_of_integers(target: str) -> None:
    for value in INTEGERS:
        constant = ConstantOp(value, INT)
        got = folded(constant, CastOp(constant.result, scalar(target)))
        assert same(got, np.int64(value).astype(target)), value


def test_casts_of_floats() -> None:
    for value in FLOATS:
        constant = ConstantOp(value, FLOAT)
        got = folded(constant, CastOp(constant.result, INT))
        fits = np.isfinite(value) and -(2.0**63) <= value < 2.0**63
        assert got == (int(value) if fits else None)


def test_one_operand() -> None:
    for value in INTEGERS:
        for name, numpy in (("neg", np.negative), ("invert", np.invert), ("abs", np.abs)):
            constant = ConstantOp(value, INT)
            with np.errstate(all="ignore"):
                assert same(folded(constant, UnaryOp(name, constant.result)), numpy(np.int64(value)))
    for value in FLOATS:
        for name, numpy in (("neg", np.negative), ("abs", np.abs)):
            constant = ConstantOp(value, FLOAT)
            assert same(folded(constant, UnaryOp(name, constant.result)), numpy(np.float32(value)))


def test_long_chains_need_no_stack() -> None:
    """A name that is set again in each of many lines, and never read, is one long chain."""
    last = ConstantOp(1, INT)
    operations: list[Operation] = [last]
    argument = call(ROWS["get_block_idx"], ROWS["get_block_idx"].forms[0], [], [INT], {})
    operations.append(argument)
    value = argument.results[0]
    for _ in range(3000):
        operations.append(BinaryOp("add", value, last.result))
        value = operations[-1].results[0]
    for operation in operations:
        operation.attributes["at"] = StringAttr("1:0")
    module = ModuleOp(operations)
    fold.run(module)
    assert not module.body.block.ops
