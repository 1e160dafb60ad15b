"""The square root of a number of the run."""

import numpy as np

from opwright import asc


@asc.jit
def scale(x: asc.GlobalAddress, variance: float):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    x_local = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 64)
    asc.muls(x_local, x_local, 1.0 / np.sqrt(variance), 64)


scale[1](np.zeros(64, np.float32), 2.0)
