"""An event id that no chip has."""

from opwright import asc


@asc.jit
def flags():
    asc.set_flag(asc.HardEvent.MTE2_V, 99)
    asc.wait_flag(asc.HardEvent.MTE2_V, 99)


flags[1]()
