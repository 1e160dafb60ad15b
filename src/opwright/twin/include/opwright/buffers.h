// What the pipe of a kernel, its queues, buffers and pools share: a buffer, its flags and event ids.
#pragma once

#include "generated/calls/sync.h"
#include "tensor.h"

namespace opwright {

constexpr uint8_t kThePipe = 255;  // hands out buffers that no pool does

// One buffer of a queue, a TBuf, or all memory of a pool. An event id is -1 where no flag is to be waited for.
struct Buffer {
    uint32_t address;
    BufferState state = BufferState::FREE;
    uint8_t owner = kThePipe;  // the number of the pool that gave it out
    AscendC::HardEvent free_event = AscendC::HardEvent::V_V;
    AscendC::HardEvent ready_event = AscendC::HardEvent::V_V;
    int8_t free_id = -1;   // the flag says that the consumer is done with the buffer
    int8_t ready_id = -1;  // the flag says that the producer is
    int32_t tag = 0;       // of the tensor that was enqueued
};

// Buffers that were given out together: the number of the first, the bytes of one, and their stamp.
struct Given {
    uint32_t number = 0;
    uint32_t bytes = 0;
    uint32_t stamp = 0;  // 0: none yet

    OPWRIGHT_INLINE bool is_there(const At& at) const { return stamp != 0 && at.core.stamps[number] == stamp; }
    OPWRIGHT_INLINE void require(const At& at) const {
        if (OPWRIGHT_UNLIKELY(!is_there(at))) at.fail(Fault::NO_BUFFERS);
    }
    OPWRIGHT_INLINE void require_none(const At& at) const {
        if (OPWRIGHT_UNLIKELY(is_there(at))) at.fail(Fault::BUFFERS_TWICE);
    }
};

constexpr uint32_t kLiveTensors = 8;  // of the queues of one position at the same time

// A buffer changes its state. The checked mode has to know: a tensor may be used at the wrong time.
OPWRIGHT_INLINE void note_buffer(const At& at, uint32_t number, BufferState state, uint8_t position) {
#ifdef OPWRIGHT_CHECKED
    at.core.buffers[number] = {state, position};
#else
    (void)at, (void)number, (void)state, (void)position;
#endif
}

OPWRIGHT_INLINE void note_live_tensors(const At& at, uint8_t position) {
#ifdef OPWRIGHT_CHECKED
    uint32_t live = 0;
    for (const BufferNote& buffer : at.core.buffers) {
        live += buffer.position == position && buffer.state != BufferState::FREE;
    }
    if (live > kLiveTensors) at.note(Fault::LIVE_TENSORS, 1, position, live);
#else
    (void)at, (void)position;
#endif
}

// The pipe that fills a buffer that comes from a position.
OPWRIGHT_INLINE constexpr pipe_t producer_pipe(AscendC::TPosition position) {
    switch (memory_of(position)) {
        case Memory::GM: return PIPE_MTE2;
        case Memory::UB: return position == AscendC::TPosition::VECIN ? PIPE_MTE2 : PIPE_V;
        case Memory::L1: return PIPE_MTE2;
        case Memory::L0C: return PIPE_M;
        case Memory::FB: return PIPE_FIX;
        default: return PIPE_MTE1;
    }
}

// The pipe that empties one that goes to a position.
OPWRIGHT_INLINE constexpr pipe_t consumer_pipe(AscendC::TPosition position) {
    switch (memory_of(position)) {
        case Memory::GM: return PIPE_MTE3;
        case Memory::UB: return position == AscendC::TPosition::VECOUT ? PIPE_MTE3 : PIPE_V;
        case Memory::L1: return PIPE_MTE1;
        case Memory::L0C:
        case Memory::FB: return PIPE_FIX;
        default: return PIPE_M;
    }
}

OPWRIGHT_INLINE constexpr AscendC::HardEvent event_between(uint32_t source, uint32_t destination) {
    for (uint32_t number = 0; number < kEvents; ++number) {
        const auto event = static_cast<AscendC::HardEvent>(number);
        if (source_pipe(event) == source && destination_pipe(event) == destination) return event;
    }
    return AscendC::HardEvent::V_V;
}

// The lowest event id of a pair of pipes that is not given out.
OPWRIGHT_INLINE int32_t idle_event_id(const At& at, AscendC::HardEvent event) {
    const uint32_t idle = ~uint32_t(at.core.event_ids[static_cast<uint32_t>(event)]) & ((1u << kEventIds) - 1);
    if (OPWRIGHT_UNLIKELY(idle == 0)) at.fail(Fault::NO_EVENT_ID, event);
    return __builtin_ctz(idle);
}

OPWRIGHT_INLINE int32_t give_event_id(const At& at, AscendC::HardEvent event) {
    const int32_t event_id = idle_event_id(at, event);
    at.core.event_ids[static_cast<uint32_t>(event)] |= static_cast<uint8_t>(1u << event_id);
    return event_id;
}

OPWRIGHT_INLINE void take_back_event_id(const At& at, AscendC::HardEvent event, int32_t event_id) {
    uint8_t& given = at.core.event_ids[static_cast<uint32_t>(event)];
    if (OPWRIGHT_UNLIKELY(!(given >> event_id & 1))) at.fail(Fault::NOT_GIVEN, event, event_id);
    given = static_cast<uint8_t>(given & ~(1u << event_id));
}

// Not SetFlag and WaitFlag: the ids are not the kernel's choice.
OPWRIGHT_INLINE void set_own_flag(const At& at, AscendC::HardEvent event, int32_t event_id) {
    issue(at, source_pipe(event), [=](const At& here) { raise_flag(here, event, event_id); });
}
OPWRIGHT_INLINE void wait_own_flag(const At& at, AscendC::HardEvent event, int32_t event_id) {
    issue(at, destination_pipe(event), [=](const At& here) { await_flag(here, event, event_id); });
    take_back_event_id(at, event, event_id);
}

// Memory that is handed out from its start on: that of the pipe, or a pool.
struct Room {
    Memory memory;
    bool is_pool;
    uint8_t owner;     // the number of the pool
    uint32_t address;  // of its first byte
    uint32_t& next;    // byte of it to be handed out next
    uint64_t bytes;
    uint32_t most;     // buffers

    __aicore__ __attribute__((cold, noinline)) void fail(const At& at, uint64_t wanted) const {
        if (!is_pool) at.fail(Fault::BUFFER_CAPACITY, memory, wanted, bytes - next, bytes);
        at.fail(Fault::POOL_CAPACITY, wanted, bytes - next, bytes);
    }
};

// Waits until the last user of a buffer is done with it.
OPWRIGHT_INLINE void wait_until_free(const At& at, Buffer& buffer) {
    if (buffer.free_id < 0) return;
    wait_own_flag(at, buffer.free_event, buffer.free_id);
    buffer.free_id = -1;
}

}  // namespace opwright
