"""What products of the matrix unit and copies of their results refuse: numbers of the run, and constants."""

import numpy as np
import pytest

from opwright import asc
from opwright.errors import RuleBroken, RuleError


@asc.jit(kernel_type="cube", opt_level=0)
def refused(z: asc.GlobalAddress, which: int, n: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 1024)
    totals = asc.LocalTensor(asc.int32, asc.TPosition.CO1, 0, 256)
    bytes_ = asc.LocalTensor(asc.int8, asc.TPosition.A1, 0, 1024)
    left = asc.LocalTensor(asc.float16, asc.TPosition.A2, 0, 256)
    right = asc.LocalTensor(asc.float16, asc.TPosition.B2, 0, 256)
    small_left = asc.LocalTensor(asc.int8, asc.TPosition.A2, 0, 1024)
    small_right = asc.LocalTensor(asc.int8, asc.TPosition.B2, 0, 512)
    if which == 0:
        asc.mmad(sums, left, right, asc.MmadParams(16, 16, 16, n, False, True))
    elif which == 1:
        asc.fixpipe(z_gm, sums, asc.FixpipeParamsV220(16, 16, 16, 16, unit_flag=n))
    elif which == 2:
        params = asc.FixpipeParamsV220(16, 16, 16, 32, unit_flag=n, is_channel_split=True)
        asc.fixpipe(z_gm, sums, params, asc.FixpipeConfig.cfg_nz)
    elif which == 3:
        params = asc.FixpipeParamsV220(16, 16, 16, 32, asc.QuantModes.QF322B8_PRE, n)
        asc.fixpipe(bytes_, sums, params, asc.FixpipeConfig.cfg_nz)
    elif which == 4:
        asc.set_fix_pipe_pre_quant_flag(n)
    elif which == 5:
        asc.set_fixpipe_nz2nd_flag(2, n, 1)
    elif which == 6:
        asc.set_fixpipe_nz2nd_flag(2, 1, n)
    elif which == 7:
        asc.mmad_with_sparse(totals, small_left, small_right, asc.MmadParams(16, 16, 32, 0, n != 0, False))
    elif which == 8:
        asc.mmad_with_sparse(totals, small_left, small_right, asc.MmadParams(16, 16, 32, n, False, True))


SCALE = "must be a finite float32"
UNIT = "must be 0, 2 or 3"
STRIDES = "src_nd_stride of several matrices must lie between 1 and 512, and dst_nd_stride between 1 and 65535"


@pytest.mark.parametrize(
    ("which", "right", "wrong", "words"),
    [
        (0, 0, 1, f"unit_flag of params {UNIT}"),
        (1, 0, 1, f"unit_flag of params {UNIT}"),
        (1, 0, 4, f"unit_flag of params {UNIT}"),
        (2, 0, 3, "on the way to global memory, without unit_flag"),
        (3, 0x3F800000, 0x7F800000, f"deq_scalar of params {SCALE}"),
        (3, 0, 0x7FC00000, f"deq_scalar of params {SCALE}"),
        (3, 0x00800000, 0x00400000, f"deq_scalar of params {SCALE}"),
        (4, 0xBF800000, 0xFF800000, f"config {SCALE}"),
        (5, 512, 513, STRIDES),
        (5, 1, 0, STRIDES),
        (6, 65535, 65536, STRIDES),
        (7, 0, 1, "a sparse product takes no bias"),
        (8, 0, 1, f"unit_flag of mmad_params {UNIT}"),
    ],
)
def test_numbers_of_the_run(which: int, right: int, wrong: int, words: str) -> None:
    z = np.zeros(8192, np.float32)
    refused[1](z, which, right)
    with pytest.raises(RuleError, match=words):
        refused[1](z, which, wrong)


@asc.jit(kernel_type="cube", soc="ascend950", opt_level=0)
def split_on_950(z: asc.GlobalAddress, which: asc.ConstExpr[int], to_l1: asc.ConstExpr[bool]):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 1024)
    target = asc.LocalTensor(asc.float32, asc.TPosition.A1, 0, 1024) if to_l1 else z_gm
    if which == 0:
        params = asc.FixpipeParamsV220(16, 16, 16, 256, is_channel_split=True)
        asc.fixpipe(target, sums, params, asc.FixpipeConfig.cfg_nz)
    elif which == 1:
        split = asc.FixpipeParamsArch3510(asc.CO2Layout.NZ, 16, 16, 16, 256, is_channel_split=True)
        asc.fixpipe(target, sums, split, asc.FixpipeConfig.cfg_nz)
    elif which == 2:
        asc.data_copy(target, sums, asc.DataCopyCO12DstParams(16, 16, 256, 16, channel_split=True))


@pytest.mark.parametrize("which", range(3))
def test_channels_are_split_on_the_way_to_global_memory(which: int) -> None:
    z = np.zeros(8192, np.float32)
    split_on_950[1](z, which, False)
    with pytest.raises(RuleBroken, match="channels are split of float32"):
        split_on_950.emit(z, which, True)


@asc.jit(kernel_type="cube", soc="ascend950", opt_level=0)
def refused_on_950(z: asc.GlobalAddress, which: int, n: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 1024)
    asc.set_fixpipe_nz2nd_flag(2, 513, 65536)
    if which == 0:
        columns = asc.FixpipeParamsArch3510(asc.CO2Layout.COLUMN_MAJOR, 16, n, 16, 64, 1)
        asc.fixpipe(z_gm, sums, columns, asc.FixpipeConfig.cfg_column_major)
    elif which == 1:
        rows = asc.FixpipeParamsArch3510(asc.CO2Layout.ROW_MAJOR, 16, 16, 16, 16, unit_flag=n)
        asc.fixpipe(z_gm, sums, rows)
    elif which == 2:
        fractals = asc.FixpipeParamsArch3510(asc.CO2Layout.NZ, n, 16, 16, 256)
        asc.fixpipe(z_gm, sums, fractals, asc.FixpipeConfig.cfg_nz)


@pytest.mark.parametrize(
    ("which", "right", "wrong", "words"),
    [
        (0, 32, 32768, "as columns m_size of params must lie between 0 and 32767"),
        (1, 0, 1, f"unit_flag of params {UNIT}"),
        (2, 16, 8, "n_size of params must be a multiple of 16"),
    ],
)
def test_numbers_of_the_run_on_950(which: int, right: int, wrong: int, words: str) -> None:
    z = np.zeros(8192, np.float32)
    refused_on_950[1](z, which, right)
    with pytest.raises(RuleError, match=words):
        refused_on_950[1](z, which, wrong)


@asc.jit(kernel_type="cube", soc="ascend950", opt_level=0)
def fractals_of_matrices(z: asc.GlobalAddress, field: asc.ConstExpr[int], n: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 1024)
    params = asc.FixpipeParamsArch3510(asc.CO2Layout.NZ, 16, 16, 16, 256, nd_num=1, src_nd_stride=0, dst_nd_stride=0)
    if field == 1:
        params = asc.FixpipeParamsArch3510(asc.CO2Layout.NZ, 16, 16, 16, 256, nd_num=2)
    elif field == 2:
        params = asc.FixpipeParamsArch3510(asc.CO2Layout.NZ, 16, 16, 16, 256, src_nd_stride=n)
    elif field == 3:
        params = asc.FixpipeParamsArch3510(asc.CO2Layout.NZ, 16, 16, 16, 256, dst_nd_stride=256)
    asc.fixpipe(z_gm, sums, params, asc.FixpipeConfig.cfg_nz)


def test_fractals_are_of_one_matrix() -> None:
    z = np.zeros(8192, np.float32)
    fractals_of_matrices[1](z, 0, 0)
    for field, name in enumerate(("nd_num", "src_nd_stride", "dst_nd_stride"), 1):
        with pytest.raises(RuleBroken, match=f"{name} is only for layout ROW_MAJOR, got NZ"):
            fractals_of_matrices.emit(z, field, 0)


def test_a_reserved_unit_flag() -> None:
    @asc.jit(kernel_type="cube")
    def multiply(z: asc.GlobalAddress):
        asc.MmadParams(16, 16, 16, 1, False, True)

    with pytest.raises(RuleBroken, match="unit_flag must be one of 0, 2, 3, got 1"):
        multiply.emit(np.zeros(16, np.float32))


@asc.jit(kernel_type="mix_1_2", soc="ascend950", opt_level=0)
def split_to_ub(z: asc.GlobalAddress):
    if asc.ascend_is_aic():
        ub = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 1024)
        sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 1024)
        params = asc.FixpipeParamsArch3510(asc.CO2Layout.NZ, 16, 16, 16, 256, is_channel_split=True)
        asc.fixpipe(ub, sums, params, asc.FixpipeConfig.cfg_nz_ub)


def test_channels_are_not_split_on_the_way_to_ub() -> None:
    with pytest.raises(RuleBroken, match="on the way to global memory"):
        split_to_ub.emit(np.zeros(16, np.float32))


@asc.jit(kernel_type="cube", soc="ascend950")
def laid_out(z: asc.GlobalAddress, layout: asc.ConstExpr, config: asc.ConstExpr, n: asc.ConstExpr[int]):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    sums = asc.LocalTensor(asc.float32, asc.TPosition.CO1, 0, 1024)
    asc.fixpipe(z_gm, sums, asc.FixpipeParamsArch3510(layout, n, 16, 16, 256), config)


def test_constants_are_refused_before_the_run() -> None:
    z = np.zeros(8192, np.float32)
    rows, fractals = asc.CO2Layout.ROW_MAJOR, asc.CO2Layout.NZ
    laid_out.emit(z, rows, asc.FixpipeConfig.cfg_row_major, 8)
    laid_out.emit(z, fractals, asc.FixpipeConfig.cfg_nz, 16)
    with pytest.raises(RuleBroken, match="config must have the layout of params, got ROW_MAJOR"):
        laid_out.emit(z, rows, asc.FixpipeConfig.cfg_nz, 16)
    with pytest.raises(RuleBroken, match="config must have the layout of params, got NZ"):
        laid_out.emit(z, fractals, asc.FixpipeConfig.cfg_row_major, 16)
    with pytest.raises(RuleBroken, match="n_size of params must be a multiple of 16"):
        laid_out.emit(z, fractals, asc.FixpipeConfig.cfg_nz, 8)
