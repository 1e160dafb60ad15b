// The widest floats that the machine computes on at once: loads, stores, one fused step, and transposing.
//
// A fused step is a * b + c rounded once, the same bits on every machine. Where there is no instruction for it, a
// product and a sum are as good if the product is exact in float, as that of two halves is; others go through double.
#pragma once

#include "bits.h"

namespace opwright {

#if defined(__AVX512F__) && !defined(OPWRIGHT_STRICT)
constexpr int32_t kFloatLanes = 16;
#elif defined(__AVX__) && !defined(OPWRIGHT_STRICT)
constexpr int32_t kFloatLanes = 8;
#else
constexpr int32_t kFloatLanes = 4;
#endif

typedef float FloatLanes __attribute__((vector_size(4 * kFloatLanes)));

OPWRIGHT_INLINE FloatLanes load_lanes(const float* from) {
    FloatLanes lanes;
    __builtin_memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

OPWRIGHT_INLINE void store_lanes(float* to, FloatLanes lanes) { __builtin_memcpy(to, &lanes, sizeof lanes); }

// Subtracting zero changes nothing; adding it would make a positive zero of a negative one.
OPWRIGHT_INLINE FloatLanes spread(float value) { return value - FloatLanes{}; }

template <bool kIsProductExact>
OPWRIGHT_INLINE FloatLanes fused_lanes(FloatLanes a, FloatLanes b, FloatLanes c) {
#if defined(__AVX512F__) && !defined(OPWRIGHT_STRICT)
    return __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4);  // all lanes; rounded as the control register says
#elif defined(__FMA__) && !defined(OPWRIGHT_STRICT)
    return __builtin_ia32_vfmaddps256(a, b, c);
#elif defined(__aarch64__) && !defined(OPWRIGHT_STRICT)
    // Its header of builtins has a bfloat16_t of its own.
    asm("fmla %0.4s, %1.4s, %2.4s" : "+w"(c) : "w"(a), "w"(b));
    return c;
#else
    if constexpr (kIsProductExact) return a * b + c;
    for (int32_t i = 0; i < kFloatLanes; ++i) c[i] = fused_once(a[i], b[i], c[i]);
    return c;
#endif
}

typedef float FourFloats __attribute__((vector_size(16)));

#ifdef __clang__
#define OPWRIGHT_SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef int32_t FourPlaces __attribute__((vector_size(16)));
#define OPWRIGHT_SHUFFLE(a, b, ...) __builtin_shuffle(a, b, FourPlaces{__VA_ARGS__})
#endif

// Four rows of four become four columns.
OPWRIGHT_INLINE void transpose_four(float* to, int64_t to_stride, const float* from, int64_t from_stride) {
    FourFloats rows[4];
    for (int32_t i = 0; i < 4; ++i) __builtin_memcpy(&rows[i], from + i * from_stride, sizeof rows[i]);
    const FourFloats low_even = OPWRIGHT_SHUFFLE(rows[0], rows[2], 0, 4, 1, 5);
    const FourFloats high_even = OPWRIGHT_SHUFFLE(rows[0], rows[2], 2, 6, 3, 7);
    const FourFloats low_odd = OPWRIGHT_SHUFFLE(rows[1], rows[3], 0, 4, 1, 5);
    const FourFloats high_odd = OPWRIGHT_SHUFFLE(rows[1], rows[3], 2, 6, 3, 7);
    const FourFloats columns[4] = {
        OPWRIGHT_SHUFFLE(low_even, low_odd, 0, 4, 1, 5), OPWRIGHT_SHUFFLE(low_even, low_odd, 2, 6, 3, 7),
        OPWRIGHT_SHUFFLE(high_even, high_odd, 0, 4, 1, 5), OPWRIGHT_SHUFFLE(high_even, high_odd, 2, 6, 3, 7)};
    for (int32_t i = 0; i < 4; ++i) __builtin_memcpy(to + i * to_stride, &columns[i], sizeof columns[i]);
}

#undef OPWRIGHT_SHUFFLE

}  // namespace opwright
