"""From a kernel with `tile.dot` and vector work to two: one for cube cores, one for each of two vector cores.

In: the tile IR of a kernel, whose counts are trimmed, and which operations are for cube cores. Out: `Separated`.
Refuses what `crossings.py`, `messages.py` and `sharing.py` refuse.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from opwright.ascendc.socs import A5
from opwright.ir import Operation, SSAValue
from opwright.ir.language import FuncOp
from opwright.kernel.program import Workspace
from opwright.tile.compiler.crossings import crossings_of, own_loads
from opwright.tile.compiler.messages import channels_of, round_trips
from opwright.tile.compiler.sharing import halve
from opwright.tile.compiler.site import Site
from opwright.tile.compiler.split import split
from opwright.tile.compiler.traces import Channel, traces_of


@dataclass(frozen=True)
class Separated:
    """Both kernels, and what goes between them, in the order of the workspaces behind their parameters."""

    cube: FuncOp
    vector: FuncOp
    channels: tuple[Channel, ...]
    round_trips: tuple[tuple[Channel, Channel], ...]

    def addresses(self, side: FuncOp) -> dict[Channel, SSAValue]:
        """The workspaces of one of both kernels."""
        arguments = side.body.block.args
        return dict(zip(self.channels, arguments[len(arguments) - len(self.channels) :], strict=True))

    @property
    def workspaces(self) -> tuple[Workspace, ...]:
        """The memory that a launch gives, for each group of cores."""
        return tuple(
            Workspace(one.crossing.name, one.crossing.dtype, one.slots * one.crossing.elements) for one in self.channels
        )


def separated(kernel: FuncOp, cube: Collection[Operation], site: Site) -> Separated:
    """Both kernels of one."""
    own = own_loads(kernel, cube)
    crossings = crossings_of(kernel, own, site.source)
    waits_stop_all = site.soc.name not in A5
    traces = traces_of(kernel, own, crossings)
    channels = channels_of(traces, crossings, waits_stop_all, site.source)
    answers = round_trips(traces, channels, waits_stop_all)
    of_cube, of_vector = split(kernel, own, channels)
    made = Separated(of_cube, of_vector, tuple(channels), tuple(answers))
    halve(of_vector, list(made.addresses(of_vector).values()), site)
    return made
