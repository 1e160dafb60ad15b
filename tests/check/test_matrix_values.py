"""What the matrix unit reads although nothing has put it there."""

import numpy as np
import pytest

from opwright import asc
from opwright.asc import HardEvent, TPosition
from opwright.errors import UninitialisedRead


@asc.jit(kernel_type="cube")
def sparse(x: asc.GlobalAddress, indices: asc.GlobalAddress, loaded: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    l1 = asc.LocalTensor(asc.int8, TPosition.A1, 0, 2048)
    index_gm = asc.GlobalTensor()
    index_gm.set_global_buffer(indices)
    index = asc.LocalTensor(asc.uint8, TPosition.B1, 4096, 512)
    left = asc.LocalTensor(asc.int8, TPosition.A2, 0, 1024)
    right = asc.LocalTensor(asc.int8, TPosition.B2, 0, 1024)
    sums = asc.LocalTensor(asc.int32, TPosition.CO1, 0, 256)
    asc.data_copy(l1, x_gm, 2048)
    asc.data_copy(index, index_gm, 512)
    asc.set_flag(HardEvent.MTE2_MTE1, 0)
    asc.wait_flag(HardEvent.MTE2_MTE1, 0)
    asc.load_data(left, l1, asc.LoadData2DParams(0, 2, 1))
    asc.load_data(right, l1, asc.LoadData2DParams(0, 2, 1))
    if loaded:
        asc.pipe_barrier(asc.PipeID.PIPE_MTE1)
        asc.load_data_with_sparse(right, l1, index, asc.LoadData2DParams(0, loaded))
    asc.set_flag(HardEvent.MTE1_M, 0)
    asc.wait_flag(HardEvent.MTE1_M, 0)
    asc.mmad_with_sparse(sums, left, right, asc.MmadParams(16, 16, 64))


def test_indices_of_a_sparse_product() -> None:
    x, indices = np.zeros(2048, np.int8), np.zeros(512, np.uint8)
    sparse.check[1](x, indices, 1)
    assert not sparse.check.report().findings
    with pytest.raises(UninitialisedRead, match="the indices of filter are read here, but nothing has loaded them"):
        sparse.check[1](x, indices, 0)
