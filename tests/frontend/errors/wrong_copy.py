"""A copy between tensors that no form copies between."""

import numpy as np

from opwright import asc


@asc.jit
def copies(x: asc.GlobalAddress, y: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    y_gm.set_global_buffer(y, 64)
    asc.data_copy(y_gm, x_gm, 64)


copies[1](np.zeros(64, np.float32), np.zeros(64, np.float32))
