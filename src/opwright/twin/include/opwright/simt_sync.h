// Threads of a block that wait for each other, and fences.
#pragma once

#include "issue.h"

__aicore__ inline void asc_syncthreads(int32_t line = __builtin_LINE()) {
    opwright::Core& core = opwright::current_core();
    core.library->thread_barrier(&core, line);
}

// Threads of a block alternate on one processor, and what they write is there at once. Only the compiler must not move
// accesses over a fence; cores run on different processors, so that a fence for all threads is one of the processor.
__aicore__ inline void asc_threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
__aicore__ inline void asc_threadfence_block() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
