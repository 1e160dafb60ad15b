"""Checks our IR with upstream MLIR: a verifier written by others, which also knows what must be made before what.

In: the torch-mlir wheel, and the kernels of the golden texts. Out: exit code 0 if MLIR loads a description of our
dialects in IRDL, verifies every kernel as it is lowered and after every pass, and refuses IR that is wrong. Three
things differ from our own text: integers have a type, names have no capitals or dots, and every block ends in an
unregistered operation, since an operation that IRDL describes cannot do without a terminator.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

from xdsl.dialects.builtin import ArrayAttr, IntAttr, IntegerAttr, ModuleOp, StringAttr, UnregisteredOp
from xdsl.ir import Attribute, Operation, ParametrizedAttribute
from xdsl.irdl import AttrConstraint, BaseAttr, IRDLOperation, OptionalDef

from opwright.ascendc.row import Form, Parameter, Row
from opwright.ascendc.table import ROWS
from opwright.ir.calls import TYPE_OF_KIND, dialect
from opwright.ir.dialect import PyDialect
from opwright.ir.types import ScalarType

KERNELS = Path(__file__).parents[1] / "tests" / "emit" / "kernels.py"
MOST_REST = 10  # how many further operands a call of a golden kernel has at most, and one
BUILTIN: dict[type[Attribute], str] = {
    StringAttr: "#builtin.string",
    IntAttr: "#builtin.integer",
    ArrayAttr: "#builtin.array",
}
# Each is wrong in one way, and what MLIR must say about it.
WRONG = {
    '%0 = "py.constant"() : () -> !asc.scalar<"int64">': 'attribute "value" is expected',
    '%0 = "py.constant"() {value = "0"} : () -> i32': "expected base type 'asc.scalar'",
    '"asc.trap_0_0"() : () -> ()': 'attribute "form" is expected',
    '%0 = "asc.get_block_idx_0_0"() {form = 0 : i64} : () -> !asc.global<"half">': "expected base type 'asc.scalar'",
    '"py.break"() ({}) : () -> ()': "expected 0 but got 1",
    """"py.func"() ({
    %0 = "py.unary"(%1) {operator = "neg"} : (!asc.scalar<"bool">) -> !asc.scalar<"bool">
    %1 = "py.constant"() {value = "0"} : () -> !asc.scalar<"bool">
    "opwright.end"() : () -> ()
    }) {sym_name = "f", parameters = []} : () -> ()""": "does not dominate this use",
}


def irdl() -> str:
    """Both dialects in IRDL; `asc` comes first, since `py` uses its types."""
    lines = ["irdl.dialect @asc {"]
    for attribute in dialect().attributes:
        lines += _type(attribute)
    for row in ROWS.values():
        for form in row.forms:
            for rest in range(MOST_REST) if any(p.kind == "rest" for p in form.parameters) else (0,):
                lines += _call(row, form, rest)
    lines += ["}", "irdl.dialect @py {"]
    for attribute in PyDialect.attributes:
        lines += _type(attribute)
    for operation in PyDialect.operations:
        lines += _operation(operation)
    return "\n".join([*lines, "}", ""])


def _own_name(name: str) -> str:
    """A name as IRDL takes it, without that of its dialect."""
    return "_".join(re.findall("[a-z0-9]+", name.partition(".")[2].lower()))


def _type(attribute: type[ParametrizedAttribute]) -> list[str]:
    definition = attribute.get_irdl_definition()
    names = [name for name, _ in definition.parameters]
    lines = [f"    %{name} = irdl.any" for name in names]
    listed = ", ".join(f"{name}: %{name}" for name in names)
    return [f"  irdl.type @{_own_name(definition.name)} {{", *lines, f"    irdl.parameters({listed})", "  }"]


def _call_name(row: Row, form: int, rest: int) -> str:
    return f"{_own_name(f'asc.{row.name}')}_{form}_{rest}"


def _call(row: Row, form: Form, rest: int) -> list[str]:
    """A call in one form with so many further operands: IRDL wants all of a variable number to have one type."""
    named = [(p.name, TYPE_OF_KIND.get(p.kind, ScalarType)) for p in form.parameters if _is_operand(p)]
    operands = [*named, *((f"rest{number}", ScalarType) for number in range(rest))]
    words = [p.name for p in form.parameters if p.kind != "rest" and not _is_operand(p)]
    lines = [f"  irdl.operation @{_call_name(row, row.forms.index(form), rest)} {{"]
    lines += [f"    %{name} = {_constraint(BaseAttr(kind))}" for name, kind in operands]
    lines.append(f"    irdl.operands({', '.join(f'{name}: %{name}' for name, _ in operands)})")
    if form.result:
        kind = TYPE_OF_KIND.get(form.result.split()[0], ScalarType)
        lines += [f"    %result = {_constraint(BaseAttr(kind))}", "    irdl.results(result: %result)"]
    lines += [f'    %{word} = irdl.base "#builtin.string"' for word in words]
    lines.append('    %form = irdl.base "#builtin.integer"')
    listed = [f'"{word}" = %{word}' for word in (*words, "form")]
    lines.append(f"    irdl.attributes {{{', '.join(listed)}}}")
    return [*lines, "  }"]


def _is_operand(parameter: Parameter) -> bool:
    return parameter.is_tensor or parameter.is_integer or parameter.kind == "number"


def _operation(operation: type[IRDLOperation]) -> list[str]:
    """An operation of `py`. Every constraint is a value of its own: IRDL takes one value for one and the same type."""
    definition = operation.get_irdl_definition()
    lines = [f"  irdl.operation @{_own_name(definition.name)} {{"]
    for word, group in (("operands", definition.operands), ("results", definition.results)):
        lines += [f"    %{name} = {_constraint(part.constr)}" for name, part in group]
        listed = [f"{name}: {'optional ' * isinstance(part, OptionalDef)}%{name}" for name, part in group]
        lines += [f"    irdl.{word}({', '.join(listed)})"] if listed else []
    if definition.attributes:
        lines += [f"    %{name} = {_constraint(part.constr)}" for name, part in definition.attributes.items()]
        listed = [f'"{name}" = %{name}' for name in definition.attributes]
        lines.append(f"    irdl.attributes {{{', '.join(listed)}}}")
    if definition.regions:
        lines += [f"    %{name} = irdl.region with size 1" for name, _ in definition.regions]
        lines.append(f"    irdl.regions({', '.join(f'{name}: %{name}' for name, _ in definition.regions)})")
    return [*lines, "  }"]


def _constraint(constraint: object) -> str:
    """What a type or an attribute must be: one class of ours, one of MLIR's, or anything."""
    while not isinstance(constraint, AttrConstraint):
        # The constraint of a range, within one or two others.
        constraint = getattr(constraint, "constr", None) or getattr(constraint, "constraint", None)
    bases = constraint.get_bases()
    if bases is None or len(bases) != 1:
        return "irdl.any"
    (base,) = bases
    if base in BUILTIN:
        return f'irdl.base "{BUILTIN[base]}"'
    return f"irdl.base @{base.name.partition('.')[0]}::@{_own_name(base.name)}"


def upstream_text(root: Operation) -> str:
    """A copy of the IR as a module that MLIR reads."""
    module = ModuleOp([root.clone()])
    for operation in module.walk():
        for name, attribute in operation.attributes.items():
            if isinstance(attribute, IntAttr):
                operation.attributes[name] = IntegerAttr(attribute.data, 64)
        if operation is not module:
            for region in operation.regions:
                for block in region.blocks:
                    block.add_op(UnregisteredOp.with_name("opwright.end").create())
    return re.sub(r'"asc\.([\w.]+)"\((.*?)\) {form = (\d+)', _renamed, str(module))


def _renamed(call: re.Match[str]) -> str:
    """A call under the name that it has in IRDL."""
    row, form = ROWS[call[1]], int(call[3])
    operands = len([operand for operand in call[2].split(",") if operand])
    rest = operands - sum(map(_is_operand, row.forms[form].parameters))
    return f'"asc.{_call_name(row, form, rest)}"({call[2]}) {{form = {form}'


def stages() -> dict[str, str]:
    """Kernel and stage -> its IR for MLIR."""
    spec = importlib.util.spec_from_file_location("kernels", KERNELS)
    assert spec and spec.loader
    kernels = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(kernels)
    texts: dict[str, str] = {}
    for name, (kernel, arguments, soc) in kernels.CASES.items():

        def watch(stage: str, root: Operation, name: str = name) -> None:
            texts[f"{name} {stage}"] = upstream_text(root)

        bound = kernel.binder.bind(arguments, {}, described=True)
        kernel.program(bound, soc, watch)
    return texts


def main() -> None:
    """Lets MLIR judge."""
    from torch_mlir import ir
    from torch_mlir.dialects.irdl import load_dialects

    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        load_dialects(ir.Module.parse(irdl()))
        for text, reason in WRONG.items():
            try:
                ir.Module.parse(text)
            except ir.MLIRError as error:
                assert reason in str(error), f"{text}\n{error}"
            else:
                raise AssertionError(f"MLIR takes what is wrong: {text}")
        texts = stages()
        for name, text in texts.items():
            try:
                assert ir.Module.parse(text).operation.verify()
            except (AssertionError, ir.MLIRError) as error:
                raise SystemExit(f"MLIR refuses {name}: {error}") from None
    print(f"MLIR verifies {len(texts)} stages of kernels and refuses {len(WRONG)} texts that are wrong")


if __name__ == "__main__":
    main()
