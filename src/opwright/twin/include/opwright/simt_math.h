// Chapter simt_math: functions of floats that a thread calls, under the names they have in C. They are no functions of the C
// library, whose bits differ from machine to machine: nothing here includes <cmath>, and these are C++ functions beside
// its C functions.
#pragma once

#include "adv_math_power.h"
#include "conversions.h"
#include "math_hyper.h"
#include "math_more.h"
#include "vec_unary.h"

#define OPWRIGHT_FUNCTION(name, value) \
    OPWRIGHT_INLINE float name(float x) { return static_cast<float>(value); }
#define OPWRIGHT_FUNCTION_OF_TWO(name, value) \
    OPWRIGHT_INLINE float name(float x, float y) { return static_cast<float>(value); }

// Powers and logarithms.
OPWRIGHT_FUNCTION(expf, opwright::exp_of(x))
OPWRIGHT_FUNCTION(exp2f, opwright::exp2_of(x))
OPWRIGHT_FUNCTION(exp10f, opwright::exp_of(x * opwright::kLogOf10))
OPWRIGHT_FUNCTION(expm1f, opwright::expm1_or_zero(x))
OPWRIGHT_FUNCTION(logf, opwright::log_or_special(x))
OPWRIGHT_FUNCTION(log2f, opwright::log_or_special(x) / opwright::kLogOf2)
OPWRIGHT_FUNCTION(log10f, opwright::log_or_special(x) / opwright::kLogOf10)
OPWRIGHT_FUNCTION(log1pf, opwright::log1p_or_special(x))
OPWRIGHT_FUNCTION_OF_TWO(powf, opwright::power_of(x, y))

// Roots and lengths.
OPWRIGHT_FUNCTION(sqrtf, opwright::square_root(x))
OPWRIGHT_FUNCTION(rsqrtf, opwright::reciprocal_root(x))
OPWRIGHT_FUNCTION(cbrtf, opwright::cube_root(x))
OPWRIGHT_FUNCTION(rcbrtf, 1.0 / opwright::cube_root(x))
OPWRIGHT_FUNCTION_OF_TWO(hypotf, opwright::length_of(x, y))
OPWRIGHT_FUNCTION_OF_TWO(rhypotf, 1.0 / opwright::length_of(x, y))
OPWRIGHT_INLINE float norm3df(float a, float b, float c) { return static_cast<float>(opwright::length_of(a, b, c)); }
OPWRIGHT_INLINE float rnorm3df(float a, float b, float c) {
    return static_cast<float>(1.0 / opwright::length_of(a, b, c));
}
OPWRIGHT_INLINE float norm4df(float a, float b, float c, float d) {
    return static_cast<float>(opwright::length_of(a, b, c, d));
}
OPWRIGHT_INLINE float rnorm4df(float a, float b, float c, float d) {
    return static_cast<float>(1.0 / opwright::length_of(a, b, c, d));
}

// Angles.
OPWRIGHT_FUNCTION(sinf, opwright::sine(x))
OPWRIGHT_FUNCTION(cosf, opwright::cosine(x))
OPWRIGHT_FUNCTION(tanf, opwright::tangent(x))
OPWRIGHT_FUNCTION(sinpif, opwright::turn_of(x).sine)
OPWRIGHT_FUNCTION(cospif, opwright::turn_of(x).cosine)
OPWRIGHT_FUNCTION(tanpif, opwright::turn_of(x).sine / opwright::turn_of(x).cosine)
OPWRIGHT_FUNCTION(asinf, opwright::arcsine(x))
OPWRIGHT_FUNCTION(acosf, opwright::arccosine(x))
OPWRIGHT_FUNCTION(atanf, opwright::arctangent(x))
OPWRIGHT_INLINE float atan2f(float y, float x) { return static_cast<float>(opwright::direction_of(y, x)); }
OPWRIGHT_FUNCTION(sinhf, opwright::hyperbolic_sine(x))
OPWRIGHT_FUNCTION(coshf, opwright::hyperbolic_cosine(x))
OPWRIGHT_FUNCTION(tanhf, opwright::hyperbolic_tangent(x))
OPWRIGHT_FUNCTION(asinhf, opwright::inverse_hyperbolic_sine(x))
OPWRIGHT_FUNCTION(acoshf, opwright::inverse_hyperbolic_cosine(x))
OPWRIGHT_FUNCTION(atanhf, opwright::inverse_hyperbolic_tangent(x))

// Error and gamma functions.
OPWRIGHT_FUNCTION(erff, opwright::error_function(x))
OPWRIGHT_FUNCTION(erfcf, opwright::error_function_complement(x))
OPWRIGHT_FUNCTION(erfcxf, opwright::erfc_scaled(x))
OPWRIGHT_FUNCTION(erfinvf, opwright::erf_inverse(x))
OPWRIGHT_FUNCTION(erfcinvf, opwright::erfc_inverse(x))
OPWRIGHT_FUNCTION(normcdff, 0.5 * opwright::erfc_of(-x * opwright::kRootHalf))
OPWRIGHT_FUNCTION(normcdfinvf, opwright::erfc_inverse(2.0 * x) / -opwright::kRootHalf)
OPWRIGHT_FUNCTION(tgammaf, opwright::gamma_of(x))
OPWRIGHT_FUNCTION(lgammaf, opwright::log_gamma(x))

// Arithmetic and remainders.
OPWRIGHT_INLINE float fmaf(float x, float y, float z) { return opwright::fused_once(x, y, z); }
OPWRIGHT_FUNCTION_OF_TWO(fdividef, x / y)
OPWRIGHT_FUNCTION_OF_TWO(fmodf, opwright::remainder_towards_zero(x, y))
OPWRIGHT_FUNCTION_OF_TWO(remainderf, opwright::remainder_to_nearest(x, y))
OPWRIGHT_FUNCTION_OF_TWO(fdimf, x <= y ? 0.0f : x - y)
OPWRIGHT_FUNCTION(fabsf, opwright::absolute(x))
OPWRIGHT_FUNCTION(__saturatef, x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f)

// A NaN does not count, and +0 is above -0: of two that are equal the bits decide.
OPWRIGHT_INLINE float fmaxf(float x, float y) {
    const float equal = opwright::float_of(opwright::bits_of(x) & opwright::bits_of(y));
    const float larger = x == y ? equal : (x > y ? x : y);
    return y != y ? x : (x != x ? y : larger);
}
OPWRIGHT_INLINE float fminf(float x, float y) {
    const float equal = opwright::float_of(opwright::bits_of(x) | opwright::bits_of(y));
    const float smaller = x == y ? equal : (x < y ? x : y);
    return y != y ? x : (x != x ? y : smaller);
}

// Rounding to integers.
OPWRIGHT_FUNCTION(floorf, opwright::to_integral<AscendC::RoundMode::CAST_FLOOR>(x))
OPWRIGHT_FUNCTION(ceilf, opwright::to_integral<AscendC::RoundMode::CAST_CEIL>(x))
OPWRIGHT_FUNCTION(truncf, opwright::to_integral<AscendC::RoundMode::CAST_TRUNC>(x))
OPWRIGHT_FUNCTION(roundf, opwright::to_integral<AscendC::RoundMode::CAST_ROUND>(x))
OPWRIGHT_FUNCTION(rintf, opwright::to_integral<AscendC::RoundMode::CAST_RINT>(x))
OPWRIGHT_FUNCTION(nearbyintf, opwright::to_integral<AscendC::RoundMode::CAST_RINT>(x))
OPWRIGHT_INLINE int64_t lroundf(float x) { return opwright::convert<AscendC::RoundMode::CAST_ROUND, int64_t>(x); }
OPWRIGHT_INLINE int64_t llroundf(float x) { return lroundf(x); }
OPWRIGHT_INLINE int64_t lrintf(float x) { return opwright::convert<AscendC::RoundMode::CAST_RINT, int64_t>(x); }
OPWRIGHT_INLINE int64_t llrintf(float x) { return lrintf(x); }

// Signs and exponents.
OPWRIGHT_INLINE float copysignf(float x, float y) {
    return opwright::float_of((opwright::bits_of(x) & 0x7fffffffu) | (opwright::bits_of(y) & 0x80000000u));
}
OPWRIGHT_FUNCTION_OF_TWO(nextafterf, opwright::neighbour(x, y))
OPWRIGHT_INLINE float ldexpf(float x, int32_t n) { return opwright::scaled(x, n); }
OPWRIGHT_INLINE float scalbnf(float x, int32_t n) { return opwright::scaled(x, n); }
OPWRIGHT_INLINE float scalblnf(float x, int64_t n) { return opwright::scaled(x, n); }
OPWRIGHT_INLINE int32_t ilogbf(float x) {
    const int32_t special = x - x == 0.0f || x != x ? INT32_MIN : INT32_MAX;
    return x != 0.0f && x - x == 0.0f ? opwright::exponent_of(x) : special;
}
OPWRIGHT_INLINE float logbf(float x) {
    const float special = x == 0.0f ? opwright::float_of(0xff800000u) : x * x;
    return x != 0.0f && x - x == 0.0f ? static_cast<float>(opwright::exponent_of(x)) : special;
}
OPWRIGHT_INLINE bool isfinite(float x) { return x - x == 0.0f; }
OPWRIGHT_INLINE bool isinf(float x) { return opwright::absolute(x) == opwright::float_of(0x7f800000u); }
OPWRIGHT_INLINE bool isnan(float x) { return x != x; }
OPWRIGHT_INLINE int32_t signbit(float x) { return static_cast<int32_t>(opwright::bits_of(x) >> 31); }

#undef OPWRIGHT_FUNCTION
#undef OPWRIGHT_FUNCTION_OF_TWO
