"""Which global-memory arguments a kernel reads and writes.

In: a module. Out: per parameter of the kernel, a pair (reads, writes). Each call of a helper counts on its own: what it
does to one address says nothing about another. Operations say by their traits what they touch. Where one does not, or
an address cannot be followed to its parameter, every argument counts as read and written: nothing is elided or allowed
on a guess.
"""

from __future__ import annotations

from collections.abc import Sequence

from opwright.ascendc.traits import Binds
from opwright.ir import Attribute, ModuleOp, Operation, SSAValue
from opwright.ir.aggregates import MemberOp
from opwright.ir.calls import CallOp
from opwright.ir.functions import HelperCallOp, ReturnOp, by_name, functions
from opwright.ir.language import FuncOp
from opwright.ir.threads import StartOp
from opwright.ir.traits import CORE, READ, VARIABLES, WRITE, effects_of, has_effects_of_regions
from opwright.ir.types import GM, AddressType, CellType, GlobalType, PointerType, StructType, unquoted

# A value in one call of its function, or the field of a struct: all structs of one kind share it.
Node = tuple[int, SSAValue] | tuple[str, str]
# Calls of helpers that are followed one by one; further calls of one helper are followed together.
_MAX_CALLS = 1000


def argument_use(module: ModuleOp) -> dict[str, tuple[bool, bool]]:
    """Parameter name -> (reads, writes), for the parameters that are addresses."""
    flow = _Flow(module)
    kernel = functions(module)[-1]
    arguments: dict[Node, str] = {
        (0, argument): unquoted(name)
        for argument, name in zip(kernel.body.block.args, kernel.parameters.data, strict=True)
        if _is_global(argument.type)
    }
    use = {name: [flow.unknown, flow.unknown] for name in arguments.values()}
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
        self.unknown = False  # whether an operation may read and write anything
        self.calls = 0
        self.shared: dict[FuncOp, int] = {}  # functions whose calls are followed as one
        self.visit(functions(module)[-1], 0)

    def visit(self, function: FuncOp, call: int) -> list[ReturnOp]:
        """Follows one call of a function; gives its returns."""
        returns = []
        for operation in function.body.walk():
            match operation:
                case HelperCallOp() | StartOp():
                    self.follow_helper(operation, call)
                case ReturnOp():
                    returns.append(operation)
                case _ if not has_effects_of_regions(operation):
                    self.follow(operation, call)
        return returns

    def follow(self, operation: Operation, call: int) -> None:
        """What an operation touches, and which addresses it passes on."""
        effects = effects_of(operation)
        if effects is None:
            self.unknown = True
            return
        for effect in effects:
            value = effect.value
            if effect.resource is CORE or effect.kind not in (READ, WRITE):
                continue
            if not isinstance(value, SSAValue):
                self.unknown = True  # it touches memory, and does not say where
            elif effect.resource is not VARIABLES:
                if _is_global(value.type):
                    self.accesses.append((_node(call, value), effect.kind is WRITE))
            elif effect.kind is WRITE:
                self.pass_on(operation.operands, value, call)
        if isinstance(operation, CallOp) and (binds := operation.chosen.get(Binds)):
            named = operation.named()
            self.add(call, named[binds.memory], call, named[binds.tensor])
        for result in operation.results:
            self.pass_on(operation.operands, result, call)

    def pass_on(self, sources: Sequence[SSAValue], target: SSAValue, call: int) -> None:
        """A result or a variable may be any of the addresses that an operation gets."""
        if _holds_global(target.type):
            for source in sources:
                if source is not target and _holds_global(source.type):
                    self.add(call, source, call, target)

    def follow_helper(self, operation: HelperCallOp | StartOp, call: int) -> None:
        """A call of a helper; calls without addresses are all the same."""
        callee = self.callees[unquoted(operation.callee)]
        is_new = callee not in self.shared
        if self.calls < _MAX_CALLS and any(_is_global(value.type) for value in operation.arguments):
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


def _is_global(kind: Attribute) -> bool:
    """Whether a value of this type leads to global memory."""
    if isinstance(kind, PointerType):
        return kind.memory.data == GM
    return isinstance(kind, (AddressType, GlobalType))


def _holds_global(kind: Attribute) -> bool:
    """Whether a value or a variable of this type leads there."""
    return _is_global(kind.content if isinstance(kind, CellType) else kind)


def _node(call: int, value: SSAValue) -> Node:
    """A value in a call, or the field that it stands for."""
    made = value.owner
    if isinstance(made, MemberOp):
        kind = made.instance.type
        assert isinstance(kind, StructType)
        return kind.struct.data, made.field.data
    return call, value
