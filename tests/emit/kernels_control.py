"""Kernels of the golden texts: the state of a core, caches, meetings of cores, bits of scalars, what is printed."""

from golden_case import case

from opwright import asc


@case("i32[64]")
@asc.jit
def data_cache(x: asc.GlobalAddress):
    """What the scalar unit set, for others to see."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    x_gm.set_value(1, 5)
    asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, asc.DcciDst.CACHELINE_OUT, x_gm[16:])
    asc.data_cache_clean_and_invalid(asc.CacheLine.ENTIRE_DATA_CACHE, x_gm)


@case("i32[256]")
@asc.jit
def atomics(x: asc.GlobalAddress):
    """Copies that combine what they bring with what is there."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(asc.int32, asc.TPosition.VECCALC, 0, 64)
    asc.duplicate(a, 1, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.set_atomic_add(asc.int32)
    asc.data_copy(x_gm, a, 64)
    asc.set_atomic_max(asc.int32)
    asc.data_copy(x_gm[64:], a, 64)
    asc.set_atomic_min(asc.int32)
    asc.set_atomic_type(x.dtype)
    asc.data_copy(x_gm[128:], a, 64)
    asc.set_atomic_none()


@case("i32[256]")
@asc.jit
def meetings(w: asc.GlobalAddress):
    """Cores that wait for some others."""
    w_gm = asc.GlobalTensor()
    w_gm.set_global_buffer(w)
    pipe = asc.TPipe()
    u_buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(u_buffer, 2048)
    u = u_buffer.get(asc.int32)
    asc.wait_pre_block(w_gm, u)
    asc.notify_next_block(w_gm, u)
    asc.ib_set(w_gm, u, asc.get_block_idx(), 1)
    asc.ib_wait(w_gm, u, asc.get_block_idx(), 1)
    asc.sync_all(w_gm, u)
    asc.sync_all(w_gm, u, 8)
    asc.cross_core_set_flag(2, 0, asc.PipeID.PIPE_MTE3)
    asc.cross_core_wait_flag(2, 0, asc.PipeID.PIPE_MTE3)


@case(40)
@asc.jit
def bits_of_scalars(n: int):
    """Bits that are counted and found."""
    asc.printf("%d %d", asc.scalar_get_sff_value(n, 1), asc.scalar_get_count_of_value(n, 0))
    asc.printf("%d %d", asc.scalar_count_leading_zero(n), asc.count_bits_cnt_same_as_sign_bit(n))


@case("u64[64]", "f16[64]", 3)
@asc.jit
def state(x: asc.GlobalAddress, w: asc.GlobalAddress, n: int):
    """What a core keeps, watches and fetches, and which kind of core it is."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    asc.data_cache_preload(x_gm[8:], n * 8)
    asc.icache_preload(n)
    asc.set_sys_workspace(w)
    w_gm = asc.GlobalTensor()
    w_gm.set_global_buffer(asc.get_sys_workspace(), 128)
    asc.set_hccl_context(1, w + n)
    context = asc.get_hccl_context(1)
    w_gm.set_global_buffer(context + 4, 8)
    asc.set_store_atomic_config(asc.AtomicDtype.ATOMIC_F16, asc.AtomicOp.ATOMIC_SUM)
    kind, operation = asc.get_store_atomic_config()
    asc.set_store_atomic_config(asc.AtomicDtype.ATOMIC_NONE, asc.AtomicOp.ATOMIC_SUM)
    asc.check_local_memory_ia(asc.CheckLocalMemoryIAParam(1, n, 2 * n, is_vector_read=True, is_enable=True))
    asc.set_hf32_mode(True)
    asc.set_hf32_trans_mode(False)
    asc.set_mm_layout_transform(True)
    if asc.ascend_is_aiv():
        asc.printf("%d %d\n", kind + operation, asc.get_icache_preload_status())
    elif asc.ascend_is_aic() and n > 3:
        asc.printf("%d\n", asc.get_arch_version(0) + asc.get_arch_version())
    is_vector = asc.ascend_is_aiv()
    if not is_vector or n == 4:
        asc.printf("%d\n", asc.property(asc.ONE_BLK_SIZE) * n + asc.property(asc.TOTAL_L0C_SIZE))


@case("{}[64]", 8, dtypes=("bf16", "u64"))
@asc.jit
def dumps(x: asc.GlobalAddress, n: int):
    """Tensors that are printed, and marks of time."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 0, 64)
    asc.metrics_prof_start()
    asc.data_copy(a, x_gm, 64)
    asc.dump_tensor(a, 1, n)
    asc.dump_tensor(x_gm[n:], desc=2, dump_size=8)
    shape = asc.ShapeInfo([2, n])
    asc.dump_tensor(a, 6, 8, shape)
    asc.dump_tensor(x_gm, 7, n, shape_info=shape)
    asc.dump_acc_chk_point(a, 3, n, 8)
    asc.dump_acc_chk_point(x_gm, 4, 0, n)
    asc.print_time_stamp(5)
    asc.metrics_prof_stop()


@case(2.5)
@asc.jit
def casts_of_scalars(x: float):
    """A float as another number."""
    whole = asc.scalar_cast(x, asc.int32, asc.RoundMode.CAST_CEIL)
    half = asc.scalar_cast(x + 1.0, asc.float16, asc.RoundMode.CAST_ODD)
    asc.printf("%d %f %d\n", whole, half, asc.scalar_cast(0.5, asc.int32, asc.RoundMode.CAST_RINT))


@case("i32[256]", 10)
@asc.jit
def loop_over_cores(x: asc.GlobalAddress, n: int):
    """Each core takes every tile whose number it has modulo the number of cores: a plain loop with plain divisions."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    for tile in range(asc.get_block_idx(), n, asc.get_block_num()):
        x_gm.set_value(tile // 4 + tile % 4, n // asc.get_block_num())
    cores = asc.get_block_num()
    for start in range(asc.get_block_idx() * 64, n, cores * 64):
        x_gm.set_value(start // 64, 1)


@case("i32[256]", 10, 3)
@asc.jit
def unsigned_numbers(x: asc.GlobalAddress, rows: asc.uint32, width: asc.uint16):
    """Shapes that cannot be negative: each core takes a part, in plain loops with plain divisions and no test."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    tiles = asc.ceildiv(rows, 64)
    for tile in range(asc.get_block_idx(), tiles, asc.get_block_num()):
        x_gm.set_value(tile // 4, min(64, rows - tile * 64))
    each = asc.ceildiv(tiles, asc.get_block_num())
    start = asc.get_block_idx() * each
    for tile in range(start, min(start + each, tiles)):
        for column in range(0, rows, width + 1):
            x_gm.set_value(tile % 8, asc.ceildiv(column, 8) + asc.ceildiv(x_gm.get_size(), 8))
