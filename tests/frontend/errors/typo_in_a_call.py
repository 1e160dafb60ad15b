"""A misspelt call of Ascend C."""

from opwright import asc


@asc.jit
def adds():
    x_local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.ad(x_local, x_local, x_local, 64)


adds[1]()
