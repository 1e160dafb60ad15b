// The threads of a block.
#pragma once

#include "scheduler.h"

namespace opwright {

void checker_begin_threads(Core* core, int32_t line, const ThreadBlock* block);  // check/threads.h
void checker_end_threads(Core* core, int32_t line);
void checker_thread_barrier(Core* core);
void checker_warp_meeting(Core* core, uint32_t warp);

inline void threads_run(Core* core, int32_t line, const ThreadBlock* block) {
    if (core->launch->mode == kChecked) checker_begin_threads(core, line, block);
    for (uint32_t z = 0; z < block->dims[2]; ++z) {
        for (uint32_t y = 0; y < block->dims[1]; ++y) {
            for (uint32_t x = 0; x < block->dims[0]; ++x) {
                block->enter(x, y, z);
                block->body(block->arguments);
            }
        }
    }
    if (core->launch->mode == kChecked) checker_end_threads(core, line);
}
inline void threads_barrier(Core*, int32_t) {}
inline const WarpMeeting* threads_meet(Core*, int32_t, uint64_t) { return nullptr; }

}  // namespace opwright
