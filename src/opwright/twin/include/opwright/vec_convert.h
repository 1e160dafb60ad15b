// Chapter vec_convert: conversions between element types, in every way of rounding, and those that scale.
#pragma once

#include "conversions.h"
#include "dequant.h"
#include "repeat.h"
#include "vec_unary.h"

namespace opwright {

// The low bits of an integer that is a float. Infinity and NaN have none.
template <typename T>
OPWRIGHT_INLINE T low_bits(float value) {
    const uint32_t magnitude = bits_of(value) & 0x7fffffffu;
    const uint64_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    const int32_t shift = static_cast<int32_t>(magnitude >> 23) - 150;
    const uint64_t lifted = shift >= 0 && shift < 64 ? mantissa << shift : 0;
    const uint64_t size = shift < 0 && shift > -24 ? mantissa >> -shift : lifted;
    return static_cast<T>(value < 0.0f ? 0 - size : size);
}

template <typename T>
OPWRIGHT_INLINE T saturated_float8(T number) {
    constexpr uint32_t most = std::is_same<T, fp8_e4m3fn_t>::value ? 0x7eu : 0x7bu;
    const uint32_t sign = number.bits & 0x80u, size = number.bits ^ sign;
    number.bits = static_cast<uint8_t>((size < most ? size : most) | sign);
    return number;
}

// The switch that decides what a cast makes of numbers that are too big for a T, and of NaN.
template <typename T>
constexpr Switch kSwitchOfCast = std::is_integral<T>::value ? Switch::SATURATE_INTEGERS
                                 : is_small_float<T> && !std::is_same<T, hifloat8_t>::value ? Switch::SATURATE_FLOAT8
                                                                                            : Switch::SATURATE_CASTS;

// As the vector unit converts: what convert does, but for what is too big and for NaN.
template <RoundMode M, typename T, bool saturates, typename S>
OPWRIGHT_INLINE T cast_so(S value) {
    constexpr bool from_float = std::is_same<S, float>::value;
    if constexpr (std::is_integral<T>::value && !saturates) {
        if constexpr (from_float) return low_bits<T>(M == RoundMode::CAST_TRUNC ? value : to_integral<M>(value));
        else return static_cast<T>(value);
    } else if constexpr (std::is_same<T, hifloat8_t>::value && saturates) {
        const float inside = value == value ? value : 0.0f;
        return T(inside > 32768.0f ? 32768.0f : inside < -32768.0f ? -32768.0f : inside);
    } else if constexpr (is_small_float<T> && saturates) {
        return saturated_float8(T(value == value ? value : 0.0f));
    } else if constexpr (std::is_class<T>::value && sizeof(T) == 2 && saturates) {
        return saturated(convert<M, T>(value));
    } else {
        return convert<M, T>(value);
    }
}

// The same, saturating if so assumed.
template <RoundMode M, typename T, typename S>
OPWRIGHT_INLINE auto cast_number(S value) {
    constexpr Switch which = kSwitchOfCast<T>;
    constexpr bool saturates = is_assumed(which);
    if constexpr (kTellsAssumed && !std::is_same<T, float>::value) {
        return Either<T, which>{cast_so<M, T, saturates>(value), cast_so<M, T, !saturates>(value)};
    } else {
        return cast_so<M, T, saturates>(value);
    }
}

// An integer of 4 bits in the same way.
template <RoundMode M, bool saturates>
OPWRIGHT_INLINE int8_t int4_so(float value) {
    const int32_t number = cast_so<M, int8_t, saturates>(value);
    if constexpr (!saturates) return static_cast<int8_t>(((number & 15) ^ 8) - 8);
    const int32_t least = number < -8 ? -8 : number;
    return static_cast<int8_t>(least > 7 ? 7 : least);
}

template <RoundMode M>
OPWRIGHT_INLINE uint32_t int4_code(half number) {
    constexpr bool saturates = is_assumed(Switch::SATURATE_INTEGERS);
    const float value = widen(number);
    const int8_t taken = int4_so<M, saturates>(value);
    if constexpr (kTellsAssumed) note_if_other<Switch::SATURATE_INTEGERS>(taken, int4_so<M, !saturates>(value), value);
    return static_cast<uint32_t>(taken) & 15u;
}

OPWRIGHT_INLINE half int4_value(uint32_t code) { return half(static_cast<float>(static_cast<int32_t>(code ^ 8u) - 8)); }

template <RoundMode M>
OPWRIGHT_INLINE void cast_pair(AscendC::int4b_t* to, const half* from) {
    to->pair = static_cast<uint8_t>(int4_code<M>(from[0]) | int4_code<M>(from[1]) << 4);
}
template <RoundMode>
OPWRIGHT_INLINE void cast_pair(half* to, const AscendC::int4b_t* from) {
    to[0] = int4_value(from->pair & 15u);
    to[1] = int4_value(from->pair >> 4);
}

// Elements that share a byte are converted two by two. Both of them lie in one block of either operand.
template <RoundMode M, typename T, typename S>
__aicore__ inline void cast_pairs(Written<T> dst, Read<S> src) {
    const S* from = src.data();
    T* to = dst.data();
    const int64_t pairs = kPerByte<T> == 2 ? dst.size() : src.size();
    for (int64_t i = 0; i < pairs; ++i) cast_pair<M>(to + i * (2 / kPerByte<T>), from + i * (2 / kPerByte<S>));
}
template <RoundMode M, typename T, typename S>
__aicore__ inline void cast_pairs(WrittenRepeats<T> dst, ReadRepeats<S> src) {
    const Stepped<const S> from{src.data(), &src.footprint};
    const Footprint& packed = kPerByte<T> == 2 ? dst.footprint : src.footprint;
    if (packed.repeats == 0) return;
    const Stepped<T> to{dst.data(), &dst.footprint};
    for (uint32_t repeat = 0; repeat < packed.repeats; ++repeat) {
        const Lanes chosen = packed.lanes_of(repeat);
        for (uint32_t pair = 0; pair < packed.blocks * kBlockBytes; ++pair) {
            if (!chosen.part(pair, 1)) continue;
            cast_pair<M>(to.at(repeat, pair * (2 / kPerByte<T>)), from.at(repeat, pair * (2 / kPerByte<S>)));
        }
    }
}

template <RoundMode M, typename To, typename From>
OPWRIGHT_INLINE void cast_by(To dst, From src) {
    if constexpr (kPerByte<typename To::Element> * kPerByte<typename From::Element> > 1) cast_pairs<M>(dst, src);
    else map(dst, [](auto value) { return cast_number<M, typename To::Element>(value); }, src);
}

// An integer of 32 bits times a scale of 11 is exact in double, and rounded once.
template <typename To, typename From>
OPWRIGHT_INLINE void cast(const At&, To dst, From src, RoundMode round_mode, const Dequant& set) {
    if constexpr (std::is_same<typename To::Element, half>::value && std::is_same<typename From::Element, int32_t>::value) {
        return map(dst, [scale = set.to_half](int32_t value) {
            constexpr bool saturates = is_assumed(Switch::SATURATE_CASTS);
            const double scaled = static_cast<double>(value) * scale;
            if constexpr (kTellsAssumed) {
                const half off = rounded<half>(scaled), on = saturated(off);
                return Either<half, Switch::SATURATE_CASTS>{saturates ? on : off, saturates ? off : on};
            } else if constexpr (saturates == kSaturatesArithmetic) {
                return scaled;  // map does the rest
            } else {
                return saturates ? saturated(rounded<half>(scaled)) : rounded<half>(scaled);
            }
        }, src);
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
        return cast_number<RoundMode::CAST_RINT, typename To::Element>(widen(sum));
    }, src0, src1);
}

template <typename To, typename From>
OPWRIGHT_INLINE void sub_relu_cast(const At&, To dst, From src0, From src1) {
    map(dst, [](auto a, auto b) {
        const auto difference = narrow<typename From::Element>(relu(static_cast<decltype(a)>(a - b)));
        return cast_number<RoundMode::CAST_RINT, typename To::Element>(widen(difference));
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
