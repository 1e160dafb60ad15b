// Checked mode: what the threads of a block touch.
#pragma once

#include "checker.h"

namespace opwright {

// Before the first thread of a block starts, and after the last one has ended.
inline void checker_begin_threads(Core* core, int32_t, const ThreadBlock*) { checker_of(core); }
inline void checker_end_threads(Core*, int32_t) {}

// All threads of the block have come to a barrier; all living lanes of a warp have met.
inline void checker_thread_barrier(Core*) {}
inline void checker_warp_meeting(Core*, uint32_t) {}

inline void note_thread(Core*, int32_t, uint32_t, const ThreadAccess*) {}

}  // namespace opwright
