"""Kernels of the golden texts: tensors that change, shapes, queues in place, pools."""

from golden_case import case

from opwright import asc


@case("{}[64]", 16, dtypes=("f16", "i32"))
@asc.jit
def changing_tensors(x: asc.GlobalAddress, n: int):
    """Tensors that get their memory later, and notes on them."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    x_gm.set_shape_info(asc.ShapeInfo([8, n], [5, 7], asc.DataFormat.NZ))
    whole = asc.LocalTensor(x.dtype, 512)
    whole.set_size(n)
    whole.set_buffer_len(2 * n)
    whole.set_user_tag(n)
    part = asc.LocalTensor(asc.int32)
    part.set_addr_with_offset(whole, 8)
    part.set_shape_info(asc.ShapeInfo([4, 2], data_format=asc.DataFormat.NCHW))
    shape = x_gm.get_shape_info()
    asc.printf("%d %d %d\n", shape.shape(1), shape.original_shape(dim=0), asc.get_shape_size(asc.ShapeInfo()))
    asc.printf("%d\n", part.get_shape_info().shape(n))
    asc.printf("%d %d %d\n", whole.get_position(), whole.get_user_tag(), whole.get_size())
    asc.duplicate(part, 0, 8)
    asc.printf("%d\n", asc.get_shape_size(asc.ShapeInfo([n])))


@case("{}[64]", 64, dtypes=("f16", "u8"))
@asc.jit
def queues_in_place(x: asc.GlobalAddress, length: int):
    """A tensor that goes through a queue without an order, and one that goes on from position to position."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, length)
    pipe = asc.TPipe()
    placed = asc.TQue(asc.TPosition.VECIN, 0)
    ways = asc.TQueBind(asc.TPosition.VECIN, asc.TPosition.VECOUT, 1)
    pipe.init_buffer(placed, 1, 256)
    pipe.init_buffer(ways, 1, 256)
    local = asc.LocalTensor(x.dtype)
    placed.alloc_tensor(local)
    asc.data_copy(local, x_gm, 64)
    placed.enque(local)
    placed.deque(tensor=local)
    placed.free_tensor(local)
    filled = ways.alloc_tensor(x.dtype)
    asc.data_copy(filled, x_gm, 64)
    ways.enque(filled, asc.TPosition.GM, asc.TPosition.VECIN)
    used = ways.deque(x.dtype, asc.TPosition.GM, asc.TPosition.VECIN)
    ways.enque(used, asc.TPosition.VECOUT, dst_user_pos=asc.TPosition.GM)
    done = ways.deque(x.dtype, src_user_pos=asc.TPosition.VECOUT, dst_user_pos=asc.TPosition.GM)
    asc.data_copy(x_gm, done, 64)
    ways.free_tensor(done)


@asc.jit
def scratch_of_the_pipe(size: int):
    pipe = asc.get_tpipe_ptr()
    scratch = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(scratch, size)
    asc.duplicate(scratch.get(asc.float32), 0.0, 8)


@case(128)
@asc.jit
def pools(size: int):
    """Pools of a pipe, over each other's bytes and within each other."""
    pipe = asc.TPipe()
    pool = asc.TBufPool(asc.TPosition.VECCALC, 4)
    other = asc.TBufPool(asc.TPosition.VECCALC)
    inner = asc.TBufPool(asc.TPosition.VECCALC, 4)
    beside = asc.TBufPool(asc.TPosition.VECCALC)
    pipe.init_buf_pool(pool, 2048)
    pipe.init_buf_pool(other, len=size, share_buf=pool)
    pool.init_buf_pool(inner, size)
    pool.init_buf_pool(beside, size, inner)
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    scratch = asc.TBuf(asc.TPosition.VECCALC)
    named = asc.TBuf(asc.TPosition.VECCALC)
    pool.init_buffer(queue, 2, 256)
    inner.init_buffer(scratch, 64)
    beside.init_buffer(buf=named, len=64)
    pool.reset()
    pipe.destroy()
    pipe.init()
    scratch_of_the_pipe(size)
