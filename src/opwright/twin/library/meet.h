// Cores that wait for some others: through words of global memory.
//
// In: a core, and what it waits for. Out: it goes on when that has happened. What never happens is a deadlock, which the
// launch finds. In checked mode it then knows what those it waited for had done before.
#pragma once

#include "scheduler.h"

namespace opwright {

void checker_meet(Core* core, uint64_t place, uint64_t round, bool gives);  // check/meetings.h; under the mutex

OPWRIGHT_COLD void core_exchange(Core* core, int32_t line, int32_t* word, int32_t expected, int32_t value) {
    Slot* slot = slot_of(core);
    core_require_together(core, line);
    copy_fence();
    const auto place = reinterpret_cast<uint64_t>(word);
    slot->awaited = {Awaited::WORD, 0, 0};
    core_await(slot, line, [&] {
        Locked locked(*slot->launch);
        if (*word != expected) return false;
        // It knows what the core that set the word had done, and a core that finds another word knows what this one has
        // done.
        if (core->launch->mode == kChecked) {
            checker_meet(core, place, static_cast<uint64_t>(expected), false);
            checker_meet(core, place, static_cast<uint64_t>(value), true);
        }
        *word = value;
        launch_signal(*slot->launch);
        return true;
    });
    slot->awaited = {};
}

// The word counts who has come; it never goes down, so that rounds do not mix.
OPWRIGHT_COLD void core_meet(Core* core, int32_t line, int32_t* word, uint32_t cores) {
    Slot* slot = slot_of(core);
    core_require_together(core, line);
    copy_fence();
    const auto place = reinterpret_cast<uint64_t>(word);
    uint32_t round;
    {
        Locked locked(*slot->launch);
        round = static_cast<uint32_t>(*word) / cores;
        if (core->launch->mode == kChecked) checker_meet(core, place, round, true);
        ++*word;
        launch_signal(*slot->launch);
    }
    slot->awaited = {Awaited::WORD, 0, 0};
    core_await(slot, line, [&] {
        Locked locked(*slot->launch);
        if (static_cast<uint32_t>(*word) / cores <= round) return false;
        if (core->launch->mode == kChecked) checker_meet(core, place, round, false);
        return true;
    });
    slot->awaited = {};
}

}  // namespace opwright
