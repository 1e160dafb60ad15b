// What functions of one element are made of: powers of e, logarithms, polynomials, in double and to a few ulps of it, so
// that a float or a half is off by less than an ulp of its own. They call nothing, have no branch and choose between
// results by their bits, so loops over them vectorise and the bits are the same on every machine; see vec_unary.h.
#pragma once

#include "bits.h"

namespace opwright {

constexpr double kPi = 0x1.921fb54442d18p+1;
constexpr uint64_t kNan = 0x7ff8000000000000u;
constexpr uint64_t kInfinite = 0x7ff0000000000000u;
constexpr uint64_t kSign = 0x8000000000000000u;

OPWRIGHT_INLINE double choose(bool first, double a, double b) {
    const uint64_t mask = uint64_t(0) - static_cast<uint64_t>(first);
    return double_of((bits_of(a) & mask) | (bits_of(b) & ~mask));
}

// A number, or a NaN. Not a sum with one: that would make -0 a 0.
OPWRIGHT_INLINE double or_nan(double x, bool is_nan) {
    return double_of(bits_of(x) | ((uint64_t(0) - static_cast<uint64_t>(is_nan)) & kNan));
}

OPWRIGHT_INLINE double magnitude_of(double x) { return double_of(bits_of(x) & ~kSign); }

// A number that has the sign of another one, or the other sign if it has one already.
OPWRIGHT_INLINE double signed_as(double x, double sign) { return double_of(bits_of(x) ^ (bits_of(sign) & kSign)); }

// By Horner's rule. Unrolled by templates, not by the compiler, which does it after it has looked for vectors.
template <uint32_t I, uint32_t N>
OPWRIGHT_INLINE double horner(const double (&coefficients)[N], double x, double sum) {
    if constexpr (I == 0) return sum;
    else return horner<I - 1>(coefficients, x, sum * x + coefficients[I - 1]);
}
template <uint32_t N>
OPWRIGHT_INLINE double polynomial(const double (&coefficients)[N], double x) {
    return horner<N - 1>(coefficients, x, coefficients[N - 1]);
}

constexpr double kExpSeries[] = {
    1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800,
    1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800,
};
constexpr double kLogSeries[] = {
    2.0 / 3, 2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21,
};
// ln(2), of which products of the first part with exponents are exact.
constexpr double kLn2Part = 0x1.62e42fefap-1, kLn2Tail = 0x1.cf79abc9e3b3ap-40;

// x = k ln(2) + r with |r| <= ln(2) / 2; e^r - 1 by Taylor's series, which leaves out less than 2^-55 of it.
struct PowerOfE {
    double minus_one;  // e^r - 1
    double scale;      // 2^k
};

OPWRIGHT_INLINE PowerOfE power_of_e(double x) {
    constexpr double most = 708.0;  // beyond it no float is finite, and neither is the scale
    const double below = choose(x > most, most, x);
    const double inside = choose(below < -most, -most, below);
    const double shifter = 0x1.8p52;  // adding it rounds to an integer, which lies in the lowest bits then
    const double shifted = inside * 1.4426950408889634 + shifter;
    const double k = shifted - shifter;
    const double r = inside - k * kLn2Part - k * kLn2Tail;
    return {polynomial(kExpSeries, r) * r, double_of((bits_of(shifted) + 1023) << 52)};
}

OPWRIGHT_INLINE double exp_of(double x) {
    const PowerOfE power = power_of_e(x);
    return power.minus_one * power.scale + power.scale;
}

// e^x - 1, exact for small x too.
OPWRIGHT_INLINE double expm1_of(double x) {
    const PowerOfE power = power_of_e(x);
    return power.minus_one * power.scale + (power.scale - 1.0);
}

// ln(2^k m) = k ln(2) + 2 artanh(s) with s = (m - 1) / (m + 1), m between the roots of 1/2 and 2, of normal positive
// numbers. `rest` is a part of m that a double had no place for.
OPWRIGHT_INLINE double log_with(double x, double rest) {
    const uint64_t bits = bits_of(x);
    const uint64_t exponent = (bits + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu)) >> 52;
    const double k = double_of(exponent | 0x4330000000000000u) - (0x1p52 + 1023);
    const double f = double_of(bits - ((exponent - 1023) << 52)) - 1.0;
    const double s = f / (2.0 + f);
    const double z = s * s;
    return k * kLn2Part + (f - (s * (f - z * polynomial(kLogSeries, z)) - k * kLn2Tail) + rest / x);
}

OPWRIGHT_INLINE double log_of(double x) { return log_with(x, 0.0); }

// ln(1 + x), exact for small x too.
OPWRIGHT_INLINE double log1p_of(double x) {
    const double sum = 1.0 + x;
    return log_with(sum, x - (sum - 1.0));
}

}  // namespace opwright
