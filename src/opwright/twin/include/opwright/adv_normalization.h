// Chapter adv_normalization: rows divided by the root of the mean of their squares.
#pragma once

#include "adv_tiling.h"
#include "composed.h"
#include "vec_unary.h"

namespace opwright {

// One row, and all of them.
template <typename T, typename Tiling>
OPWRIGHT_INLINE auto row_of(const Tiling& tiling) -> decltype(tiling.hLength, Runs()) {
    const uint64_t bytes = uint64_t(tiling.hLength) * sizeof(T);
    return {1, bytes, bytes};
}
template <typename T, typename Tiling>
OPWRIGHT_INLINE auto rows_of(const Tiling& tiling) -> decltype(tiling.hLength, Runs()) {
    const uint64_t bytes = uint64_t(tiling.bLength) * tiling.sLength * tiling.hLength * sizeof(T);
    return {1, bytes, bytes};
}

template <typename T, typename Tiling>
OPWRIGHT_INLINE void rms_norm(const At&, Written<T> dst, Read<T> src, Read<T> gamma, const T& epsilon,
                              const Tiling& tiling, bool) {
    const T *from = src.data(), *weights = gamma.data();
    T* to = dst.data();
    const uint64_t rows = uint64_t(tiling.bLength) * tiling.sLength, length = tiling.hLength;
    const uint64_t data = tiling.originalHLength < length ? tiling.originalHLength : length;
    for (uint64_t row = 0; row < rows; ++row, from += length, to += length) {
        double squares = 0.0;
        for (uint64_t i = 0; i < data; ++i) squares += static_cast<double>(widen(from[i])) * widen(from[i]);
        const float mean = static_cast<float>(squares) * tiling.reciprocalOfHLength;
        const float factor = reciprocal_root(mean + widen(epsilon));
        for (uint64_t i = 0; i < length; ++i) to[i] = narrow<T>(widen(from[i]) * factor * widen(weights[i]));
    }
}

}  // namespace opwright
