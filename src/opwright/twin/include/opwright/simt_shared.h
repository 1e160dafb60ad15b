// Arrays in the UB of a kernel that is nothing but threads.
//
// In: an array that only says how long it is. Out: where it lies in the UB of the block, the same for all its threads.
// Refuses arrays that do not fit.
#pragma once

#include "simt_indices.h"

namespace opwright {

// Each has its place from the first thread on that comes to it.
struct SharedArrays {
    static constexpr uint32_t kMax = 64;
    uint32_t count;
    struct {
        const void* array;
        uint64_t end;
    } all[kMax];
};
OPWRIGHT_PER_THREAD SharedArrays shared_arrays;

__aicore__ __attribute__((noinline)) inline uint64_t place_shared(const void* array, uint64_t bytes, uint64_t align,
                                                                   int32_t line) {
    uint64_t end = 0;
    for (uint32_t i = 0; i < shared_arrays.count; ++i) {
        end = shared_arrays.all[i].end;
        if (shared_arrays.all[i].array == array) return end - bytes;
    }
    const At at(line);
    const uint64_t begin = (end + align - 1) / align * align;
    const uint64_t capacity = at.core.memory[static_cast<uint32_t>(Memory::UB)].bytes;
    if (begin + bytes > capacity || shared_arrays.count == SharedArrays::kMax) {
        at.fail(Fault::CAPACITY, Memory::UB, begin, bytes, capacity);
    }
    shared_arrays.all[shared_arrays.count++] = {array, begin + bytes};
    return begin;
}

}  // namespace opwright

