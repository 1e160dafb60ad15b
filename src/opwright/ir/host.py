"""The `host` dialect: numbers, shapes, types and facts of tensors, as host functions of operators have them.

In: typed values. Out: operations that mean what the same Python of `opwright.host` means. Control flow and names that
are set again are those of `py`; a condition becomes one of `py` by `known`, which ends the function if it is unknown.
`FORMS` says of every function which operands it takes and what it gives.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    operand_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsTerminator, NoMemoryEffect, NoTerminator, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from opwright.ir.traits import Jump
from opwright.ir.types import BOOL, HOST_KINDS, INT, HostType, quoted


def host_type(kind: str) -> HostType:
    """The type of a kind of value."""
    return HostType(StringAttr(kind))


def kind_of(kind: Attribute) -> str:
    """The kind of a value: of `py`, "bool" and "int64"."""
    if isinstance(kind, HostType):
        return kind.kind.data
    assert kind in (BOOL, INT), kind
    return "bool" if kind == BOOL else "int64"


SOC_NUMBERS = ("vector_cores", "cube_cores", "ub_bytes", "l1_bytes", "l0c_bytes")
LISTS = ("shape", "floats", "truths", "tensors")
_EQUAL = tuple(f"{kind} {kind} -> truth" for kind in ("int", "float", "truth", "text", "dtype", "shape"))
# By function: operands and, behind ->, the result. "a*" is any number of a; "any" is a value of any kind.
FORMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("add", "sub", "mul"), ("int int -> int", "float float -> float")),
    **dict.fromkeys(("floordiv", "mod", "min", "max"), ("int int -> int",)),
    "div": ("float float -> float",),
    "neg": ("int -> int", "float -> float"),
    "abs": ("int -> int", "float -> float"),
    **dict.fromkeys(("eq", "ne"), _EQUAL),
    **dict.fromkeys(("lt", "le", "gt", "ge"), ("int int -> truth", "float float -> truth")),
    "and": ("truth truth -> truth",),
    "or": ("truth truth -> truth",),
    "not": ("truth -> truth",),
    "known": ("truth -> bool", "int -> int64"),
    "is_refuted": ("truth -> bool",),
    "number": ("int64 -> int",),
    "to_float": ("int -> float", "scalar -> float"),
    "to_int": ("scalar -> int",),
    **dict.fromkeys(("is_bool", "is_integer", "is_float"), ("scalar -> truth",)),
    "is_none": ("any -> truth",),
    "is_one_of": ("dtype dtype* -> truth", "text text* -> truth", "int int* -> truth"),
    "shape": ("any* -> shape",),
    "size": tuple(f"{kind} -> int" for kind in LISTS),
    "item": ("shape int -> int", "floats int -> float", "truths int -> truth", "tensors int -> tensor"),
    "part": ("shape int int -> shape",),
    "prod": ("shape -> int",),
    "zipped": tuple(f"{first} {second} truth -> int64" for first in LISTS for second in LISTS),
    "listed": ("shape -> text", "floats -> text", "truths -> text"),
    "quoted": ("text -> text",),
    "text": ("any* -> text",),
    "dtype": ("tensor -> dtype",),
    "sizes": ("tensor -> shape",),
    "strides": ("tensor -> shape",),
    "device": ("tensor -> text",),
    "ndim": ("tensor -> int",),
    "numel": ("tensor -> int",),
    "seed": ("generator -> int",),
    "offset": ("generator -> int",),
    "dense": ("shape dtype -> tensor",),
    "strided": ("shape shape dtype -> tensor",),
    "like": ("tensor dtype -> tensor",),
    "soc_name": ("soc -> text",),
    **dict.fromkeys(SOC_NUMBERS, ("soc -> int",)),
    "launch": ("text int int any* -> launch",),  # kernel, blocks, workspace, arguments
    **{f"given {kind}": (f"{kind}? -> {kind}",) for kind in HOST_KINDS},
}
CHECKS: dict[str, str] = {
    "require_dtype": "text tensor dtype*",
    "require_device": "text tensor text tensor",
    "require_choice": "text text text*",
}


def takes(form: str, kinds: Sequence[str]) -> bool:
    """Whether operands of these kinds fit a form."""
    wanted = form.partition(" ->")[0].split()
    if wanted and wanted[-1].endswith("*"):
        last = wanted.pop()[:-1]
        wanted += [last] * (len(kinds) - len(wanted))
    return len(wanted) == len(kinds) and all(one in ("any", kind) for one, kind in zip(wanted, kinds, strict=True))


def result_of(form: str) -> Attribute:
    """The type of what a form gives."""
    kind = form.partition("-> ")[2]
    return {"bool": BOOL, "int64": INT}.get(kind) or host_type(kind)


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A value known now: its text is what Python's repr gives, of a dtype its name."""

    name = "host.constant"
    value = attr_def(StringAttr)
    result = result_def(HostType)
    traits = traits_def(NoMemoryEffect())

    def __init__(self, value: str, kind: str) -> None:
        super().__init__(attributes={"value": quoted(value)}, result_types=[host_type(kind)])


@irdl_op_definition
class ApplyOp(IRDLOperation):
    """A function of `FORMS`. It may end the host function: by an index out of range, or by what is unknown."""

    name = "host.apply"
    function = attr_def(StringAttr)
    arguments = var_operand_def()
    result = result_def()
    traits = traits_def(NoMemoryEffect())

    def __init__(self, function: str, arguments: Sequence[SSAValue], kind: Attribute) -> None:
        super().__init__(operands=[list(arguments)], attributes={"function": StringAttr(function)}, result_types=[kind])

    def verify_(self) -> None:
        kinds = [kind_of(operand.type) for operand in self.arguments]
        forms = FORMS.get(self.function.data, ())
        if not any(takes(form, kinds) and result_of(form) == self.result.type for form in forms):
            raise VerifyException(f"{self.function.data} of {', '.join(kinds)}")


@irdl_op_definition
class CheckOp(IRDLOperation):
    """A function of `CHECKS`: it may refuse the call."""

    name = "host.check"
    function = attr_def(StringAttr)
    arguments = var_operand_def()

    def __init__(self, function: str, arguments: Sequence[SSAValue]) -> None:
        super().__init__(operands=[list(arguments)], attributes={"function": StringAttr(function)})

    def verify_(self) -> None:
        kinds = [kind_of(operand.type) for operand in self.arguments]
        if not takes(CHECKS.get(self.function.data, "none"), kinds):
            raise VerifyException(f"{self.function.data} of {', '.join(kinds)}")


@irdl_op_definition
class RefuseOp(IRDLOperation):
    """Refuses the call. code: "type" or "value"."""

    name = "host.refuse"
    code = attr_def(StringAttr)
    text = operand_def(HostType)
    traits = traits_def(Jump())

    def __init__(self, code: str, text: SSAValue) -> None:
        super().__init__(operands=[text], attributes={"code": StringAttr(code)})


@irdl_op_definition
class YieldOp(IRDLOperation):
    """Ends a side of `host.choose` with its value."""

    name = "host.yield"
    value = operand_def()
    traits = traits_def(NoMemoryEffect(), IsTerminator())

    def __init__(self, value: SSAValue) -> None:
        super().__init__(operands=[value])


@irdl_op_definition
class ChooseOp(IRDLOperation):
    """`a if condition else b`, and with it `and` and `or`: only the chosen side is evaluated."""

    name = "host.choose"
    condition = operand_def(BOOL)
    then = region_def("single_block")
    orelse = region_def("single_block")
    result = result_def(HostType)
    traits = traits_def(NoTerminator(), RecursiveMemoryEffect())

    def __init__(self, condition: SSAValue, then: Block, orelse: Block, kind: Attribute) -> None:
        super().__init__(operands=[condition], regions=[Region(then), Region(orelse)], result_types=[kind])
