"""Which global-memory arguments a kernel reads and writes.

In: a module. Out: per parameter of the kernel, a pair (reads, writes). Where an address cannot be followed to its
parameter, every argument counts as read and written: nothing is elided or allowed on a guess.
"""

from __future__ import annotations

from collections.abc import Hashable

from opwright.ir import ModuleOp, Operation, SSAValue
from opwright.ir.aggregates import MemberOp
from opwright.ir.calls import CallOp
from opwright.ir.functions import InlineOp, InvokeOp, ReturnOp, by_name, functions
from opwright.ir.language import LoadOp, StoreOp, VariableOp
from opwright.ir.types import AddressType, GlobalType, StructType, unquoted

# A value, or the field of a struct: all structs of one kind share it.
Node = SSAValue | tuple[str, str]
_Sources = dict[Hashable, list[Node]]


def argument_use(module: ModuleOp) -> dict[str, tuple[bool, bool]]:
    """Parameter name -> (reads, writes), for the parameters that are addresses."""
    sources = _sources(module)
    kernel = functions(module)[-1]
    arguments: dict[Node, str] = {
        argument: unquoted(name)
        for argument, name in zip(kernel.body.block.args, kernel.parameters.data, strict=True)
        if isinstance(argument.type, AddressType)
    }
    use = {name: [False, False] for name in arguments.values()}
    for operation in module.walk():
        if isinstance(operation, InlineOp):
            use = {name: [True, True] for name in use}
        if not isinstance(operation, CallOp) or not any(type(v.type) is GlobalType for v in operation.operands):
            continue
        named = operation.named()
        for access in operation.chosen.accesses:
            value = named[access.operand]
            if isinstance(value.type, GlobalType):
                roots = _roots(_node(value), sources, set())
                hit = [arguments[root] for root in roots if root in arguments]
                known = bool(roots) and len(hit) == len(roots)
                for name in hit if known else use:
                    use[name][access.writes] = True
    return {name: (reads, writes) for name, (reads, writes) in use.items()}


def _node(value: SSAValue) -> Node:
    """A value, or the field that it stands for."""
    made = value.owner
    if isinstance(made, MemberOp):
        kind = made.instance.type
        assert isinstance(kind, StructType)
        return kind.struct.data, made.field.data
    return value


def _sources(module: ModuleOp) -> _Sources:
    """Where each address or global tensor may come from."""
    sources: _Sources = {}
    callees = by_name(module)

    def flow(source: SSAValue, target: SSAValue) -> None:
        sources.setdefault(_node(target), []).append(_node(source))

    for operation in module.walk():
        match operation:
            case CallOp() if operation.chosen.binds is not None:
                named = operation.named()
                bound, memory = operation.chosen.binds
                flow(named[memory], named[bound])
            case CallOp() if operation.results and isinstance(operation.results[0].type, (AddressType, GlobalType)):
                for value in operation.operands:
                    if isinstance(value.type, (AddressType, GlobalType)):
                        flow(value, operation.results[0])
            case LoadOp():
                flow(operation.cell, operation.result)
            case StoreOp():
                flow(operation.value, operation.cell)
            case VariableOp() if operation.initial is not None:
                flow(operation.initial, operation.cell)
            case InvokeOp():
                callee = callees[unquoted(operation.callee)]
                for value, parameter in zip(operation.arguments, callee.body.block.args, strict=True):
                    flow(value, parameter)
                for given in _returns(callee):
                    for value, result in zip(given.values, operation.results, strict=True):
                        flow(value, result)
    return sources


def _returns(function: Operation) -> list[ReturnOp]:
    return [operation for operation in function.walk() if isinstance(operation, ReturnOp)]


def _roots(node: Node, sources: _Sources, seen: set[Node]) -> set[Node]:
    """The beginnings of every way to `node`."""
    if node in seen:
        return set()
    seen.add(node)
    before = sources.get(node, [])
    if not before:
        return {node}
    found: set[Node] = set()
    for source in before:
        found |= _roots(source, sources, seen)
    return found
