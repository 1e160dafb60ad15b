// What cores know of each other after they met some others, not all: through words and flags between cores.
//
// In: that a core gives what it has done to a place, or takes what was given there. Out: for each segment of a core's work
// which segments of the others have certainly ended. A segment ends whenever a core gives or takes.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "checker.h"

namespace opwright {

struct Meetings {
    std::map<std::pair<uint64_t, uint64_t>, std::vector<uint32_t>> given;  // by place and round
};

// Under the mutex of the launch.
inline void checker_meet(Core* core, uint64_t place, uint64_t round, bool gives) {
    Launch& launch = *slot_of(core)->launch;
    CoreGlobal& global = checker_of(core).told.global;
    if (!launch.met) launch.met = new Meetings();
    std::vector<uint32_t>& given = static_cast<Meetings*>(launch.met)->given[{place, round}];
    if (gives) {
        global.give_to(core->block, given);
    } else {
        global.take_from(given);
    }
}

inline void checker_forget_meetings(Launch& launch) {
    delete static_cast<Meetings*>(launch.met);
    launch.met = nullptr;
}

}  // namespace opwright
