"""Kernels written as PyAsc's are, run against NumPy: queues, buffers of a pipe, and options of `@asc.jit`."""

import warnings

import numpy as np
import pytest
from pyasc_kernels import SETTINGS, X, store

import opwright.asc.runtime.config as config
from opwright import asc, errors
from opwright.asc.language import adv


@asc.jit
def advanced_part_by_module(x: asc.GlobalAddress, y: asc.GlobalAddress, r: float):
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, 512)
    a = buffer.get(asc.float32)
    b = a[64:]
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    asc.data_copy(a, x_gm, 64)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.muls(a, a, r / 64, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    adv.tanh(b, a, 64)
    store(y, b)


@asc.jit
def queues(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y)
    pipe = asc.TPipe()
    came = asc.TQue(asc.TPosition.VECIN, 1)
    gone = asc.TQue(asc.TPosition.VECOUT, 1)
    pipe.init_buffer(came, 1, 256)
    pipe.init_buffer(gone, 1, 256)
    a = came.alloc_tensor(asc.float32)
    asc.data_copy(a, x_gm, 64)
    came.enque(a)
    b = came.deque(asc.float32)
    c = gone.alloc_tensor(asc.float32)
    asc.adds(c, b, asc.float32(n), 64)
    gone.enque(c)
    came.free_tensor(b)
    d = gone.deque(asc.float32)
    asc.data_copy(y_gm, d, 64)
    gone.free_tensor(d)


@asc.jit
def by_pipe(x: asc.GlobalAddress, y: asc.GlobalAddress, which: int, n: int, r: float):
    if which == 0:
        advanced_part_by_module(x, y, r)
    else:
        queues(x, y, n)


@pytest.mark.parametrize(("n", "r"), SETTINGS)
def test_kernels_with_a_pipe(n: int, r: float) -> None:
    for which, wanted in enumerate([np.tanh(X[:64].astype(float) * r / 64), X[:64] + n]):
        y = np.full(64, np.nan, np.float32)
        by_pipe[1](X, y, which, n, r)
        np.testing.assert_allclose(y, wanted, rtol=1e-6, err_msg=str(which))


def doubled(x: asc.GlobalAddress, y: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(a, x_gm, 64)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.muls(a, a, 2.0, 64)
    store(y, a)


@pytest.mark.parametrize(
    "options",
    [{"always_compile": True}, {"debug": True}, {"kernel_type": config.KernelType.AIV_ONLY}],
    ids=lambda options: next(iter(options)),
)
def test_options(options: dict[str, object]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", errors.OptionIgnored)
        kernel = asc.jit(**options)(doubled)
    y = np.full(64, np.nan, np.float32)
    kernel[1](X, y)
    assert np.array_equal(y, X[:64] * 2)


@asc.jit(matmul_cube_only=True)
def through_l1(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    """On a cube core, which a vector core's kernel could not do: the L1 buffer belongs to it."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y)
    a = asc.LocalTensor(asc.float32, asc.TPosition.A1, 0, 64)
    asc.data_copy(a, x_gm[n * 8 :], 64)
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(y_gm, a, 64)


def test_cube_only() -> None:
    y = np.full(64, np.nan, np.float32)
    through_l1[1](X, y, 3)
    assert np.array_equal(y, X[24:88])
