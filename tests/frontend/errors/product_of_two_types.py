"""A product of float16 and bfloat16."""

import numpy as np

from opwright import asc


@asc.jit(kernel_type="cube")
def multiplies(x: asc.GlobalAddress):
    sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 256)
    left = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, 256)
    right = asc.LocalTensor(asc.bfloat16, asc.TPosition.B2, 0, 256)
    asc.mmad(sums, left, right, asc.MmadParams(16, 16, 16))


multiplies[1](np.zeros(256, np.float16))
