// Chapter adv_sort: what goes before a sort and after it.
#pragma once

#include "composed.h"
#include "sort_proposal.h"

namespace AscendC {

// The tensor that is sorted is the source itself.
template <typename T>
__aicore__ inline void Concat(LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>&,
                              opwright::Argument<int32_t> repeat_time, int32_t line = __builtin_LINE()) {
    const opwright::At at(line);
    opwright::require_fits(at, 3, repeat_time);
    opwright::require(at, repeat_time.value >= 0 && repeat_time.value <= 255, 0, 3, repeat_time.value);
    dst = src;
}

}  // namespace AscendC

namespace opwright {

// A pair has 8 bytes: an element, and its index at byte 4.
template <typename T>
OPWRIGHT_INLINE void take_apart(const At&, Written<T> values, Written<uint32_t> indices, Read<T> src, int32_t) {
    const auto* pairs = reinterpret_cast<const char*>(src.data());
    T* value = values.data();
    uint32_t* index = indices.data();
    for (int64_t i = 0; i < values.size(); ++i) {
        __builtin_memcpy(value + i, pairs + 8 * i, sizeof(T));
        __builtin_memcpy(index + i, pairs + 8 * i + 4, sizeof(uint32_t));
    }
}

}  // namespace opwright
