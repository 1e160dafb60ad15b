// Chapter sync: flags between pipes, barriers. Fast mode runs a core in program order, so a flag is one bit: a wait
// for a bit that is not set can never be served by an earlier set and is refused, not passed.
#pragma once

#include "enums.h"
#include "issue.h"

namespace opwright {

OPWRIGHT_INLINE void note_flag(const At& at, bool is_set, AscendC::HardEvent event, int32_t id) {
#ifdef OPWRIGHT_CHECKED
    at.core.library->note_flag(&at.core, at.line, is_set, source_pipe(event), destination_pipe(event),
                               static_cast<uint32_t>(id));
#else
    (void)at, (void)is_set, (void)event, (void)id;
#endif
}

OPWRIGHT_INLINE void note_barrier(const At& at, pipe_t pipe) {
#ifdef OPWRIGHT_CHECKED
    at.core.library->note_barrier(&at.core, at.line, pipe);
#else
    (void)at, (void)pipe;
#endif
}

// The flags of queues come here at once, those of a kernel through set_flag and wait_flag.
OPWRIGHT_INLINE void raise_flag(const At& at, AscendC::HardEvent event, int32_t event_id) {
    const auto pair = static_cast<uint32_t>(event);
    uint8_t& word = at.core.flags[pair];
    const uint8_t bit = static_cast<uint8_t>(1u << event_id);
    if (OPWRIGHT_UNLIKELY(word & bit)) at.fail(Fault::SET_TWICE, event, event_id);
    word = static_cast<uint8_t>(word | bit);
    at.core.flag_lines[pair][event_id] = at.line;
    note_flag(at, true, event, event_id);
}

OPWRIGHT_INLINE void await_flag(const At& at, AscendC::HardEvent event, int32_t event_id) {
    uint8_t& word = at.core.flags[static_cast<uint32_t>(event)];
    const uint8_t bit = static_cast<uint8_t>(1u << event_id);
    if (OPWRIGHT_UNLIKELY(!(word & bit))) at.fail(Fault::WAIT_WITHOUT_SET, event, event_id);
    word = static_cast<uint8_t>(word & ~bit);
    note_flag(at, false, event, event_id);
}

// An id that the pipe of the kernel gave out is not the kernel's choice.
OPWRIGHT_INLINE void note_reserved_id(const At& at, AscendC::HardEvent event, int32_t event_id) {
#ifdef OPWRIGHT_CHECKED
    const bool given = at.core.event_ids[static_cast<uint32_t>(event)] >> event_id & 1;
    if (event_id >= int32_t(kEventIdsByHand) && !given) at.note(Fault::RESERVED_ID, 2, event, event_id);
#else
    (void)at, (void)event, (void)event_id;
#endif
}

OPWRIGHT_INLINE void set_flag(const At& at, AscendC::HardEvent event, int32_t event_id) {
    note_reserved_id(at, event, event_id);
    raise_flag(at, event, event_id);
}

OPWRIGHT_INLINE void wait_flag(const At& at, AscendC::HardEvent event, int32_t event_id) {
    note_reserved_id(at, event, event_id);
    await_flag(at, event, event_id);
}

OPWRIGHT_INLINE void pipe_barrier(const At& at, pipe_t pipe) { note_barrier(at, pipe); }

// The scalar unit goes on, and issues to other pipes, when its own accesses have ended.
OPWRIGHT_INLINE void data_sync_barrier(const At& at, AscendC::MemDsbT) { note_barrier(at, PIPE_S); }

OPWRIGHT_INLINE void sync_all(const At& at, bool) {
    note_barrier(at, PIPE_ALL);
    at.core.library->sync_all(&at.core, at.line);
}

}  // namespace opwright
