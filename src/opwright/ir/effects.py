"""Which global-memory arguments a kernel reads and writes.

In: a `py.func`. Out: per parameter, a pair (reads, writes). Where an address cannot be followed to its parameter, every
argument counts as read and written: nothing is elided or allowed on a guess.
"""

from __future__ import annotations

from opwright.ir import SSAValue
from opwright.ir.calls import CallOp
from opwright.ir.language import FuncOp, LoadOp, StoreOp, VariableOp
from opwright.ir.types import AddressType, GlobalType, unquoted


def argument_use(kernel: FuncOp) -> dict[str, tuple[bool, bool]]:
    """Parameter name -> (reads, writes), for the parameters that are addresses."""
    sources = _sources(kernel)
    arguments: dict[SSAValue, str] = {
        argument: unquoted(name)
        for argument, name in zip(kernel.body.block.args, kernel.parameters.data, strict=True)
        if isinstance(argument.type, AddressType)
    }
    use = {name: [False, False] for name in arguments.values()}
    for operation in kernel.walk():
        if not isinstance(operation, CallOp) or not any(type(v.type) is GlobalType for v in operation.operands):
            continue
        named = operation.named()
        for access in operation.chosen.accesses:
            value = named[access.operand]
            if isinstance(value.type, GlobalType):
                roots = _roots(value, sources, set())
                hit = [arguments[root] for root in roots if root in arguments]
                known = bool(roots) and len(hit) == len(roots)
                for name in hit if known else use:
                    use[name][access.writes] = True
    return {name: (reads, writes) for name, (reads, writes) in use.items()}


def _sources(kernel: FuncOp) -> dict[SSAValue, list[SSAValue]]:
    """Where each address or global tensor may come from."""
    sources: dict[SSAValue, list[SSAValue]] = {}
    for operation in kernel.walk():
        if isinstance(operation, CallOp):
            if operation.chosen.binds is not None:
                named = operation.named()
                bound, memory = operation.chosen.binds
                sources.setdefault(named[bound], []).append(named[memory])
            elif operation.results and isinstance(operation.results[0].type, (AddressType, GlobalType)):
                sources.setdefault(operation.results[0], []).extend(
                    value for value in operation.operands if isinstance(value.type, (AddressType, GlobalType))
                )
        elif isinstance(operation, LoadOp):
            sources.setdefault(operation.result, []).append(operation.cell)
        elif isinstance(operation, StoreOp):
            sources.setdefault(operation.cell, []).append(operation.value)
        elif isinstance(operation, VariableOp) and operation.initial is not None:
            sources.setdefault(operation.cell, []).append(operation.initial)
    return sources


def _roots(value: SSAValue, sources: dict[SSAValue, list[SSAValue]], seen: set[SSAValue]) -> set[SSAValue]:
    """The values at the beginning of every way to `value`."""
    if value in seen:
        return set()
    seen.add(value)
    before = sources.get(value, [])
    if not before:
        return {value}
    found: set[SSAValue] = set()
    for source in before:
        found |= _roots(source, sources, seen)
    return found
