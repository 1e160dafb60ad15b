// Chapter sync: flags between pipes, barriers. Fast mode runs a core in program order, so a flag is one bit: a wait
// for a bit that is not set can never be served by an earlier set and is refused, not passed.
#pragma once

#include "generated/enums.h"
#include "issue.h"
#include "tensor.h"

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

// Which kind of core runs this is known to the compiler.
OPWRIGHT_INLINE void require_pipe(const At& at, uint32_t pipe) {
    const bool has_it = has_pipe(static_cast<CoreKind>(g_coreType), at.core.launch->arch, pipe);
    if (OPWRIGHT_UNLIKELY(!has_it)) at.fail(Fault::ABSENT_PIPE, pipe, g_coreType, at.core.launch->arch);
}

OPWRIGHT_INLINE void require_pipes(const At& at, AscendC::HardEvent event) {
    require_pipe(at, source_pipe(event));
    require_pipe(at, destination_pipe(event));
}

OPWRIGHT_INLINE void set_flag(const At& at, AscendC::HardEvent event, int32_t event_id) {
    require_pipes(at, event);
    note_reserved_id(at, event, event_id);
    raise_flag(at, event, event_id);
}

OPWRIGHT_INLINE void wait_flag(const At& at, AscendC::HardEvent event, int32_t event_id) {
    require_pipes(at, event);
    note_reserved_id(at, event, event_id);
    await_flag(at, event, event_id);
}

OPWRIGHT_INLINE void pipe_barrier(const At& at, pipe_t pipe) {
    require_pipe(at, pipe);
    note_barrier(at, pipe);
}

// The scalar unit goes on, and issues to other pipes, when its own accesses have ended.
OPWRIGHT_INLINE void data_sync_barrier(const At& at, AscendC::MemDsbT) { note_barrier(at, PIPE_S); }

OPWRIGHT_INLINE void sync_all(const At& at, bool is_aiv_only) {
    note_barrier(at, PIPE_ALL);
    at.core.library->sync_all(&at.core, at.line, is_aiv_only);
}

// Words by which cores wait for each other, 32 bytes for each: `count` of them from number `first` on. Such words are
// touched by many cores, none of which disturbs another: like atomic copies they never race.
struct Words {
    int64_t first;
    int64_t count;
};
constexpr int64_t kWordInts = kBlockBytes / sizeof(int32_t);

// AIVs of the launch.
OPWRIGHT_INLINE int64_t all_cores(const At& at) { return int64_t(at.core.launch->grid) * (at.core.launch->group & 255); }

// The word of a core and an event.
OPWRIGHT_INLINE Words flag_word(const At& at, int64_t block, int64_t event) { return {event * all_cores(at) + block, 1}; }

OPWRIGHT_INLINE Words own_word(const At& at) { return {at.core.block, 1}; }
OPWRIGHT_INLINE Words next_word(const At& at) { return {(at.core.block + 1) % all_cores(at), 1}; }

OPWRIGHT_INLINE int64_t cores_of(const At& at, int64_t used_cores) { return used_cores ? used_cores : all_cores(at); }
OPWRIGHT_INLINE Words words_of(const At& at, int64_t used_cores) { return {0, cores_of(at, used_cores)}; }

OPWRIGHT_INLINE Runs local_words(const At& at, int64_t used_cores) {
    return {1, uint64_t(cores_of(at, used_cores)) * kBlockBytes, 0};
}

template <typename T>
OPWRIGHT_INLINE auto writes(const AscendC::GlobalTensor<T>& tensor, uint32_t operand, const Words& words) {
    const AscendC::GlobalTensor<T> part = tensor[Offset(words.first * kWordInts)];
    WrittenOperand<T> made{part.operand(operand, words.count * kWordInts, 1, true)};
    made.footprint.atomic = {static_cast<uint8_t>(AscendC::AtomicDtype::ATOMIC_S32), 1, 0};
    return made;
}

// They wait when they are called, in every mode: so they return something. Work of all pipes ends before and starts after.
OPWRIGHT_INLINE bool exchange(const At& at, Written<int32_t> word, Written<int32_t> local, int32_t expected, int32_t value) {
    at.core.library->exchange(&at.core, at.line, word.data(), expected, value);
    int32_t* copy = local.data();
    for (int64_t i = 0; i < kWordInts; ++i) copy[i] = 0;
    copy[0] = value;
    return true;
}

OPWRIGHT_INLINE bool ib_set(const At& at, Written<int32_t> word, Written<int32_t> local, int32_t, int32_t, bool) {
    return exchange(at, word, local, 0, 1);
}
OPWRIGHT_INLINE bool ib_wait(const At& at, Written<int32_t> word, Written<int32_t> local, int32_t, int32_t, bool) {
    return exchange(at, word, local, 1, 0);
}
OPWRIGHT_INLINE bool notify_next_block(const At& at, Written<int32_t> word, Written<int32_t> local) {
    return exchange(at, word, local, 0, 1);
}

// The first core has none before it the first time.
OPWRIGHT_INLINE bool wait_pre_block(const At& at, Written<int32_t> word, Written<int32_t> local) {
    const bool waits = at.core.block != 0 || at.core.has_waited;
    at.core.has_waited = true;
    return waits && exchange(at, word, local, 1, 0);
}

OPWRIGHT_INLINE bool sync_some(const At& at, Written<int32_t> words, Written<int32_t> local, int32_t used_cores, bool) {
    if (cores_of(at, used_cores) == all_cores(at)) {
        at.core.library->sync_all(&at.core, at.line, true);
    } else {
        at.core.library->meet(&at.core, at.line, words.data(), static_cast<uint32_t>(used_cores));
    }
    for (int64_t i = 0; i < local.size(); ++i) local.data()[i] = 0;
    return true;
}

// On an AIC, 16 is added to the flags of AIV 1 in mode 4. Flag 15 of the other modes is free.
OPWRIGHT_INLINE void note_reserved_flag(const At& at, uint32_t flag_id, uint8_t mode) {
#ifdef OPWRIGHT_CHECKED
    const uint32_t flag = flag_id % kCrossFlags;
    const bool is_free = mode != 4 && flag == kCrossFlags - 1;
    if (flag >= kCrossFlagsByHand && !is_free) at.note(Fault::RESERVED_FLAG, 1, flag_id);
#else
    (void)at, (void)flag_id, (void)mode;
#endif
}

OPWRIGHT_INLINE void cross_core_set_flag(const At& at, uint32_t flag_id, uint8_t mode, pipe_t pipe) {
    note_reserved_flag(at, flag_id, mode);
    at.core.library->cross(&at.core, at.line, true, mode, pipe, flag_id);
}
OPWRIGHT_INLINE void cross_core_wait_flag(const At& at, uint32_t flag_id, uint8_t mode, pipe_t pipe) {
    note_reserved_flag(at, flag_id, mode);
    at.core.library->cross(&at.core, at.line, false, mode, pipe, flag_id);
}

}  // namespace opwright
