"""Which global-memory arguments a kernel reads and writes.

In: a module. Out: per parameter of the kernel, a pair (reads, writes). Each call of a helper counts on its own: what it
does to one address says nothing about another. Where an address cannot be followed to its parameter, every argument
counts as read and written: nothing is elided or allowed on a guess.
"""

from __future__ import annotations

from collections.abc import Sequence

from opwright.ir import ModuleOp, SSAValue
from opwright.ir.aggregates import MemberOp
from opwright.ir.calls import CallOp
from opwright.ir.functions import HelperCallOp, InlineOp, ReturnOp, by_name, functions
from opwright.ir.language import FuncOp, LoadOp, StoreOp, VariableOp
from opwright.ir.threads import PointerOp, StartOp
from opwright.ir.types import GM, AddressType, GlobalType, PointerType, StructType, unquoted

# A value in one call of its function, or the field of a struct: all structs of one kind share it.
Node = tuple[int, SSAValue] | tuple[str, str]
# So many calls of helpers are followed one by one; the calls beyond of one helper, together.
_MOST_CALLS = 1000


def argument_use(module: ModuleOp) -> dict[str, tuple[bool, bool]]:
    """Parameter name -> (reads, writes), for the parameters that are addresses."""
    flow = _Flow(module)
    kernel = functions(module)[-1]
    arguments: dict[Node, str] = {
        (0, argument): unquoted(name)
        for argument, name in zip(kernel.body.block.args, kernel.parameters.data, strict=True)
        if _is_global([argument])
    }
    unknown = any(isinstance(operation, InlineOp) for operation in module.walk())
    use = {name: [unknown, unknown] for name in arguments.values()}
    for node, writes in flow.accesses:
        roots = flow.roots(node, set())
        hit = [arguments[root] for root in roots if root in arguments]
        known = bool(roots) and len(hit) == len(roots)
        for name in hit if known else use:
            use[name][writes] = True
    return {name: (reads, writes) for name, (reads, writes) in use.items()}


class _Flow:
    """Where each address or global tensor may come from, and which of them are read and written."""

    def __init__(self, module: ModuleOp) -> None:
        self.callees = by_name(module)
        self.sources: dict[Node, list[Node]] = {}
        self.accesses: list[tuple[Node, bool]] = []
        self.calls = 0
        self.shared: dict[FuncOp, int] = {}  # functions whose calls are followed as one
        self.visit(functions(module)[-1], 0)

    def visit(self, function: FuncOp, call: int) -> list[ReturnOp]:
        """Follows one call of a function, and tells what it may return."""
        returns = []
        for operation in function.walk():
            match operation:
                case CallOp() if _is_global(operation.operands):
                    self.follow_call(operation, call)
                case PointerOp():
                    self.add(call, operation.value, call, operation.result)
                case LoadOp():
                    self.add(call, operation.cell, call, operation.result)
                case StoreOp():
                    self.add(call, operation.value, call, operation.cell)
                case VariableOp() if operation.initial is not None:
                    self.add(call, operation.initial, call, operation.cell)
                case HelperCallOp() | StartOp():
                    self.follow_helper(operation, call)
                case ReturnOp():
                    returns.append(operation)
        return returns

    def follow_call(self, operation: CallOp, call: int) -> None:
        """A call of Ascend C with an operand in global memory."""
        named = operation.named()
        for access in operation.chosen.accesses:
            value = named[access.operand]
            if isinstance(value.type, GlobalType) or _is_pointer(value):
                self.accesses.append((_node(call, value), access.writes))
        if operation.chosen.binds is not None:
            bound, memory = operation.chosen.binds
            self.add(call, named[memory], call, named[bound])
        elif operation.results and _is_global(operation.results):
            for value in operation.operands:
                if _is_global([value]):
                    self.add(call, value, call, operation.results[0])

    def follow_helper(self, operation: HelperCallOp | StartOp, call: int) -> None:
        """A call of a helper; calls without addresses are all the same."""
        callee = self.callees[unquoted(operation.callee)]
        is_new = callee not in self.shared
        if self.calls < _MOST_CALLS and _is_global(operation.arguments):
            self.calls += 1
            inner, is_new = self.calls, True
        else:
            inner = self.shared.setdefault(callee, -1 - len(self.shared))
        for value, parameter in zip(operation.arguments, callee.body.block.args, strict=True):
            self.add(call, value, inner, parameter)
        returns = self.visit(callee, inner) if is_new else [op for op in callee.walk() if isinstance(op, ReturnOp)]
        for given in returns:
            for value, result in zip(given.values, operation.results, strict=True):
                self.add(inner, value, call, result)

    def add(self, source_call: int, source: SSAValue, target_call: int, target: SSAValue) -> None:
        """`target` may be `source`."""
        self.sources.setdefault(_node(target_call, target), []).append(_node(source_call, source))

    def roots(self, node: Node, seen: set[Node]) -> set[Node]:
        """The beginnings of every way to `node`."""
        if node in seen:
            return set()
        seen.add(node)
        before = self.sources.get(node, [])
        found: set[Node] = set() if before else {node}
        for source in before:
            found |= self.roots(source, seen)
        return found


def _is_global(values: Sequence[SSAValue]) -> bool:
    return any(isinstance(value.type, (AddressType, GlobalType)) or _is_pointer(value) for value in values)


def _is_pointer(value: SSAValue) -> bool:
    """Whether it is an address in global memory as threads have it."""
    return isinstance(value.type, PointerType) and value.type.memory.data == GM


def _node(call: int, value: SSAValue) -> Node:
    """A value in a call, or the field that it stands for."""
    made = value.owner
    if isinstance(made, MemberOp):
        kind = made.instance.type
        assert isinstance(kind, StructType)
        return kind.struct.data, made.field.data
    return call, value
