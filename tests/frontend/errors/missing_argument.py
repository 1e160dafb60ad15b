"""A call without its count."""

from opwright import asc


@asc.jit
def adds():
    x_local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.add(x_local, x_local, x_local)


adds[1]()
