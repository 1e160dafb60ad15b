"""Sums of float32 that leave L0C as float16, without the mode that converts them."""

import numpy as np

from opwright import asc


@asc.jit(kernel_type="cube")
def writes(z: asc.GlobalAddress):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 256)
    sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 256)
    asc.fixpipe(z_gm, sums, asc.FixpipeParamsV220(16, 16, 16, 16))


writes[1](np.zeros(256, np.float16))
