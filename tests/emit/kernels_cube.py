"""Kernels of the golden texts: copies, loads, products and results of the matrix unit."""

from golden_case import case

from opwright import asc
from opwright.asc import CO2Layout, FixpipeConfig, QuantModes, TPosition


@case("f16[4096]", "f32[1024]", "u64[64]", 3)
@asc.jit(kernel_type="cube")
def matrix_copies(x: asc.GlobalAddress, y: asc.GlobalAddress, w: asc.GlobalAddress, n: int):
    """Into L1 and its tables, and back."""
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    w_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    y_gm.set_global_buffer(y)
    w_gm.set_global_buffer(w)
    a = asc.LocalTensor(x.dtype, TPosition.A1, 0, 1024)
    b = asc.LocalTensor(y.dtype, TPosition.B1, 4096, 256)
    c = asc.LocalTensor(w.dtype, TPosition.C1, 8192, 64)
    bias = asc.LocalTensor(y.dtype, TPosition.C2, 0, 64)
    scales = asc.LocalTensor(w.dtype, TPosition.C2PIPE2GM, 0, 64)
    asc.data_copy(a, x_gm, asc.Nd2NzParams(1, 16, 32, 0, 32, 16, 1, 0))
    asc.data_copy(a, x_gm, 512)
    asc.data_copy(x_gm, a, 512)
    asc.data_copy(b, y_gm, 64)
    asc.data_copy(c, w_gm, 64)
    asc.data_copy(bias, b, 64)
    asc.data_copy(bias, b, asc.DataCopyParams(1, n, 0, 0))
    asc.data_copy(bias, a, asc.DataCopyParams(1, 1, 0, 0))
    asc.data_copy(scales, c, 16)
    asc.data_copy(scales, c, asc.DataCopyParams(1, n, 0, 0))
    asc.init_const_value(a, asc.InitConstValueParams(2, n, 4, 1.5))
    asc.init_const_value(
        asc.LocalTensor(y.dtype, TPosition.A2, 0, 256), asc.InitConstValueParams(1, 4, 0, 2.5, asc.float32)
    )


@case("f16[4096]", "f16[1024]")
@asc.jit
def fractals_to_rows(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """Rows of a matrix that lies in fractals."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, TPosition.VECOUT, 0, 1024)
    asc.data_copy(z_gm, a, asc.Nz2NdParamsFull(1, 16, 32, 1, 16, 32, 1))


@case("f16[4096]", 2)
@asc.jit(kernel_type="cube")
def loads(x: asc.GlobalAddress, n: int):
    """Fractals to L0A and L0B, turned over, from pictures, with gaps."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(x.dtype, TPosition.A1, 0, 2048)
    left = asc.LocalTensor(x.dtype, TPosition.A2, 0, 2048)
    right = asc.LocalTensor(x.dtype, TPosition.B2, 0, 2048)
    asc.load_data(a, x_gm, asc.LoadData2DParams(0, 4, 1))
    asc.load_data(left, x_gm, asc.LoadData2DParams(repeat_times=2, src_stride=n))
    asc.load_data(left, a, asc.LoadData2DParams(0, 4, 1))
    asc.load_data(right, a, asc.LoadData2DParams(0, 4, 1, if_transpose=True))
    asc.load_data_with_transpose(left, a, asc.LoadData2dTransposeParams(0, 4, 1))
    asc.load_data_with_transpose(right, a, asc.LoadData2dTransposeParams(0, n, 1, 0, 0))
    asc.set_fmatrix(4, 4, [0, 0, 0, 0])
    asc.set_load_data_boundary(0)
    asc.set_load_data_padding_value(0)
    asc.set_load_data_padding_value(1.5)
    asc.set_load_data_repeat(asc.LoadDataRepeatParam(1, 0, 0))
    picture = asc.LoadData3DParamsV2([0, 0, 0, 0], 4, 4, 16, 64, 16, 0, 0, 1, 1, 2, 2)
    asc.load_data(left, a, picture)
    asc.load_data(right, a, picture)
    asc.load_data(left, a, asc.LoadData3DParamsV2Pro(16))
    asc.load_data(right, a, asc.LoadData3DParamsV2Pro(16))


@case("i8[4096]", "i32[1024]")
@asc.jit(kernel_type="cube")
def sparse_product(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """Weights of which half are left out."""
    a = asc.LocalTensor(x.dtype, TPosition.A1, 0, 2048)
    index = asc.LocalTensor(asc.uint8, TPosition.B1, 4096, 512)
    left = asc.LocalTensor(x.dtype, TPosition.A2, 0, 1024)
    right = asc.LocalTensor(x.dtype, TPosition.B2, 0, 1024)
    sums = asc.LocalTensor(z.dtype, TPosition.CO1, 0, 256)
    asc.load_data_with_sparse(right, a, index, asc.LoadData2DParams(0, 2))
    asc.mmad_with_sparse(sums, left, right, asc.MmadParams(16, 16, 64))


@case("f16[4096]", "f32[1024]", "i8[1024]", 16)
@asc.jit(kernel_type="cube")
def products(x: asc.GlobalAddress, z: asc.GlobalAddress, b: asc.GlobalAddress, n: int):
    """Sums that start from 0, from what is there, from a bias; and their way out."""
    z_gm = asc.GlobalTensor()
    h_gm = asc.GlobalTensor()
    b_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    h_gm.set_global_buffer(x)
    b_gm.set_global_buffer(b)
    left = asc.LocalTensor(x.dtype, TPosition.A2, 0, 256)
    right = asc.LocalTensor(x.dtype, TPosition.B2, 0, 256)
    sums = asc.LocalTensor(z.dtype, TPosition.CO1, 0, 256)
    others = asc.LocalTensor(z.dtype, TPosition.CO1, 1024, 256)
    bias = asc.LocalTensor(z.dtype, TPosition.C2, 0, 16)
    back = asc.LocalTensor(x.dtype, TPosition.A1, 0, 256)
    small = asc.LocalTensor(b.dtype, TPosition.A1, 1024, 512)
    words = asc.LocalTensor(asc.uint64, TPosition.C1, 4096, 16)
    scales = asc.LocalTensor(asc.uint64, TPosition.C2PIPE2GM, 0, 16)
    asc.mmad(sums, left, right, asc.MmadParams(16, 16, n))
    asc.mmad(sums, left, right, asc.MmadParams(16, 16, n, is_bias=True))
    asc.mmad(sums, left, right, asc.MmadParams(16, 16, n, cmatrix_init_val=False))
    asc.mmad(sums, left, right, asc.MmadParams(16, 16, n, cmatrix_init_val=False, k_direction_align=True))
    asc.mmad(sums, left, right, bias, asc.MmadParams(16, 16, n, 0, True, False))
    asc.mmad(sums, left, right, others, asc.MmadParams(16, 16, n, 0, False, False))
    asc.fixpipe(z_gm, sums, asc.FixpipeParamsV220(16, 16, 16, 16))
    asc.fixpipe(h_gm, sums, asc.FixpipeParamsV220(16, 16, 16, n, QuantModes.F322F16, relu_en=True))
    asc.fixpipe(b_gm, sums, words, asc.FixpipeParamsV220(16, 16, 16, 16, QuantModes.VQF322B8_PRE))
    asc.fixpipe(back, sums, asc.FixpipeParamsV220(16, 16, 16, 16, QuantModes.F322F16), FixpipeConfig.cfg_nz)
    asc.fixpipe(
        small, sums, words, asc.FixpipeParamsV220(16, 16, 16, 16, QuantModes.VQF322B8_PRE), FixpipeConfig.cfg_nz
    )
    asc.data_copy(z_gm, sums, asc.DataCopyCO12DstParams(16, 16, 16, 16))
    asc.data_copy(back, sums, asc.DataCopyCO12DstParams(16, 16, 16, 16, QuantModes.F322F16))
    asc.set_fix_pipe_pre_quant_flag(0x3F800000)
    asc.set_fix_pipe_config(scales)
    asc.set_fixpipe_nz2nd_flag(1, 0, 0)


@case("f16[4096]", "f32[1024]", 1, soc="ascend950")
@asc.jit(kernel_type="mix_1_2")
def between_cores_of_a_group(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """What ascend950 has: whole parts of a matrix, and ways between the memories of a group."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, TPosition.A1, 0, 1024)
    ub = asc.LocalTensor(z.dtype, TPosition.VECIN, 0, 256)
    if asc.ascend_is_aic():
        left = asc.LocalTensor(x.dtype, TPosition.A2, 0, 256)
        right = asc.LocalTensor(x.dtype, TPosition.B2, 0, 256)
        sums = asc.LocalTensor(z.dtype, TPosition.CO1, 0, 256)
        words = asc.LocalTensor(asc.uint64, TPosition.C1, 4096, 16)
        rows = asc.LocalTensor(z.dtype, TPosition.B1, 8192, 256)
        asc.data_copy(a, x_gm, asc.Dn2NzParams(1, 16, 16, 0, 16, 16, 1, 0))
        asc.load_data(a, x_gm, asc.LoadData2DParamsV2(0, 0, 1, 1, 1, 1))
        asc.load_data(left, a, asc.LoadData2DParamsV2(0, 0, 1, n, 1, 1))
        asc.load_data_with_transpose(right, a, asc.LoadData2dTransposeParamsV2(0, 1, 1))
        asc.mmad(sums, left, right, asc.MmadParams(16, 16, 16, disable_gemv=True))
        plain = asc.FixpipeParamsArch3510(CO2Layout.ROW_MAJOR, 16, 16, 16, 16)
        asc.fixpipe(z_gm, sums, plain)
        scaled = asc.FixpipeParamsArch3510(CO2Layout.ROW_MAJOR, 16, 16, 16, 16, QuantModes.VQF322F32_PRE)
        asc.fixpipe(z_gm, sums, words, scaled)
        columns = asc.FixpipeParamsArch3510(CO2Layout.COLUMN_MAJOR, 16, 16, 16, 16, 1)
        asc.fixpipe(z_gm, sums, columns, FixpipeConfig.cfg_column_major)
        fractals = asc.FixpipeParamsArch3510(CO2Layout.NZ, 16, 16, 16, 256)
        asc.fixpipe(rows, sums, fractals, FixpipeConfig.cfg_nz)
        others = asc.FixpipeParamsArch3510(CO2Layout.NZ, 16, 16, 16, 256, QuantModes.VQF322F32_PRE)
        asc.fixpipe(rows, sums, words, others, FixpipeConfig.cfg_nz)
        asc.fixpipe(ub, sums, plain, FixpipeConfig.cfg_row_major_ub)
        asc.fixpipe(ub, sums, words, scaled, FixpipeConfig.cfg_row_major_ub)
        asc.data_copy_l1_to_ub(ub, rows, 256)
        asc.data_copy_l1_to_ub(ub, rows, asc.DataCopyParams(1, 8, 0, 0), 1)
    else:
        halves = asc.LocalTensor(x.dtype, TPosition.VECOUT, 4096, 1024)
        asc.data_copy(a, halves, 256)
        asc.data_copy(a, halves, asc.DataCopyParams(1, 8, 0, 0))


@case("f16[4096]", "f32[1024]", 1, soc="ascend950")
@asc.jit(kernel_type="mix_1_2")
def fractals_for_the_cube_core(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """What takes event ids from a TPipe on ascend950: a copy from UB to fractals in L1."""
    pipe = asc.TPipe()
    a_buffer = asc.TBuf(TPosition.A1)
    pipe.init_buffer(a_buffer, 2048)
    a = a_buffer.get(x.dtype)
    if not asc.ascend_is_aic():
        halves_buffer = asc.TBuf(TPosition.VECOUT)
        pipe.init_buffer(halves_buffer, 2048)
        halves = halves_buffer.get(x.dtype)
        asc.data_copy(a, halves, asc.Nd2NzParams(1, 16, 16, 0, 16, 16, 1, 0))
