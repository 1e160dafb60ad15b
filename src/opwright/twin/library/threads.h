// The threads of a block: each is a fiber on a stack of its own, as long as it has something to wait for.
//
// In: a core, how many threads there are, what each of them runs. Out: all of them have ended. Refuses, as faults of
// the core, a barrier that not all threads come to and a meeting that not all living lanes of a warp come to.
//
// Threads run warp by warp. In a sweep every living lane of a warp runs until it waits or ends, and hands over
// to the next one itself. Lanes that met are swept again, so that in the end all of them wait for the block or have
// ended; and when that holds for all warps, the barrier opens. A thread that ends lends its stack to the next one that
// begins: where no thread waits one stack is enough for all.
#pragma once

#include "scheduler.h"

namespace opwright {

void checker_begin_threads(Core* core, const ThreadBlock* block);  // check/threads.h
void checker_end_threads(Core* core, int32_t line);
void checker_thread_barrier(Core* core);
void checker_warp_meeting(Core* core, uint32_t warp);
void perturb_threads(Core* core, uint8_t* warps, uint32_t warp_count, uint8_t* lanes);  // check/perturb.h

inline ThreadRun& threads_of(Core* core) { return *slot_of(core)->worker->threads; }

// Makes a thread the one that the kernel sees.
inline void thread_enter(ThreadRun& run, uint32_t thread) {
    const uint32_t* dims = run.block->dims;
    run.current = thread;
    if (dims[1] == 1 && dims[2] == 1) {
        run.block->enter(thread, 0, 0);
    } else {
        run.block->enter(thread % dims[0], thread / dims[0] % dims[1], thread / dims[0] / dims[1]);
    }
}

constexpr uint32_t kNoThread = ~0u;

// The next thread of the sweep, already entered.
inline uint32_t thread_next(ThreadRun& run) {
    while (++run.position < kWarpLanes) {
        const uint32_t lane = run.lane_order[run.position];
        if (!(run.living >> lane & 1)) continue;
        const uint32_t thread = run.warp * kWarpLanes + lane;
        thread_enter(run, thread);
        return thread;
    }
    return kNoThread;
}

inline void thread_main(void* argument);

// Where to go on for a thread: where it waits, or at its begin.
inline void* thread_stack_pointer(ThreadRun& run, uint32_t number) {
    Thread& thread = run.threads[number];
    if (!thread.stack_pointer) {
        thread.stack = thread_stack_take(run);
        return fiber_prepare(thread_stack_top(run, thread.stack), thread_main, &run);
    }
    return thread.stack_pointer;
}

// The running thread waits, and the next one takes its turn.
inline void thread_wait(ThreadRun& run, ThreadState state, int32_t line) {
    Thread& thread = run.threads[run.current];
    thread.state = state;
    thread.line = line;
    const uint32_t next = thread_next(run);
    opwright_switch(&thread.stack_pointer, next == kNoThread ? run.stack_pointer : thread_stack_pointer(run, next));
}

inline void thread_main(void* argument) {
    ThreadRun& run = *static_cast<ThreadRun*>(argument);
    for (;;) {
        run.block->body(run.block->arguments);
        const uint32_t ended = run.current;
        Thread& thread = run.threads[ended];
        thread.state = ThreadState::ENDED;
        run.living &= ~(1u << ended % kWarpLanes);
        ++run.ended;
        const uint32_t next = thread_next(run);
        if (next != kNoThread && !run.threads[next].stack_pointer) {
            run.threads[next].stack = thread.stack;
            continue;
        }
        run.free[run.free_count++] = static_cast<uint16_t>(thread.stack);
        void* unused;
        opwright_switch(&unused, next == kNoThread ? run.stack_pointer : run.threads[next].stack_pointer);
    }
}

// Every living lane of the warp has its turn.
inline void threads_sweep(ThreadRun& run) {
    run.position = ~0u;
    run.meeting = 0;
    run.is_one_meeting = true;
    const uint32_t first = thread_next(run);
    if (first != kNoThread) opwright_switch(&run.stack_pointer, thread_stack_pointer(run, first));
}

// A thread waits at a line, and another one does not come there.
OPWRIGHT_COLD void threads_fail(ThreadRun& run, Fault fault, uint32_t waiting, uint32_t other) {
    int64_t details[8];
    const uint32_t* dims = run.block->dims;
    const uint32_t both[] = {waiting, other};
    for (uint32_t i = 0; i < 2; ++i) {
        details[3 * i] = both[i] % dims[0];
        details[3 * i + 1] = both[i] / dims[0] % dims[1];
        details[3 * i + 2] = both[i] / dims[0] / dims[1];
    }
    const Thread& absent = run.threads[other];
    details[6] = static_cast<int64_t>(absent.state);
    details[7] = absent.state == ThreadState::ENDED ? 0 : absent.line;
    core_fail(run.core, fault, run.threads[waiting].line, details, 8);
}

// Named are the lowest thread that waits for the warp, and the lowest lane that does not come to its line.
OPWRIGHT_COLD void threads_miss_lanes(ThreadRun& run) {
    const uint32_t begin = run.warp * kWarpLanes;
    const uint32_t waiting = begin + static_cast<uint32_t>(__builtin_ctz(run.meeting));
    for (uint32_t thread = begin; thread < begin + kWarpLanes; ++thread) {
        if (!(run.living >> thread % kWarpLanes & 1)) continue;
        const Thread& other = run.threads[thread];
        if (other.state != ThreadState::AT_MEETING || other.line != run.threads[waiting].line) {
            threads_fail(run, Fault::MISSING_LANES, waiting, thread);
        }
    }
}

// Named are the lowest thread that waits for the block, and the lowest that does not come to its line.
OPWRIGHT_COLD void threads_diverge(ThreadRun& run) {
    uint32_t waiting = 0;
    while (run.threads[waiting].state == ThreadState::ENDED) ++waiting;
    const int32_t line = run.threads[waiting].line;
    uint32_t other = 0;
    while (run.threads[other].state != ThreadState::ENDED && run.threads[other].line == line) ++other;
    threads_fail(run, Fault::DIVERGENT_BARRIER, waiting, other);
}

// The lanes of a warp run until all of them wait for the block or have ended.
inline void threads_run_warp(ThreadRun& run, uint32_t warp) {
    run.warp = warp;
    run.living = run.living_of[warp];
    for (;;) {
        threads_sweep(run);
        if (!run.meeting) break;
        if (__builtin_expect(run.meeting != run.living || !run.is_one_meeting, 0)) threads_miss_lanes(run);
        run.meetings[run.round % 2].lanes = run.meeting;
        run.meetings[run.round % 2].has_result = false;
        ++run.round;
        if (run.core->launch->mode == kChecked) checker_warp_meeting(run.core, warp);
    }
    run.living_of[warp] = run.living;
}

inline void threads_begin(ThreadRun& run, Core* core, const ThreadBlock* block) {
    run.core = core;
    run.block = block;
    run.count = block->dims[0] * block->dims[1] * block->dims[2];
    run.stacks = run.free_count = run.ended = run.round = 0;
    for (uint32_t i = 0; i < run.count; ++i) run.threads[i].stack_pointer = nullptr;
    run.warps = (run.count + kWarpLanes - 1) / kWarpLanes;
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) run.lane_order[lane] = static_cast<uint8_t>(lane);
    for (uint32_t warp = 0; warp < run.warps; ++warp) {
        run.warp_order[warp] = static_cast<uint8_t>(warp);
        run.living_of[warp] = ~0u;
    }
    if (run.count % kWarpLanes) run.living_of[run.warps - 1] = (1u << run.count % kWarpLanes) - 1;
    if (core->launch->mode == kPerturbed) perturb_threads(core, run.warp_order, run.warps, run.lane_order);
}

// The functions of the Library table.

inline void threads_run(Core* core, int32_t line, const ThreadBlock* block) {
    Worker* worker = slot_of(core)->worker;
    if (!worker->threads) worker->threads = thread_run_create();
    if (!worker->threads) {
        int64_t bytes = kThreadAreas * kStackBytes;
        core_fail(core, Fault::NO_MEMORY, line, &bytes, 1);
    }
    ThreadRun& run = *worker->threads;
    const bool checks = core->launch->mode == kChecked;
    if (checks) checker_begin_threads(core, block);
    threads_begin(run, core, block);
    for (;;) {
        run.line = 0;
        run.is_one_line = true;
        for (uint32_t i = 0; i < run.warps; ++i) threads_run_warp(run, run.warp_order[i]);
        if (run.ended == run.count) break;
        if (__builtin_expect(run.ended != 0 || !run.is_one_line, 0)) threads_diverge(run);
        if (checks) checker_thread_barrier(core);
    }
    if (checks) checker_end_threads(core, line);
}

inline void threads_barrier(Core* core, int32_t line) {
    ThreadRun& run = threads_of(core);
    if (run.line != line) {
        run.is_one_line = run.line == 0;
        run.line = line;
    }
    thread_wait(run, ThreadState::AT_BARRIER, line);
}

inline const WarpMeeting* threads_meet(Core* core, int32_t line, uint64_t value) {
    ThreadRun& run = threads_of(core);
    const uint32_t lane = run.current % kWarpLanes;
    WarpMeeting& meeting = run.meetings[run.round % 2];
    meeting.values[lane] = value;
    if (run.meeting == 0) run.meeting_line = line;
    run.is_one_meeting = run.is_one_meeting && run.meeting_line == line;
    run.meeting |= 1u << lane;
    thread_wait(run, ThreadState::AT_MEETING, line);
    return &meeting;
}

}  // namespace opwright
