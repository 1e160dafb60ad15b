"""A matrix copied from global memory to where products read it: there is another call for that."""

import numpy as np

from opwright import asc


@asc.jit(kernel_type="cube")
def copies(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 256)
    left = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, 256)
    asc.data_copy(left, x_gm, 256)


copies[1](np.zeros(256, np.float16))
