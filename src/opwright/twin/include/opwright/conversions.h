// Conversions of one number between types, in every way of rounding. Branch-free, like half.h: choices stand between
// constants, never between results, so loops over them vectorise.
#pragma once

#include <limits>

#include "generated/enums.h"
#include "small_floats.h"

namespace opwright {

using AscendC::RoundMode;

// To an integer that is still a float. Adding 2^23 rounds to nearest even; larger numbers are integers already.
template <RoundMode M>
OPWRIGHT_INLINE float to_integral(float value) {
    const uint32_t sign = bits_of(value) & 0x80000000u;
    const uint32_t magnitude = bits_of(value) ^ sign;
    const float size = float_of(magnitude);
    const float shifter = magnitude < 0x4b000000u ? 0x1p23f : 0.0f;
    const float nearest = (size + shifter) - shifter;
    const float inner = nearest - (nearest > size ? 1.0f : 0.0f);
    const float result = float_of(bits_of(nearest) | sign);
    if constexpr (M == RoundMode::CAST_FLOOR) return result - (result > value ? 1.0f : 0.0f);
    if constexpr (M == RoundMode::CAST_CEIL) {
        const float above = result + (result < value ? 1.0f : 0.0f);
        return float_of(bits_of(above) | sign);  // -0.5 becomes -0
    }
    if constexpr (M == RoundMode::CAST_TRUNC) return float_of(bits_of(inner) | sign);
    if constexpr (M == RoundMode::CAST_ROUND) {
        const float away = inner + (size - inner >= 0.5f ? 1.0f : 0.0f);
        return float_of(bits_of(away) | sign);
    }
    return result;
}

// From a float, towards 0. Saturates; NaN becomes 0.
template <typename T>
OPWRIGHT_INLINE T to_integer(float value) {
    using Limits = std::numeric_limits<T>;
    using Number = std::conditional_t<(sizeof(T) < 4), int32_t, T>;
    const float beyond = static_cast<float>(Limits::max() / 2 + 1) * 2.0f;  // a power of 2
    const float lowest = static_cast<float>(Limits::min());
    const float inside = value >= lowest && value < beyond ? value : 0.0f;
    const Number above = value >= beyond ? Limits::max() : Number(0);
    const Number below = value < lowest ? Limits::min() : Number(0);
    return static_cast<T>(static_cast<Number>(inside) + above + below);
}

// From a float or a double, which holds the exact value or one that was rounded to odd.
template <RoundMode M, typename T, typename W>
OPWRIGHT_INLINE T to_float(W value) {
    const T nearest = rounded<T>(value);
    if constexpr (M == RoundMode::CAST_NONE || M == RoundMode::CAST_RINT) return nearest;
    using Wide = decltype(bits_of(value));
    using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
    constexpr Wide sign = Wide(1) << (8 * sizeof(Wide) - 1);
    const Wide infinity = bits_of(static_cast<W>(__builtin_inff()));
    Bits bits;
    __builtin_memcpy(&bits, &nearest, sizeof bits);
    const auto value_of = [](Bits of) {
        T number;
        __builtin_memcpy(&number, &of, sizeof number);
        return static_cast<W>(widen(number));
    };
    const Wide wanted = bits_of(value) & ~sign;
    const Wide got = bits_of(value_of(bits)) & ~sign;
    const bool is_number = wanted <= infinity;
    const bool negative = (bits_of(value) & sign) != 0;
    const uint32_t inwards = is_number & (got > wanted);   // a step towards 0 is possible
    const uint32_t outwards = is_number & (got < wanted);  // a step away from it
    uint32_t step = 0;
    if constexpr (M == RoundMode::CAST_TRUNC) step = 0u - inwards;
    if constexpr (M == RoundMode::CAST_FLOOR) step = (outwards & uint32_t(negative)) - (inwards & uint32_t(!negative));
    if constexpr (M == RoundMode::CAST_CEIL) step = (outwards & uint32_t(!negative)) - (inwards & uint32_t(negative));
    if constexpr (M == RoundMode::CAST_ODD) step = (outwards - inwards) & (0u - (~uint32_t(bits) & 1u));
    if constexpr (M == RoundMode::CAST_ROUND) {
        // Ties went to even; those that went towards 0 go away from it.
        const W next = value_of(static_cast<Bits>(bits + 1));
        step = outwards & uint32_t(value - value_of(bits) == next - value);
    }
    bits = static_cast<Bits>(bits + step);
    T result;
    __builtin_memcpy(&result, &bits, sizeof result);
    return result;
}

// An integer in a float or a double that holds it exactly, or that is rounded to odd.
template <typename S>
OPWRIGHT_INLINE auto exactly(S value) {
    if constexpr (sizeof(S) == 8) {
        return sum_to_odd(static_cast<double>(value >> 32) * 0x1p32, static_cast<double>(value & 0xffffffff));
    } else {
        using Exact = std::conditional_t<sizeof(S) == 4, double, float>;
        return static_cast<Exact>(value);
    }
}

// `S` is the type in which a call computes: float for the floats.
template <RoundMode M, typename T, typename S>
OPWRIGHT_INLINE T convert(S value) {
    constexpr bool from_float = std::is_same<S, float>::value;
    if constexpr (std::is_integral<T>::value && from_float) {
        // What to_integer does with the rest is to drop it.
        return to_integer<T>(M == RoundMode::CAST_TRUNC ? value : to_integral<M>(value));
    } else if constexpr (std::is_integral<T>::value) {
        const int64_t low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
        const int64_t floored = value < low ? low : int64_t(value);
        return static_cast<T>(floored > high ? high : floored);
    } else if constexpr (is_small_float<T>) {
        return static_cast<T>(value);  // there is one way of rounding to it
    } else if constexpr (from_float && std::is_same<T, float>::value) {
        return M == RoundMode::CAST_NONE ? value : to_integral<M>(value);
    } else if constexpr (from_float) {
        return to_float<M, T>(value);
    } else {
        return to_float<M, T>(exactly(value));
    }
}

}  // namespace opwright
