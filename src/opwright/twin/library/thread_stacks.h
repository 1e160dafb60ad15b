// The stacks of a block's threads. A worker has one set of them: threads of a block run to their ends before it goes on
// with another core, so that as many stacks as a block has threads are enough for all cores of a launch.
//
// In: the core whose threads are to run. Out: stacks, one after another. Refuses by returning null when there is no
// memory.
//
// kThreadStacks of them share an area of kStackBytes, aligned to that, so that a thread finds its core as a core does:
//   page 0      a pointer to the core
//   page 1      no access, unless pages are larger than what the stacks leave
//   the rest    the stacks, growing down
// A thread needs little: it may not recurse, its arrays have 1152 bytes at most, and what it prints has a buffer of
// its own. Without optimisation a long function has a large frame all the same: see Toolchain::small_frames.
#pragma once

#include "slot.h"

namespace opwright {

constexpr uint32_t kThreadStacks = 4;
constexpr uint64_t kThreadStackBytes = 975 * 64;  // odd in lines of a cache, so that not all lie alike in it
constexpr uint32_t kThreadAreas = (kBlockThreads + kThreadStacks - 1) / kThreadStacks;

struct Thread {
    void* stack_pointer;  // while it does not run; null: it has not begun
    uint32_t stack;
    ThreadState state;
    int32_t line;  // where it waits
};

// The threads that a worker runs just now, and what is known of them.
struct ThreadRun {
    uint8_t* areas;
    uint32_t stacks;  // taken so far, of all areas
    uint32_t free_count;
    uint16_t free[kBlockThreads];  // given back

    Core* core;
    const ThreadBlock* block;
    void* stack_pointer;  // of the core, while a thread runs
    uint32_t count;  // threads, and
    uint32_t warps;  // warps of them
    uint32_t current;   // the thread that runs
    uint32_t warp;      // its warp
    uint32_t position;  // its place in the order in which lanes run
    uint8_t warp_order[kBlockThreads / kWarpLanes];
    uint8_t lane_order[kWarpLanes];

    uint32_t ended;    // threads of the block
    uint32_t living;   // lanes of the warp
    uint32_t meeting;  // those of them that wait for the warp
    uint32_t round;    // how often warps have met
    int32_t line;      // where the first thread waits in this phase, and
    bool is_one_line;  // whether all others wait there too
    int32_t meeting_line;
    bool is_one_meeting;
    WarpMeeting meetings[2];  // a lane may come to the next while others have yet to look at the last
    uint32_t living_of[kBlockThreads / kWarpLanes];
    Thread threads[kBlockThreads];
};

OPWRIGHT_COLD ThreadRun* thread_run_create() {
    auto run = static_cast<ThreadRun*>(calloc(1, sizeof(ThreadRun)));
    if (!run) return nullptr;
    run->areas = map_aligned(kThreadAreas * kStackBytes);
    const bool has_room = 2 * page_bytes() + kThreadStacks * kThreadStackBytes <= kStackBytes;
    for (uint32_t i = 0; has_room && run->areas && i < kThreadAreas; ++i) {
        if (mprotect(run->areas + i * kStackBytes + page_bytes(), page_bytes(), PROT_NONE) != 0) {
            munmap(run->areas, kThreadAreas * kStackBytes);
            run->areas = nullptr;
        }
    }
    if (run->areas) return run;
    free(run);
    return nullptr;
}

OPWRIGHT_COLD void thread_run_destroy(ThreadRun* run) {
    if (!run) return;
    munmap(run->areas, kThreadAreas * kStackBytes);
    free(run);
}

inline uint32_t thread_stack_take(ThreadRun& run) {
    if (run.free_count) return run.free[--run.free_count];
    const uint32_t stack = run.stacks++;
    if (stack % kThreadStacks == 0) {
        *reinterpret_cast<Core**>(run.areas + stack / kThreadStacks * kStackBytes) = run.core;
    }
    return stack;
}

// The areas' tops all lie alike in a cache: those of the stacks must not, or they would drive each other out of it.
inline uint8_t* thread_stack_top(const ThreadRun& run, uint32_t stack) {
    const uint64_t area = stack / kThreadStacks, place = stack % kThreadStacks;
    return run.areas + (area + 1) * kStackBytes - place * kThreadStackBytes - area % 32 * 128;
}

}  // namespace opwright
