// Perturbed mode: the functions by which a kernel reaches the library, when its work is held back.
//
// In: what a kernel built for the checked mode reports. Out: the same work, done in the order that the launch's seed
// chooses among the legal ones. Nothing is judged: the caller compares results. On-chip memories start as all ones,
// which is NaN, so that what is read too early shows.
#pragma once

#include "../combine.h"
#include "../cross.h"
#include "../meet.h"
#include "../threads.h"
#include "checker.h"
#include "held.h"

namespace opwright {

// Cores start in an order of the schedule's choice.
inline void launch_order(Launch& launch) {
    const StartOrder order(launch.record->seed, launch.record->grid);
    launch.first = order.first;
    launch.step = order.step;
    launch.backwards = launch.record->seed / 2 % 2;
}

inline HeldWork& held_of(Core* core) { return *static_cast<HeldWork*>(core->held); }

inline void perturb_begin(Core* core) {
    poison(core);
    const LaunchRecord& launch = *core->launch;
    core->held = new HeldWork(Schedule(launch.seed, core->block, core->kind == CoreKind::AIC), rules_of(launch));
}

inline void perturb_finish(Core* core) { held_of(core).finish(); }

inline void perturb_forget(Core* core) {
    delete &held_of(core);
    core->held = nullptr;
}

inline void perturb_defer(Core* core, uint32_t pipe, const Footprint* touched, uint32_t count, void (*run)(void*),
                          const void* work, uint64_t bytes) {
    held_of(core).defer(pipe, touched, count, run, work, bytes);
}

inline void perturb_reach(Core* core, int32_t, uint32_t pipe, const Footprint* touched, uint32_t count) {
    held_of(core).reach(pipe, touched, count);
}

inline void perturb_flag(Core* core, int32_t, bool is_set, uint32_t source, uint32_t destination, uint32_t id) {
    if (is_set) {
        held_of(core).set(source, destination, id);
    } else {
        held_of(core).wait(source, destination, id);
    }
}

inline void perturb_barrier(Core* core, int32_t, uint32_t pipe) { held_of(core).barrier(pipe); }

inline void perturb_cache(Core*, bool, uint64_t) {}

inline void perturb_note(Core*, Fault, int32_t, const int64_t*, uint32_t, uint32_t) {}

// A flag between cores is set some time after earlier work of its pipe has ended; work of other pipes may come later.
inline void perturb_cross(Core* core, int32_t line, bool is_set, uint32_t mode, uint32_t pipe, uint32_t id) {
    struct Set {
        Core* core;
        int32_t line;
        uint32_t mode, pipe, id;
    };
    if (is_set) {
        const Set set = {core, line, mode, pipe, id};
        const auto run = [](void* kept) {
            const Set made = *static_cast<Set*>(kept);
            cross_set(made.core, made.line, made.mode, made.pipe, made.id);
        };
        held_of(core).cross(pipe, run, &set, sizeof set);
    } else {
        held_of(core).set_crosses();
        cross_wait(core, line, mode, pipe, id);
    }
}

// What unit flags order has ended before the call that waits for them.
inline void perturb_unit(Core* core, int32_t, uint32_t, bool ends, uint64_t, uint64_t) {
    if (!ends) held_of(core).finish();
}

// The schedule chooses the order in which threads of a block run.
inline void perturb_threads(Core* core, uint8_t* warps, uint32_t warp_count, uint8_t* lanes) {
    if (core->launch->seed == 0) return;
    TurnOrder order(core->launch->seed, core->block);
    order.put(warps, warp_count);
    order.put(lanes, kWarpLanes);
}

inline void perturb_thread(Core*, int32_t, uint32_t, const ThreadAccess*) {}

static constexpr Library kPerturbedLibrary = {core_fail,        core_sync_all, core_print,   copy_streaming,
                                              copy_prefetching, perturb_reach, perturb_flag, perturb_barrier,
                                              perturb_cache,    perturb_note,  perturb_defer, core_combine,
                                              core_exchange,    core_meet,     perturb_cross, threads_run,
                                              threads_barrier,  threads_meet,  perturb_thread, perturb_unit,
                                              nullptr};

}  // namespace opwright
