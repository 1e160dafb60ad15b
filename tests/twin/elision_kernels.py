"""Kernels that would go wrong if a copy that was not made were treated as one that was."""

from opwright import asc

N = 2048  # elements of a piece: 8 KB of float32, the least that is worth an alias


@asc.jit
def in_place(x: asc.GlobalAddress, n: int):
    """x += x, twice over the same buffer: the argument is read and written."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, n)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, n * 4, n)
    asc.data_copy(a, x_gm, n)
    asc.data_copy(b, x_gm, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.add(a, a, b, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(x_gm, a, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.add(b, b, a, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(x_gm, b, n)


@asc.jit(may_overlap=True)
def overlapping(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """Writes z, which may lie over x, before x's copy is used."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    z_gm.set_global_buffer(z, n)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, n)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, n * 4, n)
    asc.data_copy(a, x_gm, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.duplicate(b, 7.0, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, b, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(a, a, 1.0, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a, n)


@asc.jit
def two_cores(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """Core 0 reads what core 1 has overwritten since core 0's copy."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    z_gm.set_global_buffer(z, n)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, n)
    asc.data_copy(a, x_gm, n)
    asc.sync_all()
    if asc.get_block_idx() == 1:
        asc.duplicate(a, 9.0, n)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(x_gm, a, n)
    asc.sync_all()
    if asc.get_block_idx() == 0:
        asc.adds(a, a, 1.0, n)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(z_gm, a, n)


@asc.jit
def partial_write(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """Overwrites the middle of a copied range, then reads all of it."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 4 * N)
    z_gm.set_global_buffer(z, 4 * N)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 4 * N)
    asc.data_copy(a, x_gm, 4 * N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.duplicate(a[N:], 5.0, 2 * N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a, 4 * N)


@asc.jit
def straddle(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """Two copies side by side, the second out of order; then one read over both and the gap behind."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 4 * N)
    z_gm.set_global_buffer(z, 4 * N)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 4 * N)
    asc.duplicate(a, 3.0, 4 * N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(a[N:], x_gm[2 * N :], N)
    asc.data_copy(a, x_gm[N:], N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.adds(a, a, 1.0, 3 * N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a, 4 * N)


@asc.jit
def many(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """More live copies than the twin keeps aliases for, some replaced by later ones."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 16 * N)
    z_gm.set_global_buffer(z, 16 * N)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 16 * N)
    for i in range(16):
        asc.data_copy(a[i * N :], x_gm[(15 - i) * N :], N)
    asc.pipe_barrier(asc.PipeID.PIPE_MTE2)
    for i in range(0, 16, 3):
        asc.data_copy(a[i * N :], x_gm[i * N :], N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(a, a[8 * N :], N)
    for i in range(16):
        asc.adds(a[i * N :], a[i * N :], 2.0, N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a, 16 * N)


@asc.jit
def through_variable(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, swap: int):
    """Which argument is written is known only in the run."""
    source = x
    target = y
    if swap != 0:
        source, target = target, source
    s_gm = asc.GlobalTensor()
    t_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    s_gm.set_global_buffer(source, N)
    t_gm.set_global_buffer(target, N)
    z_gm.set_global_buffer(z, N)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, N)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 4 * N, N)
    asc.data_copy(a, t_gm, N)
    asc.data_copy(b, s_gm, N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(t_gm, b, N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.add(b, a, b, N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, b, N)


@asc.jit
def stray(x: asc.GlobalAddress, z: asc.GlobalAddress, shift: int):
    """Writes x through an address that comes from z."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, N)
    z_gm.set_global_buffer(z + shift)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, N)
    b = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 4 * N, N)
    asc.data_copy(a, x_gm, N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.duplicate(b, 99.0, N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, b, N)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a, N)


@asc.jit
def bounded(x: asc.GlobalAddress, z: asc.GlobalAddress, size: int, offset: int, count: int):
    """Copies `count` elements from `offset` of a tensor of `size` elements."""
    x_gm = asc.GlobalTensor()
    z_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, size)
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 4 * N)
    asc.data_copy(a, x_gm[offset:], count)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a, count)


@asc.jit
def local_offset(z: asc.GlobalAddress, offset: int):
    """Fills from an offset of a local tensor."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, N)
    a = asc.LocalTensor(z.dtype, asc.TPosition.VECCALC, 0, N)
    asc.duplicate(a, 0.0, N)
    asc.duplicate(a[offset:], 1.0, 8)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, a, N)
