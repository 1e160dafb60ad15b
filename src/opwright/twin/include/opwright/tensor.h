// Chapter tensor: addresses and tensors. A tensor is a few words; copying one copies no data.
#pragma once

#include "int4.h"
#include "shape.h"

namespace AscendC {

template <typename T>
class LocalTensor {
public:
    LocalTensor() = default;

    OPWRIGHT_INLINE LocalTensor(TPosition position, opwright::Argument<uint32_t> address,
                                opwright::Argument<uint32_t> size, int32_t line = __builtin_LINE())
        : address_(address), position_(position) {
        const opwright::At at(line);
        const opwright::Memory memory = opwright::memory_of(position);
        const uint64_t capacity = opwright::capacity_of(at, memory);
        opwright::require_fits(at, 2, address);
        opwright::require_fits(at, 3, size);
        // Size 0 means: up to the end of the memory.
        const uint64_t bytes = size == 0 && address_ < capacity ? capacity - address_ : uint64_t(size) * sizeof(T);
        if (OPWRIGHT_UNLIKELY(address_ + bytes > capacity)) {
            at.fail(opwright::Fault::CAPACITY, memory, address_, bytes, capacity);
        }
        end_ = address_ + bytes;
        limit_ = capacity;
    }

    // The tensor of a buffer that the pipe of the kernel gave out; `buffer` is that of opwright::buffer_of, 0 of none.
    // The buffer has `most` bytes from the tensor's start on, if it has more than the tensor.
    OPWRIGHT_INLINE static LocalTensor of_buffer(TPosition position, uint64_t address, uint64_t bytes, uint32_t buffer,
                                                 uint64_t most = 0) {
        LocalTensor made;
        made.address_ = address;
        made.end_ = address + bytes;
        made.limit_ = address + (most ? most : bytes);
        made.position_ = position;
        made.buffer_ = buffer;
        return made;
    }

    OPWRIGHT_INLINE uint32_t buffer() const { return buffer_; }

    // Not forced inline: a kernel with hundreds of parts would take the compiler twice as long.
    __aicore__ inline LocalTensor operator[](opwright::Offset offset) const {
        const uint64_t elements = opwright::elements_in<T>(end_ - address_);
        if (OPWRIGHT_UNLIKELY(static_cast<uint64_t>(offset.value) > elements)) {
            opwright::At(offset.line).fail(opwright::Fault::OFFSET, offset.value, elements);
        }
        if (OPWRIGHT_UNLIKELY(offset.value % opwright::kPerByte<T> != 0)) {
            opwright::At(offset.line).fail(opwright::Fault::HALF_BYTE, offset.value);
        }
        LocalTensor part = *this;
        part.address_ += opwright::bytes_of<T>(static_cast<uint64_t>(offset.value));
        return part;
    }

    OPWRIGHT_INLINE uint64_t address() const { return address_; }
    OPWRIGHT_INLINE opwright::Memory memory() const { return opwright::memory_of(position_); }

    OPWRIGHT_INLINE opwright::Operand<T> operand(uint32_t index, int64_t count, uint32_t floor, bool written) const {
        const uint64_t bytes = opwright::bytes_of<T>(static_cast<uint64_t>(count)) / floor * floor;
        const opwright::Memory memory = opwright::memory_of(position_);
        opwright::Operand<T> made{{memory, index, sizeof(T), written, address_, bytes}, end_ - address_};
        made.footprint.buffer = buffer_;
        return made;
    }

    // Element accesses are the scalar unit's.
    __aicore__ inline T GetValue(opwright::Argument<uint32_t> index, int32_t line = __builtin_LINE()) const {
        const opwright::At at(line);
        const opwright::ReadOperand<T> element{element_of(at, index)};
        return opwright::issue(at, PIPE_S, [](const opwright::At&, auto one) { return *one.data(); }, element);
    }

    template <typename V>
    __aicore__ inline void SetValue(opwright::Argument<uint32_t> index, const V& value,
                                    int32_t line = __builtin_LINE()) const {
        const opwright::At at(line);
        opwright::WrittenOperand<T> element{element_of(at, index)};
        element.footprint.written = true;
        const T stored = static_cast<T>(value);
        opwright::issue(at, PIPE_S, [=](const opwright::At&, auto one) { *one.data() = stored; }, element);
    }

    __aicore__ inline uint32_t GetSize() const { return static_cast<uint32_t>(opwright::elements_in<T>(end_ - address_)); }
    __aicore__ inline uint32_t GetLength() const { return static_cast<uint32_t>(end_ - address_); }
    __aicore__ inline opwright::OnChipAddress GetPhyAddr() const {
        return {opwright::memory_of(position_), address_, end_};
    }
    __aicore__ inline opwright::OnChipAddress GetPhyAddr(opwright::Offset offset) const {
        return (*this)[offset].GetPhyAddr();
    }

    template <typename U>
    __aicore__ inline LocalTensor<U> ReinterpretCast() const {
        LocalTensor<U> made = LocalTensor<U>::of_buffer(position_, address_, end_ - address_, buffer_, limit_ - address_);
        made.tag_ = tag_;
        made.shape_ = shape_;
        return made;
    }

    __aicore__ inline int32_t GetPosition() const { return static_cast<int32_t>(position_); }

    // Elements from here on: fewer than there were, or more, as far as its memory goes.
    __aicore__ inline void SetSize(opwright::Argument<uint32_t> size, int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        opwright::require_fits(at, 1, size);
        end_at(at, uint64_t(size) * sizeof(T));
    }

    // The same in bytes.
    __aicore__ inline void SetBufferLen(opwright::Argument<uint32_t> data_len, int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        opwright::require_fits(at, 1, data_len);
        end_at(at, data_len);
    }

    // Lies from now on where the element `offset` of another tensor does, and ends with it.
    template <typename U>
    __aicore__ inline void SetAddrWithOffset(const LocalTensor<U>& src, opwright::Offset offset) {
        *this = src[offset].template ReinterpretCast<T>();
    }

    __aicore__ inline void SetUserTag(opwright::Argument<int32_t> tag, int32_t line = __builtin_LINE()) {
        opwright::require_fits(opwright::At(line), 1, tag);
        tag_ = tag;
    }
    __aicore__ inline int32_t GetUserTag() const { return tag_; }

    __aicore__ inline void SetShapeInfo(const ShapeInfo& shape_info, int32_t line = __builtin_LINE()) {
        shape_ = opwright::keep_shape(opwright::At(line), shape_info);
    }
    __aicore__ inline ShapeInfo GetShapeInfo() const { return shape_ ? *shape_ : ShapeInfo(); }

private:
    __aicore__ inline opwright::Operand<T> element_of(const opwright::At& at, opwright::Argument<uint32_t> index) const {
        opwright::require_fits(at, 1, index);
        if (OPWRIGHT_UNLIKELY(index >= GetSize())) at.fail(opwright::Fault::OFFSET, index, GetSize());
        LocalTensor from = *this;
        from.address_ += uint64_t(index) * sizeof(T);
        return from.operand(opwright::kNoOperand, 1, 1, false);
    }

    __aicore__ inline void end_at(const opwright::At& at, uint64_t bytes) {
        const uint64_t most = limit_ - address_;
        if (OPWRIGHT_UNLIKELY(bytes > most)) at.fail(opwright::Fault::SIZE, bytes, most);
        end_ = address_ + bytes;
    }

    template <typename U>
    friend class LocalTensor;

    uint64_t address_ = 0;
    uint64_t end_ = 0;    // the first byte after the tensor
    uint64_t limit_ = 0;  // and after the buffer, or the memory, that it lies in
    TPosition position_ = TPosition::VECIN;
    uint32_t buffer_ = 0;
    int32_t tag_ = 0;
    const ShapeInfo* shape_ = nullptr;
};

template <typename T>
class GlobalTensor {
public:
    GlobalTensor() = default;

    // Without a size the tensor reaches as far as the argument does.
    OPWRIGHT_INLINE void SetGlobalBuffer(__gm__ T* buffer) {
        buffer_ = buffer;
        origin_ = (uint64_t)buffer;
        elements_ = kUnbounded;
    }

    OPWRIGHT_INLINE void SetGlobalBuffer(__gm__ T* buffer, opwright::Argument<uint64_t> size,
                                         int32_t line = __builtin_LINE()) {
        buffer_ = buffer;
        origin_ = (uint64_t)buffer;
        elements_ = size;
        const opwright::At at(line);
        opwright::require_fits(at, 2, size);
        opwright::require(at, elements_ <= kUnbounded, -1, 2, static_cast<int64_t>(elements_));
        operand(1, static_cast<int64_t>(elements_), 1, false).check(at);
    }

    __aicore__ inline GlobalTensor operator[](opwright::Offset offset) const {
        if (OPWRIGHT_UNLIKELY(static_cast<uint64_t>(offset.value) > elements_)) {
            opwright::At(offset.line).fail(opwright::Fault::OFFSET, offset.value, elements_);
        }
        GlobalTensor part = *this;
        part.buffer_ += offset.value;
        part.elements_ -= static_cast<uint64_t>(offset.value);
        return part;
    }

    OPWRIGHT_INLINE opwright::Operand<T> operand(uint32_t index, int64_t count, uint32_t floor, bool written) const {
        const uint64_t bytes = static_cast<uint64_t>(count) * sizeof(T) / floor * floor;
        return {{opwright::Memory::GM, index, sizeof(T), written, (uint64_t)buffer_, bytes}, elements_ * sizeof(T), origin_};
    }

    __aicore__ inline T GetValue(opwright::Argument<uint64_t> offset, int32_t line = __builtin_LINE()) const {
        const opwright::At at(line);
        const opwright::ReadOperand<T> element{element_of(at, offset)};
        return opwright::issue(at, PIPE_S, [](const opwright::At&, auto one) { return *one.data(); }, element);
    }

    template <typename V>
    __aicore__ inline void SetValue(opwright::Argument<uint64_t> offset, const V& value,
                                    int32_t line = __builtin_LINE()) const {
        const opwright::At at(line);
        opwright::WrittenOperand<T> element{element_of(at, offset)};
        element.footprint.written = true;
        const T stored = static_cast<T>(value);
        opwright::issue(at, PIPE_S, [=](const opwright::At&, auto one) { *one.data() = stored; }, element);
    }

    __aicore__ inline uint64_t GetSize() const { return elements_ > kUnbounded / 2 ? 0 : elements_; }
    __aicore__ inline const __gm__ T* GetPhyAddr() const { return buffer_; }
    __aicore__ inline const __gm__ T* GetPhyAddr(opwright::Offset offset) const { return (*this)[offset].buffer_; }

    __aicore__ inline void SetShapeInfo(const ShapeInfo& shape_info, int32_t line = __builtin_LINE()) {
        shape_ = opwright::keep_shape(opwright::At(line), shape_info);
    }
    __aicore__ inline ShapeInfo GetShapeInfo() const { return shape_ ? *shape_ : ShapeInfo(); }

    // The twin has no second-level cache to give hints to.
    template <CacheRwMode rw_mode = CacheRwMode::RW>
    __aicore__ inline void SetL2CacheHint(CacheMode) const {}

private:
    __aicore__ inline opwright::Operand<T> element_of(const opwright::At& at, opwright::Argument<uint64_t> offset) const {
        opwright::require_fits(at, 1, offset);
        if (OPWRIGHT_UNLIKELY(offset >= elements_)) at.fail(opwright::Fault::OFFSET, offset, elements_);
        GlobalTensor from = *this;
        from.buffer_ += offset.value;
        return from.operand(opwright::kNoOperand, 1, 1, false);
    }

    static constexpr uint64_t kUnbounded = uint64_t(1) << 48;  // more elements than any memory has

    __gm__ T* buffer_ = nullptr;
    uint64_t origin_ = 0;  // where the whole tensor starts, of which this may be a part
    uint64_t elements_ = 0;
    const ShapeInfo* shape_ = nullptr;
};

}  // namespace AscendC

namespace opwright {

template <typename Tensor>
struct ElementOf;
template <typename T>
struct ElementOf<AscendC::LocalTensor<T>> {
    using type = T;
};
template <typename T>
struct ElementOf<AscendC::GlobalTensor<T>> {
    using type = T;
};

template <typename Tensor>
OPWRIGHT_INLINE auto operand_of(const Tensor& tensor, uint32_t operand, const Runs& runs, bool written) {
    auto made = tensor.operand(operand, 0, 1, written);
    made.footprint.bytes = runs.hull();
    made.footprint.runs = runs;
    return made;
}

// Copies to global memory take the atomic state of the core when they are issued.
template <typename T>
OPWRIGHT_INLINE WrittenOperand<T> written_operand(const AscendC::LocalTensor<T>&, const Operand<T>& made) {
    return {made};
}
template <typename T>
OPWRIGHT_INLINE WrittenOperand<T> written_operand(const AscendC::GlobalTensor<T>&, Operand<T> made) {
    made.footprint.atomic = current_core().atomic;
    return {made};
}

// The footprint of pieces of a tensor.
template <typename Tensor>
OPWRIGHT_INLINE auto reads(const Tensor& tensor, uint32_t operand, const Runs& runs) {
    return ReadOperand<typename ElementOf<Tensor>::type>{operand_of(tensor, operand, runs, false)};
}

template <typename Tensor>
OPWRIGHT_INLINE auto writes(const Tensor& tensor, uint32_t operand, const Runs& runs) {
    return written_operand(tensor, operand_of(tensor, operand, runs, true));
}

// The footprint of `count` elements from the start of a tensor, in whole pieces of `floor` bytes.
template <typename Tensor>
OPWRIGHT_INLINE auto reads(const Tensor& tensor, uint32_t operand, int64_t count, uint32_t floor = 1) {
    using T = typename ElementOf<Tensor>::type;
    return ReadOperand<T>{tensor.operand(operand, count, floor, false)};
}

template <typename Tensor>
OPWRIGHT_INLINE auto writes(const Tensor& tensor, uint32_t operand, int64_t count, uint32_t floor = 1) {
    return written_operand(tensor, tensor.operand(operand, count, floor, true));
}

}  // namespace opwright
