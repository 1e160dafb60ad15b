// Sine, cosine, tangent and their inverses, of every float.
#pragma once

#include "adv_math_parts.h"

namespace opwright {

// An angle of at most a right one, split: `quarters` of a circle, and what is left in radians, at most pi / 4 either
// way.
struct Angle {
    double rest;
    uint64_t quarters;
};

// Bits of 2 / pi, after 32 zeros.
constexpr uint32_t kTwoOverPi[] = {
    0, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u,
};

OPWRIGHT_INLINE double double_of_low(uint64_t bits32) { return double_of(bits32 | 0x4330000000000000u) - 0x1p52; }

// How many right angles a magnitude is: |x| is m 2^e with an integer m, so of 2 / pi only 96 bits matter: higher ones
// make whole turns, lower ones nothing that a float could show. The product is exact (M. Payne and R. Hanek, 1983).
OPWRIGHT_INLINE Angle angle_of(float value) {
    const uint32_t magnitude = bits_of(value) & 0x7fffffffu;
    const bool is_small = magnitude < 0x3f490fdbu;  // pi / 4
    const uint32_t kept = (is_small | (magnitude >= 0x7f800000u)) ? 0x3f800000u : magnitude;
    const uint64_t m = (kept & 0x7fffffu) | 0x800000u;
    const uint32_t first = (kept >> 23) - 150 + 30;  // the bit of kTwoOverPi that makes half turns: e + 30
    const uint32_t word = first >> 5, shift = first & 31;
    const uint64_t high = uint64_t(kTwoOverPi[word]) << 32 | kTwoOverPi[word + 1];
    const uint64_t low = uint64_t(kTwoOverPi[word + 2]) << 32 | kTwoOverPi[word + 3];
    const uint64_t upper = (high << shift) | ((low >> 1) >> (63 - shift));
    const uint64_t lower = (low << shift) >> 32;
    // Right angles with 62 bits after the point, modulo 4, and 32 more bits.
    const uint64_t tail = m * lower;
    const uint64_t turned = m * upper + (tail >> 32);
    const uint64_t quarters = (turned + (uint64_t(1) << 61)) >> 62;
    const uint64_t left = turned - (quarters << 62) + kSign;  // from -2^61 to 2^61, made positive
    const double upper_half = double_of_low(left >> 32) - 0x1p31;
    const double fraction = upper_half * 0x1p-30 + (double_of_low(left & 0xffffffffu) * 0x1p-62 +
                                                    double_of_low(tail & 0xffffffffu) * 0x1p-94);
    const double small = float_of(magnitude);
    return {choose(is_small, small, fraction * (kPi / 2)), quarters & (is_small ? 0u : 3u)};
}

constexpr double kSineSeries[] = {
    1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000,
};
constexpr double kCosineSeries[] = {
    1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200,
    1.0 / 20922789888000,
};

// Of at most pi / 4 either way: what is left out is below 2^-54.
OPWRIGHT_INLINE double sine_near_zero(double x) { return x * polynomial(kSineSeries, x * x); }
OPWRIGHT_INLINE double cosine_near_zero(double x) { return polynomial(kCosineSeries, x * x); }

OPWRIGHT_INLINE bool is_no_number(float value) { return (bits_of(value) & 0x7fffffffu) >= 0x7f800000u; }

// That of infinity is a NaN.
OPWRIGHT_INLINE double sine(float value) {
    const Angle angle = angle_of(value);
    const double turned = choose(angle.quarters & 1, cosine_near_zero(angle.rest), sine_near_zero(angle.rest));
    const double result = double_of(bits_of(turned) ^ (angle.quarters >> 1 << 63));
    return or_nan(signed_as(result, value), is_no_number(value));
}

OPWRIGHT_INLINE double cosine(float value) {
    const Angle angle = angle_of(value);
    const double turned = choose(angle.quarters & 1, sine_near_zero(angle.rest), cosine_near_zero(angle.rest));
    return or_nan(double_of(bits_of(turned) ^ ((angle.quarters + 1) >> 1 << 63)), is_no_number(value));
}

OPWRIGHT_INLINE double tangent(float value) {
    const Angle angle = angle_of(value);
    const double sine_part = sine_near_zero(angle.rest), cosine_part = cosine_near_zero(angle.rest);
    const bool odd = angle.quarters & 1;
    const double result = choose(odd, -cosine_part, sine_part) / choose(odd, sine_part, cosine_part);
    return or_nan(signed_as(result, value), is_no_number(value));
}

constexpr double kArctangentSeries[] = {
    1.0, -1.0 / 3, 1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15, 1.0 / 17, -1.0 / 19, 1.0 / 21,
    -1.0 / 23,
};

// arctan(x) is pi / 2 - arctan(1 / x) above 1, and four times that of a quarter of the angle, for which a short series
// will do: what is left out is below 2^-54.
OPWRIGHT_INLINE double arctangent_of(double x) {
    const double size = magnitude_of(x);
    const bool is_large = size > 1.0;
    const double inner = choose(is_large, 1.0 / size, size);
    const double half = inner / (1.0 + __builtin_sqrt(1.0 + inner * inner));
    const double quarter = half / (1.0 + __builtin_sqrt(1.0 + half * half));
    const double angle = 4.0 * quarter * polynomial(kArctangentSeries, quarter * quarter);
    return signed_as(choose(is_large, kPi / 2 - angle, angle), x);
}

OPWRIGHT_INLINE double arctangent(float value) { return arctangent_of(value); }

// Beyond 1 the roots are those of negative numbers: NaN.
OPWRIGHT_INLINE double arcsine(float value) {
    const double x = value;
    return arctangent_of(x / __builtin_sqrt((1.0 - x) * (1.0 + x)));
}

OPWRIGHT_INLINE double arccosine(float value) {
    const double x = value;
    return 2.0 * arctangent_of(__builtin_sqrt((1.0 - x) / (1.0 + x)));
}

}  // namespace opwright
