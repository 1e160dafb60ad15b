"""What the matrix unit reads although nothing has put it there."""

from inspect import getsourcelines

import numpy as np
import pytest

from opwright import asc
from opwright.asc import HardEvent, TPosition
from opwright.errors import UninitialisedRead
from opwright.runtime.jit import JitFunction


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


def rows(
    x: asc.GlobalAddress,
    y: asc.GlobalAddress,
    stride: int,
    a_rows: int,
    b_rows: int,
    biases: int,
    m: int,
    n: int,
    k: int,
):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    bias_gm = asc.GlobalTensor()
    bias_gm.set_global_buffer(y)
    a_l1 = asc.LocalTensor(asc.float16, TPosition.A1, 0, 1024)
    b_l1 = asc.LocalTensor(asc.float16, TPosition.B1, 4096, 1024)
    bias_l1 = asc.LocalTensor(asc.float32, TPosition.A1, 8192, 32)
    left = asc.LocalTensor(asc.float16, TPosition.A2, 0, 1024)
    right = asc.LocalTensor(asc.float16, TPosition.B2, 0, 1024)
    bias = asc.LocalTensor(asc.float32, TPosition.C2, 0, 32)
    sums = asc.LocalTensor(asc.float32, TPosition.CO1, 0, 1024)
    asc.data_copy(a_l1, x_gm, asc.Nd2NzParams(1, a_rows, 32, 0, 32, 32, 1, 0))
    asc.data_copy(b_l1, x_gm, asc.Nd2NzParams(1, b_rows, 32, 0, 32, 32, 1, 0))
    asc.data_copy(bias_l1, bias_gm, biases)
    asc.set_flag(HardEvent.MTE2_MTE1, 0)
    asc.wait_flag(HardEvent.MTE2_MTE1, 0)
    for i in range(2):
        asc.load_data(left[512 * i :], a_l1[512 // stride * i :], asc.LoadData2DParams(0, 2, stride))
    for i in range(2):
        asc.load_data(right[512 * i :], b_l1[256 * i :], asc.LoadData2DParams(0, 2, 2, 0, 0, True))
    asc.data_copy(bias, bias_l1, 32)
    asc.set_flag(HardEvent.MTE1_M, 0)
    asc.wait_flag(HardEvent.MTE1_M, 0)
    asc.mmad(sums, left, right, bias, asc.MmadParams(m, n, k, cmatrix_init_val=False))


def line_of(text: str) -> int:
    """The line of the kernel above that has a text."""
    lines, first = getsourcelines(rows)
    return first + next(i for i, line in enumerate(lines) if text in line)


ROWS_910B = asc.jit(rows, kernel_type="cube", soc="ascend910b")
ROWS_950 = asc.jit(rows, kernel_type="cube", soc="ascend950")


@pytest.mark.parametrize("kernel", [ROWS_910B, ROWS_950], ids=["ascend910b", "ascend950"])
def test_rows_of_fractals_that_nothing_wrote(kernel: JitFunction) -> None:
    """A load takes them along, and a product tells them if they count."""
    x, y = np.zeros(2048, np.float16), np.zeros(32, np.float32)
    stride = 1 if kernel is ROWS_950 else 2
    for sides in (32, 32, 32, 32, 32, 32), (19, 32, 32, 19, 32, 32), (32, 19, 32, 32, 17, 19), (18, 17, 16, 17, 16, 17):
        kernel.check[1](x, y, stride, *sides)
        assert not kernel.check.report().findings, sides
    for sides, words, load, byte, copy in (
        ((19, 32, 32, 20, 32, 32), "fm", "load_data(left", 19 * 32, "(a_l1, x_gm"),
        ((32, 18, 32, 32, 32, 19), "filter", "load_data(right", 4096 + 18 * 32, "(b_l1, x_gm"),
        ((32, 32, 24, 32, 25, 32), "bias", "(bias, bias_l1", 8192 + 96, "(bias_l1, bias_gm"),
    ):
        with pytest.raises(UninitialisedRead) as caught:
            kernel.check[1](x, y, stride, *sides)
        told, copied = str(caught.value), line_of(copy)
        assert f"of {words} counts here, but nothing has written it: line {line_of(load)} loaded it" in told
        assert f"from byte {byte} of L1, where line {copied} wrote bytes" in told
        assert f"hint: let line {copied} write it" in told
