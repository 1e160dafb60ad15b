// Chapter vec_convert: conversions between element types, in every way of rounding. Branch-free, like half.h: choices
// stand between constants, never between results, so loops over them vectorise.
#pragma once

#include <limits>

#include "dequant.h"
#include "enums.h"
#include "repeat.h"
#include "vec_unary.h"

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
    const T nearest = narrow<T>(value);
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

template <RoundMode M, typename To, typename From>
OPWRIGHT_INLINE void cast_by(To dst, From src) {
    map(dst, [](auto value) { return convert<M, typename To::Element>(value); }, src);
}

// An integer of 32 bits times a scale of 11 is exact in double, and rounded once.
template <typename To, typename From>
OPWRIGHT_INLINE void cast(const At&, To dst, From src, RoundMode round_mode, const Dequant& set) {
    if constexpr (std::is_same<typename To::Element, half>::value && std::is_same<typename From::Element, int32_t>::value) {
        return map(dst, [scale = set.to_half](int32_t value) { return static_cast<double>(value) * scale; }, src);
    }
    switch (round_mode) {
        case RoundMode::CAST_NONE: return cast_by<RoundMode::CAST_NONE>(dst, src);
        case RoundMode::CAST_RINT: return cast_by<RoundMode::CAST_RINT>(dst, src);
        case RoundMode::CAST_FLOOR: return cast_by<RoundMode::CAST_FLOOR>(dst, src);
        case RoundMode::CAST_CEIL: return cast_by<RoundMode::CAST_CEIL>(dst, src);
        case RoundMode::CAST_ROUND: return cast_by<RoundMode::CAST_ROUND>(dst, src);
        case RoundMode::CAST_TRUNC: return cast_by<RoundMode::CAST_TRUNC>(dst, src);
        case RoundMode::CAST_ODD: return cast_by<RoundMode::CAST_ODD>(dst, src);
    }
}

// What comes before the conversion is rounded to the type of the sources.
template <typename To, typename From>
OPWRIGHT_INLINE void add_relu_cast(const At&, To dst, From src0, From src1) {
    map(dst, [](auto a, auto b) {
        const auto sum = narrow<typename From::Element>(relu(static_cast<decltype(a)>(a + b)));
        return convert<RoundMode::CAST_RINT, typename To::Element>(widen(sum));
    }, src0, src1);
}

template <typename To, typename From>
OPWRIGHT_INLINE void sub_relu_cast(const At&, To dst, From src0, From src1) {
    map(dst, [](auto a, auto b) {
        const auto difference = narrow<typename From::Element>(relu(static_cast<decltype(a)>(a - b)));
        return convert<RoundMode::CAST_RINT, typename To::Element>(widen(difference));
    }, src0, src1);
}

// By one scale, or by one of 16 for each of the elements of a block.
template <typename To, typename Scales>
OPWRIGHT_INLINE void cast_deq(const At&, To dst, ReadRepeats<int16_t> src, Scales scales, bool is_vec_deq, bool,
                              const Dequant& set) {
    const Stepped<const int16_t> from{src.data(), &src.footprint};
    const uint64_t* words = is_vec_deq ? scales.data() : nullptr;
    const uint64_t one = dequant_word(set.scale, set.offset, set.is_signed);
    const auto to = reinterpret_cast<uint8_t*>(dst.data());
    dst.where.each_lane(0, [&](uint64_t begin, uint32_t repeat, uint32_t lane) {
        to[begin] = dequantise(*from.at(repeat, lane), words ? words[lane % kDequantGroups] : one);
    });
}

template <typename To, typename Scales>
OPWRIGHT_INLINE void cast_deq(const At& at, To dst, ReadRepeats<int32_t> src, Scales, bool, bool, const Dequant& set) {
    cast(at, dst, src, RoundMode::CAST_NONE, set);
}

template <typename To, typename From, typename Scales>
OPWRIGHT_INLINE void cast_deq_count(const At& at, To dst, From src, Scales scales, uint32_t, bool is_vec_deq,
                                    bool half_block, const Dequant& set) {
    cast_deq(at, dst, src, scales, is_vec_deq, half_block, set);
}

// One register holds any of them, so that setting one ends the others.
OPWRIGHT_INLINE void set_deq_scale(const At& at, half scale) {
    at.core.dequant = {widen(scale), Dequant::NONE, false, 0, 0, 0, 0};
}

OPWRIGHT_INLINE void set_deq_scale(const At& at, float scale, int16_t offset, bool sign_mode) {
    at.core.dequant = {0, Dequant::SCALAR, sign_mode, offset, scale, 0, 0};
}

// The scalar unit fills the tensor.
template <typename Info>
OPWRIGHT_INLINE void set_deq_scale(const At& at, Written<uint64_t> vdeq, const Info& info) {
    uint64_t* words = vdeq.data();
    for (uint32_t i = 0; i < kDequantGroups; ++i) {
        words[i] = dequant_word(info.vdeqScale[i], info.vdeqOffset[i], info.vdeqSignMode[i]);
    }
    const Footprint& tensor = vdeq.footprint;
    at.core.dequant = {0, Dequant::VECTOR, false, 0, 0, tensor.address, tensor.buffer};
}

}  // namespace opwright
