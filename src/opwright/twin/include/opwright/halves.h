// Many halves at once: to floats, back, and floats rounded to what halves hold. With F16C by its instructions, elsewhere
// by loops that vectorise; the bits are the same. Of a NaN the instructions keep some bits, and we keep none but its sign.
#pragma once

#include "half.h"

namespace opwright {

#if defined(__F16C__) && !defined(OPWRIGHT_STRICT)

constexpr int64_t kAtOnce = 8;
typedef float Floats __attribute__((vector_size(4 * kAtOnce)));
typedef short Halves __attribute__((vector_size(2 * kAtOnce)));

OPWRIGHT_INLINE Halves narrow_at_once(const float* from) {
    Floats values;
    __builtin_memcpy(&values, from, sizeof values);
    const Halves bits = __builtin_ia32_vcvtps2ph256(values, 0);  // to nearest even
    const Halves is_nan = (bits & 0x7fff) > 0x7c00;
    return (bits & ~is_nan) | (((bits & -0x8000) | 0x7e00) & is_nan);
}

OPWRIGHT_INLINE void widen_at_once(float* to, Halves bits) {
    const Floats values = __builtin_ia32_vcvtph2ps256(bits);
    __builtin_memcpy(to, &values, sizeof values);
}

OPWRIGHT_INLINE int64_t widen_most(float* to, const half* from, int64_t count) {
    int64_t i = 0;
    for (; i + kAtOnce <= count; i += kAtOnce) {
        Halves bits;
        __builtin_memcpy(&bits, from + i, sizeof bits);
        widen_at_once(to + i, bits);
    }
    return i;
}

OPWRIGHT_INLINE int64_t narrow_most(half* to, const float* from, int64_t count) {
    int64_t i = 0;
    for (; i + kAtOnce <= count; i += kAtOnce) {
        const Halves bits = narrow_at_once(from + i);
        __builtin_memcpy(to + i, &bits, sizeof bits);
    }
    return i;
}

OPWRIGHT_INLINE int64_t round_most(float* values, int64_t count) {
    int64_t i = 0;
    for (; i + kAtOnce <= count; i += kAtOnce) widen_at_once(values + i, narrow_at_once(values + i));
    return i;
}

#else

OPWRIGHT_INLINE int64_t widen_most(float*, const half*, int64_t) { return 0; }
OPWRIGHT_INLINE int64_t narrow_most(half*, const float*, int64_t) { return 0; }
OPWRIGHT_INLINE int64_t round_most(float*, int64_t) { return 0; }

#endif

OPWRIGHT_INLINE void widen_halves(float* to, const half* from, int64_t count) {
    const int64_t done = widen_most(to, from, count);
    OPWRIGHT_VECTOR_LOOP
    for (int64_t i = done; i < count; ++i) to[i] = half_value(from[i].bits);
}

// As rounded makes them.
OPWRIGHT_INLINE void rounded_halves(half* to, const float* from, int64_t count) {
    const int64_t done = narrow_most(to, from, count);
    OPWRIGHT_VECTOR_LOOP
    for (int64_t i = done; i < count; ++i) to[i].bits = half_bits(from[i]);
}

// Results of a vector call, as narrow makes them.
OPWRIGHT_INLINE void narrow_halves(half* to, const float* from, int64_t count) {
    rounded_halves(to, from, count);
    settle(to, count);
}

OPWRIGHT_INLINE void round_to_halves(float* values, int64_t count) {
    const int64_t done = round_most(values, count);
    OPWRIGHT_VECTOR_LOOP
    for (int64_t i = done; i < count; ++i) values[i] = half_value(half_bits(values[i]));
    bool has_more = kSaturatesArithmetic;
    if constexpr (kTellsAssumed) {
        for (int64_t i = 0; i < count; ++i) has_more |= (bits_of(values[i]) & 0x7fffffffu) >= 0x7f800000u;
    }
    if (OPWRIGHT_UNLIKELY(has_more)) {
        for (int64_t i = 0; i < count; ++i) values[i] = half_value(narrow<half>(values[i]).bits);
    }
}

}  // namespace opwright
