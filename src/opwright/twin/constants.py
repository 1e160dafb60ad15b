"""Numbers that Python and C++ must agree on, stated once: the header `constants.h` is generated from here.

In: nothing. Out: the numbers of a launch record and of its outcome.
"""

from __future__ import annotations

from opwright.kernel.options import BLOCK_THREADS as BLOCK_THREADS

ABI = 10

# GmRange.use, bit by bit. Stable: nothing in the launch writes these bytes, through this or any other argument.
GM_READ = 1
GM_WRITTEN = 2
GM_STABLE = 4

# LaunchRecord.flags, bit by bit. Elide: copies from stable memory may become aliases. Stream: copies to global memory
# bypass the cache. Auto sync: the NPU's compiler puts vector and scalar work in order. Record: keep every event of a
# checked launch. Crosses: the kernel has flags between cores. Doubts: tell what may be meant, too.
ELIDE = 1
STREAM = 2
AUTO_SYNC = 4
RECORD = 8
CROSSES = 16
DOUBTS = 32

# Bytes of a line of the scalar unit's data cache, and of that of threads.
CACHE_LINE = 64
THREAD_CACHE_LINE = 128

# Values that the counter of a flag between cores has; modes of such flags (0, 1, 2 and 4), and the ids that a matrix
# core has in mode 4.
CROSS_COUNTS = 16
CROSS_MODES = 4
CROSS_IDS = 32

# Buffers that all queues and TBufs of a kernel have together.
BUFFERS = 64

# Parts of UB that a core can watch.
WATCHES = 4

# Threads of a warp; BLOCK_THREADS are those of a block.
WARP_LANES = 32

# ThreadAccess.flags, bit by bit. Adds floats: an atomic whose order shows in the last bits.
THREAD_VOLATILE = 1
THREAD_ADDS_FLOATS = 2

# LaunchRecord.mode.
FAST = 0
CHECKED = 1
PERTURBED = 2

# Outcome: integers that come with a fault, and waiting cores that are named.
DETAILS = 14
WAITERS = 128
