// Chapter tpipe_tque_tbuf: queues and buffers; tpipe.h has the pipe and the pools that give them memory. They set and
// wait for the same flags as a kernel that does so by hand; the checked mode notes the state of each buffer.
#pragma once

#include "buffers.h"

namespace opwright {

// A length that may be left out. Not an overload: an integer would rather be its line than a length.
struct Length : Argument<uint32_t> {
    bool given;
    OPWRIGHT_INLINE Length() : Argument(0), given(false) {}
    template <typename V>
    OPWRIGHT_INLINE Length(V value) : Argument(value), given(true) {}
};

// What a queue knows whatever its template arguments are.
struct Queue {
    Given given;
    Buffer* first = nullptr;
    uint32_t buffers = 0;
    uint32_t cursor = 0;  // the buffer to be tried first

    __aicore__ inline uint32_t count(BufferState state) const {
        uint32_t found = 0;
        for (uint32_t i = 0; i < buffers; ++i) found += first[i].state == state;
        return found;
    }

    // The next free buffer in turn, so that two buffers alternate.
    __aicore__ inline uint32_t take_free(const At& at) {
        given.require(at);
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
        given.require(at);
        // Wraps to a huge number for one of no queue, and for one from before a reset.
        const uint32_t index = tensor.buffer() - buffer_of(given.number, given.stamp);
        if (OPWRIGHT_UNLIKELY(index >= buffers)) at.fail(Fault::FOREIGN_TENSOR);
        return index;
    }

    template <typename T>
    OPWRIGHT_INLINE AscendC::LocalTensor<T> tensor(AscendC::TPosition position, uint32_t index) const {
        return AscendC::LocalTensor<T>::of_buffer(position, first[index].address, given.bytes,
                                                  buffer_of(given.number + index, given.stamp));
    }
};

// The flag of a way from one position to another: the producer's pipe sets it, the consumer's waits for it.
template <AscendC::TPosition src, AscendC::TPosition dst>
struct Way {
    static constexpr pipe_t kProducer = producer_pipe(src);
    static constexpr pipe_t kConsumer = consumer_pipe(dst);
    static constexpr bool kFlags = kProducer != kConsumer;  // a pipe does not set flags for itself
    static constexpr AscendC::HardEvent kReady = event_between(kProducer, kConsumer);
    static constexpr AscendC::HardEvent kFree = event_between(kConsumer, kProducer);
};

}  // namespace opwright

namespace AscendC {

class TPipe;

// EnQue sets a flag from the producer's pipe to the consumer's, which DeQue waits for; FreeTensor sets one back, which
// the next AllocTensor of the same buffer waits for. A queue of depth 0 keeps no order: DeQue takes the tensor as an
// argument.
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
            opwright::wait_own_flag(at, Own::kFree, buffer.free_id);
            buffer.free_id = -1;
        }
        return queue_.template tensor<T>(src, index);
    }

    template <typename T>
    __aicore__ inline void AllocTensor(LocalTensor<T>& tensor, int32_t line = __builtin_LINE()) {
        tensor = AllocTensor<T>(line);
    }

    template <typename T>
    __aicore__ inline void EnQue(const LocalTensor<T>& tensor, int32_t line = __builtin_LINE()) {
        enqueue<Own>(tensor, line);
    }

    // On a part of the way between the positions of the queue, which each part's own flag is for.
    template <TPosition from, TPosition to, typename T>
    __aicore__ inline void EnQue(const LocalTensor<T>& tensor, int32_t line = __builtin_LINE()) {
        enqueue<opwright::Way<from, to>>(tensor, line);
    }

    template <typename T>
    __aicore__ inline LocalTensor<T> DeQue(int32_t line = __builtin_LINE()) {
        return dequeue<Own, T>(line);
    }

    template <TPosition from, TPosition to, typename T>
    __aicore__ inline LocalTensor<T> DeQue(int32_t line = __builtin_LINE()) {
        return dequeue<opwright::Way<from, to>, T>(line);
    }

    template <typename T>
    __aicore__ inline void DeQue(LocalTensor<T>& tensor, int32_t line = __builtin_LINE()) {
        if constexpr (depth != 0) {
            tensor = dequeue<Own, T>(line);
        } else {
            const opwright::At at(line);
            const uint32_t index = queue_.index_of(at, tensor);
            const bool waits = queue_.first[index].state == opwright::BufferState::ENQUEUED;
            if (OPWRIGHT_UNLIKELY(!waits)) at.fail(opwright::Fault::QUEUE_EMPTY);
            --length_;
            tensor = take_out<Own, T>(at, index);
        }
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
        buffer.tag = 0;
        if (!Own::kFlags) return;
        buffer.free_event = Own::kFree;
        buffer.free_id = static_cast<int8_t>(opwright::give_event_id(at, Own::kFree));
        opwright::set_own_flag(at, Own::kFree, buffer.free_id);
    }

    // Waits for every flag that EnQue has set and DeQue not yet waited for.
    __aicore__ inline void FreeAllEvent(int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        queue_.given.require(at);
        for (uint32_t i = 0; i < queue_.buffers; ++i) {
            opwright::Buffer& buffer = queue_.first[i];
            if (buffer.ready_id >= 0) opwright::wait_own_flag(at, buffer.ready_event, buffer.ready_id);
            buffer.ready_id = -1;
        }
    }

    __aicore__ inline bool HasIdleBuffer(int32_t line = __builtin_LINE()) const {
        queue_.given.require(opwright::At(line));
        return queue_.count(opwright::BufferState::FREE) != 0;
    }
    __aicore__ inline bool HasTensorInQue() const { return length_ != 0; }
    __aicore__ inline bool VacantInQue() const { return depth == 0 || length_ < depth; }
    __aicore__ inline int64_t GetTensorCountInQue() const { return length_; }

private:
    friend class TPipe;
    using Own = opwright::Way<src, dst>;

    __aicore__ inline void become(const opwright::At& at, uint32_t index, opwright::BufferState state) {
        queue_.first[index].state = state;
        opwright::note_buffer(at, queue_.given.number + index, state, static_cast<uint8_t>(src));
    }

    template <typename Way, typename T>
    __aicore__ inline void enqueue(const LocalTensor<T>& tensor, int32_t line) {
        const opwright::At at(line);
        const uint32_t index = queue_.index_of(at, tensor);
        opwright::Buffer& buffer = queue_.first[index];
        const opwright::BufferState state = buffer.state;
        const bool ready = state == opwright::BufferState::OCCUPIED || state == opwright::BufferState::DEQUEUED;
        if (OPWRIGHT_UNLIKELY(!ready)) at.fail(opwright::Fault::ENQUE_STATE, state);
        if (OPWRIGHT_UNLIKELY(depth != 0 && length_ == depth)) at.fail(opwright::Fault::QUEUE_FULL, depth);
        buffer.ready_event = Way::kReady;
        if (Way::kFlags) {
            buffer.ready_id = static_cast<int8_t>(opwright::give_event_id(at, Way::kReady));
            opwright::set_own_flag(at, Way::kReady, buffer.ready_id);
        }
        become(at, index, opwright::BufferState::ENQUEUED);
        buffer.tag = tensor.GetUserTag();
        if (depth != 0) waiting_[(head_ + length_) % kPlaces] = static_cast<uint8_t>(index);
        ++length_;
    }

    template <typename Way, typename T>
    __aicore__ inline LocalTensor<T> dequeue(int32_t line) {
        const opwright::At at(line);
        queue_.given.require(at);
        if (depth == 0) at.fail(opwright::Fault::NO_ORDER);
        if (OPWRIGHT_UNLIKELY(length_ == 0)) at.fail(opwright::Fault::QUEUE_EMPTY);
        const uint32_t index = waiting_[head_];
        head_ = (head_ + 1) % kPlaces;
        --length_;
        return take_out<Way, T>(at, index);
    }

    template <typename Way, typename T>
    __aicore__ inline LocalTensor<T> take_out(const opwright::At& at, uint32_t index) {
        opwright::Buffer& buffer = queue_.first[index];
        if (OPWRIGHT_UNLIKELY(buffer.ready_event != Way::kReady)) {
            at.fail(opwright::Fault::OTHER_WAY, buffer.ready_event, Way::kReady);
        }
        if (Way::kFlags && buffer.ready_id >= 0) {
            opwright::wait_own_flag(at, Way::kReady, buffer.ready_id);
            buffer.ready_id = -1;
        }
        // A pipe does not set flags for itself: it finishes what it does.
        if (!Way::kFlags) PipeBarrier<Way::kConsumer>(opwright::Line(at.line));
        become(at, index, opwright::BufferState::DEQUEUED);
        LocalTensor<T> taken = queue_.template tensor<T>(dst, index);
        taken.SetUserTag(buffer.tag);
        return taken;
    }

    static constexpr int32_t kPlaces = depth == 0 ? 1 : depth;

    opwright::Queue queue_;
    int32_t head_ = 0;
    int32_t length_ = 0;
    uint8_t waiting_[kPlaces] = {};  // indices of buffers, a ring
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
        given_.require(opwright::At(line));
        return part<T>(0, given_.bytes);
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

    template <typename T>
    OPWRIGHT_INLINE LocalTensor<T> part(uint64_t offset, uint64_t bytes) const {
        return LocalTensor<T>::of_buffer(pos, address_ + offset, bytes,
                                         opwright::buffer_of(given_.number, given_.stamp), given_.bytes - offset);
    }

    template <typename T>
    __aicore__ inline LocalTensor<T> take(const opwright::Argument<uint32_t>& elements, uint32_t offset,
                                          uint32_t operand, int32_t line) const {
        const opwright::At at(line);
        given_.require(at);
        opwright::require_fits(at, operand, elements);
        const uint64_t bytes = uint64_t(elements) * sizeof(T), end = offset + bytes;
        if (OPWRIGHT_UNLIKELY(end > given_.bytes)) at.fail(opwright::Fault::BUFFER_RANGE, end, given_.bytes);
        return part<T>(offset, bytes);
    }

    opwright::Given given_;
    uint32_t address_ = 0;
};

}  // namespace AscendC

#include "tpipe.h"
