// Chapter adv_activation: softmax of rows.
#pragma once

#include "adv_tiling.h"
#include "composed.h"
#include "vec_unary.h"

namespace opwright {

// All rows of a softmax, and a block of 32 bytes for each.
template <typename T, typename Tiling>
OPWRIGHT_INLINE auto rows_of(const Tiling& tiling) -> decltype(tiling.srcM, Runs()) {
    const uint64_t bytes = uint64_t(tiling.srcM) * tiling.srcK * sizeof(T);
    return {1, bytes, bytes};
}
template <typename Tiling>
OPWRIGHT_INLINE Runs blocks_of(const Tiling& tiling) {
    return {1, uint64_t(tiling.srcM) * kBlockBytes, uint64_t(tiling.srcM) * kBlockBytes};
}

template <typename T>
OPWRIGHT_INLINE void fill_block(T* block, float value) {
    for (uint32_t i = 0; i < kBlockBytes / sizeof(T); ++i) block[i] = narrow<T>(value);
}

// A row may be written where it is read: an element is read for the last time just before it is written.
template <typename T>
__aicore__ __attribute__((noinline)) inline void softmax_row(T* dst, const T* src, uint64_t count, float& sum,
                                                             float& max) {
    float greatest = -__builtin_inff();
    bool is_nan = false;
    for (uint64_t i = 0; i < count; ++i) {
        const float value = widen(src[i]);
        greatest = value > greatest ? value : greatest;
        is_nan |= value != value;
    }
    double total = 0.0;
    for (uint64_t i = 0; i < count; ++i) total += exponential(widen(src[i]) - greatest);
    sum = static_cast<float>(total);
    max = is_nan ? __builtin_nanf("") : greatest;
    for (uint64_t i = 0; i < count; ++i) dst[i] = narrow<T>(exponential(widen(src[i]) - greatest) / sum);
}

template <typename T, typename U, typename Tiling>
OPWRIGHT_INLINE void softmax(const At&, Written<T> dst, Written<U> sum, Written<U> max, Read<T> src,
                             const Tiling& tiling, bool, bool, bool) {
    const T* from = src.data();
    T* to = dst.data();
    U *sums = sum.data(), *greatest = max.data();
    constexpr uint64_t in_block = kBlockBytes / sizeof(U);
    for (uint64_t row = 0; row < tiling.srcM; ++row) {
        float row_sum, row_max;
        softmax_row(to + row * tiling.srcK, from + row * tiling.srcK, tiling.srcK, row_sum, row_max);
        fill_block(sums + row * in_block, row_sum);
        fill_block(greatest + row * in_block, row_max);
    }
}

}  // namespace opwright
