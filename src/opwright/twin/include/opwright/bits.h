// The bits of a number and back.
#pragma once

#include "qualifiers.h"

namespace opwright {

OPWRIGHT_INLINE uint32_t bits_of(float value) {
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

OPWRIGHT_INLINE float float_of(uint32_t bits) {
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

// For exponents of normal numbers.
OPWRIGHT_INLINE float power_of_two(int32_t exponent) { return float_of(static_cast<uint32_t>(exponent + 127) << 23); }

OPWRIGHT_INLINE uint64_t bits_of(double value) {
    uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

OPWRIGHT_INLINE double double_of(uint64_t bits) {
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

// Rounding to odd: what is not exact ends in a 1 bit. A later rounding to a type that has two bits less or fewer is
// right then, as if nothing had been rounded before. (S. Boldo and G. Melquiond, 2008.)

// a + b.
OPWRIGHT_INLINE double sum_to_odd(double a, double b) {
    const double sum = a + b;
    const double part = sum - a;
    const double error = (a - (sum - part)) + (b - part);
    const uint64_t bits = bits_of(sum);
    const uint64_t size = bits_of(error) & 0x7fffffffffffffffu;
    // Exact, or infinite and then the error is a NaN: nothing to do.
    const uint64_t inexact = size - 1 < 0x7fefffffffffffffu ? 1 : 0;
    const uint64_t outwards = 1 - 2 * ((bits ^ bits_of(error)) >> 63);
    return double_of(bits + (inexact & ~bits & 1) * outwards);
}

OPWRIGHT_INLINE float sum_to_odd(float a, float b) {
    const float sum = a + b;
    const float part = sum - a;
    const float error = (a - (sum - part)) + (b - part);
    const uint32_t bits = bits_of(sum);
    const uint32_t size = bits_of(error) & 0x7fffffffu;
    const uint32_t inexact = size - 1 < 0x7f7fffffu ? 1 : 0;
    const uint32_t outwards = 1 - 2 * ((bits ^ bits_of(error)) >> 31);
    return float_of(bits + (inexact & ~bits & 1) * outwards);
}

// a * b + c with one rounding: a product of two floats is exact in double.
OPWRIGHT_INLINE float fused_once(float a, float b, float c) {
#if defined(__FMA__) || defined(__aarch64__)
    return __builtin_fmaf(a, b, c);
#else
    return static_cast<float>(sum_to_odd(static_cast<double>(a) * b, static_cast<double>(c)));
#endif
}

OPWRIGHT_INLINE float float_to_odd(double value) {
    const float nearest = static_cast<float>(value);
    const uint64_t wanted = bits_of(value) & 0x7fffffffffffffffu;
    const uint64_t got = bits_of(static_cast<double>(nearest)) & 0x7fffffffffffffffu;
    const uint32_t bits = bits_of(nearest);
    const uint32_t inexact = got != wanted ? 1 : 0;
    const uint32_t number = wanted < 0x7ff0000000000000u ? 1 : 0;
    const uint32_t outwards = got > wanted ? ~0u : 1u;
    return float_of(bits + (inexact & number & ~bits & 1) * outwards);
}

}  // namespace opwright
