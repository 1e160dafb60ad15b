"""What one kind of core does, from operations on tiles to calls with addresses, flags and barriers.

In: the tile IR of a kernel for vector cores, or for cube cores. Out: `Written`; the kernel is changed in place to
operations of `py` and `asc`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from opwright.ir import SSAValue
from opwright.ir.language import FuncOp
from opwright.tile.compiler.buffers import Buffers
from opwright.tile.compiler.coalesce import coalesce
from opwright.tile.compiler.cube import select_cube
from opwright.tile.compiler.order import order
from opwright.tile.compiler.placement import Placement, place
from opwright.tile.compiler.schedule import Synchronisation
from opwright.tile.compiler.select import select
from opwright.tile.compiler.site import Site
from opwright.tile.compiler.sync import synchronised
from opwright.tile.compiler.tree import Tree
from opwright.tile.compiler.write import Writer, fill


@dataclass(frozen=True)
class Written:
    """The buffers of a kind of core, where they lie, and the flags between its pipes."""

    buffers: Buffers
    placement: Placement
    synchronisation: Synchronisation


def written(
    kernel: FuncOp,
    site: Site,
    is_cube: bool,
    full_rings: bool,
    answers: Sequence[tuple[SSAValue, SSAValue]] = (),
) -> Written:
    """Writes the calls of a kernel; `answers`: workspaces; when the second is read, stores to the first are over."""
    order(kernel)
    buffers = select_cube(kernel, site) if is_cube else select(kernel, site)
    coalesce(buffers)
    placement = place(buffers, site.soc.usable, full_rings)
    fill(buffers, placement)
    tree = Tree(buffers, placement)
    nodes = tree.nodes(buffers.kernel.body.block)
    synchronisation = synchronised(nodes, site.soc.name, tree.between_cores(answers))
    Writer(buffers, placement).write(synchronisation)
    return Written(buffers, placement, synchronisation)
