"""Kernels of the golden texts: cube cores, and groups of cube and vector cores."""

from golden_case import case

from opwright import asc


@case("f16[1024]", "f16[1024]")
@asc.jit(kernel_type="cube")
def cube_cores(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """There and back through L1; other memories of the matrix unit."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm.set_global_buffer(z)
    allocator = asc.LocalMemAllocator(asc.Hardware.L1)
    a = allocator.alloc(asc.TPosition.A1, x.dtype, 512)
    asc.data_copy(a, x_gm, asc.DataCopyParams(2, 8, 0, 0))
    asc.set_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.wait_flag(asc.HardEvent.MTE2_MTE3, 0)
    asc.data_copy(z_gm, a, asc.DataCopyParams(2, 8, 0, 0))
    bias = asc.LocalTensor(asc.float32, asc.TPosition.C2, 0, 16)
    scales = asc.LocalTensor(asc.uint64, asc.TPosition.C2PIPE2GM, 0, 16)
    asc.printf("%d %d\n", bias.get_size(), scales.get_size())


@case("f32[1024]", 4)
@asc.jit(kernel_type="mix_1_2")
def both_kinds(x: asc.GlobalAddress, n: int):
    """Branches that ask for a kind: with an else, one in another, in a loop, and as a value."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    if asc.ascend_is_aic():
        place = asc.get_block_idx()
        a = asc.LocalTensor(x.dtype, asc.TPosition.A1, 0, 256)
        asc.data_copy(a, x_gm, asc.DataCopyParams(1, 8, 0, 0))
    else:
        place = asc.get_sub_block_idx()
        b = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 256)
        asc.data_copy(b, x_gm, 256)
    for i in range(n):
        if i > place:
            if asc.ascend_is_aiv():
                asc.pipe_barrier(asc.PipeID.PIPE_V)
    if not asc.ascend_is_aic():
        asc.printf("%d\n", place + int(asc.ascend_is_aiv()))


@case()
@asc.jit(kernel_type="mix_1_1")
def one_of_each():
    """One vector core to a cube core."""
    asc.printf("%d\n", asc.get_task_ratio())


@case()
@asc.jit(kernel_type="mix_1_0")
def cube_cores_with_flags():
    """Cube cores that may signal each other."""
    asc.cross_core_set_flag(0, 0, asc.PipeID.PIPE_FIX)
    asc.cross_core_wait_flag(0, 0, asc.PipeID.PIPE_FIX)


@case()
@asc.jit(kernel_type="mix_0_1")
def vector_cores_with_flags():
    """Vector cores that may signal each other."""
    asc.sync_all()
