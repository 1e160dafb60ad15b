"""Kernels on cube cores: tensors in the memories of the matrix unit, and calls that look where their tensors lie."""

import numpy as np
import pytest

from opwright import asc
from opwright.errors import GridOutOfRange, NoForm, OutOfRange, RuleError

CORES = 3


@asc.jit(kernel_type="cube")
def through_l1(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + asc.get_block_idx() * n, n)
    z_gm.set_global_buffer(z + asc.get_block_idx() * n, n)
    tile = asc.LocalTensor(x.dtype, asc.TPosition.A1, 64, 1024)
    asc.data_copy(tile, x_gm, asc.DataCopyParams(2, 8, 0, 1))
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(z_gm, tile, asc.DataCopyParams(2, 8, 1, 0))


@asc.jit(kernel_type="cube")
def ways_to_a_tensor(z: asc.GlobalAddress):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 16)
    allocator = asc.LocalMemAllocator(asc.Hardware.L1)
    first = allocator.alloc(asc.TPosition.A1, z.dtype, 8)
    second = allocator.alloc(asc.TPosition.B1, z.dtype, 8)
    third = asc.LocalTensor(z.dtype, asc.TPosition.A2, 1024)
    z_gm.set_value(0, first.get_phy_addr())
    z_gm.set_value(1, second.get_phy_addr())
    z_gm.set_value(2, third.get_size())
    z_gm.set_value(3, asc.get_block_num())
    z_gm.set_value(4, int(asc.ascend_is_aic()) + 2 * int(asc.ascend_is_aiv()))
    table = asc.LocalTensor(z.dtype, asc.TPosition.C2PIPE2GM)
    z_gm.set_value(5, table.get_size())


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.float32], ids=str)
def test_there_and_back(dtype: type) -> None:
    count = 512 // np.dtype(dtype).itemsize
    x = np.arange(CORES * count).astype(dtype)
    z = np.full(CORES * count, 77, dtype)
    through_l1[CORES](x, z, count)
    np.testing.assert_array_equal(z, x)
    z[:] = 77
    through_l1.check[CORES](x, z, count)
    np.testing.assert_array_equal(z, x)


def test_other_ways_to_a_tensor() -> None:
    z = np.full(16, -1, np.int32)
    ways_to_a_tensor[1](z)
    assert z[:6].tolist() == [0, 32, 64512 // 4, 1, 1, 2048 // 4]


@asc.jit(kernel_type="cube")
def in_another_memory(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    asc.data_copy(asc.LocalTensor(x.dtype, asc.TPosition.A1, 0, 64), x_gm, asc.DataCopyParams(1, 1, 0, 0))
    asc.inline(
        "AscendC::LocalTensor<float> tile(AscendC::TPosition::A2, 0, 64);\n"
        "AscendC::DataCopy(tile, x_gm, AscendC::DataCopyParams(1, 1, 0, 0));"
    )


@asc.jit(kernel_type="cube")
def in_l0a(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    asc.data_copy(asc.LocalTensor(x.dtype, asc.TPosition.A2, 0, 64), x_gm, 64)


@asc.jit(kernel_type="mix_1_0")
def in_ub(x: asc.GlobalAddress):
    asc.inline("AscendC::LocalTensor<float> tile(AscendC::TPosition::VECIN, 0, 64);")


def test_a_tensor_in_a_memory_that_no_form_takes() -> None:
    with pytest.raises(NoForm, match="it has no path from GM to L0A, only from GM to UB or L1"):
        in_l0a[1](np.zeros(64, np.float32))
    with pytest.raises(RuleError, match=r"lies in L0A, where .* does not take it") as caught:
        in_another_memory[1](np.zeros(64, np.float32))
    assert "it may lie in L1: choose another position" in str(caught.value)


def test_a_memory_that_the_core_does_not_have() -> None:
    with pytest.raises(OutOfRange, match="UB belongs to an AIV, and this code runs on an AIC") as caught:
        in_ub[1](np.zeros(64, np.float32))
    assert "if asc.ascend_is_aiv():" in str(caught.value)


@pytest.mark.parametrize("cores", [0, 65536])
def test_grid(cores: int) -> None:
    x = np.zeros(64, np.float32)
    with pytest.raises(GridOutOfRange, match="ascend910b has 24 cube cores"):
        through_l1[cores](x, x.copy(), 64)
