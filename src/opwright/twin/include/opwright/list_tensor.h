// Chapter list_tensor: a list of tensors in global memory. The scalar unit reads it word by word.
#pragma once

#include "tensor.h"

namespace opwright {

constexpr uint32_t kNotGiven = ~uint32_t(0);

// Where a list is, and what the kernel says about it.
struct TensorWords {
    const __gm__ uint64_t* data = nullptr;
    uint64_t bytes = 0;

    // One word, read by the scalar unit.
    __aicore__ inline uint64_t word(const At& at, uint64_t index) const {
        if (OPWRIGHT_UNLIKELY(8 * index + 8 > bytes)) at.fail(Fault::LIST, ListFault::LENGTH, 8 * index + 8, bytes);
        const auto base = reinterpret_cast<uint64_t>(data);
        const Footprint touched{Memory::GM, kNoOperand, 8, false, base + 8 * index, 8};
        const ReadOperand<uint64_t> one{{touched, 8, base}};
        return issue(at, PIPE_S, [](const At&, auto read) { return *read.data(); }, one);
    }
};

}  // namespace opwright

namespace AscendC {

class ListTensorDesc;

template <typename T>
class TensorDesc {
public:
    TensorDesc() = default;

    template <uint32_t length>
    __aicore__ inline void SetShapeAddr(uint64_t (&shape)[length]) {
        shape_ = shape;
        capacity_ = length;
    }

    __aicore__ inline uint64_t GetDim() const { return dims_; }
    __aicore__ inline uint64_t GetIndex() const { return index_; }
    __aicore__ inline uint64_t GetShape(opwright::Argument<uint32_t> offset, int32_t line = __builtin_LINE()) const {
        const opwright::At at(line);
        opwright::require_fits(at, 1, offset);
        if (OPWRIGHT_UNLIKELY(offset >= dims_)) at.fail(opwright::Fault::DIM, offset, dims_);
        return shape_[offset];
    }
    __aicore__ inline __gm__ T* GetDataPtr() const { return data_; }
    __aicore__ inline GlobalTensor<T> GetDataObj(int32_t line = __builtin_LINE()) const {
        uint64_t elements = 1;
        for (uint32_t i = 0; i < dims_; ++i) elements *= shape_[i];
        GlobalTensor<T> made;
        made.SetGlobalBuffer(data_, elements, line);
        return made;
    }

private:
    friend class ListTensorDesc;

    uint64_t* shape_ = nullptr;
    uint32_t capacity_ = 0;
    uint32_t dims_ = 0;
    uint32_t index_ = 0;
    __gm__ T* data_ = nullptr;
};

class ListTensorDesc {
public:
    ListTensorDesc() = default;
    __aicore__ inline ListTensorDesc(const __gm__ void* data, opwright::Argument<uint32_t> length,
                                     opwright::Argument<uint32_t> shape_size, int32_t line = __builtin_LINE()) {
        start(opwright::At(line), 0, data, length, shape_size);
    }

    __aicore__ inline void Init(const __gm__ void* data, opwright::Argument<uint32_t> length,
                                opwright::Argument<uint32_t> shape_size, int32_t line = __builtin_LINE()) {
        start(opwright::At(line), 1, data, length, shape_size);
    }

    __aicore__ inline uint32_t GetSize() const { return count_; }

    template <typename T>
    __aicore__ inline void GetDesc(TensorDesc<T>& desc, opwright::Argument<uint32_t> index,
                                   int32_t line = __builtin_LINE()) const {
        const opwright::At at(line);
        opwright::require_fits(at, 2, index);
        require_index(at, index);
        uint64_t place = 1;
        for (uint32_t i = 0; i < index; ++i) place += 1 + dims_of(words_.word(at, place));
        const uint64_t first = words_.word(at, place);
        desc.dims_ = dims_of(first);
        desc.index_ = static_cast<uint32_t>(first >> 32);
        if (OPWRIGHT_UNLIKELY(desc.dims_ > desc.capacity_)) {
            at.fail(opwright::Fault::LIST, opwright::ListFault::EXTENTS, desc.dims_, desc.capacity_);
        }
        for (uint32_t i = 0; i < desc.dims_; ++i) desc.shape_[i] = words_.word(at, place + 1 + i);
        desc.data_ = address_of<T>(at, index);
    }

    template <typename T>
    __aicore__ inline __gm__ T* GetDataPtr(opwright::Argument<uint32_t> index, int32_t line = __builtin_LINE()) const {
        const opwright::At at(line);
        opwright::require_fits(at, 1, index);
        require_index(at, index);
        return address_of<T>(at, index);
    }

private:
    OPWRIGHT_INLINE static uint32_t dims_of(uint64_t word) { return static_cast<uint32_t>(word); }

    template <typename T>
    __aicore__ inline __gm__ T* address_of(const opwright::At& at, uint32_t index) const {
        const uint64_t address = words_.word(at, addresses_ + index);
        const opwright::LaunchRecord& launch = *at.core.launch;
        bool known = false;
        for (uint32_t i = 0; i < launch.ranges; ++i) known = known || opwright::holds(launch.gm()[i], address);
        if (OPWRIGHT_UNLIKELY(!known)) at.fail(opwright::Fault::LIST, opwright::ListFault::STRANGER, index, count_);
        return (__gm__ T*)address;
    }

    __aicore__ inline void require_index(const opwright::At& at, uint32_t index) const {
        if (OPWRIGHT_UNLIKELY(index >= count_)) {
            at.fail(opwright::Fault::LIST, opwright::ListFault::INDEX, index, count_);
        }
    }

    // Reads where the addresses start and how many descriptions lie before them. `data` is operand number `operand`.
    __aicore__ inline void start(const opwright::At& at, uint32_t operand, const __gm__ void* data,
                                 const opwright::Argument<uint32_t>& length,
                                 const opwright::Argument<uint32_t>& shape_size) {
        opwright::require_fits(at, operand + 1, length);
        opwright::require_fits(at, operand + 2, shape_size);
        words_ = {static_cast<const __gm__ uint64_t*>(data), length};
        const uint64_t offset = words_.word(at, 0);
        if (OPWRIGHT_UNLIKELY(offset % 8 != 0 || offset < 8 || offset > length)) {
            at.fail(opwright::Fault::LIST, opwright::ListFault::OFFSET, offset, length.value);
        }
        addresses_ = offset / 8;
        count_ = 0;
        uint64_t place = 1;
        for (; place < addresses_; ++count_) place += 1 + dims_of(words_.word(at, place));
        if (OPWRIGHT_UNLIKELY(place != addresses_)) {
            at.fail(opwright::Fault::LIST, opwright::ListFault::OFFSET, offset, 8 * place);
        }
        if (OPWRIGHT_UNLIKELY(shape_size != opwright::kNotGiven && shape_size != count_)) {
            at.fail(opwright::Fault::LIST, opwright::ListFault::COUNT, shape_size.value, count_);
        }
    }

    opwright::TensorWords words_;
    uint64_t addresses_ = 0;  // the word at which they start
    uint32_t count_ = 0;
};

}  // namespace AscendC
