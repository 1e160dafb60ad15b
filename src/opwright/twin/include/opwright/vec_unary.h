// Chapter vec_unary: what calls with one source do to an element, in the type they compute in.
#pragma once

#include "bits.h"

namespace opwright {

OPWRIGHT_INLINE float absolute(float value) { return __builtin_fabsf(value); }

// Correctly rounded wherever IEEE 754 is kept, and so is what a half becomes of it.
OPWRIGHT_INLINE float square_root(float value) { return __builtin_sqrtf(value); }

// Functions of a float are computed in double and rounded once. They call nothing and have no branch, so loops over
// them vectorise, and the bits are the same on every machine. What is not a number in the end is added in the end: a
// selection of results would let g++ move the whole computation behind a branch.

// ln(2) in two parts: the first has so few bits that its products with exponents are exact.
constexpr double kLn2 = 0x1.62e42fefap-1;
constexpr double kLn2Rest = 0x1.cf79abc9e3b3ap-40;

OPWRIGHT_INLINE float reciprocal(float value) { return 1.0f / value; }

// That of -0 is -infinity, as in IEEE 754.
OPWRIGHT_INLINE float reciprocal_root(float value) {
    return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(value)));
}

// e^x = 2^k * e^r with |r| <= ln(2) / 2, and e^r by Taylor's series: what is left out is below 2^-52.
OPWRIGHT_INLINE float exponential(float value) {
    const uint32_t sign = bits_of(value) & 0x80000000u;
    const uint32_t magnitude = bits_of(value) ^ sign;
    const uint32_t enough = 0x42dc0000u;  // 110: beyond it results are infinite or 0
    const double x = float_of((magnitude < enough ? magnitude : enough) | sign);
    const double shifter = 0x1.8p52;  // adding it rounds to an integer, which lies in the lowest bits then
    const double shifted = x * 1.4426950408889634 + shifter;
    const double k = shifted - shifter;
    const double r = x - k * kLn2 - k * kLn2Rest;
    double sum = 1.0 / 479001600;
    sum = sum * r + 1.0 / 39916800;
    sum = sum * r + 1.0 / 3628800;
    sum = sum * r + 1.0 / 362880;
    sum = sum * r + 1.0 / 40320;
    sum = sum * r + 1.0 / 5040;
    sum = sum * r + 1.0 / 720;
    sum = sum * r + 1.0 / 120;
    sum = sum * r + 1.0 / 24;
    sum = sum * r + 1.0 / 6;
    sum = sum * r + 1.0 / 2;
    sum = sum * r + 1.0;
    sum = sum * r + 1.0;
    const double scale = double_of((bits_of(shifted) + 1023) << 52);
    const uint32_t special = magnitude > 0x7f800000u ? 0x7fc00000u : 0u;
    return static_cast<float>(sum * scale) + float_of(special);
}

// ln(2^k * m) with m between the roots of 1/2 and 2, and ln(m) = 2 artanh(s) with s = (m - 1) / (m + 1): what is left
// out of the series is below 2^-55 of it. Every float, subnormal or not, is a normal double.
OPWRIGHT_INLINE float logarithm(float value) {
    const uint64_t bits = bits_of(static_cast<double>(value));
    const uint64_t exponent = (bits + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu)) >> 52;
    // 2^52 + exponent, made of bits: machines without a conversion of 64-bit integers vectorise this too.
    const double k = double_of(exponent | 0x4330000000000000u) - (0x1p52 + 1023);
    const double f = double_of(bits - ((exponent - 1023) << 52)) - 1.0;
    const double s = f / (2.0 + f);
    const double z = s * s;
    double sum = 2.0 / 19;
    sum = sum * z + 2.0 / 17;
    sum = sum * z + 2.0 / 15;
    sum = sum * z + 2.0 / 13;
    sum = sum * z + 2.0 / 11;
    sum = sum * z + 2.0 / 9;
    sum = sum * z + 2.0 / 7;
    sum = sum * z + 2.0 / 5;
    sum = sum * z + 2.0 / 3;
    const uint32_t own = bits_of(value);
    const uint32_t negative = own > 0x7f800000u ? 0x7fc00000u : 0u;  // or NaN
    const uint32_t infinite = own == 0x7f800000u ? own : negative;
    const uint32_t special = (own << 1) == 0 ? 0xff800000u : infinite;
    // 2 s is f - s f, and f is exact. Five floats have a logarithm so near to halfway between two that a double is
    // halfway: what it drops decides.
    const double result = sum_to_odd(k * kLn2, f - (s * (f - z * sum) - k * kLn2Rest));
    return static_cast<float>(result) + float_of(special);
}

template <typename T>
OPWRIGHT_INLINE T relu(T value) {
    return value > T(0) ? value : T(0);
}

}  // namespace opwright
