// Hyperbolic functions and their inverses, of every float.
#pragma once

#include "adv_math_parts.h"

namespace opwright {

OPWRIGHT_INLINE double hyperbolic_sine(float value) {
    const double e = expm1_of(magnitude_of(value));
    return signed_as(0.5 * (e + e / (e + 1.0)), value);
}

OPWRIGHT_INLINE double hyperbolic_cosine(float value) {
    const double e = exp_of(magnitude_of(value));
    return 0.5 * (e + 1.0 / e);
}

// Far out it is 1: of what is clamped to 708 the quotient is.
OPWRIGHT_INLINE double hyperbolic_tangent(float value) {
    const double e = expm1_of(2.0 * magnitude_of(value));
    return signed_as(e / (e + 2.0), value);
}

// The logarithm of infinity is some number here, and a choice puts it right.
OPWRIGHT_INLINE double inverse_hyperbolic_sine(float value) {
    const double size = magnitude_of(value);
    const double square = size * size;
    const double result = log1p_of(size + square / (1.0 + __builtin_sqrt(square + 1.0)));
    const bool is_nan = value != value;
    const double kept = choose(size == double_of(kInfinite), size, result);
    return signed_as(choose(is_nan, double_of(kNan), kept), value);
}

// Below 1 it is NaN.
OPWRIGHT_INLINE double inverse_hyperbolic_cosine(float value) {
    const double t = static_cast<double>(value) - 1.0;
    const double result = log1p_of(t + __builtin_sqrt(t * (t + 2.0)));
    const double kept = choose(t == double_of(kInfinite), t, result);
    return choose(t >= 0.0, kept, double_of(kNan));
}

// Of 1 it is infinity, beyond it NaN.
OPWRIGHT_INLINE double inverse_hyperbolic_tangent(float value) {
    const double size = magnitude_of(value);
    const double result = 0.5 * log1p_of(2.0 * size / (1.0 - size));
    const double kept = choose(size == 1.0, double_of(kInfinite), result);
    return signed_as(choose(size <= 1.0, kept, double_of(kNan)), value);
}

}  // namespace opwright
