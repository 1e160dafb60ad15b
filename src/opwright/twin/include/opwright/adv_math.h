// Chapter adv_math: functions that the toolchain composes of vector calls, on one element, in the type they compute in.
#pragma once

#include "adv_math_parts.h"
#include "adv_math_power.h"
#include "composed.h"
#include "vec_convert.h"

namespace opwright {

OPWRIGHT_INLINE float upward(float value) { return to_integral<RoundMode::CAST_CEIL>(value); }
OPWRIGHT_INLINE float downward(float value) { return to_integral<RoundMode::CAST_FLOOR>(value); }
OPWRIGHT_INLINE float towards_zero(float value) { return to_integral<RoundMode::CAST_TRUNC>(value); }
OPWRIGHT_INLINE float to_nearest(float value) { return to_integral<RoundMode::CAST_RINT>(value); }

// What is behind the point, with the sign of the number; of infinity it is NaN.
OPWRIGHT_INLINE float fraction(float value) { return value - towards_zero(value); }

OPWRIGHT_INLINE float sign_of(float value) { return (value > 0.0f ? 1.0f : 0.0f) - (value < 0.0f ? 1.0f : 0.0f); }

OPWRIGHT_INLINE double power_of_e_of(float value) { return exp_of(value); }

// Below 0 it is NaN; that of 0 is -infinity.
OPWRIGHT_INLINE double natural_logarithm(float value) {
    const double x = value, infinite = double_of(kInfinite);
    const double special = choose(x == 0.0, -infinite, choose(x == infinite, infinite, double_of(kNan)));
    return choose((x > 0.0) & (x < infinite), log_of(x), special);
}

// A product and a sum, each rounded: the toolchain makes it of two calls.
OPWRIGHT_INLINE float multiplied_and_added(float a, float b, float c) { return a * b + c; }

}  // namespace opwright
