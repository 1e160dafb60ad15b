// Powers of two elements: of floats as pow of C has them, of integers modulo 2^32.
#pragma once

#include "adv_math_parts.h"

namespace opwright {

OPWRIGHT_INLINE double power_of(float base, float exponent) {
    const double size = magnitude_of(base), times = magnitude_of(exponent);
    const double infinite = double_of(kInfinite);
    const double outside = choose(size == 0.0, -infinite, infinite);
    const double logarithm = choose((size == 0.0) | (size == infinite), outside, log_of(size));
    const double product = choose((size == 1.0) & (times == infinite), 0.0, exponent * logarithm);
    const double result = exp_of(product);
    // Floats from 2^24 on are even.
    const double kept = choose(times < 0x1p24, times, 0x1p24);
    const bool is_integer = (kept + 0x1p52) - 0x1p52 == kept;
    const double half = 0.5 * kept;
    const bool is_odd = is_integer & ((half + 0x1p52) - 0x1p52 != half);
    const uint64_t sign = bits_of(static_cast<double>(base)) & kSign & (uint64_t(0) - static_cast<uint64_t>(is_odd));
    const bool is_nan = (base < 0.0f) & (size != infinite) & !is_integer;
    const double whole = or_nan(double_of(bits_of(result) ^ sign), is_nan);
    return choose((base == 1.0f) | (exponent == 0.0f), 1.0, whole);
}

// 1 / base^n, of which only that of 1 and -1 is not below 1.
OPWRIGHT_INLINE int32_t power_of(int32_t base, int32_t exponent) {
    const bool is_inverse = exponent < 0;
    uint32_t left = is_inverse ? 0u - static_cast<uint32_t>(exponent) : static_cast<uint32_t>(exponent);
    uint32_t square = static_cast<uint32_t>(base), result = 1;
#pragma GCC unroll 32
    for (uint32_t bit = 0; bit < 32; ++bit) {
        result *= (left >> bit & 1) ? square : 1u;
        square *= square;
    }
    const bool is_unit = base == 1 || base == -1;
    return is_inverse && !is_unit ? 0 : static_cast<int32_t>(result);
}

}  // namespace opwright
