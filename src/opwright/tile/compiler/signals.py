"""Messages between cores as calls.

In: a message. Out: a call that sets a flag of the cores of the other kind in the group, or waits for one.
"""

from __future__ import annotations

from opwright.ascendc.enums import PipeID
from opwright.ir.tile_cores import SET, MessageOp
from opwright.tile.compiler.copies import Copies

GROUP = 2  # the mode of flags between a cube core and both of its vector cores


def signal(operation: MessageOp, copies: Copies) -> None:
    """Adds the call. Accesses of the workspace need no other order."""
    site = copies.site
    copies.buffers.messaged[copies.tensor(operation.address)] = operation.address
    flag = operation.flag.data
    wanted = flag if operation.slot is None else site.plus(flag, operation.slot)
    call = "cross_core_set_flag" if operation.verb.data == SET else "cross_core_wait_flag"
    site.call(call, wanted, GROUP, PipeID[f"PIPE_{operation.pipe.data}"])
