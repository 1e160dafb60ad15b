// The library of the fast mode checks no order: its kernels report nothing to it.
#pragma once

#include "../scheduler.h"

namespace opwright {

inline void checker_forget(Core*) {}
inline void checker_left_set(Core*, uint32_t, int32_t, int32_t) {}
inline void checker_left_on(Core*) {}
inline void checker_left_crossed(Core*, int32_t, const int64_t*, uint32_t) {}
inline void checker_barrier(Core*, int32_t, bool, bool) {}
inline void checker_conclude(Launch&) {}
inline void checker_give(Core*, uint32_t, uint64_t, uint64_t) {}
inline void checker_take(Core*, uint32_t, uint64_t, uint64_t) {}
inline void checker_record_cross(Core*, int32_t, bool, uint32_t, uint32_t, uint32_t) {}
inline void checker_meet(Core*, uint64_t, uint64_t, bool) {}
inline void checker_forget_meetings(Launch&) {}

inline void checker_forget_threads(void*) {}
inline void checker_begin_threads(Core*, const ThreadBlock*) {}
inline void checker_end_threads(Core*, int32_t) {}
inline void checker_thread_barrier(Core*) {}
inline void checker_warp_meeting(Core*, uint32_t) {}

inline void launch_order(Launch&) {}
inline void perturb_threads(Core*, uint8_t*, uint32_t, uint8_t*) {}
inline void perturb_begin(Core*) {}
inline void perturb_finish(Core*) {}
inline void perturb_forget(Core*) {}

constexpr decltype(Library::note_access) note_access = nullptr;
constexpr decltype(Library::note_flag) note_flag = nullptr;
constexpr decltype(Library::note_barrier) note_barrier = nullptr;
constexpr decltype(Library::note_cache) note_cache = nullptr;
constexpr decltype(Library::note) note = nullptr;
constexpr decltype(Library::note_thread) note_thread = nullptr;
constexpr decltype(Library::note_unit) note_unit = nullptr;
constexpr decltype(Library::note_load) note_load = nullptr;

static constexpr Library kPerturbedLibrary = {};

}  // namespace opwright
