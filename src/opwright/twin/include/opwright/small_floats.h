// Floats of 8 bits: fp8_e4m3fn_t, fp8_e5m2_t and hifloat8_t. They are only stored and converted; nothing computes in them.
#pragma once

#include "half.h"

namespace opwright {

// A float as a code of `mantissa` bits with an exponent of that bias, without its sign: to nearest even, unbounded.
template <uint32_t mantissa, uint32_t bias>
OPWRIGHT_INLINE uint32_t nearest_code(uint32_t magnitude) {
    constexpr uint32_t dropped = 23 - mantissa;
    constexpr uint32_t rebias = (127 - bias) << mantissa;
    // As in half_bits: a normal number is rounded by adding, a subnormal one by the adder.
    const uint32_t normal = ((magnitude + (1u << (dropped - 1)) - 1 + ((magnitude >> dropped) & 1u)) >> dropped) - rebias;
    constexpr uint32_t shifter = (127 + 24 - bias - mantissa) << 23;
    const uint32_t subnormal = bits_of(float_of(magnitude) + float_of(shifter)) - shifter;
    return magnitude < (128 - bias) << 23 ? subnormal : normal;
}

// NaN stays NaN; what is too big becomes one, for there is no infinity.
OPWRIGHT_INLINE uint8_t e4m3_bits(float value) {
    const uint32_t sign = bits_of(value) & 0x80000000u;
    const uint32_t magnitude = bits_of(value) ^ sign;
    const uint32_t code = nearest_code<3, 7>(magnitude);
    const uint32_t finite = code < 0x7fu ? code : 0x7fu;
    return static_cast<uint8_t>((magnitude < 0x7f800000u ? finite : 0x7fu) | sign >> 24);
}

OPWRIGHT_INLINE float e4m3_value(uint8_t bits) {
    const uint32_t sign = (bits & 0x80u) << 24;
    const uint32_t shifted = (bits & 0x7fu) << 20;
    const uint32_t normal = shifted + 0x3c000000u;
    const uint32_t subnormal = bits_of(float_of(shifted + 0x3c800000u) - 0.015625f);
    const uint32_t finite = shifted < 0x00800000u ? subnormal : normal;
    return float_of((shifted == 0x07f00000u ? 0x7fc00000u : finite) | sign);
}

OPWRIGHT_INLINE uint8_t e5m2_bits(float value) {
    const uint32_t sign = bits_of(value) & 0x80000000u;
    const uint32_t magnitude = bits_of(value) ^ sign;
    const uint32_t code = nearest_code<2, 15>(magnitude);
    const uint32_t finite = code < 0x7cu ? code : 0x7cu;
    const uint32_t special = magnitude > 0x7f800000u ? 0x7eu : 0x7cu;
    return static_cast<uint8_t>((magnitude < 0x7f800000u ? finite : special) | sign >> 24);
}

// The upper byte of a half.
OPWRIGHT_INLINE float e5m2_value(uint8_t bits) { return half_value(static_cast<uint16_t>(bits << 8)); }

// Of HiFloat8: how many bits the mantissa of an exponent has.
OPWRIGHT_INLINE constexpr int32_t hif8_mantissa(int32_t exponent) {
    const int32_t size = exponent < 0 ? -exponent : exponent;
    return size <= 3 ? 3 : size <= 7 ? 2 : exponent >= -15 ? 1 : 0;
}

// To nearest, ties away from 0. NaN is 0x80, and what underflows is 0, without a sign. Both ways are functions: a loop
// over them would not vectorise, and kernels would take long to compile.
__aicore__ __attribute__((noinline)) inline uint8_t hif8_bits(float value) {
    const uint32_t sign = bits_of(value) >> 31;
    const uint32_t magnitude = bits_of(value) & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return 0x80;
    if (magnitude >= 0x47200000u) return static_cast<uint8_t>(0x6f | sign << 7);  // from 40960 on
    if (magnitude < 0x34000000u) return 0;                                        // below 2^-23
    if (magnitude < 0x34800000u) return static_cast<uint8_t>(0x01 | sign << 7);
    int32_t exponent = static_cast<int32_t>(magnitude >> 23) - 127;
    int32_t mantissa = hif8_mantissa(exponent);
    const uint32_t kept = ((magnitude & 0x7fffffu) >> (22 - mantissa)) + 1;  // with the bit that decides
    uint32_t rest = kept >> 1;
    if (rest >> mantissa) {  // the next power of two
        ++exponent;
        mantissa = hif8_mantissa(exponent);
        rest = 0;
    }
    const uint32_t size = static_cast<uint32_t>(exponent < 0 ? -exponent : exponent), down = exponent < 0;
    uint32_t code = static_cast<uint32_t>(exponent + 23);
    if (exponent > -16) code = 0x08 + rest;
    if (exponent > -16 && size == 1) code = 0x10 + 8 * down + rest;
    if (exponent > -16 && size >= 2) code = 0x20 + 16 * down + 8 * (size - 2) + rest;
    if (exponent > -16 && size >= 4) code = 0x40 + 16 * down + 4 * (size - 4) + rest;
    if (exponent > -16 && size >= 8) code = 0x60 + 16 * down + 2 * (size - 8) + rest;
    return static_cast<uint8_t>(code | sign << 7);
}

__aicore__ __attribute__((noinline)) inline float hif8_value(uint8_t bits) {
    const uint32_t sign = uint32_t(bits & 0x80u) << 24, code = bits & 0x7fu;
    if (code == 0) return sign ? __builtin_nanf("") : 0.0f;
    if (code == 0x6f) return float_of(0x7f800000u | sign);
    if (code < 8) return float_of((code + 127 - 23) << 23 | sign);
    // How many bits of the exponent's size are spelled out, and below them the mantissa.
    const uint32_t spelled = code >= 0x60 ? 3 : code >= 0x40 ? 2 : code >= 0x20 ? 1 : 0;
    const uint32_t mantissa = code >= 0x60 ? 1 : code >= 0x40 ? 2 : 3;
    const uint32_t size = (1u << spelled) + (code >> mantissa & ((1u << spelled) - 1));
    const bool down = code >> (spelled + mantissa) & 1;
    const uint32_t exponent = code < 0x10 ? 127 : down ? 127 - size : 127 + size;
    const uint32_t fraction = (code & ((1u << mantissa) - 1)) << (23 - mantissa);
    return float_of(exponent << 23 | fraction | sign);
}

}  // namespace opwright

struct fp8_e4m3fn_t {
    uint8_t bits;
    fp8_e4m3fn_t() = default;
    OPWRIGHT_INLINE explicit fp8_e4m3fn_t(float value) : bits(opwright::e4m3_bits(value)) {}
    OPWRIGHT_INLINE explicit operator float() const { return opwright::e4m3_value(bits); }
};

struct fp8_e5m2_t {
    uint8_t bits;
    fp8_e5m2_t() = default;
    OPWRIGHT_INLINE explicit fp8_e5m2_t(float value) : bits(opwright::e5m2_bits(value)) {}
    OPWRIGHT_INLINE explicit operator float() const { return opwright::e5m2_value(bits); }
};

struct hifloat8_t {
    uint8_t bits;
    hifloat8_t() = default;
    OPWRIGHT_INLINE explicit hifloat8_t(float value) : bits(opwright::hif8_bits(value)) {}
    OPWRIGHT_INLINE explicit operator float() const { return opwright::hif8_value(bits); }
};

namespace opwright {

template <>
struct Compute<fp8_e4m3fn_t> {
    using type = float;
};
template <>
struct Compute<fp8_e5m2_t> {
    using type = float;
};
template <>
struct Compute<hifloat8_t> {
    using type = float;
};

// A float that is only stored.
template <typename T>
constexpr bool is_small_float = std::is_same<T, fp8_e4m3fn_t>::value || std::is_same<T, fp8_e5m2_t>::value ||
                                std::is_same<T, hifloat8_t>::value;

}  // namespace opwright
