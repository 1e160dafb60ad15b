"""Cube and vector cores of one kernel: what each of them does, in the arms of one branch.

In: a kernel over tiles with products and vector work. Out: `Mixed`; the kernel of the module is the joined one, with
a workspace behind its parameters for each value that crosses. A group is a cube core and its two vector cores: it
shares the iterations of `tile.parallel` with the others, and has its own part of each workspace.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from opwright.ascendc.kernel_types import AIC, AIV
from opwright.ascendc.socs import Soc
from opwright.ir import Block, Operation, SSAValue
from opwright.ir.language import BinaryOp, FuncOp, IfOp
from opwright.ir.names import set_name
from opwright.ir.rewriting import erase, move_before
from opwright.ir.types import unquoted
from opwright.kernel.source import Source
from opwright.tile.compiler.calls import Written, written
from opwright.tile.compiler.separate import Separated, separated
from opwright.tile.compiler.site import Site

MIXED = "mix_1_2"


@dataclass(frozen=True)
class Mixed:
    """What each kind of core does, and what goes between them."""

    cube: Written
    vector: Written
    parts: Separated


def mixed(kernel: FuncOp, cube: Collection[Operation], source: Source, soc: Soc, full_rings: bool) -> Mixed:
    """Puts the joined kernel in the place of a kernel."""
    parts = separated(kernel, cube, Site(source, soc, MIXED, (AIV,)))
    of_cube = written(parts.cube, Site(source, soc, MIXED, (AIC,)), True, full_rings, _answers(parts, True))
    of_vector = written(parts.vector, Site(source, soc, MIXED, (AIV,)), False, full_rings, _answers(parts, False))
    move_before(kernel, _joined(parts, Site(source, soc, MIXED)))
    erase(kernel)
    return Mixed(of_cube, of_vector, parts)


def _answers(parts: Separated, is_cube: bool) -> list[tuple[SSAValue, SSAValue]]:
    """Workspaces of one kind of core: what it sends, and what it receives that says that this is over."""
    own = parts.addresses(parts.cube if is_cube else parts.vector)
    return [(own[sent], own[got]) for sent, got in parts.round_trips if sent.crossing.from_cube == is_cube]


def _joined(parts: Separated, site: Site) -> FuncOp:
    """One kernel of two."""
    like = parts.cube
    kinds = [argument.type for argument in like.body.block.args]
    names = [unquoted(name) for name in like.parameters.data]
    made = FuncOp(unquoted(like.sym_name), list(zip(names, kinds, strict=True)))
    site.move_into(made.body.block)
    group = site.add(BinaryOp("floordiv", site.value("get_block_idx"), site.value("get_task_ratio"))).results[0]
    set_name(group, "group")
    arguments: list[SSAValue] = list(made.body.block.args)
    for number, one in enumerate(parts.workspaces, len(arguments) - len(parts.workspaces)):
        begin = site.add(BinaryOp("mul", group, site.constant(one.elements))).results[0]
        arguments[number] = site.value("GlobalAddress.__add__", arguments[number], begin)
        set_name(arguments[number], one.name.removesuffix("_workspace") + "_of_group")
    arms = [_arm(side, arguments, group) for side in (parts.cube, parts.vector)]
    site.add(IfOp(site.value("ascend_is_aic"), *arms))
    return made


def _arm(side: FuncOp, arguments: list[SSAValue], group: SSAValue) -> Block:
    """The body of a kernel with the parameters of another one."""
    block = side.body.detach_block(side.body.block)
    for old, new in zip(list(block.args), arguments, strict=True):
        old.replace_all_uses_with(new)
        block.erase_arg(old)
    for operation in list(block.walk()):
        if operation.name == "asc.get_block_idx":
            operation.results[0].replace_all_uses_with(group)
            erase(operation)
    return block
