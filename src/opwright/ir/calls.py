"""The `asc` dialect: one operation per row, made when it is first needed.

In: a row, the form that was chosen, operands. Out: an operation whose attributes name the form, by its signature, and
the constant arguments. The verifier is a net for our own mistakes: the front end has checked the user's before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import IRDLOperation, attr_def, irdl_op_definition, traits_def, var_operand_def, var_result_def
from xdsl.traits import ConditionallySpeculatable, EffectInstance, MemoryEffect
from xdsl.utils.exceptions import VerifyException

from opwright.ascendc.kernel_types import AIC, AIV
from opwright.ascendc.row import LOCALS, Form, Row
from opwright.ascendc.table import ROWS
from opwright.ascendc.traits import GivesBack
from opwright.ir.language import UnaryOp
from opwright.ir.traits import ALLOC, CORE, READ, WRITE, Costly, Effects
from opwright.ir.types import (
    AddressType,
    ArrayType,
    GlobalType,
    LocalType,
    ObjectType,
    PointerType,
    ScalarType,
    StructType,
    quoted,
    unquoted,
)

# What the kinds of a signature that are tensors or addresses are here.
TYPE_OF_KIND: dict[str, type[Attribute] | tuple[type[Attribute], ...]] = {
    **dict.fromkeys(LOCALS, LocalType),
    "global": GlobalType,
    "address": (AddressType, PointerType),
    "ub_address": PointerType,
    "pointer": (AddressType, PointerType),
    "object": ObjectType,
    "array": ArrayType,
    "list": ObjectType,
}
_ROW_OF = {f"asc.{name}": row for name, row in ROWS.items()}


class CallOp(IRDLOperation):
    """A call of Ascend C. The operands stand in the order of the form's parameters."""

    @property
    def row(self) -> Row:
        """The row of the table."""
        return _ROW_OF[self.name]

    @property
    def chosen(self) -> Form:
        """The form."""
        signature = self.attributes["form"]
        assert isinstance(signature, StringAttr)
        return _ROW_OF[self.name].by_signature[signature.data]

    def named(self) -> dict[str, SSAValue]:
        """Operands by parameter name; those given as attributes are not among them."""
        names = [name for name in self.chosen.named if name not in self.attributes]
        return dict(zip(names, self._operands, strict=False))

    def rest(self) -> Sequence[SSAValue]:
        """Operands beyond the named ones."""
        return self.operands[len(self.named()) :]

    def verify_(self) -> None:
        if self.row.by_signature.get(self.attributes["form"].data) is None:  # type: ignore[attr-defined]
            raise VerifyException(f"{self.name} has no form {self.attributes['form']}")
        form, named = self.chosen, self.named()
        for parameter in form.parameters:
            value = named.get(parameter.name)
            wanted = TYPE_OF_KIND.get(parameter.kind, ScalarType)
            if value is not None and not isinstance(value.type, wanted):
                raise VerifyException(f"{self.name}: {parameter.name} has type {value.type}")
            if value is None and parameter.name in form.named and parameter.name not in self.attributes:
                raise VerifyException(f"{self.name}: {parameter.name} is neither an operand nor a constant")
        given = form.get(GivesBack)
        if len(self.results) != (len(given.types) if given else bool(form.result)):
            raise VerifyException(f"{self.name} has {len(self.results)} results")


# Row.effect -> what a call does, besides what its form says about its operands.
_EFFECTS: dict[str, Effects] = {
    "value": frozenset(),
    "reads": frozenset({EffectInstance(READ, resource=CORE)}),
    "object": frozenset({EffectInstance(ALLOC, resource=CORE)}),
    "runs": frozenset({EffectInstance(WRITE, resource=CORE)}),
}


class _RowEffects(MemoryEffect):
    """What the row says, and the accesses of the form."""

    @classmethod
    def get_effects(cls, op: Operation) -> Effects:
        assert isinstance(op, CallOp)
        effects, accesses = _EFFECTS[op.row.effect], op.chosen.accesses
        if not accesses:
            return effects
        named = op.named()
        touched = {EffectInstance(WRITE if one.writes else READ, named[one.operand]) for one in accesses}
        return effects | touched


class _RowValue(ConditionallySpeculatable):
    """A call that only has a result may be computed early."""

    @classmethod
    def is_speculatable(cls, op: Operation) -> bool:
        assert isinstance(op, CallOp)
        return op.row.effect == "value"


class _RowCall(Costly):
    """A variable of the text is as cheap as any name."""

    @classmethod
    def is_costly(cls, op: Operation) -> bool:
        assert isinstance(op, CallOp)
        return not op.row.fields


def other_kind(kind: str) -> str:
    """A core that is not of one kind is of the other; "" stays."""
    return {AIC: AIV, AIV: AIC}.get(kind, "")


def asked_kind(condition: SSAValue) -> str:
    """The kind of core that a condition asks for, "aic" or "aiv"; "" if it asks for something else."""
    made = condition.owner
    if isinstance(made, UnaryOp) and made.operator.data == "not":
        return other_kind(asked_kind(made.value))
    return made.row.asks_kind if isinstance(made, CallOp) else ""


def is_fixed(kind: Attribute) -> bool:
    """Whether a value is an object that the text cannot copy, such as a queue."""
    if isinstance(kind, ObjectType):
        return ROWS[kind.kind.data].effect == "object"
    return isinstance(kind, (StructType, ArrayType))


@cache
def call_class(name: str) -> type[CallOp]:
    """The operation of a row."""

    class Generated(CallOp):
        form = attr_def(StringAttr)
        values = var_operand_def()
        outcome = var_result_def()
        traits = traits_def(_RowEffects(), _RowValue(), _RowCall())

    Generated.name = f"asc.{name}"
    Generated.__doc__ = ROWS[name].doc
    return irdl_op_definition(Generated)


def call(
    row: Row,
    form: Form,
    operands: Sequence[SSAValue],
    results: Sequence[Attribute],
    constants: Mapping[str, str],
) -> CallOp:
    """Makes one call; `constants` are the names of the arguments that the text needs as constants."""
    attributes: dict[str, Attribute] = {name: quoted(value) for name, value in constants.items()}
    return call_class(row.name).create(
        operands=operands, result_types=results, attributes={"form": StringAttr(form.signature), **attributes}
    )


def trap(reason: str) -> CallOp:
    """Stops the core; `reason` is what the user is shown."""
    row = ROWS["trap"]
    return call(row, row.forms[0], [], [], {"reason": reason})


def trap_reason(operation: Operation | None) -> str | None:
    """What the user is shown when an operation stops the core, "" if nothing; None if it does not stop it."""
    if not isinstance(operation, CallOp) or operation.row is not ROWS["trap"]:
        return None
    reason = operation.attributes.get("reason")
    return unquoted(reason) if isinstance(reason, StringAttr) else ""


@cache
def dialect() -> Dialect:
    """The whole dialect, for reading IR text."""
    return Dialect(
        "asc",
        [call_class(name) for name in ROWS],
        [ScalarType, AddressType, PointerType, GlobalType, LocalType, ObjectType],
    )
