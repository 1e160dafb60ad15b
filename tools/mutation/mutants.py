"""The removals that one kernel allows, made in its IR.

In: a module after all passes. Out: `Mutant`s, each of which takes out what it names in a copy of the module. Operations
are named by their place in it. Of removals with the same surroundings, as in unrolled loops, two are made: the first
and the last.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from opwright.ascendc.table import ROWS
from opwright.ir import Block, ModuleOp, Operation, SSAValue
from opwright.ir.calls import CallOp, call
from opwright.ir.language import At, ConstantOp, FuncOp, constant_of
from opwright.ir.rewriting import erase, insert_before, replace_by_value
from opwright.ir.types import INT

SET, WAIT = "asc.set_flag", "asc.wait_flag"
CROSS_SET, CROSS_WAIT = "asc.cross_core_set_flag", "asc.cross_core_wait_flag"
ENQUE, DEQUE, FREE = "asc.TQueBind.enque", "asc.TQueBind.deque", "asc.TQueBind.free_tensor"
BARRIERS = {"asc.pipe_barrier": "pipe_barrier", "asc.sync_all": "sync_all", "asc.data_sync_barrier": "pipe_barrier"}
SYNC = {SET, WAIT, CROSS_SET, CROSS_WAIT, ENQUE, DEQUE, FREE, *BARRIERS}
ADDRESSED = {"asc.LocalTensor": "addr", "asc.TBuf.get_with_offset": "buf_offset"}
PART = "asc.LocalTensor.__getitem__"
_NAMES = ("at", "variable")  # attributes that say where an operation comes from, not what it does


@dataclass(frozen=True)
class Mutant:
    """One removal.

    kind: what is removed, as the table tells it. removed: the operations, by their place in the module.
    offset: bytes that take the place of an address; None: the operations go.
    """

    kind: str
    removed: tuple[int, ...]
    offset: int | None = None

    def apply(self, module: ModuleOp) -> None:
        """Makes the removal in another module of the same kernel."""
        operations = list(module.walk())
        chosen = [operations[place] for place in self.removed]
        if self.offset is not None:
            (operation,) = chosen
            assert isinstance(operation, CallOp)
            place = list(operation.named()).index(ADDRESSED[operation.name])
            operation.operands[place] = insert_before(operation, ConstantOp(self.offset, INT))
            return
        # A deque goes first: the tensor that stands for it is an operand of the enque.
        for operation in sorted(chosen, key=lambda one: not one.results):
            if operation.name == DEQUE:
                _remove_deque(operation, operations)
            elif operation.name == PART:
                replace_by_value(operation, operation.operands[0])
            else:
                erase(operation)

    def places(self, module: ModuleOp) -> list[tuple[int, str]]:
        """Number of the function and "line:column" of what is removed."""
        operations = list(module.walk())
        return [(_function(operations[place]).place, At.of(operations[place])) for place in self.removed]


def uses_sync(module: ModuleOp) -> bool:
    """Whether a kernel has anything to be removed."""
    return any(operation.name in SYNC and At.of(operation) for operation in module.walk())


def orders_by_words(module: ModuleOp) -> bool:
    """Whether cores wait for words in global memory, such as those of ib_set: no event tells who waits for whom."""
    calls = [operation for operation in module.walk() if isinstance(operation, CallOp)]
    return any(parameter.name == "gm_workspace" for call in calls for parameter in call.chosen.parameters)


def synchronisation_of(module: ModuleOp) -> list[Mutant]:
    """Every removal of flags and barriers, each once, also of those that are alike."""
    operations = list(module.walk())
    found = [*_flags(operations), *_crosses(operations), *_barriers(operations)]
    return list({mutant.removed: mutant for mutant in found}.values())


def mutants_of(module: ModuleOp) -> list[Mutant]:
    """Every removal, each once; of those that are alike the first and the last."""
    operations = list(module.walk())
    found = [
        *_flags(operations),
        *_crosses(operations),
        *_queues(operations),
        *_barriers(operations),
        *_offsets(operations),
    ]
    distinct = {(mutant.removed, mutant.offset): mutant for mutant in found}.values()
    alike: dict[object, list[Mutant]] = defaultdict(list)
    for mutant in distinct:
        surroundings = tuple(_surroundings(operations[place]) for place in mutant.removed)
        alike[mutant.kind, mutant.offset is None, surroundings].append(mutant)
    kept = {mutant for group in alike.values() for mutant in (group[0], group[-1])}
    return [mutant for mutant in distinct if mutant in kept]


def _surroundings(operation: Operation) -> tuple[object, ...]:
    """What an operation does, what two calls do before and after it, and in how many blocks it lies."""
    depth, above = 0, operation.parent_op()
    while above is not None:
        depth, above = depth + 1, above.parent_op()
    block = operation.parent
    assert block is not None
    calls = [one for one in block.ops if isinstance(one, CallOp) or one is operation]
    place = calls.index(operation)
    return (depth, *(_what(one) for one in calls[max(0, place - 2) : place + 3]))


def _what(operation: Operation) -> tuple[object, ...]:
    """The call and its constants, without its place and the names of its operands."""
    attributes = sorted((name, str(value)) for name, value in operation.attributes.items() if name not in _NAMES)
    return (operation.name, *attributes, *(str(operand.type) for operand in operation.operands))


def _flags(operations: list[Operation]) -> Iterator[Mutant]:
    """Each set, each wait; a set with its next wait; all of one event and id; all of one event."""
    by_id: dict[object, list[int]] = defaultdict(list)
    by_event: dict[object, list[int]] = defaultdict(list)
    for place, operation in enumerate(operations):
        if operation.name not in (SET, WAIT):
            continue
        yield Mutant("set_flag" if operation.name == SET else "wait_flag", (place,))
        event = operation.attributes["event"]
        identity = _identity(operation.operands[0]) if operation.operands else operation.attributes.get("event_id")
        by_id[event, identity].append(place)
        by_event[event].append(place)
    for group in by_id.values():
        waits = [place for place in group if operations[place].name == WAIT]
        for place in group:
            if operations[place].name == SET and waits:
                # In a loop the wait may stand before its set.
                wait = next((one for one in waits if one > place), waits[0])
                yield Mutant("set and wait", tuple(sorted((place, wait))))
    for group in (*by_id.values(), *by_event.values()):
        yield Mutant("set and wait", tuple(group))


def _barriers(operations: list[Operation]) -> Iterator[Mutant]:
    """Each barrier but the one that the text ends with: nothing of the author's stands for it, nothing follows it."""
    for place, operation in enumerate(operations):
        if operation.name in BARRIERS and At.of(operation):
            yield Mutant(BARRIERS[operation.name], (place,))


def _crosses(operations: list[Operation]) -> Iterator[Mutant]:
    """Each set and each wait between cores; all of one flag and mode."""
    by_flag: dict[object, list[int]] = defaultdict(list)
    for place, operation in enumerate(operations):
        if operation.name not in (CROSS_SET, CROSS_WAIT):
            continue
        yield Mutant(operation.name.removeprefix("asc."), (place,))
        by_flag[operation.attributes["mode_id"], _identity(operation.operands[0])].append(place)
    for group in by_flag.values():
        yield Mutant("set and wait of cores", tuple(group))


def _identity(value: SSAValue) -> object:
    """The same for values that are computed in the same way."""
    owner = value.owner
    if isinstance(owner, Block):
        return value
    attributes = tuple(sorted((n, str(a)) for n, a in owner.attributes.items() if n not in _NAMES))
    return owner.name, attributes, tuple(_identity(operand) for operand in owner.operands)


def _queues(operations: list[Operation]) -> Iterator[Mutant]:
    """Each enque, deque and free_tensor; an enque with its deque where both stand in one block."""
    for place, operation in enumerate(operations):
        if operation.name in (ENQUE, DEQUE, FREE):
            yield Mutant(operation.name.rpartition(".")[2], (place,))
        if operation.name == DEQUE and (enque := _enque_before(operation, operations)) is not None:
            yield Mutant("enque and deque", (operations.index(enque), place))


def _enque_before(deque: Operation, operations: list[Operation]) -> Operation | None:
    """The nearest enque of the same queue and element type, earlier in the same block."""
    found = None
    if not deque.results:
        return None
    for operation in operations:
        if operation is deque:
            break
        alike = operation.name == ENQUE and operation.parent is deque.parent
        if (
            alike
            and _identity(operation.operands[0]) == _identity(deque.operands[0])
            and operation.operands[1].type == deque.results[0].type
        ):
            found = operation
    return found


def _remove_deque(deque: Operation, operations: list[Operation]) -> None:
    """Lets the enqueued tensor stand for the dequeued one; elsewhere a fresh one does, for which nothing waits.

    A deque that fills a tensor of the kernel has no result: its tensor stays as it was.
    """
    if not deque.results:
        erase(deque)
        return
    attached = [one for one in operations if one.parent is not None]
    enque = _enque_before(deque, attached)
    if enque is not None:
        replace_by_value(deque, enque.operands[1])
        return
    fresh = call(ROWS["TQueBind.alloc_tensor"], 0, deque.operands, [deque.results[0].type], {})
    fresh.attributes["dtype"] = deque.attributes["dtype"]
    replace_by_value(deque, insert_before(deque, fresh))


def _offsets(operations: list[Operation]) -> Iterator[Mutant]:
    """Each constant address made 0 and moved to that of a neighbour; each part made the whole."""
    known: dict[tuple[object, str], list[int]] = defaultdict(list)
    addresses: dict[int, int] = {}
    for place, operation in enumerate(operations):
        if operation.name == PART and constant_of(operation.operands[1]) != 0:
            yield Mutant("offset", (place,))
        if operation.name not in ADDRESSED:
            continue
        assert isinstance(operation, CallOp)
        value = operation.named().get(ADDRESSED[operation.name])
        address = constant_of(value) if value is not None else None
        if isinstance(address, int):
            addresses[place] = address
            known[_function(operation), operation.name].append(address)
    for place, address in addresses.items():
        operation = operations[place]
        others = sorted(set(known[_function(operation), operation.name]) - {address})
        neighbour = next((one for one in reversed(others) if one < address), others[0] if others else None)
        for offset in {0, neighbour} - {address, None}:
            yield Mutant("offset", (place,), offset)


def _function(operation: Operation) -> FuncOp:
    """The function that an operation stands in."""
    above: Operation | None = operation
    while above is not None and not isinstance(above, FuncOp):
        above = above.parent_op()
    assert above is not None
    return above
