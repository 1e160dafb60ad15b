"""What operations do besides giving results, as traits that their classes carry.

In: operations. Out: answers to what passes, checks and the text ask: whether an operation may go, may be computed
early, or may change what another one reads. An operation whose class carries no effects may do anything.

Effects name what they touch: MEMORY, which the arguments of a kernel lie in too; VARIABLES, the variables, fields and
elements of one function; CORE, such as flags, registers and queues, which no address leads to.
"""

from __future__ import annotations

from collections.abc import Set
from functools import cache

from xdsl.ir import Operation, SSAValue
from xdsl.traits import (
    ConditionallySpeculatable,
    DefaultResource,
    EffectInstance,
    IsTerminator,
    MemoryEffect,
    MemoryEffectKind,
    OpTrait,
    RecursiveMemoryEffect,
    Resource,
)

Effects = Set[EffectInstance]
READ, WRITE, ALLOC = MemoryEffectKind.READ, MemoryEffectKind.WRITE, MemoryEffectKind.ALLOC


class _Variables(Resource):
    """Variables, fields and elements of one function."""

    def name(self) -> str:
        return "variables"


class _Core(Resource):
    """What a core has besides memory."""

    def name(self) -> str:
        return "core"


MEMORY, VARIABLES, CORE = DefaultResource(), _Variables(), _Core()


class MakesCell(MemoryEffect):
    """Its result is a new variable."""

    @classmethod
    def get_effects(cls, op: Operation) -> Effects:
        return {EffectInstance(ALLOC, op.results[0], VARIABLES)}


class ReadsCell(MemoryEffect):
    """Reads the variable that is its first operand."""

    @classmethod
    def get_effects(cls, op: Operation) -> Effects:
        return {EffectInstance(READ, op.operands[0], VARIABLES)}


class SetsCell(MemoryEffect):
    """Sets the variable that is its first operand."""

    @classmethod
    def get_effects(cls, op: Operation) -> Effects:
        return {EffectInstance(WRITE, op.operands[0], VARIABLES)}


class Loop(OpTrait):
    """Its regions run any number of times."""


class Jump(IsTerminator):
    """Ends its block, and the kernel goes on elsewhere than behind it."""


class CallsFunction(OpTrait):
    """Runs a function of the module: has `callee`, its name, and `arguments`."""


class Costly(OpTrait):
    """Computing it once, before a loop, is worth a line of the text."""

    @classmethod
    def is_costly(cls, op: Operation) -> bool:
        """Whether this one is."""
        return True


@cache
def _effect_traits(kind: type[Operation]) -> tuple[MemoryEffect, ...]:
    return tuple(trait for trait in kind.traits if isinstance(trait, MemoryEffect))


@cache
def _carries(kind: type[Operation], trait: type[OpTrait]) -> bool:
    return any(isinstance(one, trait) for one in kind.traits)


def effects_of(operation: Operation) -> Effects | None:
    """What an operation does; None if that is not known."""
    traits = _effect_traits(type(operation))
    if len(traits) == 1:
        return traits[0].get_effects(operation)
    found: set[EffectInstance] = set()
    for trait in traits:
        effects = trait.get_effects(operation)
        if effects is None:
            return None
        found |= effects
    return found if traits else None


def is_unknown(operation: Operation) -> bool:
    """Whether the class of an operation does not say what it does."""
    return not _effect_traits(type(operation)) and not _carries(type(operation), CallsFunction)


def is_removable(operation: Operation) -> bool:
    """Whether an operation only has results: where nothing uses them, it can go."""
    effects = effects_of(operation) if operation.results else None
    return effects is not None and all(
        effect.kind is READ or (effect.kind is ALLOC and effect.resource is VARIABLES) for effect in effects
    )


def may_read(operation: Operation) -> bool:
    """Whether what an operation does may depend on what ran before."""
    effects = effects_of(operation)
    return effects is None or any(effect.kind is READ for effect in effects)


def may_write(operation: Operation) -> bool:
    """Whether an operation may change what others read: its place among them matters."""
    effects = effects_of(operation)
    return effects is None or any(effect.kind is WRITE for effect in effects)


def may_set(operation: Operation, cell: SSAValue) -> bool:
    """Whether an operation that has a variable for an operand may set it."""
    effects = effects_of(operation)
    return effects is None or any(effect.kind is WRITE and effect.value in (cell, None) for effect in effects)


def may_work(operation: Operation) -> bool:
    """Whether an operation may do more than compute scalars, set variables and declare objects."""
    effects = effects_of(operation)
    return effects is None or any(effect.kind is WRITE and effect.resource is not VARIABLES for effect in effects)


def is_speculatable(operation: Operation) -> bool:
    """Whether computing an operation where the kernel would not come to it does no harm."""
    trait = operation.get_trait(ConditionallySpeculatable)
    return trait is not None and trait.is_speculatable(operation)


def is_costly(operation: Operation) -> bool:
    """Whether computing an operation once saves more than one more line costs to read."""
    trait = operation.get_trait(Costly)
    return trait is not None and trait.is_costly(operation)


def is_loop(operation: Operation) -> bool:
    """Whether the regions of an operation run any number of times."""
    return _carries(type(operation), Loop)


def is_jump(operation: Operation) -> bool:
    """Whether the kernel does not go on behind an operation."""
    return _carries(type(operation), Jump)


def has_effects_of_regions(operation: Operation) -> bool:
    """Whether an operation does what its regions do, and nothing else."""
    return _carries(type(operation), RecursiveMemoryEffect)
