"""An element type that the SoC does not have for a call."""

import numpy as np

from opwright import asc


@asc.jit(soc="ascend910b")
def total(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    x_local = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(x_local, x_gm, 64)
    asc.add(x_local, x_local, x_local, 64)


total[1](np.zeros(64, np.uint8))
