// The pipe of a kernel and its pools: who gives queues and buffers their memory. A part of chapter tpipe_tque_tbuf.
#pragma once

#include "tpipe_tque_tbuf.h"

namespace AscendC {

// A part of the pipe's memory that is handed out by itself. To the pipe it is one buffer.
template <TPosition pos, uint32_t buf_id_size = 4>
class TBufPool {
public:
    TBufPool() = default;
    TBufPool(const TBufPool&) = delete;
    TBufPool& operator=(const TBufPool&) = delete;

    template <TPosition src, TPosition dst, int32_t depth, int32_t mask>
    __aicore__ inline void InitBuffer(TQueBind<src, dst, depth, mask>& que, opwright::Argument<uint8_t> num,
                                      opwright::Argument<uint32_t> len, int32_t line = __builtin_LINE());
    template <TPosition buffer_pos>
    __aicore__ inline void InitBuffer(TBuf<buffer_pos>& buf, opwright::Argument<uint32_t> len,
                                      int32_t line = __builtin_LINE());
    template <TPosition inner_pos, uint32_t inner_size>
    __aicore__ inline void InitBufPool(TBufPool<inner_pos, inner_size>& buf_pool, opwright::Argument<uint32_t> len,
                                       int32_t line = __builtin_LINE());
    template <TPosition inner_pos, uint32_t inner_size, TPosition share_pos, uint32_t share_size>
    __aicore__ inline void InitBufPool(TBufPool<inner_pos, inner_size>& buf_pool, opwright::Argument<uint32_t> len,
                                       TBufPool<share_pos, share_size>& share_buf, int32_t line = __builtin_LINE());

    // Takes back what the pool has given out: queues and buffers need InitBuffer again.
    __aicore__ inline void Reset(int32_t line = __builtin_LINE());

private:
    friend class TPipe;
    template <TPosition, uint32_t>
    friend class TBufPool;

    // Where the next buffers come from.
    __aicore__ inline opwright::Room room(const opwright::At& at) {
        given_.require(at);
        const auto owner = static_cast<uint8_t>(given_.number);
        return {opwright::memory_of(pos), true, owner, address_, next_, given_.bytes, buf_id_size};
    }

    opwright::Given given_;
    uint32_t address_ = 0;
    uint32_t next_ = 0;  // byte of the pool to be handed out next
};

class TPipe {
public:
    __aicore__ inline explicit TPipe(int32_t line = __builtin_LINE()) : line_(line) { Init(line); }
    __aicore__ inline ~TPipe() {
        if (opwright::current_core().pipe == this) Destroy(line_);
    }
    TPipe(const TPipe&) = delete;
    TPipe& operator=(const TPipe&) = delete;

    template <TPosition src, TPosition dst, int32_t depth, int32_t mask>
    __aicore__ inline void InitBuffer(TQueBind<src, dst, depth, mask>& que, opwright::Argument<uint8_t> num,
                                      opwright::Argument<uint32_t> len, int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        give(at, room_of(at, src), que, num, len);
    }

    template <TPosition pos>
    __aicore__ inline void InitBuffer(TBuf<pos>& buf, opwright::Argument<uint32_t> len,
                                      int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        give(at, room_of(at, pos), buf, len);
    }

    template <TPosition pos, uint32_t size>
    __aicore__ inline void InitBufPool(TBufPool<pos, size>& buf_pool, opwright::Argument<uint32_t> len,
                                       int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        give(at, room_of(at, pos), buf_pool, len);
    }

    // A pool over the same bytes as another.
    template <TPosition pos, uint32_t size, TPosition share_pos, uint32_t share_size>
    __aicore__ inline void InitBufPool(TBufPool<pos, size>& buf_pool, opwright::Argument<uint32_t> len,
                                       TBufPool<share_pos, share_size>& share_buf, int32_t line = __builtin_LINE()) {
        share(opwright::At(line), buf_pool, len, share_buf);
    }

    template <HardEvent event>
    __aicore__ inline int64_t AllocEventID(int32_t line = __builtin_LINE()) {
        return opwright::give_event_id(opwright::At(line), event);
    }

    // An id that is idle now. It stays idle: the next call may give out the same.
    template <HardEvent event>
    __aicore__ inline int64_t FetchEventID(int32_t line = __builtin_LINE()) {
        return opwright::idle_event_id(opwright::At(line), event);
    }

    template <HardEvent event>
    __aicore__ inline void ReleaseEventID(opwright::Argument<int32_t> id, int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        opwright::require_fits(at, 1, id);
        opwright::require(at, id >= 0 && id < int32_t(opwright::kEventIds), 0, 1, id);
        opwright::take_back_event_id(at, event, id);
    }

    // A pipe that was destroyed begins anew, and so does one that was not.
    __aicore__ inline void Init(int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        if (OPWRIGHT_UNLIKELY(at.core.pipe != nullptr && at.core.pipe != this)) at.fail(opwright::Fault::SECOND_PIPE);
        if (at.core.pipe == this) Reset(line);
        at.core.pipe = this;
        at.core.initialise();
        for (uint32_t i = 0; i < opwright::kBuffers; ++i) {
            opwright::note_buffer(at, i, opwright::BufferState::OCCUPIED, opwright::kNoPosition);
        }
    }

    // Waits for the flags of freed buffers and takes all memory back: queues and buffers need InitBuffer again.
    __aicore__ inline void Reset(int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        require_pipe(at);
        take_back(at, opwright::kThePipe);
        for (uint32_t& next : next_) next = 0;
    }

    __aicore__ inline void Destroy(int32_t line = __builtin_LINE()) {
        Reset(line);
        opwright::current_core().pipe = nullptr;
    }

private:
    template <TPosition, uint32_t>
    friend class TBufPool;

    __aicore__ inline void require_pipe(const opwright::At& at) const {
        if (OPWRIGHT_UNLIKELY(at.core.pipe != this)) at.fail(opwright::Fault::NO_PIPE);
    }

    __aicore__ inline opwright::Room room_of(const opwright::At& at, TPosition position) {
        const opwright::Memory memory = opwright::memory_of(position);
        uint32_t& next = next_[static_cast<uint32_t>(memory)];
        return {memory, false, opwright::kThePipe, 0, next, opwright::capacity_of(at, memory), opwright::kBuffers};
    }

    template <TPosition src, TPosition dst, int32_t depth, int32_t mask>
    __aicore__ inline void give(const opwright::At& at, const opwright::Room& room,
                                TQueBind<src, dst, depth, mask>& que, const opwright::Argument<uint8_t>& num,
                                const opwright::Argument<uint32_t>& len) {
        opwright::require_fits(at, 2, num);
        opwright::require_fits(at, 3, len);
        opwright::require(at, num >= 1 && num <= opwright::kBuffers, 0, 2, num);
        opwright::require(at, len >= 1, 1, 3, len);
        opwright::Queue& queue = que.queue_;
        const opwright::Given given = claim(at, room, queue.given, num, len);
        queue = {given, buffers_ + given.number, num, 0};
        que.head_ = que.length_ = 0;
    }

    template <TPosition pos>
    __aicore__ inline void give(const opwright::At& at, const opwright::Room& room, TBuf<pos>& buf,
                                const opwright::Argument<uint32_t>& len) {
        opwright::require_fits(at, 2, len);
        opwright::require(at, len >= 1, 0, 2, len);
        buf.given_ = claim(at, room, buf.given_, 1, len);
        buf.address_ = buffers_[buf.given_.number].address;
    }

    template <TPosition pos, uint32_t size>
    __aicore__ inline void give(const opwright::At& at, const opwright::Room& room, TBufPool<pos, size>& pool,
                                const opwright::Argument<uint32_t>& len) {
        opwright::require_fits(at, 2, len);
        opwright::require(at, len >= 1, 0, 2, len);
        pool.given_ = claim(at, room, pool.given_, 1, len);
        pool.address_ = buffers_[pool.given_.number].address;
        pool.next_ = 0;
    }

    template <TPosition pos, uint32_t size, TPosition share_pos, uint32_t share_size>
    __aicore__ inline void share(const opwright::At& at, TBufPool<pos, size>& pool,
                                 const opwright::Argument<uint32_t>& len, TBufPool<share_pos, share_size>& with) {
        with.given_.require(at);
        // Who handed out the one has the other too, whose bytes are handed out already.
        const uint8_t owner = buffers_[with.given_.number].owner;
        uint32_t next = 0;
        const opwright::Room room{opwright::memory_of(pos), true,              owner, with.address_, next,
                                  with.given_.bytes,        opwright::kBuffers};
        give(at, room, pool, len);
    }

    // Takes `num` buffers of `len` bytes, in whole blocks, for the owner that has had these. A kernel does so a few
    // times: one copy of this serves all its queues.
    __aicore__ __attribute__((noinline)) opwright::Given claim(const opwright::At& at, const opwright::Room& room,
                                                               const opwright::Given& had, uint32_t num,
                                                               uint32_t len) {
        require_pipe(at);
        had.require_none(at);
        const uint64_t bytes = opwright::in_whole_blocks(len);
        if (OPWRIGHT_UNLIKELY(room.next + num * bytes > room.bytes)) room.fail(at, num * bytes);
        if (OPWRIGHT_UNLIKELY(count(room.owner) + num > room.most)) {
            at.fail(opwright::Fault::TOO_MANY_BUFFERS, num, count(room.owner), room.most);
        }
        const uint32_t number = free_numbers(at, num);
        const uint32_t stamp = ++at.core.newest_stamp;
        for (uint32_t i = number; i < number + num; ++i) {
            buffers_[i] = {};
            buffers_[i].address = room.address + room.next;
            buffers_[i].owner = room.owner;
            at.core.stamps[i] = stamp;
            opwright::note_buffer(at, i, opwright::BufferState::OCCUPIED, opwright::kNoPosition);
            room.next += static_cast<uint32_t>(bytes);
        }
        taken_ |= mask_of(num) << number;
        return {number, static_cast<uint32_t>(bytes), stamp};
    }

    OPWRIGHT_INLINE static constexpr uint64_t mask_of(uint32_t num) {
        return num == 64 ? ~uint64_t(0) : (uint64_t(1) << num) - 1;
    }

    // The lowest `num` numbers in a row that no buffer has.
    __aicore__ inline uint32_t free_numbers(const opwright::At& at, uint32_t num) const {
        for (uint32_t number = 0; number + num <= opwright::kBuffers; ++number) {
            if (!(taken_ & mask_of(num) << number)) return number;
        }
        at.fail(opwright::Fault::TOO_MANY_BUFFERS, num, __builtin_popcountll(taken_), opwright::kBuffers);
        return 0;
    }

    // Buffers that a pool has given out; or all there are.
    __aicore__ inline uint32_t count(uint8_t owner) const {
        if (owner == opwright::kThePipe) return static_cast<uint32_t>(__builtin_popcountll(taken_));
        uint32_t found = 0;
        for (uint32_t i = 0; i < opwright::kBuffers; ++i) found += (taken_ >> i & 1) && buffers_[i].owner == owner;
        return found;
    }

    // Takes back the buffers of a pool, and of the pools in it; tensors of them are void from now on.
    __aicore__ __attribute__((noinline)) void take_back(const opwright::At& at, uint8_t owner) {
        for (uint32_t i = 0; i < opwright::kBuffers; ++i) {
            if (!(taken_ >> i & 1) || (owner != opwright::kThePipe && buffers_[i].owner != owner)) continue;
            opwright::wait_until_free(at, buffers_[i]);
            opwright::note_buffer(at, i, opwright::BufferState::OCCUPIED, opwright::kNoPosition);
            at.core.stamps[i] = 0;
            taken_ &= ~(uint64_t(1) << i);
            if (owner != opwright::kThePipe) take_back(at, static_cast<uint8_t>(i));
        }
    }

    int32_t line_;
    uint32_t next_[opwright::kMemories] = {};  // byte of each memory to be handed out next
    uint64_t taken_ = 0;                       // bit i: buffer i is given out
    opwright::Buffer buffers_[opwright::kBuffers];
};

}  // namespace AscendC

// The pipe of the kernel, wherever it was made; Ascend C has it outside its namespace.
__aicore__ inline AscendC::TPipe* GetTPipePtr(int32_t line = __builtin_LINE()) {
    const opwright::At at(line);
    if (OPWRIGHT_UNLIKELY(at.core.pipe == nullptr)) at.fail(opwright::Fault::WITHOUT_PIPE);
    return static_cast<AscendC::TPipe*>(at.core.pipe);
}

namespace AscendC {

template <TPosition pos, uint32_t buf_id_size>
template <TPosition src, TPosition dst, int32_t depth, int32_t mask>
__aicore__ inline void TBufPool<pos, buf_id_size>::InitBuffer(TQueBind<src, dst, depth, mask>& que,
                                                              opwright::Argument<uint8_t> num,
                                                              opwright::Argument<uint32_t> len, int32_t line) {
    const opwright::At at(line);
    GetTPipePtr(line)->give(at, room(at), que, num, len);
}

template <TPosition pos, uint32_t buf_id_size>
template <TPosition buffer_pos>
__aicore__ inline void TBufPool<pos, buf_id_size>::InitBuffer(TBuf<buffer_pos>& buf, opwright::Argument<uint32_t> len,
                                                              int32_t line) {
    const opwright::At at(line);
    GetTPipePtr(line)->give(at, room(at), buf, len);
}

template <TPosition pos, uint32_t buf_id_size>
template <TPosition inner_pos, uint32_t inner_size>
__aicore__ inline void TBufPool<pos, buf_id_size>::InitBufPool(TBufPool<inner_pos, inner_size>& buf_pool,
                                                               opwright::Argument<uint32_t> len, int32_t line) {
    const opwright::At at(line);
    GetTPipePtr(line)->give(at, room(at), buf_pool, len);
}

template <TPosition pos, uint32_t buf_id_size>
template <TPosition inner_pos, uint32_t inner_size, TPosition share_pos, uint32_t share_size>
__aicore__ inline void TBufPool<pos, buf_id_size>::InitBufPool(TBufPool<inner_pos, inner_size>& buf_pool,
                                                               opwright::Argument<uint32_t> len,
                                                               TBufPool<share_pos, share_size>& share_buf,
                                                               int32_t line) {
    const opwright::At at(line);
    given_.require(at);
    GetTPipePtr(line)->share(at, buf_pool, len, share_buf);
}

template <TPosition pos, uint32_t buf_id_size>
__aicore__ inline void TBufPool<pos, buf_id_size>::Reset(int32_t line) {
    const opwright::At at(line);
    given_.require(at);
    GetTPipePtr(line)->take_back(at, static_cast<uint8_t>(given_.number));
    next_ = 0;
}

}  // namespace AscendC
