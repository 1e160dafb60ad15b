"""Sums that go to L1 as they are."""

import numpy as np

from opwright import asc


@asc.jit(kernel_type="cube")
def moves(x: asc.GlobalAddress):
    sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 256)
    kept = asc.LocalTensor(asc.float32, asc.TPosition.A1, 0, 256)
    asc.fixpipe(kept, sums, asc.FixpipeParamsV220(16, 16, 16, 16), asc.FixpipeConfig.cfg_nz)


moves[1](np.zeros(256, np.float16))
