"""One buffer for several values, where one takes the place of another.

In: the buffers of a kernel and their lives. Out: fewer buffers, and no copies between what has become one. Values are
joined in this order: with the variable that they are copied to; with what is stored; with an operand that is not needed
any more. Two buffers are joined only if no value of one is needed while the other holds a value: whole groups are
compared, not the last pair.
"""

from __future__ import annotations

from opwright.ir import Operation
from opwright.ir.calls import CallOp
from opwright.ir.rewriting import erase
from opwright.tile.compiler.buffers import Buffer, Buffers
from opwright.tile.compiler.lives import Lives, accesses_of, lives_of


def coalesce(buffers: Buffers) -> None:
    """Joins buffers."""
    lives = lives_of(buffers)
    for _, to, source in list(buffers.moves):
        _try(buffers, lives, to, source)
    pipes = _pipes(buffers)
    pairs = [(to, source) for to in list(lives.number) for source in lives.buffers(lives.over[to])]
    for is_right in (_is_for_store, _is_on_vector):
        for to, source in reversed(pairs):  # from the stored value back to what it is computed from
            kept, gone = _joined(buffers, to), _joined(buffers, source)
            if is_right(pipes, kept, gone) and _try(buffers, lives, kept, gone):
                pipes[kept] |= pipes[gone]
    for operation, to, source in buffers.moves:
        if _joined(buffers, to) is _joined(buffers, source):
            buffers.begins.pop(operation, None)
            buffers.together = {
                last: first for last, first in buffers.together.items() if operation not in (last, first)
            }
            erase(operation)


def _is_for_store(pipes: dict[Buffer, set[str]], to: Buffer, source: Buffer) -> bool:
    """What is loaded keeps its buffer: a copy to it would have to wait for the store."""
    return "PIPE_MTE3" in pipes[to] and "PIPE_MTE2" not in pipes[source]


def _is_on_vector(pipes: dict[Buffer, set[str]], to: Buffer, source: Buffer) -> bool:
    """What is being stored is not written over: the vector unit would have to wait for the store."""
    both = pipes[to] | pipes[source]
    return "PIPE_MTE3" not in both


def _pipes(buffers: Buffers) -> dict[Buffer, set[str]]:
    """The pipes that touch each buffer."""
    pipes: dict[Buffer, set[str]] = {buffer: set() for buffer in buffers.by_tensor.values()}
    for operation in buffers.kernel.walk():
        if isinstance(operation, CallOp):
            for buffer, _ in accesses_of(operation, buffers):
                pipes[buffer].add(operation.chosen.pipe)
    return pipes


def _joined(buffers: Buffers, buffer: Buffer) -> Buffer:
    while buffer in buffers.joined:
        buffer = buffers.joined[buffer]
    return buffer


def _try(buffers: Buffers, lives: Lives, to: Buffer, source: Buffer) -> bool:
    """Joins two buffers if their values do not meet."""
    to, source = _joined(buffers, to), _joined(buffers, source)
    if to is source or (to.dtype, to.elements) != (source.dtype, source.elements):
        return False
    own = 1 << lives.number[source]
    if lives.clash[to] & own:
        return False
    for other in lives.buffers(lives.clash[source]):
        lives.clash[other] |= 1 << lives.number[to]
    lives.clash[to] |= lives.clash[source]
    lives.over[to] |= lives.over[source]
    for other, bits in lives.over.items():
        if bits & own:
            lives.over[other] = bits | 1 << lives.number[to]
    source.tensor.replace_all_uses_with(to.tensor)
    if source.named and not to.named:
        to.name, to.named = source.name, True
    buffers.joined[source] = to
    for sets in (buffers.begins, buffers.over):
        for some in sets.values():
            if source in some:
                some.remove(source)
                some.add(to)
    buffers.filled = [to if one is source else one for one in buffers.filled]
    del buffers.by_tensor[source.tensor]
    assert isinstance(source.tensor.owner, Operation)
    erase(source.tensor.owner)
    return True
