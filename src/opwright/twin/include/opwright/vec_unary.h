// Chapter vec_unary: what calls with one source do to an element, in the type they compute in.
#pragma once

#include "half.h"

namespace opwright {

// 0, with its sign, in place of what is subnormal as a T or becomes it by rounding.
template <typename T>
OPWRIGHT_INLINE float flushed(float value) {
    constexpr float least = std::is_same<T, half>::value ? 0x1p-14f - 0x1p-25f : 0x1p-126f;
    return __builtin_fabsf(value) < least ? __builtin_copysignf(0.0f, value) : value;
}

// What a function makes of elements of type T; subnormal ones are 0 for it and so are subnormal results, if so assumed.
template <typename T, typename Function, typename... Floats>
OPWRIGHT_INLINE auto flushing(Function function, Floats... values) {
    if constexpr (kTellsAssumed) {
        const float on = flushed<T>(function(flushed<T>(values)...)), off = function(values...);
        return Either<float, Switch::FLUSH_SUBNORMALS>{kFlushesSubnormals ? on : off, kFlushesSubnormals ? off : on};
    } else if constexpr (kFlushesSubnormals) {
        return flushed<T>(function(flushed<T>(values)...));
    } else {
        return function(values...);
    }
}

OPWRIGHT_INLINE float absolute(float value) { return __builtin_fabsf(value); }

// Correctly rounded wherever IEEE 754 is kept, and so is what a half becomes of it.
OPWRIGHT_INLINE float square_root(float value) { return __builtin_sqrtf(value); }

// Functions of a float call nothing and have no branch, so loops over them vectorise. They round where they say so, and
// products with sums only once, so the bits are the same on every machine. What is not a number in the end is added in
// the end: a selection of results would let g++ move the whole computation behind a branch.

// ln(2) in two parts: the first has so few bits that its products with exponents are exact.
constexpr float kLn2 = 0x1.62ep-1f;
constexpr float kLn2Rest = 0x1.0bfbe8p-15f;

OPWRIGHT_INLINE float reciprocal(float value) { return 1.0f / value; }

// A quotient of floats, and in double what is left of it by a step of third order; none where it is 0 or infinite. That
// of -0 is -infinity, as in IEEE 754.
OPWRIGHT_INLINE float reciprocal_root(float value) {
    const double near = 1.0f / __builtin_sqrtf(value);
    const double left = 1.0 - near * near * value;
    const double step = left * left < 1.0 ? near * left * (0.5 + 0.375 * left) : 0.0;
    return static_cast<float>(near + step);
}

// e^x = 2^k * e^r with |r| <= ln(2) / 2, and e^r = 1 + r (1 + r p(r)), with a polynomial that is off by less than 2^-32.
OPWRIGHT_INLINE float exponential(float value) {
    const float most = value > 110.0f ? 110.0f : value;  // beyond it results are infinite or 0
    const float x = most > -110.0f ? most : -110.0f;
    const float shifter = 0x1.8p23f;  // adding it rounds to an integer, which lies in the lowest bits then
    const float shifted = fused_once(x, 1.44269504f, shifter);
    const float k = shifted - shifter;
    const float r = fused_once(k, -kLn2Rest, fused_once(k, -kLn2, x));
    float sum = 1.9891080464e-4f;
    sum = fused_once(sum, r, 1.39337307158e-3f);
    sum = fused_once(sum, r, 8.33331084465e-3f);
    sum = fused_once(sum, r, 4.16664641974e-2f);
    sum = fused_once(sum, r, 0.166666666817f);
    sum = fused_once(sum, r, 0.5f);
    sum = fused_once(sum, r, 1.0f);
    const float power = fused_once(sum, r, 1.0f);
    // In two steps: what is left of a number below the least normal one is rounded in the second.
    const int32_t exponent = static_cast<int32_t>(bits_of(shifted) - bits_of(shifter));
    const int32_t part = exponent >> 1;
    const float special = value == value ? 0.0f : __builtin_nanf("");
    return power * power_of_two(part) * power_of_two(exponent - part) + special;
}

// ln(2^k * m) with m = 1 + f between the roots of 1/2 and 2, and ln(m) = f + f^2 (f p(f) - 1/2), with a polynomial that
// is off by less than 2^-28.
OPWRIGHT_INLINE float logarithm(float value) {
    const uint32_t own = bits_of(value);
    const int32_t lift = own < 0x00800000u ? 23 : 0;  // of what is below the least normal number
    const uint32_t bits = bits_of(value * power_of_two(lift));
    const int32_t exponent = static_cast<int32_t>(bits - 0x3f3504f3u) >> 23;
    const float k = static_cast<float>(exponent - lift);
    const float f = float_of(bits - (static_cast<uint32_t>(exponent) << 23)) - 1.0f;
    float sum = 6.97161147145e-2f;
    sum = fused_once(sum, f, -0.114797338466f);
    sum = fused_once(sum, f, 0.116854199235f);
    sum = fused_once(sum, f, -0.124256873315f);
    sum = fused_once(sum, f, 0.142490576457f);
    sum = fused_once(sum, f, -0.166678023195f);
    sum = fused_once(sum, f, 0.200007157489f);
    sum = fused_once(sum, f, -0.24999996958f);
    sum = fused_once(sum, f, 0.3333333118f);
    const float rest = fused_once(k, kLn2Rest, f * f * fused_once(f, sum, -0.5f));
    const float result = fused_once(k, kLn2, f + rest);
    const uint32_t negative = own > 0x7f800000u ? 0x7fc00000u : 0u;  // or NaN
    const uint32_t infinite = own == 0x7f800000u ? own : negative;
    const uint32_t special = (own << 1) == 0 ? 0xff800000u : infinite;
    return result + float_of(special);
}

template <typename T>
OPWRIGHT_INLINE T relu(T value) {
    return value > T(0) ? value : T(0);
}

}  // namespace opwright
