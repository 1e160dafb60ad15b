// Chapter mem_allocator: on-chip memory handed out from its start on, without a pipe.
#pragma once

#include "tensor.h"

namespace AscendC {

template <Hardware hard = Hardware::UB>
class LocalMemAllocator {
public:
    // The number of elements is known at compile time, or only at run time.
    template <TPosition pos, typename T, uint32_t tile_size>
    __aicore__ inline LocalTensor<T> Alloc(int32_t line = __builtin_LINE()) {
        return Alloc<pos, T>(tile_size, line);
    }

    template <TPosition pos, typename T>
    __aicore__ inline LocalTensor<T> Alloc(opwright::Argument<uint32_t> tile_size, int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        opwright::require_fits(at, 3, tile_size);
        opwright::require(at, tile_size >= 1, 0, 3, tile_size);
        const opwright::Memory memory = opwright::memory_of(pos);
        const uint64_t capacity = opwright::capacity_of(at, memory);
        const uint64_t bytes = uint64_t(tile_size) * sizeof(T);
        if (OPWRIGHT_UNLIKELY(address_ + bytes > capacity)) {
            at.fail(opwright::Fault::CAPACITY, memory, address_, bytes, capacity);
        }
        const auto made = LocalTensor<T>::of_buffer(pos, address_, bytes, 0);
        address_ = opwright::in_whole_blocks(address_ + bytes);
        return made;
    }

    __aicore__ inline uint32_t GetCurAddr() const { return static_cast<uint32_t>(address_); }

private:
    uint64_t address_ = 0;  // of the next tensor
};

}  // namespace AscendC
