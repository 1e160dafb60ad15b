// More functions of floats, for threads: roots, lengths, remainders, powers of 2 and 10, turns of pi, and what is made of
// the error and gamma functions. In double, so that a float is rounded once; see adv_math_parts.h.
#pragma once

#include "math_gamma.h"

namespace opwright {

constexpr double kLogOf2 = 0x1.62e42fefa39efp-1, kLogOf10 = 0x1.26bb1bbb55516p+1, kRootHalf = 0x1.6a09e667f3bcdp-1;

OPWRIGHT_INLINE bool is_odd_above_zero(double integer) {
    const double half = 0.5 * integer;
    return floor_above_zero(half) != half;
}

// Powers and logarithms ----------------------------------------------------------------------------------------

// 2^k e^(r ln(2)) with an integer k: of an integer it is exact, also halfway between two floats.
OPWRIGHT_INLINE double exp2_of(double x) {
    constexpr double most = 1000.0;
    const double below = choose(x > most, most, x);
    const double inside = choose(below < -most, -most, below);
    const double shifter = 0x1.8p52;  // see power_of_e
    const double shifted = inside + shifter;
    const double r = (inside - (shifted - shifter)) * kLogOf2;
    const double scale = double_of((bits_of(shifted) + 1023) << 52);
    return polynomial(kExpSeries, r) * r * scale + scale;
}

// Of a positive number the logarithm; of 0 -infinity, below it NaN.
OPWRIGHT_INLINE double log_or_special(double x) {
    const double infinite = double_of(kInfinite);
    const double special = choose(x == 0.0, -infinite, choose(x == infinite, infinite, double_of(kNan)));
    return choose((x > 0.0) & (x < infinite), log_of(x), special);
}

OPWRIGHT_INLINE double log1p_or_special(double x) {
    const double infinite = double_of(kInfinite);
    const double special = choose(x == -1.0, -infinite, choose((x == 0.0) | (x == infinite), x, double_of(kNan)));
    return choose((x > -1.0) & (x < infinite) & (x != 0.0), log1p_of(x), special);
}

OPWRIGHT_INLINE double expm1_or_zero(double x) { return choose(x == 0.0, x, expm1_of(x)); }

// Roots and lengths --------------------------------------------------------------------------------------------

// A third of the exponent, and three steps of Halley's.
OPWRIGHT_INLINE double cube_root(float value) {
    const double x = magnitude_of(value);
    double root = double_of(bits_of(x) / 3 + 0x2a9f800000000000u);
    for (int step = 0; step < 3; ++step) {
        const double cube = root * root * root;
        root *= (cube + 2.0 * x) / (2.0 * cube + x);
    }
    return signed_as(choose((x > 0.0) & (x < double_of(kInfinite)), root, x), value);
}

// Squares of floats are exact in double. One infinity makes the length infinite, whatever the others are.
template <typename... Floats>
OPWRIGHT_INLINE double length_of(Floats... values) {
    const double infinite = double_of(kInfinite);
    const double sum = ((static_cast<double>(values) * values) + ...);
    const bool is_infinite = (uint32_t(magnitude_of(values) == infinite) | ...);
    return choose(is_infinite, infinite, __builtin_sqrt(sum));
}

// Angles -------------------------------------------------------------------------------------------------------

// Sine and cosine of pi x. Those that are 0 are so exactly, and have the sign that IEEE 754 gives them.
OPWRIGHT_INLINE HalfTurn turn_of(float value) {
    const double size = magnitude_of(value);
    const double kept = choose(size < 0x1p24, size, 0.0);
    const HalfTurn turn = half_turn_of(size);
    const double side = choose(is_odd_above_zero(floor_above_zero(kept)), -1.0, 1.0);
    const double sine = choose(turn.is_integer, 0.0, turn.sine * side);
    const double cosine = choose(turn.cosine == 0.0, 0.0, turn.cosine * side);
    const bool is_nan = is_no_number(value);
    return {or_nan(signed_as(sine, value), is_nan), or_nan(cosine, is_nan), turn.is_integer};
}

// From -pi to pi; of two zeros and of two infinities as in C.
OPWRIGHT_INLINE double direction_of(float y, float x) {
    const double up = magnitude_of(y), across = magnitude_of(x);
    const double same = choose(up == 0.0, 0.0, 1.0);
    const bool is_same = (up == across) & ((up == 0.0) | (up == double_of(kInfinite)));
    const double angle = arctangent_of(choose(is_same, same, up / across));
    return signed_as(choose(bits_of(x) >> 31, kPi - angle, angle), y);
}

// Remainders ---------------------------------------------------------------------------------------------------

OPWRIGHT_INLINE uint64_t mantissa_of(double size) { return ((bits_of(size) & 0xfffffffffffffu) | uint64_t(1) << 52) >> 29; }

// What is left of a magnitude above 0 when another is taken off as often as it can be, exactly: mantissas of 24 bits and
// a division for every 32 exponents between them.
OPWRIGHT_INLINE double remainder_of(double size, double by) {
    if (!(size >= by)) return size;
    const uint64_t divisor = mantissa_of(by);
    uint64_t left = mantissa_of(size) % divisor;
    const uint64_t scale = bits_of(by) >> 52;
    for (uint64_t exponents = (bits_of(size) >> 52) - scale; exponents > 0;) {
        const uint64_t step = exponents < 32 ? exponents : 32;
        left = (left << step) % divisor;
        exponents -= step;
    }
    return static_cast<double>(left) * double_of((scale - 23) << 52);
}

// NaN where one is none: of infinity, by 0.
OPWRIGHT_INLINE bool has_remainder(float x, float y) { return !is_no_number(x) & (y == y) & (y != 0.0f); }

OPWRIGHT_INLINE float remainder_towards_zero(float x, float y) {
    if (!has_remainder(x, y)) return float_of(0x7fc00000u);
    const double by = magnitude_of(y);
    if (by == double_of(kInfinite)) return x;
    return static_cast<float>(signed_as(remainder_of(magnitude_of(x), by), x));
}

// To the nearest multiple, of two the even one.
OPWRIGHT_INLINE float remainder_to_nearest(float x, float y) {
    if (!has_remainder(x, y)) return float_of(0x7fc00000u);
    const double by = magnitude_of(y);
    if (by == double_of(kInfinite)) return x;
    double left = remainder_of(magnitude_of(x), 2.0 * by);
    if (2.0 * left > by) {
        left -= by;
        if (2.0 * left >= by) left -= by;
    }
    return static_cast<float>(signed_as(left, x));
}

// Exponents ----------------------------------------------------------------------------------------------------

// Times 2^n, rounded once: beyond 400 nothing is left of a float, either way.
OPWRIGHT_INLINE float scaled(float x, int64_t n) {
    const int64_t below = n > 400 ? 400 : n;
    const int64_t inside = below < -400 ? -400 : below;
    return static_cast<float>(x * double_of(static_cast<uint64_t>(inside + 1023) << 52));
}

// Every float is a normal number in double.
OPWRIGHT_INLINE int32_t exponent_of(float x) {
    return static_cast<int32_t>(bits_of(magnitude_of(x)) >> 52) - 1023;
}

// The next float from x towards y.
OPWRIGHT_INLINE float neighbour(float x, float y) {
    if (x != x || y != y) return float_of(0x7fc00000u);
    if (x == y) return y;
    if (x == 0.0f) return float_of((bits_of(y) & 0x80000000u) | 1u);
    return float_of(bits_of(x) + ((x < y) == (x > 0.0f) ? 1u : ~0u));
}

// Error and gamma functions ------------------------------------------------------------------------------------

OPWRIGHT_INLINE double erfc_of(double x) {
    const double outer = erfc_above_zero(magnitude_of(x));
    return choose(x < 0.0, 2.0 - outer, outer);
}

// e^(x^2) erfc(x).
OPWRIGHT_INLINE double erfc_scaled(float value) {
    const double size = magnitude_of(value);
    const double t = 2.0 / (2.0 + size);
    const double above = t * exp_of(polynomial(kErfcExponent, 2.0 * t - 1.0));
    return choose(value < 0.0f, 2.0 * exp_of(size * size) - above, above);
}

// The y >= 0 of which erf is `size` and erfc is `tail`: both are given, since each loses what matters near 1. From a
// start that is off by less than a hundredth (S. Winitzki, 2008) Halley's steps lead to it.
OPWRIGHT_INLINE double erf_inverse(double size, double tail) {
    constexpr double root_pi_half = 0.886226925452758, a = 0.147;
    const bool is_low = size < 0.5;
    const double inside = choose((tail > 0.0) & (tail < 2.0), tail, 1.0);
    const double logarithm = log_of(inside * (2.0 - inside));
    const double middle = 2.0 / (kPi * a) + 0.5 * logarithm;
    const double far = __builtin_sqrt(__builtin_sqrt(middle * middle - logarithm / a) - middle);
    const double near = root_pi_half * size * (1.0 + kPi / 12 * size * size);
    double y = choose(is_low, near, far);
    for (int step = 0; step < 4; ++step) {
        const double low = y * (1.1283791670955126 * polynomial(kErfSeries, y * y)) - size;
        const double missed = choose(is_low, low, inside - erfc_above_zero(y));
        const double newton = missed * root_pi_half * exp_of(y * y);
        y -= newton / (1.0 + y * newton);
    }
    const double kept = choose(tail == 0.0, double_of(kInfinite), y);
    return or_nan(kept, !(tail >= 0.0));
}

OPWRIGHT_INLINE double erf_inverse(float value) {
    const double size = magnitude_of(value);
    return signed_as(erf_inverse(size, 1.0 - size), value);
}

// Of q = erfc(y) from 0 to 2.
OPWRIGHT_INLINE double erfc_inverse(double q) {
    const double other = 2.0 - q;
    const double y = erf_inverse(magnitude_of(1.0 - q), choose(q > 1.0, other, q));
    return choose(q > 1.0, -y, y);
}

// Infinite at 0, NaN at integers below it; below 0 by reflection.
OPWRIGHT_INLINE double gamma_of(float value) {
    const double size = magnitude_of(value), infinite = double_of(kInfinite);
    const bool is_below = value < 0.0f;
    const double kept = choose(size < 0x1p24, size, 1.0);
    const double logarithm = log_gamma_above_zero(choose(is_below, 1.0 + kept, kept));
    const HalfTurn turn = half_turn_of(size);
    const double reflected = kPi / turn.sine * exp_of(-logarithm);
    const double side = choose(is_odd_above_zero(floor_above_zero(kept)), 1.0, -1.0);
    const double result = choose(is_below, reflected * side, exp_of(logarithm));
    const double whole = choose(size == 0.0, signed_as(infinite, value), choose(size < 0x1p24, result, infinite));
    return or_nan(whole, (is_below & (turn.is_integer | (size == infinite))) | (value != value));
}

}  // namespace opwright
