"""A product on cube cores and what follows it on vector cores: queues at every position, and a flag between them."""

import numpy as np
import pytest

from opwright import asc
from opwright.asc import TPosition
from opwright.errors import DeadlockError

M = N = K = 32  # of a turn
TURNS = 4
GROUPS = 3


@asc.jit(kernel_type="mix_1_2")
def product_and_relu(
    a: asc.GlobalAddress,
    b: asc.GlobalAddress,
    workspace: asc.GlobalAddress,
    c: asc.GlobalAddress,
    tells: asc.ConstExpr[bool],
):
    pipe = asc.TPipe()
    place = asc.get_block_idx()
    if asc.ascend_is_aic():
        a_gm = asc.GlobalTensor()
        b_gm = asc.GlobalTensor()
        sums_gm = asc.GlobalTensor()
        a_gm.set_global_buffer(a + place * M * K * TURNS)
        b_gm.set_global_buffer(b)
        sums_gm.set_global_buffer(workspace + place * M * N)
        a1 = asc.TQue(TPosition.A1, 2)
        b1 = asc.TQue(TPosition.B1, 2)
        a2 = asc.TQue(TPosition.A2, 2)
        b2 = asc.TQue(TPosition.B2, 2)
        co1 = asc.TQue(TPosition.CO1, 1)
        pipe.init_buffer(a1, 2, M * K * 2)
        pipe.init_buffer(b1, 2, K * N * 2)
        pipe.init_buffer(a2, 2, M * K * 2)
        pipe.init_buffer(b2, 2, K * N * 2)
        pipe.init_buffer(co1, 1, M * N * 4)
        sums = co1.alloc_tensor(asc.float32)
        for turn in range(TURNS):
            left = a1.alloc_tensor(asc.float16)
            asc.data_copy(left, a_gm[turn * K :], asc.Nd2NzParams(1, M, K, 0, K * TURNS, M, 1, 0))
            a1.enque(left)
            right = b1.alloc_tensor(asc.float16)
            asc.data_copy(right, b_gm[turn * K * N :], asc.Nd2NzParams(1, K, N, 0, N, K, 1, 0))
            b1.enque(right)
            left = a1.deque(asc.float16)
            left_rows = a2.alloc_tensor(asc.float16)
            for i in range(M // 16):
                asc.load_data(left_rows[i * 16 * K :], left[i * 256 :], asc.LoadData2DParams(0, K // 16, M // 16))
            a2.enque(left_rows)
            a1.free_tensor(left)
            right = b1.deque(asc.float16)
            right_rows = b2.alloc_tensor(asc.float16)
            for i in range(K // 16):
                turned = asc.LoadData2DParams(0, N // 16, K // 16, if_transpose=True)
                asc.load_data(right_rows[i * 16 * N :], right[i * 256 :], turned)
            b2.enque(right_rows)
            b1.free_tensor(right)
            left_rows = a2.deque(asc.float16)
            right_rows = b2.deque(asc.float16)
            asc.mmad(sums, left_rows, right_rows, asc.MmadParams(M, N, K, cmatrix_init_val=turn == 0))
            asc.pipe_barrier(asc.PipeID.PIPE_M)
            a2.free_tensor(left_rows)
            b2.free_tensor(right_rows)
        co1.enque(sums)
        sums = co1.deque(asc.float32)
        asc.fixpipe(sums_gm, sums, asc.FixpipeParamsV220(N, M, M, N))
        co1.free_tensor(sums)
        if tells:
            asc.cross_core_set_flag(3, 2, asc.PipeID.PIPE_FIX)
    else:
        half = M * N // 2
        part_gm = asc.GlobalTensor()
        c_gm = asc.GlobalTensor()
        part_gm.set_global_buffer(workspace + place * half)
        c_gm.set_global_buffer(c + place * half)
        vec_in = asc.TQue(TPosition.VECIN, 1)
        vec_out = asc.TQue(TPosition.VECOUT, 1)
        pipe.init_buffer(vec_in, 1, half * 4)
        pipe.init_buffer(vec_out, 1, half * 4)
        asc.cross_core_wait_flag(3, 2, asc.PipeID.PIPE_MTE2)
        x = vec_in.alloc_tensor(asc.float32)
        asc.data_copy(x, part_gm, half)
        vec_in.enque(x)
        x = vec_in.deque(asc.float32)
        y = vec_out.alloc_tensor(asc.float32)
        asc.relu(y, x, half)
        vec_out.enque(y)
        vec_in.free_tensor(x)
        y = vec_out.deque(asc.float32)
        asc.data_copy(c_gm, y, half)
        vec_out.free_tensor(y)


def arguments() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    a = random.integers(-4, 5, (GROUPS * M, K * TURNS)).astype(np.float16)
    b = random.integers(-4, 5, (K * TURNS, N)).astype(np.float16)
    workspace, c = (np.full((GROUPS * M, N), np.nan, np.float32) for _ in range(2))
    return a, b, workspace, c


def wanted(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.maximum(a.astype(np.float64) @ b.astype(np.float64), 0)


def test_results_in_every_order() -> None:
    a, b, workspace, c = arguments()
    product_and_relu[GROUPS](a, b, workspace, c, True)
    np.testing.assert_array_equal(c, wanted(a, b))
    a, b, workspace, c = arguments()
    product_and_relu.check(perturb=8)[GROUPS](a, b, workspace, c, True)
    np.testing.assert_array_equal(c, wanted(a, b))
    assert len(product_and_relu.check.report()) == 0


def test_a_partner_that_never_tells() -> None:
    with pytest.raises(DeadlockError, match=r"AIV 0 at line \d+ for flag 3 \(mode 2\): AIC 0 never set it"):
        product_and_relu[GROUPS](*arguments(), False)
