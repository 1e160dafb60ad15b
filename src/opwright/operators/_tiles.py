"""What kernels of operators share: a part of a row in as float32, and out again in its dtype.

In: a part of global memory of any float dtype, up to `TILE` elements. Out: the same as float32 in the unified buffer.
"""

from __future__ import annotations

from opwright import asc

TILE = 2048  # elements of one copy


@asc.jit
def load(wide: asc.LocalTensor, narrow: asc.LocalTensor, gm: asc.GlobalTensor, begin: int, count: int) -> None:
    """Brings a part of a row in, as float32."""
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    pieces = asc.DataCopyExtParams(1, count * narrow.dtype.bytes, 0, 0, 0)
    asc.data_copy_pad(narrow, gm[begin:], pieces, asc.DataCopyPadExtParams(narrow.dtype))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    if narrow.dtype == asc.float32:
        asc.adds(wide, narrow, 0.0, count)
    else:
        asc.cast(wide, narrow, asc.RoundMode.CAST_NONE, count)
    asc.pipe_barrier(asc.PipeID.PIPE_V)


@asc.jit
def store(gm: asc.GlobalTensor, narrow: asc.LocalTensor, wide: asc.LocalTensor, begin: int, count: int) -> None:
    """Rounds a part of a row to its dtype and writes it."""
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    if narrow.dtype == asc.float32:
        asc.adds(narrow, wide, 0.0, count)
    else:
        asc.cast(narrow, wide, asc.RoundMode.CAST_RINT, count)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(gm[begin:], narrow, asc.DataCopyExtParams(1, count * narrow.dtype.bytes, 0, 0, 0))
