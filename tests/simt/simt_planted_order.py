"""Planted mistakes: threads that do not meet, lanes that are not there, elements outside, memory that nobody wrote."""

from simt_case import Right, Wrong
from simt_planted import CALL, thread

MEETINGS = {
    "barrier for some threads": Wrong(
        """
        if t < 16:  # [wrong]
            z[t] = x[t]  # [wrong]
            simt.syncthreads()  # [here] [wrong]
        simt.syncthreads()  # [right]
        """,
        kind="DivergentBarrier",
        words=(thread(0), thread(16)),
    ),
    "barrier for some warps": Wrong(
        """
        if t // 32 == 1:  # [wrong]
            simt.syncthreads()  # [here] [wrong]
        simt.syncthreads()  # [right]
        """,
        kind="DivergentBarrier",
        words=(thread(32), thread(0)),
    ),
    "barrier in loops of unequal length": Wrong(
        """
        turns = 1 + t % 3  # [wrong]
        turns = 1 + n % 3  # [right]
        for turn in range(turns):
            simt.syncthreads()  # [here]
        """,
        kind="DivergentBarrier",
        words=(thread(0),),
    ),
    "barrier after a break": Wrong(
        """
        for turn in range(4):
            if turn == t:  # [wrong]
                break  # [wrong]
            simt.syncthreads()  # [here]
        """,
        kind="DivergentBarrier",
        words=(thread(0),),
    ),
    "return before a barrier": Wrong(
        """
        if t >= 40:
            return  # [wrong]
            z[t] = 1  # [right]
        simt.syncthreads()  # [here]
        z[t] = 0
        """,
        kind="DivergentBarrier",
        words=(thread(0), thread(40)),
    ),
    "two barriers in two branches": Wrong(
        """
        if t % 2 == 0:
            z[t] = 1
            simt.syncthreads()  # [here] [wrong]
        else:
            z[t] = 2
            simt.syncthreads()  # [second] [wrong]
        simt.syncthreads()  # [right]
        """,
        kind="DivergentBarrier",
        words=(thread(0), thread(1)),
    ),
    "warp call in a branch, barrier behind it": Wrong(
        """
        value = 0
        if t % 2 == 1:  # [wrong]
            value = simt.reduce_add(asc.number(t, asc.int32))  # [here] [wrong]
        value = simt.reduce_add(asc.number(t, asc.int32))  # [right]
        simt.syncthreads()  # [second]
        z[t] = value
        """,
        kind="MissingLanes",
        words=(thread(0), thread(1)),
    ),
    "warp calls in two branches": Wrong(
        """
        value = 0
        if t < 7:  # [wrong]
            value = simt.any(t > 3)  # [here] [wrong]
        else:  # [wrong]
            value = simt.all(t > 3)  # [second] [wrong]
        value = simt.any(t > 3)  # [right]
        z[t] = value
        """,
        kind="MissingLanes",
        words=(thread(0), thread(7)),
    ),
    "warp call in loops of unequal length": Wrong(
        """
        value: asc.int32 = t
        turns = 1 + t % 2  # [wrong]
        turns = 2  # [right]
        for turn in range(turns):
            value = simt.shfl(value, 0)  # [second]
        z[t] = simt.reduce_max(value)  # [here]
        """,
        kind="MissingLanes",
        words=(thread(0), thread(1)),
    ),
    "shuffle from a lane that has ended": Wrong(
        """
        if t == 3:
            return  # [wrong]
            z[3] = 1  # [right]
        value = simt.shfl(asc.number(t, asc.int32), 3)  # [here]
        """,
        kind="RuleError",
        words=("lane 3",),
    ),
    "shuffle from a lane that the block does not have": Wrong(
        """
        lane = 25  # [wrong]
        lane = 19  # [right]
        z[t] = simt.shfl(asc.number(t, asc.int32), lane)  # [here]
        """,
        place=(1, 20),
        kind="RuleError",
        words=("lane 25",),
    ),
    "shuffle down over the end of a warp that is not full": Wrong(
        """
        z[t] = simt.shfl_down(asc.number(t, asc.int32), 1)  # [here]
        """,
        place=(1, 20),
        kind="RuleError",
        words=("lane 20", thread(19)),
        mended={"place": (1, 64)},
    ),
    "shuffle with a width that is no power of two": Wrong(
        """
        z[t] = simt.shfl_xor(asc.number(t, asc.int32), 1, n)  # [here]
        """,
        n=12,
        kind="RuleError",
        words=("12",),
        mended={"n": 16},
    ),
    "shuffle with a width of two warps": Wrong(
        """
        z[t] = simt.shfl_up(asc.number(t, asc.int32), 1, n)  # [here]
        """,
        n=64,
        kind="RuleError",
        words=("64",),
        mended={"n": 32},
    ),
}

PLACES = {
    "over the end of an argument": Wrong(
        """
        z[t + n] = x[t]  # [here]
        """,
        n=193,
        kind="OutOfRange",
        words=("of z,", thread(63)),
        mended={"n": 192},
    ),
    "before the start of an argument": Wrong(
        """
        z[t] = x[t - n]  # [here]
        """,
        n=1,
        kind="OutOfRange",
        words=("of x,", thread(0)),
        mended={"n": 0},
    ),
    "atomic over the end of an argument": Wrong(
        """
        simt.atomic_add(z[t + n :], 1)  # [here]
        """,
        n=200,
        kind="OutOfRange",
        words=("of z,", thread(56)),
        mended={"n": 100},
    ),
    "over the end of a shared array": Wrong(
        """
        tile = simt.shared(asc.int32, 32)  # [wrong]
        tile = simt.shared(asc.int32, 64)  # [right]
        tile[t] = x[t]  # [here]
        """,
        kind="OutOfRange",
        words=("UB", thread(32)),
    ),
    "before the start of a shared array": Wrong(
        """
        tile = simt.shared(asc.int32, 64)
        tile[t - n] = x[t]  # [here]
        """,
        n=2,
        kind="OutOfRange",
        words=(thread(0),),
        mended={"n": 0},
    ),
    "over the end of a local tensor": Wrong(
        """
        a[t + n] = 1  # [here]
        """,
        CALL,
        n=1,
        kind="OutOfRange",
        words=(thread(63),),
        mended={"n": 0},
    ),
    "index of millions": Wrong(
        """
        z[x[t] * n] = 1  # [here]
        """,
        n=1 << 40,
        kind="OutOfRange",
        words=("of z,", thread(1)),
        mended={"n": 1},
    ),
    "UB that nobody wrote": Wrong(
        """
        tile = simt.shared(asc.int32, 64)
        if t != 7:  # [wrong]
            tile[t] = x[t]  # [wrong]
        tile[t] = x[t]  # [right]
        simt.syncthreads()
        z[63 - t] = tile[63 - t]  # [here]
        """,
        kind="UninitialisedRead",
        words=(thread(56),),
    ),
    "counter that nobody cleared": Wrong(
        """
        counter = simt.shared(asc.int32, 8)
        if t == 0:  # [right]
            counter[0] = 0  # [right]
        simt.syncthreads()  # [right]
        simt.atomic_add(counter[0:], 1)  # [here]
        """,
        kind="UninitialisedRead",
        words=(thread(0),),
    ),
    "a local tensor that was copied in part": Wrong(
        "z[t] = a[t]  # [here]",
        """
        asc.data_copy(a, x_gm, 56)  # [wrong]
        asc.data_copy(a, x_gm, 64)  # [right]
        asc.set_flag(HardEvent.MTE2_V, 0)
        asc.wait_flag(HardEvent.MTE2_V, 0)
        asc.vf_call(threads, 64, x, z, a, b, n)
        """,
        kind="UninitialisedRead",
        words=(thread(56),),
    ),
    "more threads than the bound": Wrong(
        "z[t % 32] = 1  # [wrong]\nz[t] = 1  # [right]",
        """
        asc.vf_call(threads, n, x, z, a, b, n)  # [here]
        """,
        n=1025,
        kind="RuleError",
        words=("1025 x 1 x 1", "1024"),
        mended={"n": 256},
    ),
    "no threads": Wrong(
        "z[t] = 1",
        """
        asc.vf_call(threads, n, x, z, a, b, n)  # [here]
        """,
        n=0,
        kind="RuleError",
        words=("0 x 1 x 1",),
        mended={"n": 33},
    ),
    "three dimensions, too many together": Wrong(
        "z[t] = 1",
        """
        asc.vf_call(threads, (n, n, n), x, z, a, b, n)  # [here] [wrong]
        asc.vf_call(threads, (n, 1, 1), x, z, a, b, n)  # [right]
        """,
        n=13,
        kind="RuleError",
        words=("13 x 13 x 13",),
    ),
}

RIGHT = {
    "barrier in a branch that all take": Right(
        """
        if n == 1:
            z[t] = 1
            simt.syncthreads()
        own = z[t // 2]
        """
    ),
    "barrier in a loop that turns alike": Right(
        """
        for turn in range(n + 2):
            z[(t + turn) % 64] = t
            simt.syncthreads()
        """
    ),
    "votes of those who are left": Right(
        """
        if t % 3 == 0:
            return
        z[t] = simt.any(t > 3)
        """
    ),
    "a warp that has ended, a warp that meets": Right(
        """
        if t < 32:
            return
        z[t] = simt.reduce_max(asc.number(t, asc.int32))
        """
    ),
    "warp calls, unequal loops of two warps": Right(
        """
        value = asc.number(t, asc.int32)
        for turn in range(1 + t // 32):
            value = simt.shfl_xor(value, 1)
        simt.syncthreads()
        z[t] = value
        """
    ),
    "a branch that comes together before the call": Right(
        """
        value = t
        if t % 2 == 0:
            for i in range(t):
                value += i
        z[t] = simt.shfl_down(asc.number(value, asc.int32), 1)
        """
    ),
    "shuffle within the lanes that are there": Right(
        "z[t] = simt.shfl(asc.number(t, asc.int32), (t + 1) % 20)",
        place=(1, 20),
    ),
    "the last element, the first element": Right("z[255 - t] = x[t]"),
}
