"""Planted mistakes: races between threads, and between threads and copies. `simt_planted_order` has the others."""

from simt_case import Right, Wrong

COPY_IN = """
asc.data_copy(a, x_gm, 64)  # [first]
asc.set_flag(HardEvent.MTE2_V, 0)  # [right]
asc.wait_flag(HardEvent.MTE2_V, 0)  # [right]
asc.vf_call(threads, 64, x, z, a, b, n)  # [second]
"""
COPY_OUT = """
asc.vf_call(threads, 64, x, z, a, b, n)  # [first]
asc.set_flag(HardEvent.V_MTE3, 0)  # [right]
asc.wait_flag(HardEvent.V_MTE3, 0)  # [right]
asc.data_copy(z_gm, b, 64)  # [second]
"""
REUSE = """
asc.data_copy(a, x_gm, 64)
asc.set_flag(HardEvent.MTE2_V, 0)
asc.wait_flag(HardEvent.MTE2_V, 0)
asc.vf_call(threads, 64, x, z, a, b, n)  # [first]
asc.set_flag(HardEvent.V_MTE2, 0)  # [right]
asc.wait_flag(HardEvent.V_MTE2, 0)  # [right]
asc.data_copy(a, x_gm[64:], 64)  # [second]
"""
CALL = "asc.vf_call(threads, 64, x, z, a, b, n)"


def thread(x: int, y: int = 0, z: int = 0) -> str:
    """A thread as messages name it."""
    return f"({x},{y},{z})"


RACES = {
    "scan without a barrier between read and write": Wrong(
        """
        sums = simt.shared(asc.int32, 64)
        sums[t] = x[t]
        simt.syncthreads()
        for k in range(6):
            value = sums[t]
            if t >= 1 << k:
                value += sums[t - (1 << k)]  # [second]
            simt.syncthreads()  # [right]
            sums[t] = value  # [first]
            simt.syncthreads()
        z[t] = sums[t]
        """,
        words=(thread(0), thread(1)),
    ),
    "scan without a barrier between write and read": Wrong(
        """
        sums = simt.shared(asc.int32, 64)
        sums[t] = x[t]  # [first]
        simt.syncthreads()  # [right]
        value = sums[t]
        if t >= 1:
            value += sums[t - 1]  # [second]
        z[t] = value
        """,
        words=(thread(0), thread(1)),
    ),
    "reduction without a barrier": Wrong(
        """
        sums = simt.shared(asc.int32, 64)
        sums[t] = x[t]
        simt.syncthreads()
        half = 32
        while half > 0:
            if t < half:
                sums[t] = sums[t] + sums[t + half]  # [first] [second]
            simt.syncthreads()  # [right]
            half //= 2
        if t == 0:
            z[0] = sums[0]
        """,
        words=(thread(0), thread(1)),
    ),
    "transpose without a barrier": Wrong(
        """
        tile = simt.shared(asc.int32, 64)
        tile[t] = 0
        simt.syncthreads()
        tile[t] = x[t]  # [first]
        simt.syncthreads()  # [right]
        z[t] = tile[t % 8 * 8 + t // 8]  # [second]
        """,
        words=(thread(1), thread(8)),
    ),
    "histogram counts before all bins are clear": Wrong(
        """
        bins = simt.shared(asc.int32, 16)
        if t < 16:
            bins[t] = 0  # [first]
        simt.syncthreads()  # [right]
        simt.atomic_add(bins[x[t] % 16 :], 1)  # [second]
        """,
        words=(thread(0), thread(16)),
    ),
    "histogram is read before all have counted": Wrong(
        """
        bins = simt.shared(asc.int32, 16)
        if t < 16:
            bins[t] = 0
        simt.syncthreads()
        simt.atomic_add(bins[x[t] // 4 :], 1)  # [first]
        simt.syncthreads()  # [right]
        if t >= 48:
            z[t] = bins[t - 48]  # [second]
        """,
        words=(thread(0), thread(48)),
    ),
    "barrier too early": Wrong(
        """
        tile = simt.shared(asc.int32, 64)
        simt.syncthreads()  # [wrong]
        tile[t] = x[t]  # [first]
        simt.syncthreads()  # [right]
        z[t] = tile[max(t - 3, 0)]  # [second]
        """,
        words=(thread(0), thread(1)),
    ),
    "two threads write one element": Wrong(
        """
        z[t // 2] = x[t]  # [first] [second] [wrong]
        z[t] = x[t]  # [right]
        """,
        words=(thread(0), thread(1)),
    ),
    "all threads write one element, equal or not": Wrong(
        """
        z[n] = 7  # [first] [second] [wrong]
        if t == 0:  # [right]
            z[n] = 7  # [right]
        """,
        words=(thread(0), thread(1)),
    ),
    "neighbour in UB, next turn": Wrong(
        """
        tile = simt.shared(asc.int32, 64)
        own = x[t]
        for turn in range(3):
            tile[t] = own  # [second]
            simt.syncthreads()
            own = tile[(t + 1) % 64]  # [first]
            simt.syncthreads()  # [right]
        z[t] = own
        """,
        words=(thread(0), thread(1)),
    ),
    "neighbour in global memory": Wrong(
        """
        z[t] = x[t]  # [first]
        simt.syncthreads()  # [right]
        own = z[max(t - 1, 0)]  # [second]
        simt.syncthreads()
        z[t] = own
        """,
        words=(thread(0), thread(1), "argument z"),
    ),
    "neighbour above in global memory": Wrong(
        """
        own = z[t + 1]  # [first]
        simt.syncthreads()  # [right]
        z[t] = own  # [second]
        """,
        words=(thread(0), thread(1), "argument z"),
    ),
    "counter in UB that is not atomic": Wrong(
        """
        counter = simt.shared(asc.int32, 8)
        if t == 0:
            counter[0] = 0
        simt.syncthreads()
        counter[0] += 1  # [first] [second] [wrong]
        simt.atomic_add(counter[0:], 1)  # [right]
        """,
        words=(thread(0), thread(1)),
    ),
    "counter in global memory that is not atomic": Wrong(
        """
        z[5] += x[t]  # [first] [second] [wrong]
        simt.atomic_add(z[5:], x[t])  # [right]
        """,
        words=(thread(0), thread(1), "argument z"),
    ),
    "atomic and plain write": Wrong(
        """
        simt.atomic_add(z[0:], 1)  # [first]
        simt.syncthreads()  # [right]
        if t == 5:
            z[0] = 0  # [second]
        """,
        words=(thread(0), thread(5)),
    ),
    "atomic and plain read": Wrong(
        """
        simt.atomic_add(z[0:], 1)  # [first]
        simt.syncthreads()  # [right]
        if t == 63:
            z[64] = z[0]  # [second]
        """,
        words=(thread(0), thread(63)),
    ),
    "an atomic orders nothing": Wrong(
        """
        if t == 0:
            z[10] = 5  # [first]
        simt.atomic_add(z[0:], 1)
        simt.syncthreads()  # [right]
        if t == 1:
            z[11] = z[10]  # [second]
        """,
        words=(thread(0), thread(1)),
    ),
    "a fence is no barrier": Wrong(
        """
        tile = simt.shared(asc.int32, 64)
        tile[t] = x[t]  # [first]
        simt.threadfence_block()  # [wrong]
        simt.syncthreads()  # [right]
        z[t] = tile[t // 2]  # [second]
        """,
        words=(thread(0), thread(1)),
    ),
    "lanes of a warp taken to run in step": Wrong(
        """
        tile = simt.shared(asc.int32, 64)
        tile[t] = x[t]  # [first]
        mask = simt.activemask()  # [right]
        z[t] = tile[t - t % 2]  # [second]
        """,
        words=(thread(0), thread(1)),
    ),
    "a warp call does not order two warps": Wrong(
        """
        tile = simt.shared(asc.int32, 64)
        tile[t] = x[t]  # [first]
        most = simt.reduce_max(asc.number(t, asc.int32))  # [wrong]
        simt.syncthreads()  # [right]
        z[t] = tile[max(t - 1, 0)]  # [second]
        """,
        words=(thread(31), thread(32)),
    ),
    "two rows of threads, one index": Wrong(
        """
        z[t] = x[t]  # [first] [second] [wrong]
        z[t + 32 * simt.threadIdx.y] = x[t]  # [right]
        """,
        place=(1, (32, 2)),
        words=(thread(0), thread(0, 1)),
    ),
    "in a helper": Wrong(
        """
        put(z, t // 4, t)  # [wrong]
        put(z, t, t)  # [right]
        """,
        words=(thread(0), thread(1)),
    ),
    "two blocks write one element": Wrong(
        """
        z[t] = x[t]  # [first] [second] [wrong]
        z[t + 64 * simt.blockIdx.x] = x[t]  # [right]
        """,
        place=(2, 64),
        words=("argument z",),
    ),
    "a block reads what another one writes": Wrong(
        """
        if simt.blockIdx.x == 0:
            z[t] = x[t]  # [first]
        else:
            z[64 + t] = z[t]  # [second] [wrong]
            z[64 + t] = x[t]  # [right]
        """,
        place=(2, 64),
        words=("argument z",),
    ),
    "threads do not wait for the copy": Wrong("b[t] = a[t]", COPY_IN, words=("MTE2_V",)),
    "the copy does not wait for threads": Wrong("b[t] = t", COPY_OUT, words=("V_MTE3",)),
    "the next copy overwrites what threads read": Wrong("b[t] = a[t]", REUSE, words=("V_MTE2",)),
    "threads race in UB of the core": Wrong(
        """
        a[t] = t  # [first]
        simt.syncthreads()  # [right]
        z[t] = a[t // 2]  # [second]
        """,
        CALL,
        words=(thread(0), thread(1)),
    ),
    "one place in UB under two types": Wrong(
        """
        a[t] = t  # [first]
        simt.syncthreads()  # [right]
        z[t] = b[2 * (t // 4)]  # [second]
        """,
        CALL,
        second="int16",
        at=0,
        words=(thread(0), thread(1)),
    ),
}

RIGHT = {
    "all read one element": Right("z[t] = x[n]"),
    "atomics of all threads, UB and global": Right(
        """
        counter = simt.shared(asc.int32, 8)
        if t == 0:
            counter[0] = 0
        simt.syncthreads()
        simt.atomic_add(counter[0:], 1)
        simt.atomic_max(counter[0:], 3)
        simt.atomic_add(z[3:], t)
        simt.syncthreads()
        z[4 + t] = counter[0]
        """
    ),
    "atomics of two blocks": Right("simt.atomic_add(z[0:], t)", place=(2, 64)),
    "a thread's own elements, again and again": Right(
        """
        for i in range(4):
            z[t * 4 + i] = x[t]
        for i in range(3):
            z[t * 4 + i] = z[t * 4 + i + 1] + 1
        """
    ),
    "neighbours by a warp call": Right(
        """
        tile = simt.shared(asc.int32, 64)
        tile[t] = x[t]
        any = simt.any(1)
        own = tile[t ^ 1]
        more = simt.any(1)
        tile[t] = own
        """
    ),
    "warps that never meet": Right(
        """
        tile = simt.shared(asc.int32, 64)
        for turn in range(t // 32 + 1):
            tile[t] = x[t] + turn
            most = simt.reduce_max(asc.number(t, asc.int32))
            z[t] = tile[t // 32 * 32 + (t + 5) % 32]
            again = simt.reduce_max(asc.number(t, asc.int32))
        """
    ),
    "different bytes of one word": Right(
        """
        b[t] = t
        """,
        CALL,
        second="int8",
    ),
    "threads after threads": Right("a[t] = t\nb[t] = t", f"{CALL}\nasc.vf_call(threads, 32, x, z, b, a, n)\n"),
    "blocks apart": Right("z[simt.blockIdx.x * 64 + t] = x[t]", place=(4, 64)),
    "one thread between two barriers": Right(
        """
        tile = simt.shared(asc.int32, 64)
        tile[t] = x[t]
        simt.syncthreads()
        if t == 9:
            for i in range(64):
                tile[i] = tile[63 - i] + 1
        simt.syncthreads()
        z[t] = tile[63 - t]
        """
    ),
    "a thread's UB after it was alone": Right(
        """
        tile = simt.shared(asc.int32, 64)
        if t == 0:
            for i in range(64):
                tile[i] = i
        simt.syncthreads()
        tile[t] += 1
        simt.syncthreads()
        z[t] = tile[(t + 33) % 64]
        """
    ),
}
