// What cores know of each other after some of them waited for others, not all for all: through words, through flags
// between cores, and at the barrier of the AIVs of a launch that has AICs too.
//
// In: that a pipe of a core gives what it knows to a place, or takes what was given there. Out: for each access which
// accesses of other cores have certainly ended when it begins.
#pragma once

#include <map>
#include <utility>

#include "../cross.h"
#include "checker.h"

namespace opwright {

struct Meetings {
    std::map<std::pair<uint64_t, uint64_t>, Known> given;  // by place and round
};

constexpr uint64_t kBarrierOfAivs = ~uint64_t(0);  // its place

inline Known& given_at(Core* core, uint64_t place, uint64_t round) {
    Launch& launch = *slot_of(core)->launch;
    if (!launch.met) launch.met = new Meetings();
    return static_cast<Meetings*>(launch.met)->given[{place, round}];
}

// Under the mutex of the launch, as those that follow. `pipe`: the one whose work has ended; PIPE_ALL: all of them.
inline void checker_give(Core* core, uint32_t pipe, uint64_t place, uint64_t round) {
    Checker& checker = checker_of(core);
    const Clock clock = pipe == PIPE_ALL ? checker.order.all() : checker.order.given(pipe);
    checker.report.global.give(static_cast<uint32_t>(slot_of(core)->rank), clock, given_at(core, place, round));
    checker.report.cache.meets();
}

// `pipe`: the one that is held until it may go on; PIPE_S holds all of them.
inline void checker_take(Core* core, uint32_t pipe, uint64_t place, uint64_t round) {
    Checker& checker = checker_of(core);
    const Known& given = given_at(core, place, round);
    checker.order.waited(pipe);
    checker.report.global.take(pipe, given);
    checker.report.cache.meets();
    // What others waited for on this core has come back to it.
    for (uint32_t own = 0; own < kPipes; ++own) {
        const uint32_t count = given.ended(static_cast<uint32_t>(slot_of(core)->rank), own);
        if (count) checker.order.learn(pipe, own, count);
    }
}

inline void checker_meet(Core* core, uint64_t place, uint64_t round, bool gives) {
    if (gives) {
        checker_give(core, PIPE_ALL, place, round);
    } else {
        checker_take(core, PIPE_S, place, round);
    }
}

// Of a barrier that not all cores come to. A core that leaves it knows what all that came had done.
inline void checker_barrier(Core* core, int32_t line, bool aiv_only, bool comes) {
    Checker& checker = checker_of(core);
    Launch& launch = *slot_of(core)->launch;
    const bool is_of_all = !aiv_only || !launch.aic;
    if (comes && checker.records) {
        TraceEvent event = event_of(core, TraceKind::SYNC_ALL, PIPE_ALL, line);
        event.other = !is_of_all;
        record(checker, event);
    }
    if (is_of_all && comes) {
        checker.report.global.next_phase();
        checker.report.cache.next_phase();
    }
    if (is_of_all) return;
    Locked locked(launch);
    if (comes) {
        checker_give(core, PIPE_ALL, kBarrierOfAivs, checker.barriers);
    } else {
        checker_take(core, PIPE_S, kBarrierOfAivs, checker.barriers++);
    }
}

inline void checker_record_cross(Core* core, int32_t line, bool is_set, uint32_t mode, uint32_t pipe, uint32_t id) {
    Checker& checker = checker_of(core);
    if (!checker.records) return;
    TraceEvent event = event_of(core, is_set ? TraceKind::CROSS_SET : TraceKind::CROSS_WAIT, pipe, line);
    event.other = mode;
    event.id = id;
    record(checker, event);
}

inline void checker_forget_meetings(Launch& launch) {
    delete static_cast<Meetings*>(launch.met);
    launch.met = nullptr;
}

}  // namespace opwright
