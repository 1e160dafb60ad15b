// The three types as bits: where their magnitudes lie, and single conversions for what is not worth a vector.
#pragma once

#include <cstdint>
#include <cstring>

#include "opwright/hifloat8.h"

namespace opwright::hifloat8 {

inline float float_of_bits(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline uint32_t bits_of_float(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Bits is a word at any address. Magnitudes from kLeast on do not become 0, from kNormal on none of the codes 0x01 to
// 0x07, from kTooLarge on infinity: 2^-23, 1.5 * 2^-16 and 40960.
template <Type type>
struct Numbers;

template <>
struct Numbers<Type::F16> {
    using Word = uint16_t;
    typedef uint16_t Bits __attribute__((aligned(1), may_alias));
    static constexpr Word kMagnitude = 0x7FFF, kLeast = 0x0002, kNormal = 0x0180, kTooLarge = 0x7900, kInfinity = 0x7C00;

    static float to_float(Word bits) {
        const uint32_t sign = uint32_t(bits & 0x8000) << 16, size = bits & 0x7FFFu;
        if (size < 0x0400) return float_of_bits(sign | bits_of_float(float(size) * 0x1p-24f));
        const uint32_t rebiased = (size << 13) + (112u << 23);
        return float_of_bits(sign | (size < 0x7C00 ? rebiased : rebiased + (112u << 23)));
    }
    static Word of_float(float value) {
        const uint32_t bits = bits_of_float(value), sign = bits >> 16 & 0x8000, size = bits & 0x7FFFFFFF;
        if (size > 0x7F800000) return 0x7E00;
        if (size >= 0x477FF000) return Word(sign | 0x7C00);
        // Below the normal numbers the sum with 1/2 has the bits in its lowest places, rounded.
        if (size < 0x38800000) return Word(sign | (bits_of_float(float_of_bits(size) + 0.5f) - 0x3F000000));
        return Word(sign | (size - (112u << 23) + 0xFFF + (size >> 13 & 1)) >> 13);
    }
};

template <>
struct Numbers<Type::BF16> {
    using Word = uint16_t;
    typedef uint16_t Bits __attribute__((aligned(1), may_alias));
    static constexpr Word kMagnitude = 0x7FFF, kLeast = 0x3400, kNormal = 0x37C0, kTooLarge = 0x4720, kInfinity = 0x7F80;

    static float to_float(Word bits) { return float_of_bits(uint32_t(bits) << 16); }
    static Word of_float(float value) {
        const uint32_t bits = bits_of_float(value);
        return (bits & 0x7FFFFFFF) > 0x7F800000 ? Word(0x7FC0) : Word((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
    }
};

template <>
struct Numbers<Type::F32> {
    using Word = uint32_t;
    typedef uint32_t Bits __attribute__((aligned(1), may_alias));
    static constexpr Word kMagnitude = 0x7FFFFFFF, kLeast = 0x34000000, kNormal = 0x37C00000, kTooLarge = 0x47200000,
                          kInfinity = 0x7F800000;

    static float to_float(Word bits) { return float_of_bits(bits); }
    static Word of_float(float value) { return bits_of_float(value); }
};

// The upper half of a float32. What makes a NaN one may lie below it.
inline uint16_t upper_half(float value) {
    const uint32_t bits = bits_of_float(value);
    return uint16_t(bits >> 16 | uint32_t((bits & 0x7FFFFFFF) > 0x7F800000) << 6);
}

}  // namespace opwright::hifloat8
