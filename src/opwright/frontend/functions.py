"""Helpers: `@asc.jit` functions that a kernel calls, and methods of its objects.

In: a call of a function of the author's. Out: the function in the module, made once for each choice of argument types
and constants, and a call of it. A parameter annotated int, float or bool is a value of the run, asc.ConstExpr must be a
constant, and without an annotation a constant stays one. Refuses recursion, and results that differ from way to way.
"""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import FunctionType

from opwright.errors import TypeChanged, UnsupportedSyntax, WrongCall
from opwright.frontend import arrays, scalars
from opwright.frontend.names import or_similar
from opwright.frontend.unit import Helper
from opwright.frontend.values import Constant, Items, Runtime, Shape, Value, describe, key_of
from opwright.frontend.variables import Variables
from opwright.ir import SSAValue
from opwright.ir.calls import is_fixed
from opwright.ir.functions import HelperCallOp, ReturnOp
from opwright.ir.language import CALLEE, VF
from opwright.ir.types import BOOL, FLOAT, INT, OF_PYTHON, GlobalType, ScalarType, ValueType
from opwright.kernel.parameters import Parameter, parameters_of
from opwright.kernel.source import Source
from opwright.kernel.stable import exact

# Helpers within helpers; more is recursion whose constants change.
MOST_CALLS = 32
_ANNOTATED = {python.__name__: kind for python, kind in OF_PYTHON.items()}


class Functions(Variables):
    """The part of a lowering that knows functions of the author's."""

    ended = False  # whether nothing that follows is reached: after break, continue and return
    shape: Shape | None = None  # of what this function returns; None before its first return

    @abstractmethod
    def lower_helper(
        self, helper: Helper, parameters: Sequence[tuple[str, ValueType]], constants: Mapping[str, Value]
    ) -> Shape:
        """Lowers another function of the kernel, and tells the shape of its result."""

    def call_function(
        self,
        function: FunctionType,
        source: Source,
        path: str,
        arguments: Sequence[Value],
        keywords: Mapping[str, Value],
        node: ast.Call,
    ) -> Value:
        """Calls a helper or a method; the first argument of a method is its object."""
        role = CALLEE if self.frame.role else ""
        helper, given = self.helper_for(function, source, path, arguments, keywords, node, role)
        assert helper.shape is not None
        operation = self.add(HelperCallOp(helper.symbol, given, list(leaves(helper.shape))), node)
        return _value(helper.shape, list(operation.results))

    def helper_for(
        self,
        function: FunctionType,
        source: Source,
        path: str,
        arguments: Sequence[Value],
        keywords: Mapping[str, Value],
        node: ast.Call,
        role: str,
        most_threads: int = 0,
    ) -> tuple[Helper, list[SSAValue]]:
        """The helper for these arguments, and those of them that are values of the run."""
        parameters = parameters_of(function)
        values = self.bind_arguments(function, parameters, arguments, keywords, node)
        given = {p.name: self.argument(function, p, values[p.name], node) for p in parameters}
        of_run = {name: value for name, value in given.items() if isinstance(value, Runtime)}
        constants = {name: value for name, value in given.items() if not isinstance(value, Runtime)}
        key = (
            function,
            role,
            *((name, value.type) for name, value in of_run.items()),
            *((name, key_of(value)) for name, value in constants.items()),
        )
        helper = self.unit.helpers.get(key)
        if helper is None:
            if len(self.frame.calls) >= MOST_CALLS:
                raise UnsupportedSyntax(
                    replace(self.at(node), calls=()),
                    what=f"{MOST_CALLS} helpers that call each other",
                    hint="an NPU has no stack for that, nor for recursion: write a loop",
                )
            calls = (*self.frame.calls, self.at(node))
            frame = self.unit.enter(function, source, path, calls, role, most_threads)
            helper = self.unit.helpers[key] = Helper(self.unit.unique(_symbol(function)), frame)
            types_of_run = [(name, value.type) for name, value in of_run.items()]
            helper.shape = self.lower_helper(helper, types_of_run, constants)
        elif helper.shape is None:
            raise UnsupportedSyntax(
                self.at(node),
                what=f"{function.__name__} calling itself",
                hint="an NPU has no stack for recursion: write a loop",
            )
        self.unit.note_call(self.frame, self.mark(node), helper.frame)
        self.unit.pipes.note_call(helper.frame.number, self.spot)
        if bool(self.frame.role) == bool(helper.frame.role):  # threads have stacks of their own
            self.called_bytes = max(self.called_bytes, helper.array_bytes)
            arrays.refuse_full_stack(self, node)
        return helper, [value.ssa for value in of_run.values()]

    def bind_arguments(
        self,
        function: FunctionType,
        parameters: Sequence[Parameter],
        arguments: Sequence[Value],
        keywords: Mapping[str, Value],
        node: ast.Call,
    ) -> dict[str, Value]:
        """The arguments of a call by the names of the parameters."""
        names = [parameter.name for parameter in parameters]
        values = dict(zip(names, arguments, strict=False))
        complaint = ""
        if len(arguments) > len(names):
            complaint = f"takes {len(names)} arguments, got {len(arguments)}"
        for keyword, value in keywords.items():
            if keyword not in names:
                complaint = complaint or f"has no argument '{keyword}'{or_similar(keyword, names)}"
            elif keyword in values:
                complaint = complaint or f"got '{keyword}' twice"
            values[keyword] = value
        for parameter in parameters:
            if parameter.name not in values:
                if not parameter.has_default:
                    complaint = complaint or f"argument '{parameter.name}' is missing"
                values[parameter.name] = Constant(parameter.default)
        if complaint:
            raise WrongCall(self.at(node), call=function.__name__, message=complaint, signature=_signature(function))
        return values

    def argument(self, function: FunctionType, parameter: Parameter, value: Value, node: ast.Call) -> Value:
        """An argument as the helper's parameter takes it."""
        name = parameter.name

        def refuse(wanted: str) -> WrongCall:
            message = f"argument '{name}' must be {wanted}, got {describe(value)}"
            return WrongCall(self.at(node), call=function.__name__, message=message, signature=_signature(function))

        if isinstance(value, Items) and all(isinstance(item, Constant) for item in value.items):
            value = Constant(tuple(item.value for item in value.items if isinstance(item, Constant)))
        if not isinstance(value, (Constant, Runtime)):
            raise refuse("a value")
        if parameter.kind == "constant" and not isinstance(value, Constant):
            raise refuse("a constant")
        if parameter.kind in _ANNOTATED:
            kind = _ANNOTATED[parameter.kind]
            have = scalars.widened(scalars.kind_of(self, value, node, f"argument '{name}'"))
            if have != kind and not (kind == FLOAT or (kind == INT and have == BOOL)):
                raise refuse(f"{kind}")
            return Runtime(scalars.materialise(self, value, kind, node))
        if parameter.dtype is not None:
            return scalars.number(self, value, parameter.dtype.name, node)
        if isinstance(value, Runtime) and isinstance(value.type, GlobalType) and value.type.dtype.data == "?":
            raise refuse("a global tensor that has its buffer")
        wanted = parameter.wanted or ("GlobalAddress" if parameter.kind == "address" else "")
        # Helpers of PyAsc say GlobalAddress for what their callers have made a tensor of.
        is_made = wanted == "GlobalAddress" and isinstance(value, Runtime) and isinstance(value.type, GlobalType)
        if wanted and not is_made and not (isinstance(value, Runtime) and self.is_of_class(value.type, wanted)):
            raise refuse(f"asc.{wanted}")
        return value

    def give_back(self, node: ast.Return) -> None:
        """`return`: ends the function; every way out of it has results of one shape."""
        value = self.value(node.value) if node.value is not None else Constant(None)
        if self.frame.number == 0 or self.frame.role == VF:
            if not (isinstance(value, Constant) and value.value is None):
                raise UnsupportedSyntax(
                    self.at(node),
                    what=f"a result of a {'function that a kernel starts' if self.frame.role == VF else 'kernel'}",
                    hint="write it to an argument in global memory",
                )
            if node is not self.definition.body[-1]:
                self.add(ReturnOp(), node)
            return
        if self.shape is None:
            self.shape = self.shape_of(value, node)
        self.add(ReturnOp(self.results(value, self.shape, node)), node)

    @property
    def returns(self) -> int:
        """How many `return` the function has."""
        return sum(isinstance(part, ast.Return) for part in ast.walk(self.definition))

    def shape_of(self, value: Value, node: ast.Return) -> Shape:
        """What callers know about a result. Where there are several returns, numbers are values of the run."""
        if isinstance(value, Items):
            return tuple(self.shape_of(item, node) for item in value.items)
        if isinstance(value, Runtime):
            if is_fixed(value.type):
                hint = "make it where it is used, and pass it in"
                raise UnsupportedSyntax(self.at(node), what=f"returning {describe(value)}", hint=hint)
            # One way may return a narrow number where another returns what was computed from it.
            several = self.returns > 1
            return scalars.widened(value.type) if several and isinstance(value.type, ScalarType) else value.type
        if not isinstance(value, Constant):
            raise UnsupportedSyntax(self.at(node), what=f"returning {describe(value)}", hint="call it here")
        if self.returns > 1 and isinstance(value.value, (int, float)):
            return self.storable("the result", value, node)
        return value

    def results(self, value: Value, shape: Shape, node: ast.Return) -> list[SSAValue]:
        """The values of the run in a result."""
        match value, shape:
            case Items(items), tuple() if len(items) == len(shape):
                return [
                    part for item, inner in zip(items, shape, strict=True) for part in self.results(item, inner, node)
                ]
            case Constant(), Constant() if exact(value.value) == exact(shape.value):
                return []
            case ((Constant() | Runtime()), ScalarType()) if _is_number(value):
                return [self.as_type("the result", value, shape, node).ssa]
            case Runtime(), _ if value.type == shape:
                return [value.ssa]
        raise TypeChanged(self.at(node), name="the result", before=_words(shape), after=describe(value))

    def close(self) -> Shape:
        """The shape of the result, at the end of the function's text."""
        if self.shape is None:
            return Constant(None)
        if not self.ended and not (isinstance(self.shape, Constant) and self.shape.value is None):
            raise UnsupportedSyntax(
                self.at(self.definition),
                what=f"'{self.definition.name}', which returns a value on some ways and none on others,",
                hint="let every way end in return",
            )
        return self.shape


def _symbol(function: FunctionType) -> str:
    """The name of a helper; a method's says its class too."""
    *_, owner, name = ["<locals>", *function.__qualname__.split(".")]
    return name if owner == "<locals>" else f"{owner}_{name.strip('_')}"


def _signature(function: FunctionType) -> str:
    return f"({', '.join(parameter.name for parameter in parameters_of(function))})"


def leaves(shape: Shape) -> list[ValueType]:
    """The types of the values of the run in a result, in order."""
    if isinstance(shape, tuple):
        return [leaf for part in shape for leaf in leaves(part)]
    return [] if isinstance(shape, Constant) else [shape]


def _value(shape: Shape, results: list[SSAValue]) -> Value:
    """A result as the caller sees it; takes what it needs from the front of `results`."""
    if isinstance(shape, tuple):
        return Items(tuple(_value(part, results) for part in shape))
    return shape if isinstance(shape, Constant) else Runtime(results.pop(0))


def _is_number(value: Constant | Runtime) -> bool:
    return isinstance(value.value if isinstance(value, Constant) else value.type, (int, float, ScalarType))


def _words(shape: Shape) -> str:
    if isinstance(shape, tuple):
        return f"a tuple of {len(shape)}"
    return describe(shape) if isinstance(shape, Constant) else str(shape)
