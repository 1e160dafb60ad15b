"""The reference: CPython runs the text of a kernel with numbers as a kernel has them.

In: the text of a module. Out: its names. Integers wrap at 64 bits at every step, floats are rounded to float32 at every
step by NumPy, and `asc` is a stand-in. Nothing of the front end is used, so that it cannot err along.
"""

import ast
import math
from types import SimpleNamespace

import numpy as np


class Stop(Exception):
    """asc.trap() was reached."""


def wrap(value: int, bits: int = 64, signed: bool = True) -> int:
    """An integer as so many bits hold it."""
    half = 1 << (bits - 1) if signed else 0
    return (int(value) + half) % (1 << bits) - half


class Int64(int):
    """An integer whose every step wraps at 64 bits."""

    def __truediv__(self, other):
        if isinstance(other, float):
            return NotImplemented
        if other == 0:
            raise ZeroDivisionError
        return Float32(self) / Float32(other)

    def __rtruediv__(self, other):
        return Int64(other) / self


def _wrapping(name):
    plain = getattr(int, name)

    def method(self, *others):
        result = plain(self, *others)
        return result if result is NotImplemented else Int64(wrap(result))

    return method


for _name in "add sub mul floordiv mod and or xor lshift rshift".split():
    setattr(Int64, f"__{_name}__", _wrapping(f"__{_name}__"))
    setattr(Int64, f"__r{_name}__", _wrapping(f"__r{_name}__"))
for _name in "neg pos abs invert".split():
    setattr(Int64, f"__{_name}__", _wrapping(f"__{_name}__"))


class Float32(float):
    """A float whose every step is rounded to float32. An integer that meets it is rounded first."""

    def __new__(cls, value):
        return super().__new__(cls, _single(value))

    def __bool__(self):
        return float(self) != 0.0

    def __hash__(self):
        return hash(float(self))


def _single(value) -> np.float32:
    # Through int64: NumPy would turn a Python int into a double first, and round twice.
    with np.errstate(all="ignore"):
        return np.int64(value).astype(np.float32) if isinstance(value, int) else np.float32(value)


def _rounding(name, reverse):
    def method(self, other):
        if not isinstance(other, (int, float)):
            return NotImplemented
        left, right = (_single(other), _single(self)) if reverse else (_single(self), _single(other))
        with np.errstate(all="ignore"):
            return Float32(getattr(left, f"__{name}__")(right))

    return method


def _comparing(name):
    def method(self, other):
        if not isinstance(other, (int, float)):
            return NotImplemented
        return bool(getattr(_single(self), f"__{name}__")(_single(other)))

    return method


for _name in "add sub mul truediv".split():
    setattr(Float32, f"__{_name}__", _rounding(_name, reverse=False))
    setattr(Float32, f"__r{_name}__", _rounding(_name, reverse=True))
for _name in "eq ne lt le gt ge".split():
    setattr(Float32, f"__{_name}__", _comparing(f"{_name}"))
for _name in "neg pos abs".split():
    setattr(Float32, f"__{_name}__", lambda self, name=f"__{_name}__": Float32(getattr(float(self), name)()))


class Dtype:
    """A data type of the stand-in."""

    def __init__(self, name: str) -> None:
        self.name = name

    def number(self, value):
        """A value as a number of this type holds it."""
        if self.name == "bfloat16":
            return _bfloat16(Float32(value))
        if self.name.startswith("float"):
            with np.errstate(all="ignore"):
                return Float32(np.dtype(self.name).type(_single(value)))
        kind = np.dtype(self.name)
        return Int64(wrap(int(value), 8 * kind.itemsize, kind.kind == "i"))


def _bfloat16(value: Float32) -> Float32:
    if math.isnan(value):
        return value
    bits = int(np.float32(value).view(np.uint32))
    bits += 0x7FFF + (bits >> 16 & 1)
    return Float32(np.uint32(bits >> 16 << 16).view(np.float32))


class Array(list):
    """asc.array: a few numbers of one type; an index outside is an error, as in a list."""

    def __init__(self, dtype: Dtype, content, fill_value=0) -> None:
        self.dtype = dtype
        given = content if isinstance(content, (tuple, list)) else [fill_value] * content
        super().__init__(dtype.number(value) for value in given)

    def __setitem__(self, index, value) -> None:
        super().__setitem__(index, self.dtype.number(value))


class Tensor:
    """What a tensor is in the stand-in: a place in a dictionary of values."""

    def __init__(self, values=None, start=0):
        self.values, self.start = {} if values is None else values, start

    def __getitem__(self, part):
        return Tensor(self.values, self.start + part.start)


def _int(value=0):
    return Int64(math.trunc(float(value)) if isinstance(value, float) else int(value))


def _stand_in(made: list[Tensor]) -> SimpleNamespace:
    def duplicate(tensor, value, count):
        for i in range(count):
            tensor.values[tensor.start + i] = value

    def trap():
        raise Stop

    def jit(function=None, **options):
        return function if function else lambda marked: marked

    class ConstExpr:
        def __class_getitem__(cls, item):
            return cls

    names = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32".split()
    return SimpleNamespace(
        **{name: Dtype(name) for name in names},
        jit=jit,
        ConstExpr=ConstExpr,
        GlobalAddress=None,
        GlobalTensor=lambda: SimpleNamespace(set_global_buffer=lambda *a: None),
        LocalTensor=lambda *a: made.append(Tensor()) or made[-1],
        TPosition=SimpleNamespace(VECIN=0),
        PipeID=SimpleNamespace(PIPE_ALL=0),
        duplicate=duplicate,
        data_copy=lambda *a: None,
        pipe_barrier=lambda *a: None,
        get_block_idx=lambda: Int64(0),
        get_block_num=lambda: Int64(1),
        printf=lambda *a: None,
        trap=trap,
        range=range,
        static_range=range,
        ceildiv=lambda x, y: -(-x // y),
        static_assert=lambda *a: None,
        array=Array,
        number=lambda value, dtype: dtype.number(value),
    )


class _Numbers(ast.NodeTransformer):
    """Makes literals numbers of a kernel, and keeps declared names to their type."""

    def __init__(self) -> None:
        self.declared: dict[str, ast.expr] = {}

    def visit_FunctionDef(self, node):
        outer, self.declared = self.declared, {}
        node.body = [self.visit(statement) for statement in node.body]
        self.declared = outer
        return node

    def visit_ClassDef(self, node):
        if not node.decorator_list:  # the fields of a dataclass have types, but no literals
            node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_Constant(self, node):
        names = {int: "Int64", float: "Float32"}
        if type(node.value) not in names:
            return node
        return ast.copy_location(ast.Call(ast.Name(names[type(node.value)], ast.Load()), [node], []), node)

    def visit_AnnAssign(self, node):
        self.declared[node.target.id] = node.annotation
        return self._declared(node.target, self.visit(node.value), node)

    def visit_Assign(self, node):
        node.value = self.visit(node.value)
        node.targets = [self.visit(target) for target in node.targets]
        first = node.targets[0]
        if isinstance(first, ast.Name) and first.id in self.declared:
            return self._declared(first, node.value, node)
        return node

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        if isinstance(node.target, ast.Name) and node.target.id in self.declared:
            before = ast.Name(node.target.id, ast.Load())
            return self._declared(node.target, ast.BinOp(before, node.op, node.value), node)
        return node

    def _declared(self, target, value, node):
        said = self.declared[target.id]
        number = ast.Call(ast.Attribute(said, "number", ast.Load()), [value], [])
        if isinstance(said, ast.Name):  # int, float, bool
            number = ast.Call(said, [value], [])
        return ast.fix_missing_locations(ast.copy_location(ast.Assign([target], number), node))


def as_numbers(value):
    """An argument of a launch as a number of a kernel; the fields of a struct too."""
    if type(value) is int:
        return Int64(value)
    if type(value) is float:
        return Float32(value)
    if hasattr(value, "__dict__"):
        return SimpleNamespace(**{name: as_numbers(field) for name, field in vars(value).items()})
    return value


def interpret(text: str) -> tuple[dict, list[Tensor]]:
    """Runs a module's text; the names it defines, and the local tensors that its kernels will have made."""
    made: list[Tensor] = []
    scope: dict = {
        "asc": _stand_in(made),
        "Int64": Int64,
        "Float32": Float32,
        "int": _int,
        "float": Float32,
        "__name__": "reference",
    }
    tree = _Numbers().visit(ast.parse(text.replace("from opwright import asc\n", "\n")))
    exec(compile(ast.fix_missing_locations(tree), "<reference>", "exec"), scope)
    return scope, made
