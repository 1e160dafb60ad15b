"""The smallest proof that an installation works, without torch. Runs under pytest or by itself."""

import numpy as np

from opwright import asc


@asc.jit
def add_one(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, n)
    buf = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, n)
    asc.data_copy(buf, x_gm, n)
    asc.set_flag(asc.HardEvent.MTE2_V, 0)
    asc.wait_flag(asc.HardEvent.MTE2_V, 0)
    asc.adds(buf, buf, 1.0, n)
    asc.set_flag(asc.HardEvent.V_MTE3, 0)
    asc.wait_flag(asc.HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm, buf, n)


def test_runs_on_the_twin():
    for dtype in (np.float32, np.float16):
        x = np.arange(256, dtype=dtype)
        z = np.zeros_like(x)
        add_one[1](x, z, x.size)
        np.testing.assert_array_equal(z, x + dtype(1))


def test_emits_ascend_c():
    x = np.zeros(256, np.float32)
    text = add_one.emit(x, np.zeros_like(x), x.size, soc="ascend910b")
    for word in ("kernel_operator.h", "add_one", "x_gm", "DataCopy", "Adds"):
        assert word in text


if __name__ == "__main__":
    test_runs_on_the_twin()
    test_emits_ascend_c()
