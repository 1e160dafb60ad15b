"""Pure SIMT kernels: a grid of blocks of threads, their shared memory, warp calls and atomics.

In: arrays of any length. Out: what `simt_programs` compares with NumPy.
"""

from opwright import asc
from opwright.asc import simt

MOST = 2048  # threads of a block
SIDE = 16  # of a tile of a matrix


@simt(max_threads=MOST)
def add(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """One element a thread."""
    i = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x
    if i < n:
        z[i] = x[i] + y[i]


@simt(max_threads=MOST)
def axpy(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int, factor: float):
    """In place, with steps of the whole grid."""
    i = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x
    while i < n:
        y[i] += factor * x[i]
        i += simt.blockDim.x * simt.gridDim.x


@simt(max_threads=MOST)
def warp_scan(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """Sums up to each element: within a warp by shuffles, over the warps by UB."""
    totals = simt.shared(asc.int32, 64)
    t = simt.threadIdx.x
    i = simt.blockIdx.x * simt.blockDim.x + t
    lane = simt.laneid()
    own = asc.number(0, asc.int32)
    if i < n:
        own = asc.number(x[i], asc.int32)
    step = 1
    while step < 32:
        other = simt.shfl_up(own, step)
        if lane >= step:
            own = asc.number(own + other, asc.int32)
        step *= 2
    if lane == 31 or t == simt.blockDim.x - 1:
        totals[t // 32] = own
    simt.syncthreads()
    before = 0
    for warp in range(t // 32):
        before += totals[warp]
    if i < n:
        z[i] = before + own


@simt(max_threads=MOST)
def stencil(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """The sum of three neighbours; a block has its elements and one more at each end in UB."""
    tile = simt.shared(asc.float32, MOST + 2)
    t = simt.threadIdx.x
    i = simt.blockIdx.x * simt.blockDim.x + t
    tile[t + 1] = x[i] if i < n else 0.0
    if t == 0:
        tile[0] = x[i - 1] if i > 0 and i <= n else 0.0
    if t == simt.blockDim.x - 1:
        tile[t + 2] = x[i + 1] if i + 1 < n else 0.0
    simt.syncthreads()
    if i < n:
        z[i] = tile[t] + tile[t + 1] + tile[t + 2]


@simt(max_threads=MOST)
def transpose_tiles(x: asc.GlobalAddress, z: asc.GlobalAddress, rows: int, columns: int):
    """A tile of SIDE x SIDE goes through UB; a block may have fewer threads than a tile has elements."""
    tile = simt.shared(asc.float32, SIDE * (SIDE + 1))
    threads = simt.blockDim.x
    top = simt.blockIdx.y * SIDE
    left = simt.blockIdx.x * SIDE
    i = simt.threadIdx.x
    while i < SIDE * SIDE:
        row, column = top + i // SIDE, left + i % SIDE
        if row < rows and column < columns:
            tile[i // SIDE * (SIDE + 1) + i % SIDE] = x[row * columns + column]
        i += threads
    simt.syncthreads()
    i = simt.threadIdx.x
    while i < SIDE * SIDE:
        row, column = left + i // SIDE, top + i % SIDE
        if row < columns and column < rows:
            z[row * rows + column] = tile[i % SIDE * (SIDE + 1) + i // SIDE]
        i += threads


@simt
def partner_of(lane, turn, lanes):
    """Whom a lane compares with; itself at the ends."""
    other = lane + 1 if (lane + turn) % 2 == 0 else lane - 1
    if other < 0 or other >= lanes:
        return lane
    return other


@simt(max_threads=MOST)
def warp_sort(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """Every warp sorts its elements, one a lane, by exchanges of neighbours: the last warp need not be full."""
    t = simt.threadIdx.x
    i = simt.blockIdx.x * simt.blockDim.x + t
    lane = t % 32
    lanes = min(32, simt.blockDim.x - t // 32 * 32)
    own = x[i]
    for turn in range(32):
        partner = partner_of(lane, turn, lanes)
        other = simt.shfl(own, partner)
        if partner > lane:
            own = min(own, other)
        elif partner < lane:
            own = max(own, other)
    z[i] = own


@simt(max_threads=MOST)
def bitonic_sort(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """The same for full warps, by a network."""
    i = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x
    lane = simt.threadIdx.x % 32
    own = x[i]
    size = 2
    while size <= 32:
        step = size // 2
        while step > 0:
            other = simt.shfl_xor(own, step)
            ascending = lane & size == 0
            lower = lane & step == 0
            own = min(own, other) if ascending == lower else max(own, other)
            step //= 2
        size *= 2
    z[i] = own


@simt(max_threads=MOST)
def reduce_all(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """Sum, greatest and least of a block: within warps by a call, over the warps by the first thread."""
    sums = simt.shared(asc.int32, 64)
    most = simt.shared(asc.int32, 64)
    least = simt.shared(asc.int32, 64)
    t = simt.threadIdx.x
    total, high, low = 0, -1000000, 1000000
    i = simt.blockIdx.x * simt.blockDim.x + t
    while i < n:
        value = x[i]
        total += value
        high = max(high, value)
        low = min(low, value)
        i += simt.blockDim.x * simt.gridDim.x
    warp_total = simt.reduce_add(asc.number(total, asc.int32))
    warp_high = simt.reduce_max(asc.number(high, asc.int32))
    warp_low = simt.reduce_min(asc.number(low, asc.int32))
    if t % 32 == 0:
        sums[t // 32] = warp_total
        most[t // 32] = warp_high
        least[t // 32] = warp_low
    simt.syncthreads()
    if t == 0:
        for warp in range(1, (simt.blockDim.x + 31) // 32):
            total = sums[0] + sums[warp]
            sums[0] = total
            most[0] = max(most[0], most[warp])
            least[0] = min(least[0], least[warp])
        block = simt.blockIdx.x * 3
        z[block] = sums[0]
        z[block + 1] = most[0]
        z[block + 2] = least[0]


@simt(max_threads=MOST)
def atomics(x: asc.GlobalAddress, u: asc.GlobalAddress, values: asc.GlobalAddress, n: int):
    """All threads of all blocks meet in a few numbers, in ways whose order does not matter."""
    i = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x
    if i >= n:
        return
    value = values[i]
    simt.atomic_add(x[0:], value)
    simt.atomic_sub(x[1:], value)
    simt.atomic_max(x[2:], value)
    simt.atomic_min(x[3:], value)
    simt.atomic_and(x[4:], value)
    simt.atomic_or(x[5:], value)
    simt.atomic_xor(x[6:], value)
    simt.atomic_inc(u[0:], 6)
    simt.atomic_dec(u[1:], 6)
    ticket = simt.atomic_add(x[7:], 1)
    simt.atomic_exch(x[8 + ticket :], 1)
    simt.atomic_cas(x[8 + n :], 0, 77)


@simt(max_threads=MOST)
def count_votes(x: asc.GlobalAddress, z: asc.GlobalAddress, limit: int):
    """What a warp knows of its lanes, some of which have ended."""
    t = simt.threadIdx.x
    if t % 5 == 4:
        return
    value = x[t]
    first = t * 4
    z[first] = simt.ballot(value > limit)
    z[first + 1] = simt.activemask()
    z[first + 2] = simt.any(value > limit)
    z[first + 3] = simt.all(value > limit)


@simt
def product_tiles(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress, m: int, k: int, n: int):
    """A product of matrices: tiles of both in UB, two dimensions of threads."""
    a = simt.shared(asc.float32, SIDE * SIDE)
    b = simt.shared(asc.float32, SIDE * SIDE)
    tx, ty = simt.threadIdx.x, simt.threadIdx.y
    row = simt.blockIdx.y * SIDE + ty
    column = simt.blockIdx.x * SIDE + tx
    total = 0.0
    for begin in range(0, k, SIDE):
        a[ty * SIDE + tx] = x[row * k + begin + tx] if row < m and begin + tx < k else 0.0
        b[ty * SIDE + tx] = y[(begin + ty) * n + column] if begin + ty < k and column < n else 0.0
        simt.syncthreads()
        for i in range(SIDE):
            total += a[ty * SIDE + i] * b[i * SIDE + tx]
        simt.syncthreads()
    if row < m and column < n:
        z[row * n + column] = total


@simt(max_threads=MOST)
def ring(z: asc.GlobalAddress, turns: int):
    """Every thread hands its number on to the next one, again and again."""
    slots = simt.shared(asc.int32, MOST)
    t = simt.threadIdx.x
    own = simt.blockIdx.x * 10000 + t
    for turn in range(turns):
        slots[t] = own
        simt.syncthreads()
        own = slots[(t + 1) % simt.blockDim.x] + turn
        simt.syncthreads()
    z[simt.blockIdx.x * simt.blockDim.x + t] = own


@simt
def digits(value, places):
    """The least significant digits of a number, the last one first, and their sum."""
    total = 0
    for i in range(len(places)):
        places[i] = value % 10
        total += places[i]
        value //= 10
        if value == 0:
            break
    return total


@simt(max_threads=MOST)
def digit_sums(x: asc.GlobalAddress, z: asc.GlobalAddress, n: int):
    """Arrays of a thread's own, a helper that fills them, loops of unequal length."""
    t = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x
    if t >= n:
        return
    places = asc.array(asc.int16, 6, 0)
    total = digits(abs(x[t]), places)
    greatest = 0
    for i in range(6):
        greatest = max(greatest, places[i])
    z[t] = total * 10 + greatest
