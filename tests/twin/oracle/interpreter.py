"""A kernel that runs the program it is given: the checked twin judges real calls, not a trace of them.

In: for each core some lines of four integers, a call and what it is called with, and global memory to work on. UB and
global memory are counted in blocks of 32 bytes. Every block of UB is written before the program starts, so no read is
uninitialised. The queues have their buffers in the first blocks; a tensor of all of UB, from a pool over their bytes,
reaches them as well.
"""

from opwright import asc
from opwright.asc import HardEvent, PipeID, TPosition

BLOCK = 8  # elements
UB_BLOCKS = 16
GM_BLOCKS = 16
BUFFER_BLOCKS = 2
VECIN_BUFFERS = 2  # at 0 and 2
VECOUT_BUFFERS = 1  # at 4
VECOUT_FIRST = VECIN_BUFFERS * BUFFER_BLOCKS
LINES = 24  # of a core

NOTHING, COPY_IN, ADD, COPY_OUT = 0, 1, 2, 3
READ_UB, WRITE_UB, READ_GM, WRITE_GM = 4, 5, 6, 7
SET, WAIT, BARRIER, SYNC_ALL = 8, 9, 10, 11
IN_ALLOC, IN_ENQUE, IN_DEQUE, IN_FREE = 12, 13, 14, 15
OUT_ALLOC, OUT_ENQUE, OUT_DEQUE, OUT_FREE = 16, 17, 18, 19
IN_FILL, IN_USE, OUT_FILL, OUT_DRAIN = 20, 21, 22, 23  # the right access through the tensor of the queue

# Events by their numbers in a program.
EVENTS = (
    *(HardEvent.MTE2_V, HardEvent.V_MTE2, HardEvent.V_MTE3, HardEvent.MTE3_V, HardEvent.MTE2_MTE3, HardEvent.MTE3_MTE2),
    *(HardEvent.S_V, HardEvent.V_S, HardEvent.S_MTE2, HardEvent.MTE2_S, HardEvent.S_MTE3, HardEvent.MTE3_S),
)
PIPES = (PipeID.PIPE_ALL, PipeID.PIPE_V, PipeID.PIPE_MTE2, PipeID.PIPE_MTE3)


def interpret(code: asc.GlobalAddress, memory: asc.GlobalAddress):
    code_gm = asc.GlobalTensor()
    code_gm.set_global_buffer(code)
    gm = asc.GlobalTensor()
    gm.set_global_buffer(memory)
    pipe = asc.TPipe()
    queue_in = asc.TQue(TPosition.VECIN, VECIN_BUFFERS)
    queue_out = asc.TQue(TPosition.VECOUT, VECOUT_BUFFERS)
    pool = asc.TBufPool(TPosition.VECCALC, 4)
    same = asc.TBufPool(TPosition.VECCALC, 4)
    pipe.init_buf_pool(pool, UB_BLOCKS * BLOCK * 4)
    pipe.init_buf_pool(same, UB_BLOCKS * BLOCK * 4, pool)
    pool.init_buffer(queue_in, VECIN_BUFFERS, BUFFER_BLOCKS * BLOCK * 4)
    pool.init_buffer(queue_out, VECOUT_BUFFERS, BUFFER_BLOCKS * BLOCK * 4)
    all_of_it = asc.TBuf(TPosition.VECCALC)
    same.init_buffer(all_of_it, UB_BLOCKS * BLOCK * 4)
    ub = all_of_it.get(asc.float32)
    asc.duplicate(ub, 1.0, UB_BLOCKS * BLOCK)
    asc.pipe_barrier(PipeID.PIPE_ALL)
    # What a program uses that took nothing from a queue: the first blocks, too.
    same_in = asc.TBufPool(TPosition.VECIN, 4)
    same_out = asc.TBufPool(TPosition.VECOUT, 4)
    pipe.init_buf_pool(same_in, BUFFER_BLOCKS * BLOCK * 4, pool)
    pipe.init_buf_pool(same_out, BUFFER_BLOCKS * BLOCK * 4, pool)
    first_in = asc.TBuf(TPosition.VECIN)
    first_out = asc.TBuf(TPosition.VECOUT)
    same_in.init_buffer(first_in, BUFFER_BLOCKS * BLOCK * 4)
    same_out.init_buffer(first_out, BUFFER_BLOCKS * BLOCK * 4)
    in_made = first_in.get(asc.float32)
    in_taken = first_in.get(asc.float32)
    out_made = first_out.get(asc.float32)
    out_taken = first_out.get(asc.float32)
    for line in range(LINES):
        at = (asc.get_block_idx() * LINES + line) * 4
        call = code_gm.get_value(at)
        a = code_gm.get_value(at + 1)
        b = code_gm.get_value(at + 2)
        count = code_gm.get_value(at + 3) * BLOCK
        if call == COPY_IN:
            asc.data_copy(ub[a * BLOCK :], gm[b * BLOCK :], count)
        elif call == ADD:
            asc.adds(ub[a * BLOCK :], ub[b * BLOCK :], 1.0, count)
        elif call == COPY_OUT:
            asc.data_copy(gm[a * BLOCK :], ub[b * BLOCK :], count)
        elif call == READ_UB:
            if ub.get_value(a * BLOCK) == -1.0:
                asc.printf("the read is not left out")
        elif call == WRITE_UB:
            ub.set_value(a * BLOCK, 2.0)
        elif call == READ_GM:
            if gm.get_value(a * BLOCK) == -1.0:
                asc.printf("the read is not left out")
        elif call == WRITE_GM:
            gm.set_value(a * BLOCK, 2.0)
        elif call == SET:
            for event in asc.static_range(len(EVENTS)):
                if b == event:
                    asc.set_flag(EVENTS[event], a)
        elif call == WAIT:
            for event in asc.static_range(len(EVENTS)):
                if b == event:
                    asc.wait_flag(EVENTS[event], a)
        elif call == BARRIER:
            for number in asc.static_range(len(PIPES)):
                if a == number:
                    asc.pipe_barrier(PIPES[number])
        elif call == SYNC_ALL:
            asc.sync_all()
        elif call == IN_ALLOC:
            in_made = queue_in.alloc_tensor(asc.float32)
        elif call == IN_ENQUE:
            queue_in.enque(in_made)
        elif call == IN_DEQUE:
            in_taken = queue_in.deque(asc.float32)
        elif call == IN_FREE:
            queue_in.free_tensor(in_taken)
        elif call == OUT_ALLOC:
            out_made = queue_out.alloc_tensor(asc.float32)
        elif call == OUT_ENQUE:
            queue_out.enque(out_made)
        elif call == OUT_DEQUE:
            out_taken = queue_out.deque(asc.float32)
        elif call == OUT_FREE:
            queue_out.free_tensor(out_taken)
        elif call == IN_FILL:
            asc.data_copy(in_made, gm[b * BLOCK :], BUFFER_BLOCKS * BLOCK)
        elif call == IN_USE:
            asc.adds(ub[a * BLOCK :], in_taken, 1.0, BUFFER_BLOCKS * BLOCK)
        elif call == OUT_FILL:
            asc.adds(out_made, ub[b * BLOCK :], 1.0, BUFFER_BLOCKS * BLOCK)
        elif call == OUT_DRAIN:
            asc.data_copy(gm[a * BLOCK :], out_taken, BUFFER_BLOCKS * BLOCK)
