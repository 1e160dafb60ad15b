"""Runs the IR of a tile kernel over arrays: every operation by the evaluator's own tiles, every address by its bytes.

What the front end says about counts, offsets and strides is compared with what there is: a count that differs from what
the evaluator has for the same operation fails, and so does an element outside of its array.
"""

from typing import Any

import numpy as np

from opwright import tile
from opwright.ascendc.arithmetic import MEANING
from opwright.ir import Block, ModuleOp, Operation, SSAValue
from opwright.ir import tile as ir
from opwright.ir import tile_memory as memory
from opwright.ir.calls import CallOp
from opwright.ir.functions import functions
from opwright.ir.language import (
    BinaryOp,
    BreakOp,
    CastOp,
    CompareOp,
    ConditionOp,
    ConstantOp,
    ContinueOp,
    ForOp,
    IfOp,
    LoadOp,
    LogicalOp,
    SelectOp,
    StoreOp,
    TruncDivOp,
    UnaryOp,
    VariableOp,
    WhileOp,
)
from opwright.ir.types import unquoted
from opwright.kernel.options import find_soc
from opwright.kernel.program import Request
from opwright.kernel.source import source_of
from opwright.tile import host
from opwright.tile.compiler.front.lower import lowered_tile
from opwright.tile.compiler.front.state import state_of
from opwright.tile.dtypes import BOOL, OF_TILES
from opwright.tile.kernel import TileKernel
from opwright.tile.names import AUTO_IN_NUMPY, auto
from opwright.tile.numbers import Float32, number
from opwright.tile.values import Tile, elementwise

_DTYPES = {dtype.name: dtype for dtype in (*OF_TILES, BOOL)}
_OPERATORS = {
    "add": "__add__",
    "sub": "__sub__",
    "mul": "__mul__",
    "div": "__truediv__",
    "and": "__and__",
    "or": "__or__",
}


class Stopped(Exception):
    """The core stops itself."""


class Left(Exception):
    """`break` or `continue`."""


def request_of(kernel: TileKernel, *arguments: object, **keywords: object) -> tuple[Request, Any]:
    """What a front end is asked for, and the arguments."""
    bound = kernel.binder.bind(arguments, keywords, described=True)
    constants = {name: AUTO_IN_NUMPY if value is auto else value for name, value in bound.constants.items()}
    soc = find_soc("ascend910b")
    return Request(kernel.function, source_of(kernel.function), bound.types, constants, soc, front_end="tile"), bound


def lowered(kernel: TileKernel, *arguments: object, **keywords: object) -> ModuleOp:
    """The IR of a kernel; arrays may be described, such as "f32[8,8]"."""
    return lowered_tile(request_of(kernel, *arguments, **keywords)[0])[1]


def run(kernel: TileKernel, *arguments: object, **keywords: object) -> None:
    """Runs the IR of a kernel over arrays, behind the tests of the host."""
    request, bound = request_of(kernel, *arguments, **keywords)
    builder, module = lowered_tile(request)
    module.verify()
    numbers = dict(zip(bound.names, bound.slots, strict=True))
    host.test(state_of(builder).host.plain(), kernel.__name__, request.source, numbers)
    given = {name: one for name, one in zip(_names(kernel), arguments, strict=False)} | keywords
    made = functions(module)[-1]
    values: dict[SSAValue, Any] = {}
    for argument, name, slot in zip(made.body.block.args, made.parameters.data, bound.slots, strict=True):
        array = given.get(unquoted(name))
        values[argument] = array if isinstance(array, np.ndarray) else Float32(slot) if type(slot) is float else slot
    _Run(values).block(made.body.block)


def _names(kernel: TileKernel) -> list[str]:
    code = kernel.function.__code__
    return list(code.co_varnames[: code.co_argcount])


class _Run:
    def __init__(self, values: dict[SSAValue, Any]) -> None:
        self.values = values

    def block(self, block: Block) -> None:
        for operation in block.ops:
            self.operation(operation)

    def operation(self, operation: Operation) -> None:
        given = [self.values.get(operand) for operand in operation.operands]
        result = self.of_py(operation, given) if operation.name.startswith("py.") else self.of_tile(operation, given)
        if operation.results:
            self.values[operation.results[0]] = result

    def of_py(self, operation: Operation, given: list[Any]) -> Any:
        match operation:
            case ConstantOp():
                return Float32(operation.number) if isinstance(operation.number, float) else operation.number
            case BinaryOp() | TruncDivOp() | CompareOp() | LogicalOp() | UnaryOp():
                meaning = (
                    {"and": lambda a, b: a & b, "or": lambda a, b: a | b}
                    if isinstance(operation, LogicalOp)
                    else MEANING
                )
                return meaning[operation.operator.data](*given)
            case CastOp():
                return Float32(given[0]) if str(operation.result.type) == "float" else int(given[0])
            case SelectOp():
                return given[1] if given[0] else given[2]
            case VariableOp():
                return [given[0] if given else None]
            case LoadOp():
                return given[0][0]
            case StoreOp():
                given[0][0] = given[1]
            case IfOp():
                self.block(operation.then.block if given[0] else operation.orelse.block)
            case ForOp():
                step = given[2] if len(given) == 3 else operation.step.data
                self.loop(operation.body.block, range(given[0], given[1], step))
            case WhileOp():
                self.block(operation.test.block)
                while self.values[operation.test.block]:
                    self.block(operation.body.block)
                    self.block(operation.test.block)
            case ConditionOp():
                self.values[operation.parent] = given[0]
            case BreakOp() | ContinueOp():
                raise Left(operation.name)
            case _:
                raise AssertionError(operation.name)
        return None

    def loop(self, body: Block, positions: range) -> None:
        for position in positions:
            self.values[body.args[0]] = position
            try:
                self.block(body)
            except Left as left:
                if str(left) == "py.break":
                    break

    def of_tile(self, operation: Operation, given: list[Any]) -> Any:
        match operation:
            case ir.LoopOp():
                positions = range(*given)
                assert operation.kind.data == ir.RANGE or (positions.start, positions.step) == (0, 1)
                self.loop(operation.body.block, positions)
                return None
            case CallOp() if operation.name == "asc.trap":
                raise Stopped
            case CallOp():
                return {"asc.get_block_idx": 0, "asc.get_block_num": 1}[operation.name]
            case memory.ReadOp():
                array, offset = given
                return number(self.elements(array, offset, (), ())[()])
            case memory.StoreOp() | memory.AtomicOp():
                self.put(operation, given)
                return None
        assert isinstance(operation, ir.MakesTile)
        kind = ir.type_of(operation.result)
        counts = tuple(self.values[count] for count in operation.counts)
        found = self.made(operation, given, kind.sizes, counts)
        assert (found.shape, found.dtype.name) == (kind.sizes, kind.dtype.data), operation
        assert found.counts == counts, operation
        return found

    def made(self, operation: Operation, given: list[Any], shape: tuple[int, ...], counts: tuple[int, ...]) -> Tile:
        dtype = _DTYPES[ir.type_of(operation.results[0]).dtype.data]
        name = operation.attributes["operator"].data if "operator" in operation.attributes else ""  # type: ignore[attr-defined]
        match operation:
            case memory.LoadOp():
                strides = [self.values[stride] for stride in operation.strides]
                return Tile(self.elements(given[0], given[1], strides, counts).copy(), shape, dtype)
            case memory.GatherOp():
                strides = [self.values[stride] for stride in operation.strides]
                return self.gathered(operation, given, strides, shape, counts)
            case ir.FullOp():
                return Tile(
                    np.asarray(tile.full(shape, given[0], dtype).values[tuple(map(slice, counts))]), shape, dtype
                )
            case ir.ArangeOp():
                return Tile((np.arange(counts[0]) + given[0]).astype(dtype.name), shape, dtype)
            case ir.UnaryOp(x=x):
                value = self.values[x]
                return {"neg": lambda: -value, "not": lambda: ~value}.get(name, lambda: getattr(tile, name)(value))()
            case ir.CastOp():
                return given[0].to(dtype, operation.round.data)
            case ir.ReduceOp():
                return getattr(given[0], name)(axis=operation.axis.data, keepdims=True)
            case ir.ViewOp():
                return Tile(given[0].values.reshape(counts), shape, dtype)
            case ir.TransposeOp():
                return given[0].T
            case ir.CountedOp():
                return given[0]
            case ir.FillOp():
                return given[0].fill(given[1])
            case ir.BinaryOp() | ir.CompareOp():
                self.equal_ranks(given[:2])
                return _applied(name, given[0], given[1])
            case ir.WithNumberOp():
                return _applied(name, *(given[1::-1] if operation.is_reversed else given[:2]))
            case ir.CompareNumberOp():
                return _applied(name, given[0], given[1])
            case ir.SelectOp():
                self.equal_ranks(given[:3])
                return tile.where(*given[:3])
            case ir.DotOp():
                return tile.dot(*given[: 3 if operation.acc is not None else 2])
        raise AssertionError(operation.name)

    @staticmethod
    def equal_ranks(tiles: list[Tile]) -> None:
        assert len({len(one.shape) for one in tiles}) == 1

    @staticmethod
    def elements(array: np.ndarray, offset: int, strides: Any, counts: Any) -> np.ndarray:
        """A view of elements from `offset` on, which must lie in the array."""
        if 0 in counts:
            return np.zeros(counts, array.dtype)
        base = np.lib.stride_tricks.as_strided(array, (_extent(array),), (array.itemsize,))
        last = offset + sum((count - 1) * stride for count, stride in zip(counts, strides, strict=True))
        assert 0 <= offset <= last < len(base), (offset, last, len(base))
        steps = tuple(stride * array.itemsize for stride in strides)
        return np.lib.stride_tricks.as_strided(base[offset:], counts, steps)

    def gathered(self, operation: Any, given: list[Any], strides: Any, shape: Any, counts: Any) -> Tile:
        axis, index = operation.axis.data, given[2]
        steps = [stride for at, stride in enumerate(strides) if at != axis]
        others = [count for at, count in enumerate(counts) if at != axis]
        rows = [self.elements(given[0], given[1] + int(place) * strides[axis], steps, others) for place in index.values]
        dtype = _DTYPES[ir.type_of(operation.result).dtype.data]
        return Tile(np.stack(rows, axis) if rows else np.zeros(counts, given[0].dtype), shape, dtype)

    def put(self, operation: Any, given: list[Any]) -> None:
        value, array, offset = given[:3]
        strides = [self.values[stride] for stride in operation.strides]
        counts = tuple(self.values[count] for count in operation.counts)
        target = self.elements(array, offset, strides, counts)
        new = value.values[tuple(map(slice, counts))]
        assert new.shape == counts, "a store of what is not there"
        if isinstance(operation, memory.AtomicOp):
            new = {"add": np.add, "max": np.maximum, "min": np.minimum}[operation.operator.data](target, new)
        target[...] = new


def _applied(name: str, left: Any, right: Any) -> Tile:
    if name in ("max", "min"):
        return (tile.maximum if name == "max" else tile.minimum)(left, right)
    if isinstance(left, Tile):
        return getattr(left, _OPERATORS.get(name, f"__{name}__"))(right)
    return elementwise(name, {"sub": np.subtract, "div": np.divide}[name], left, right)


def _extent(array: np.ndarray) -> int:
    """How many elements lie between the first and the last one."""
    if not array.size:
        return 0
    steps = zip(array.shape, array.strides, strict=True)
    return sum((length - 1) * step for length, step in steps) // array.itemsize + 1
