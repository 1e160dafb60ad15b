"""4 MB in a memory of 184 KB."""

from opwright import asc

TILE = 1 << 20


@asc.jit(soc="ascend910b")
def fills():
    x_local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, TILE)
    asc.duplicate(x_local, 0.0, TILE)


fills[1]()
