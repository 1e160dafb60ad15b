// Rows of any float type in pieces of float, which is what loops of operators compute with; double stays double.
//
// In: elements that lie `step` apart. Out: up to kPiece numbers one behind the other, and back, rounded once. Where they
// lie so already nothing is copied. Every instruction set gives the same bits.
#pragma once

#include "opwright/numbers.h"

namespace opwright {

constexpr int64_t kPiece = 512;  // a multiple of every vector's length; some of them fit the first cache

// cpu/floats.cpp
void widen_all(const Half* from, float* to, int64_t count);
void widen_all(const BFloat16* from, float* to, int64_t count);
void narrow_all(const float* from, Half* to, int64_t count);
void narrow_all(const float* from, BFloat16* to, int64_t count);

// `count` numbers, in `space` unless they lie one behind the other.
template <typename T, typename Number = typename Computed<T>::Type>
inline const Number* widened(const T* from, int64_t step, int64_t count, Number* space) {
    if constexpr (sizeof(T) == sizeof(Number)) {
        if (step == 1) return from;
    } else if (step == 1) {
        widen_all(from, space, count);
        return space;
    }
    for (int64_t i = 0; i < count; ++i) space[i] = widen(from[i * step]);
    return space;
}

// Where results are computed: in their place, or in `space`, for `narrowed` to take them there.
template <typename T, typename Number = typename Computed<T>::Type>
inline Number* computed_in(T* to, int64_t step, Number* space) {
    if constexpr (sizeof(T) == sizeof(Number)) return step == 1 ? to : space;
    else return space;
}

template <typename T, typename Number = typename Computed<T>::Type>
inline void narrowed(const Number* from, T* to, int64_t step, int64_t count) {
    if constexpr (sizeof(T) == sizeof(Number)) {
        if (from == to) return;
    } else if (step == 1) {
        return narrow_all(from, to, count);
    }
    for (int64_t i = 0; i < count; ++i) to[i * step] = narrow<T>(from[i]);
}

// e^x as plain arithmetic, so that loops over it vectorise: at most 1 unit in the last place off; 0, infinity and NaN as
// std::exp gives them, and subnormals too.
inline float exp(float x) {
    // Outside of these the result is 0 or infinity anyway. NaN stays, since every comparison with it is false.
    const float clamped = x < -104.0f ? -104.0f : x > 89.0f ? 89.0f : x;
    // n = round(x / ln 2), by a sum with 1.5 * 2^23, whose low bits then hold it.
    const float shifted = clamped * 0x1.715476p+0f + 0x1.8p23f;
    const float n = shifted - 0x1.8p23f;
    // ln 2 in two parts: n times the first one is exact.
    const float r = (clamped - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
    float p = 0x1.6850e4p-10f;
    p = p * r + 0x1.123bccp-7f;
    p = p * r + 0x1.555b98p-5f;
    p = p * r + 0x1.55548ep-3f;
    p = p * r + 0x1.fffff8p-2f;
    const float near = 1.0f + (r + r * r * p);
    // 2^n in two factors, so that neither overflows: n is -150 to 129.
    const int32_t whole = bit_cast<int32_t>(shifted) - 0x4b400000;
    const int32_t half = whole >> 1;
    const float first = bit_cast<float>((half + 127) << 23), second = bit_cast<float>((whole - half + 127) << 23);
    return near * first * second;
}

inline double exp(double x) { return std::exp(x); }

}  // namespace opwright
