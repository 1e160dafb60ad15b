"""Rows: the pipe of a kernel with its queues and buffers."""

from __future__ import annotations

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import EVENT_IDS
from opwright.ascendc.object_rules import Depth, SameSize
from opwright.ascendc.row import Form, Row, dtypes
from opwright.ascendc.rules import BufferCapacity, OnChip, Range, Rule, SameMemory
from opwright.ascendc.socs import ALL
from opwright.ascendc.traits import (
    PIPE,
    POOL,
    Allocates,
    Enqueues,
    MakesPipe,
    MakesQueue,
    Places,
    Refers,
    TakesBack,
)

TASK, SHORT = "Memory", "Pipe, queues, buffers"
_T = {"T": dtypes(a2=tuple(DTYPES), a5=tuple(DTYPES))}
_UINT32_MAX = (1 << 32) - 1
_BUFFERS = 64  # of all queues and buffers of a kernel

_NUM, _LEN = Range("num", 1, _BUFFERS), Range("len", 1, _UINT32_MAX)
_DEPTH, _MASK = Range("depth", 0, _BUFFERS), Range("mask", 0, 0)
_ORDERED = Depth("self", True, "make the queue with a depth of 1 or more")
_BY_TYPE = Depth("self", True, "pass a tensor that was made with a type alone, asc.LocalTensor(dtype)")
_IN_PLACE = Depth("self", False, "pass the element type, and use the tensor that comes back")
_SAME_SIZE = SameSize("buf_pool", "self")
_ENDS = (OnChip("src"), OnChip("dst"), SameMemory("dst", "src"))
_QUEUE_NOTE = (
    "depth says how many tensors may wait in it; with 0 it keeps no order, and deque is given the tensor. A mask, "
)
_QUEUE_NOTE += "for other layouts, is not built yet."
_WAYS = "assumed(from GM means a copy in, to GM a copy out; other positions as those of the queue do)"
_POOL_LEN = Range("len", 1, _UINT32_MAX)
_WAY = "src_user_pos: template TPosition, dst_user_pos: template TPosition"
_SHARED = "assumed(a pool that shares the bytes of another is not larger than that)"


def _question(name: str, cpp: str, doc: str, result: str = "bool") -> Row:
    """A row that asks a queue something."""
    return Row(
        f"TQueBind.{name}",
        cpp,
        doc,
        forms=(Form("self: object TQueBind", rules=(_ORDERED,), result=result),),
        effect="reads",
        nonnegative=result == "integer",
        example=f"answer = queue.{name}()",
    )


def _pools(owner: str, what: str, example: str, own: tuple[Rule, ...] = ()) -> Row:
    """A row that gives a pool its memory."""
    return Row(
        f"{owner}.init_buf_pool",
        "InitBufPool",
        f"Gives a pool {what}. With share_buf it gets the bytes of that pool, from their start on: use the one when "
        "the other is done with.",
        forms=(
            Form(
                f"self: object {owner}, buf_pool: object TBufPool, len: uint32",
                traits=(Allocates("pool", PIPE if owner == "TPipe" else POOL, "buf_pool", size="len"),),
                rules=(*own, _POOL_LEN, BufferCapacity("buf_pool", "len")),
            ),
            Form(
                f"self: object {owner}, buf_pool: object TBufPool, len: uint32, share_buf: object TBufPool",
                traits=(Allocates("pool", POOL, "buf_pool", size="len", shared="share_buf"),),
                rules=(*own, _POOL_LEN, BufferCapacity("buf_pool", "len"), SameMemory("share_buf", "buf_pool")),
            ),
        ),
        exactness=_SHARED,
        example=f"new_pool = asc.TBufPool(asc.TPosition.VECCALC, 4)\n{example}.init_buf_pool(new_pool, 1024)",
    )


ROWS = (
    Row(
        "TPipe",
        "TPipe",
        "Hands out on-chip memory and event ids. A kernel has one at a time. When it ends, it waits for the flags of "
        "the buffers that its queues have freed.",
        forms=(Form("", result="object TPipe", traits=(MakesPipe(),)),),
        effect="object",
        example="another_pipe = asc.TPipe()",
    ),
    Row(
        "TPipe.init_buffer",
        "InitBuffer",
        "Gives a queue `num` buffers of `len` bytes, or a TBuf its bytes; both in whole blocks of 32. Two buffers let "
        "copies run while the vector unit works.",
        forms=(
            Form(
                "self: object TPipe, que: object TQueBind, num: uint8, len: uint32",
                traits=(Allocates("queue", PIPE, "que", size="len", number="num"),),
                rules=(_NUM, _LEN, BufferCapacity("que", "len", "num")),
            ),
            Form(
                "self: object TPipe, buf: object TBuf, num: uint32",
                traits=(Allocates("buffer", PIPE, "buf", size="num"),),
                rules=(Range("num", 1, _UINT32_MAX), BufferCapacity("buf", "num")),
            ),
            Form(
                "self: object TPipe, buf: object TBuf, len: uint32",
                rules=(_LEN, BufferCapacity("buf", "len")),
                traits=(Allocates("buffer", PIPE, "buf", size="len"),),
            ),
        ),
        example="pipe.init_buffer(queue, 2, 1024)",
    ),
    _pools("TPipe", "a part of its memory, `len` bytes in whole blocks of 32", "pipe"),
    Row(
        "get_tpipe_ptr",
        "GetTPipePtr",
        "The pipe of the kernel, for a helper that was not given it.",
        forms=(
            Form(
                "",
                result="object TPipe",
                text="*GetTPipePtr()",
                traits=(Refers(),),
                needs_tpipe=dict.fromkeys(ALL, ""),
            ),
        ),
        example="same_pipe = asc.get_tpipe_ptr()\nevent_id = same_pipe.fetch_event_id(asc.HardEvent.V_S)",
    ),
    Row(
        "TPipe.alloc_event_id",
        "AllocEventID",
        "An event id, reserved until it is released.",
        forms=(Form("self: object TPipe, event: template HardEvent = V_S", result="integer"),),
        nonnegative=True,
        example="event_id = pipe.alloc_event_id(asc.HardEvent.V_S)",
    ),
    Row(
        "TPipe.release_event_id",
        "ReleaseEventID",
        "Gives an event id back.",
        forms=(
            Form(
                "self: object TPipe, id: int32, event: template HardEvent = V_S",
                rules=(Range("id", 0, EVENT_IDS - 1),),
            ),
        ),
        example="pipe.release_event_id(0, asc.HardEvent.V_S)",
    ),
    Row(
        "TPipe.fetch_event_id",
        "FetchEventID",
        "An event id that is idle now. It is not reserved: use it before anything else asks for one.",
        forms=(Form("self: object TPipe, event: template HardEvent = V_S", result="integer"),),
        nonnegative=True,
        example="event_id = pipe.fetch_event_id(asc.HardEvent.V_S)",
    ),
    Row(
        "TPipe.init",
        "Init",
        "Begins anew: a pipe that was destroyed is there again, without buffers. A new pipe needs no init.",
        forms=(Form("self: object TPipe", traits=(TakesBack(PIPE),)),),
        exactness="assumed(on a pipe that was not destroyed it does what reset does)",
        example="pipe.init()",
    ),
    Row(
        "TPipe.reset",
        "Reset",
        "Takes all memory back. Queues and buffers need init_buffer again.",
        forms=(Form("self: object TPipe", traits=(TakesBack(PIPE),)),),
        example="pipe.reset()",
    ),
    Row(
        "TPipe.destroy",
        "Destroy",
        "Ends the pipe: takes all memory back, and another TPipe may be made.",
        forms=(Form("self: object TPipe", traits=(TakesBack(PIPE),)),),
        example="pipe.destroy()",
    ),
    Row(
        "TQueBind",
        "TQueBind",
        f"A queue of buffers that one pipe fills at `src` and another empties at `dst`. {_QUEUE_NOTE}",
        forms=(
            Form(
                "src: template TPosition, dst: template TPosition, depth: template int32",
                rules=(_DEPTH, *_ENDS),
                result="object TQueBind",
                traits=(MakesQueue(),),
            ),
            Form(
                "src: template TPosition, dst: template TPosition, depth: template int32, mask: template int32",
                rules=(_DEPTH, _MASK, *_ENDS),
                result="object TQueBind",
                traits=(MakesQueue(),),
            ),
        ),
        effect="object",
        example="bound_queue = asc.TQueBind(asc.TPosition.VECIN, asc.TPosition.VECOUT, 1)",
    ),
    Row(
        "TQue",
        "TQue",
        "A queue of buffers: from copies to the vector unit at VECIN, from it to copies at VECOUT. On a cube core: "
        "from copies to loads at A1, B1 and C1, from loads to the matrix unit at A2, B2 and C2, from it to fixpipe at "
        f"CO1. {_QUEUE_NOTE}",
        forms=(
            Form(
                "pos: template TPosition, depth: template int32",
                rules=(_DEPTH, OnChip("pos")),
                result="object TQue",
                traits=(MakesQueue(),),
            ),
            Form(
                "pos: template TPosition, depth: template int32, mask: template int32",
                rules=(_DEPTH, _MASK, OnChip("pos")),
                result="object TQue",
                traits=(MakesQueue(),),
            ),
        ),
        effect="object",
        base="TQueBind",
        example="queue = asc.TQue(asc.TPosition.VECIN, 1)",
    ),
    Row(
        "TQueBind.alloc_tensor",
        "AllocTensor",
        "A free buffer as a tensor, to be filled. Waits until the previous use of the buffer has ended. A tensor "
        "made with a type alone gets the buffer as its memory, of a queue of depth 0.",
        forms=(
            Form("self: object TQueBind, dtype: template dtype T", rules=(_BY_TYPE,), result="local T"),
            Form("self: object TQueBind, tensor: local T", rules=(_IN_PLACE,), traits=(Places("tensor"),)),
        ),
        dtypes=_T,
        example="x_local = queue.alloc_tensor(asc.float16)",
    ),
    Row(
        "TQueBind.enque",
        "EnQue",
        "Hands a filled tensor on. The pipe that takes it with deque waits until it is filled. With two positions it "
        "is handed on from one to the other: GM to VECIN after a copy in, VECOUT to GM before a copy out.",
        forms=(
            Form("self: object TQueBind, tensor: local T", traits=(Enqueues(),)),
            Form(
                f"self: object TQueBind, tensor: local T, {_WAY}",
                rules=(_ORDERED,),
                traits=(Enqueues(),),
                text="{self}.EnQue<{src_user_pos}, {dst_user_pos}, {T}>({tensor})",
            ),
        ),
        exactness=_WAYS,
        dtypes=_T,
        example="queue.enque(queue.alloc_tensor(asc.float16))",
    ),
    Row(
        "TQueBind.deque",
        "DeQue",
        "The tensor that was enqueued first, once it is filled; of a queue of depth 0 the tensor that is passed. With "
        "two positions, as enque had them.",
        forms=(
            Form("self: object TQueBind, dtype: template dtype T", rules=(_BY_TYPE,), result="local T"),
            Form("self: object TQueBind, tensor: local T", rules=(_IN_PLACE,), traits=(Places("tensor"),)),
            Form(
                f"self: object TQueBind, dtype: template dtype T, {_WAY}",
                rules=(_ORDERED,),
                result="local T",
                text="{self}.DeQue<{src_user_pos}, {dst_user_pos}, {dtype}>()",
            ),
        ),
        exactness=_WAYS,
        dtypes=_T,
        example="x_local = queue.deque(asc.float16)",
    ),
    Row(
        "TQueBind.free_tensor",
        "FreeTensor",
        "Gives the buffer of a tensor back, for the next alloc_tensor.",
        forms=(Form("self: object TQueBind, tensor: local T", lvalues=("tensor",)),),
        dtypes=_T,
        example="queue.free_tensor(queue.alloc_tensor(asc.float16))",
    ),
    Row(
        "TQueBind.free_all_event",
        "FreeAllEvent",
        "Waits for every flag that enque has set and deque has not waited for yet.",
        forms=(Form("self: object TQueBind", rules=(_ORDERED,)),),
        example="queue.free_all_event()",
    ),
    _question("has_idle_buffer", "HasIdleBuffer", "Whether alloc_tensor would find a free buffer."),
    _question("has_tensor_in_que", "HasTensorInQue", "Whether a tensor waits in the queue."),
    _question("vacant_in_que", "VacantInQue", "Whether another tensor may be enqueued."),
    _question("get_tensor_count_in_que", "GetTensorCountInQue", "How many tensors wait in the queue.", "integer"),
    Row(
        "TBuf",
        "TBuf",
        "Memory without a queue, for what stays within one pipe. Its tensors need no free_tensor.",
        forms=(Form("pos: template TPosition", rules=(OnChip("pos"),), result="object TBuf"),),
        effect="object",
        example="buffer = asc.TBuf(asc.TPosition.VECCALC)",
    ),
    Row(
        "TBuf.get",
        "Get",
        "The buffer as a tensor: all of it, or its first `len` elements.",
        forms=(
            Form("self: object TBuf, dtype: template dtype T", result="local T"),
            Form("self: object TBuf, dtype: template dtype T, len: uint32", result="local T"),
        ),
        dtypes=_T,
        example="x_local = buffer.get(asc.float16)",
    ),
    Row(
        "TBuf.get_with_offset",
        "GetWithOffset",
        "The `size` elements of the buffer from byte `buf_offset` on.",
        forms=(
            Form(
                "self: object TBuf, size: uint32, buf_offset: uint32, dtype: template dtype T",
                result="local T",
            ),
        ),
        dtypes=_T,
        exactness="assumed(buf_offset counts bytes)",
        example="x_local = buffer.get_with_offset(64, 128, asc.float16)",
    ),
    Row(
        "TBufPool",
        "TBufPool",
        "A part of the memory of a pipe that is handed out by itself, to at most `buf_id_size` buffers, and taken back "
        "by itself.",
        forms=(
            Form(
                "pos: template TPosition, buf_id_size: template uint32 = 4",
                rules=(OnChip("pos"), Range("buf_id_size", 1, 16)),
                result="object TBufPool",
            ),
        ),
        effect="object",
        exactness="assumed(every buffer of a queue counts, and a pool within the pool as one)",
        example="another_pool = asc.TBufPool(asc.TPosition.VECCALC, 4)",
    ),
    _pools("TBufPool", "a part of this one, `len` bytes in whole blocks of 32", "pool", (_SAME_SIZE,)),
    Row(
        "TBufPool.init_buffer",
        "InitBuffer",
        "Gives a queue `num` buffers of `len` bytes of the pool, or a TBuf its bytes; both in whole blocks of 32.",
        forms=(
            Form(
                "self: object TBufPool, que: object TQueBind, num: uint8, len: uint32",
                traits=(Allocates("queue", POOL, "que", size="len", number="num"),),
                rules=(_NUM, _LEN, SameMemory("que", "self"), BufferCapacity("que", "len", "num")),
            ),
            Form(
                "self: object TBufPool, buf: object TBuf, num: uint32",
                traits=(Allocates("buffer", POOL, "buf", size="num"),),
                rules=(Range("num", 1, _UINT32_MAX), SameMemory("buf", "self"), BufferCapacity("buf", "num")),
            ),
            Form(
                "self: object TBufPool, buf: object TBuf, len: uint32",
                traits=(Allocates("buffer", POOL, "buf", size="len"),),
                rules=(_LEN, SameMemory("buf", "self"), BufferCapacity("buf", "len")),
            ),
        ),
        example="queue_of_pool = asc.TQue(asc.TPosition.VECIN, 1)\npool.init_buffer(queue_of_pool, 2, 256)",
    ),
    Row(
        "TBufPool.reset",
        "Reset",
        "Takes back what the pool has given out, with the pools in it. Queues and buffers need init_buffer again.",
        forms=(Form("self: object TBufPool", traits=(TakesBack(POOL),)),),
        example="pool.reset()",
    ),
)
