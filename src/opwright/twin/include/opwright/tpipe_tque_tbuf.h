// Chapter tpipe_tque_tbuf: the pipe of a kernel, its queues and buffers. They set and wait for the same flags as a kernel
// that does so by hand; the checked mode is told which state each buffer is in.
#pragma once

#include "calls/sync.h"
#include "tensor.h"

namespace opwright {

// One buffer of a queue. An event id is -1 where no flag is to be waited for.
struct Buffer {
    uint32_t address;
    BufferState state;
    AscendC::HardEvent free_event;
    int8_t free_id;   // the flag says that the consumer is done with the buffer
    int8_t ready_id;  // the flag says that the producer is
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

// The pipe that fills a buffer at a position.
OPWRIGHT_INLINE constexpr pipe_t producer_pipe(AscendC::TPosition position) {
    switch (memory_of(position)) {
        case Memory::UB: return position == AscendC::TPosition::VECIN ? PIPE_MTE2 : PIPE_V;
        case Memory::L1: return PIPE_MTE2;
        case Memory::L0C: return PIPE_M;
        default: return PIPE_MTE1;
    }
}

// The pipe that empties it.
OPWRIGHT_INLINE constexpr pipe_t consumer_pipe(AscendC::TPosition position) {
    switch (memory_of(position)) {
        case Memory::UB: return position == AscendC::TPosition::VECOUT ? PIPE_MTE3 : PIPE_V;
        case Memory::L1: return PIPE_MTE1;
        case Memory::L0C: return PIPE_FIX;
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

// A length that may be left out. Not an overload: an integer would rather be its line than a length.
struct Length : Argument<uint32_t> {
    bool given;
    OPWRIGHT_INLINE Length() : Argument(0), given(false) {}
    template <typename V>
    OPWRIGHT_INLINE Length(V value) : Argument(value), given(true) {}
};

// What a queue knows whatever its template arguments are.
struct Queue {
    Buffer* first = nullptr;
    uint32_t number = 0;  // of the first buffer, among those of the pipe
    uint32_t buffers = 0;
    uint32_t bytes = 0;   // of one buffer
    uint32_t cursor = 0;  // the buffer to be tried first
    uint32_t generation = 0;

    OPWRIGHT_INLINE void require_buffers(const At& at) const {
        if (OPWRIGHT_UNLIKELY(generation == 0 || generation != at.core.pipe_generation)) at.fail(Fault::NO_BUFFERS);
    }

    __aicore__ inline uint32_t count(BufferState state) const {
        uint32_t found = 0;
        for (uint32_t i = 0; i < buffers; ++i) found += first[i].state == state;
        return found;
    }

    // The next free buffer in turn, so that two buffers alternate.
    __aicore__ inline uint32_t take_free(const At& at) {
        require_buffers(at);
        for (uint32_t tried = 0; tried < buffers; ++tried) {
            const uint32_t index = cursor;
            cursor = index + 1 == buffers ? 0 : index + 1;
            if (first[index].state == BufferState::FREE) return index;
        }
        at.fail(Fault::NONE_FREE, buffers, count(BufferState::OCCUPIED), count(BufferState::ENQUEUED),
                count(BufferState::DEQUEUED));
        return 0;
    }

    // The buffer of a tensor.
    template <typename T>
    OPWRIGHT_INLINE uint32_t index_of(const At& at, const AscendC::LocalTensor<T>& tensor) const {
        require_buffers(at);
        // Wraps to a huge number for one of no queue, and for one from before a reset of the pipe.
        const uint32_t index = tensor.buffer() - buffer_of(number, generation);
        if (OPWRIGHT_UNLIKELY(index >= buffers)) at.fail(Fault::FOREIGN_TENSOR);
        return index;
    }

    template <typename T>
    OPWRIGHT_INLINE AscendC::LocalTensor<T> tensor(AscendC::TPosition position, uint32_t index) const {
        return AscendC::LocalTensor<T>::of_buffer(position, first[index].address, bytes,
                                                         buffer_of(number + index, generation));
    }
};

}  // namespace opwright

namespace AscendC {

class TPipe;

// EnQue sets a flag from the producer's pipe to the consumer's, which DeQue waits for; FreeTensor sets one back, which
// the next AllocTensor of the same buffer waits for.
template <TPosition src, TPosition dst, int32_t depth, int32_t mask = 0>
class TQueBind {
public:
    template <typename T>
    __aicore__ inline LocalTensor<T> AllocTensor(int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        const uint32_t index = queue_.take_free(at);
        opwright::Buffer& buffer = queue_.first[index];
        become(at, index, opwright::BufferState::OCCUPIED);
        opwright::note_live_tensors(at, static_cast<uint8_t>(src));
        if (buffer.free_id >= 0) {
            wait<kFree>(at, buffer.free_id);
            opwright::take_back_event_id(at, kFree, buffer.free_id);
            buffer.free_id = -1;
        }
        return queue_.template tensor<T>(src, index);
    }

    template <typename T>
    __aicore__ inline void EnQue(const LocalTensor<T>& tensor, int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        const uint32_t index = queue_.index_of(at, tensor);
        opwright::Buffer& buffer = queue_.first[index];
        const opwright::BufferState state = buffer.state;
        const bool ready = state == opwright::BufferState::OCCUPIED || state == opwright::BufferState::DEQUEUED;
        if (OPWRIGHT_UNLIKELY(!ready)) at.fail(opwright::Fault::ENQUE_STATE, state);
        if (OPWRIGHT_UNLIKELY(length_ == depth)) at.fail(opwright::Fault::QUEUE_FULL, depth);
        if (kFlags) {
            buffer.ready_id = static_cast<int8_t>(opwright::give_event_id(at, kReady));
            set<kReady>(at, buffer.ready_id);
        }
        become(at, index, opwright::BufferState::ENQUEUED);
        waiting_[(head_ + length_++) % depth] = static_cast<uint8_t>(index);
    }

    template <typename T>
    __aicore__ inline LocalTensor<T> DeQue(int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        queue_.require_buffers(at);
        if (OPWRIGHT_UNLIKELY(length_ == 0)) at.fail(opwright::Fault::QUEUE_EMPTY);
        const uint32_t index = waiting_[head_];
        head_ = (head_ + 1) % depth;
        --length_;
        wait_until_ready(at, queue_.first[index]);
        // A pipe does not set flags for itself: it finishes what it does.
        if (!kFlags) PipeBarrier<opwright::consumer_pipe(dst)>(opwright::Line(line));
        become(at, index, opwright::BufferState::DEQUEUED);
        return queue_.template tensor<T>(dst, index);
    }

    // A tensor that was never enqueued may be freed too.
    template <typename T>
    __aicore__ inline void FreeTensor(const LocalTensor<T>& tensor, int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        const uint32_t index = queue_.index_of(at, tensor);
        opwright::Buffer& buffer = queue_.first[index];
        const opwright::BufferState state = buffer.state;
        const bool held = state == opwright::BufferState::OCCUPIED || state == opwright::BufferState::DEQUEUED;
        if (OPWRIGHT_UNLIKELY(!held)) at.fail(opwright::Fault::FREE_STATE, state);
        become(at, index, opwright::BufferState::FREE);
        if (!kFlags) return;
        buffer.free_event = kFree;
        buffer.free_id = static_cast<int8_t>(opwright::give_event_id(at, kFree));
        set<kFree>(at, buffer.free_id);
    }

    // Waits for every flag that EnQue has set and DeQue not yet waited for.
    __aicore__ inline void FreeAllEvent(int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        queue_.require_buffers(at);
        for (uint32_t i = 0; i < queue_.buffers; ++i) wait_until_ready(at, queue_.first[i]);
    }

    __aicore__ inline bool HasIdleBuffer(int32_t line = __builtin_LINE()) const {
        queue_.require_buffers(opwright::At(line));
        return queue_.count(opwright::BufferState::FREE) != 0;
    }
    __aicore__ inline bool HasTensorInQue() const { return length_ != 0; }
    __aicore__ inline bool VacantInQue() const { return length_ < depth; }
    __aicore__ inline int64_t GetTensorCountInQue() const { return length_; }

private:
    friend class TPipe;

    static constexpr pipe_t kProducer = opwright::producer_pipe(src);
    static constexpr pipe_t kConsumer = opwright::consumer_pipe(dst);
    static constexpr bool kFlags = kProducer != kConsumer;
    static constexpr HardEvent kReady = opwright::event_between(kProducer, kConsumer);
    static constexpr HardEvent kFree = opwright::event_between(kConsumer, kProducer);

    __aicore__ inline void become(const opwright::At& at, uint32_t index, opwright::BufferState state) {
        queue_.first[index].state = state;
        opwright::note_buffer(at, queue_.number + index, state, static_cast<uint8_t>(src));
    }

    // Not SetFlag and WaitFlag: the ids are not the kernel's choice.
    template <HardEvent event>
    OPWRIGHT_INLINE void set(const opwright::At& at, int32_t event_id) {
        opwright::issue(at, opwright::source_pipe(event),
                        [=](const opwright::At& here) { opwright::raise_flag(here, event, event_id); });
    }
    template <HardEvent event>
    OPWRIGHT_INLINE void wait(const opwright::At& at, int32_t event_id) {
        opwright::issue(at, opwright::destination_pipe(event),
                        [=](const opwright::At& here) { opwright::await_flag(here, event, event_id); });
    }

    __aicore__ inline void wait_until_ready(const opwright::At& at, opwright::Buffer& buffer) {
        if (buffer.ready_id < 0) return;
        wait<kReady>(at, buffer.ready_id);
        opwright::take_back_event_id(at, kReady, buffer.ready_id);
        buffer.ready_id = -1;
    }

    opwright::Queue queue_;
    int32_t head_ = 0;
    int32_t length_ = 0;
    uint8_t waiting_[depth] = {};  // indices of buffers, a ring
};

template <TPosition pos, int32_t depth, int32_t mask = 0>
class TQue : public TQueBind<pos, pos, depth, mask> {};

// Memory without a queue: no flags, and nothing to free.
template <TPosition pos>
class TBuf {
public:
    template <typename T>
    __aicore__ inline LocalTensor<T> Get(opwright::Length len = {}, int32_t line = __builtin_LINE()) const {
        if (len.given) return take<T>(len, 0, 2, line);
        require_buffer(opwright::At(line));
        return part<T>(0, bytes_);
    }

    template <typename T>
    __aicore__ inline LocalTensor<T> GetWithOffset(opwright::Argument<uint32_t> size,
                                                   opwright::Argument<uint32_t> buf_offset,
                                                   int32_t line = __builtin_LINE()) const {
        opwright::require_fits(opwright::At(line), 2, buf_offset);
        return take<T>(size, buf_offset, 1, line);
    }

private:
    friend class TPipe;

    OPWRIGHT_INLINE void require_buffer(const opwright::At& at) const {
        const bool there = generation_ != 0 && generation_ == at.core.pipe_generation;
        if (OPWRIGHT_UNLIKELY(!there)) at.fail(opwright::Fault::NO_BUFFERS);
    }

    template <typename T>
    OPWRIGHT_INLINE LocalTensor<T> part(uint64_t offset, uint64_t bytes) const {
        return LocalTensor<T>::of_buffer(pos, address_ + offset, bytes, opwright::buffer_of(number_, generation_));
    }

    template <typename T>
    __aicore__ inline LocalTensor<T> take(const opwright::Argument<uint32_t>& elements, uint32_t offset,
                                          uint32_t operand, int32_t line) const {
        const opwright::At at(line);
        require_buffer(at);
        opwright::require_fits(at, operand, elements);
        const uint64_t bytes = uint64_t(elements) * sizeof(T);
        if (OPWRIGHT_UNLIKELY(offset + bytes > bytes_)) at.fail(opwright::Fault::BUFFER_RANGE, offset + bytes, bytes_);
        return part<T>(offset, bytes);
    }

    uint32_t address_ = 0;
    uint32_t bytes_ = 0;
    uint32_t number_ = 0;  // among the buffers of the pipe
    uint32_t generation_ = 0;
};

class TPipe {
public:
    __aicore__ inline explicit TPipe(int32_t line = __builtin_LINE()) : line_(line) {
        const opwright::At at(line);
        if (OPWRIGHT_UNLIKELY(at.core.pipe != nullptr)) at.fail(opwright::Fault::SECOND_PIPE);
        at.core.pipe = this;
        start_over(at);
    }
    __aicore__ inline ~TPipe() {
        if (opwright::current_core().pipe == this) Destroy(line_);
    }
    TPipe(const TPipe&) = delete;
    TPipe& operator=(const TPipe&) = delete;

    template <TPosition src, TPosition dst, int32_t depth, int32_t mask>
    __aicore__ inline void InitBuffer(TQueBind<src, dst, depth, mask>& que, opwright::Argument<uint8_t> num,
                                      opwright::Argument<uint32_t> len, int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        opwright::require_fits(at, 2, num);
        opwright::require_fits(at, 3, len);
        opwright::require(at, num >= 1 && num <= opwright::kBuffers, 0, 2, num);
        opwright::require(at, len >= 1, 1, 3, len);
        opwright::Queue& queue = que.queue_;
        require_new(at, queue.generation);
        const uint32_t number = used_;
        const uint32_t bytes = claim(at, opwright::memory_of(src), num, len);
        queue = {buffers_ + number, number, num, bytes, 0, at.core.pipe_generation};
        que.head_ = que.length_ = 0;
    }

    template <TPosition pos>
    __aicore__ inline void InitBuffer(TBuf<pos>& buf, opwright::Argument<uint32_t> len,
                                      int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        opwright::require_fits(at, 2, len);
        opwright::require(at, len >= 1, 0, 2, len);
        require_new(at, buf.generation_);
        const uint32_t number = used_;
        buf.bytes_ = claim(at, opwright::memory_of(pos), 1, len);
        buf.address_ = buffers_[number].address;
        buf.number_ = number;
        buf.generation_ = at.core.pipe_generation;
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

    // Waits for the flags of freed buffers and takes all memory back: queues and buffers need InitBuffer again.
    __aicore__ inline void Reset(int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        if (OPWRIGHT_UNLIKELY(at.core.pipe != this)) at.fail(opwright::Fault::NO_PIPE);
        for (uint32_t i = 0; i < used_; ++i) wait_until_free(at, buffers_[i]);
        used_ = 0;
        for (uint32_t& end : end_) end = 0;
        start_over(at);
    }

    __aicore__ inline void Destroy(int32_t line = __builtin_LINE()) {
        Reset(line);
        opwright::current_core().pipe = nullptr;
    }

private:
    __aicore__ inline void require_new(const opwright::At& at, uint32_t generation) const {
        if (OPWRIGHT_UNLIKELY(at.core.pipe != this)) at.fail(opwright::Fault::NO_PIPE);
        if (OPWRIGHT_UNLIKELY(generation == at.core.pipe_generation)) at.fail(opwright::Fault::BUFFERS_TWICE);
    }

    // Tensors of buffers that were given out before are void from now on.
    __aicore__ inline void start_over(const opwright::At& at) {
        ++at.core.pipe_generation;
        for (uint32_t i = 0; i < opwright::kBuffers; ++i) {
            opwright::note_buffer(at, i, opwright::BufferState::OCCUPIED, opwright::kNoPosition);
        }
    }

    // Takes `num` buffers of `len` bytes, in whole blocks; returns the bytes of one.
    __aicore__ inline uint32_t claim(const opwright::At& at, opwright::Memory memory, uint32_t num, uint32_t len) {
        if (OPWRIGHT_UNLIKELY(used_ + num > opwright::kBuffers)) {
            at.fail(opwright::Fault::TOO_MANY_BUFFERS, num, used_);
        }
        const auto place = static_cast<uint32_t>(memory);
        const uint64_t capacity = at.core.memory[place].bytes;
        const uint64_t bytes = opwright::in_whole_blocks(len);
        if (OPWRIGHT_UNLIKELY(end_[place] + num * bytes > capacity)) {
            at.fail(opwright::Fault::BUFFER_CAPACITY, memory, num * bytes, capacity - end_[place], capacity);
        }
        for (uint32_t i = 0; i < num; ++i) {
            buffers_[used_++] = {end_[place], opwright::BufferState::FREE, HardEvent::V_V, -1, -1};
            end_[place] += static_cast<uint32_t>(bytes);
        }
        return static_cast<uint32_t>(bytes);
    }

    __aicore__ inline void wait_until_free(const opwright::At& at, opwright::Buffer& buffer) {
        if (buffer.free_id < 0) return;
        const HardEvent event = buffer.free_event;
        const int32_t event_id = buffer.free_id;
        opwright::issue(at, opwright::destination_pipe(event), [=](const opwright::At& here) {
            opwright::await_flag(here, event, event_id);
        });
        opwright::take_back_event_id(at, event, event_id);
        buffer.free_id = -1;
    }

    int32_t line_;
    uint32_t used_ = 0;
    uint32_t end_[opwright::kMemories] = {};
    opwright::Buffer buffers_[opwright::kBuffers];
};

}  // namespace AscendC
