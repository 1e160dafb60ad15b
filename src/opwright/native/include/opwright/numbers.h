// Float types of two bytes as plain bits, and loads and stores that go through float. Every step is exact or rounds
// once to nearest even. Conditions are masks, which no compiler turns into branches, so that loops over it vectorise.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

namespace opwright {

struct Half {
    uint16_t bits;
};

struct BFloat16 {
    uint16_t bits;
};

template <typename To, typename From>
inline To bit_cast(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

// All ones where a condition holds.
inline uint32_t mask_of(bool condition) { return 0u - static_cast<uint32_t>(condition); }

// What a type is computed in.
template <typename T>
struct Computed {
    using Type = float;
};
template <>
struct Computed<double> {
    using Type = double;
};

inline double widen(double x) { return x; }
inline float widen(float x) { return x; }

// By reference: the bits are loaded, and no copy of a struct stands in the way of vectors.
inline float widen(const BFloat16& x) { return bit_cast<float>(static_cast<uint32_t>(x.bits) << 16); }

// The exponent is moved by a multiplication, which is exact and gives subnormals their leading 1.
inline float widen(const Half& x) {
    const uint32_t magnitude = x.bits & 0x7fffu;
    const uint32_t sign = static_cast<uint32_t>(x.bits & 0x8000u) << 16;
    const float small = bit_cast<float>(magnitude << 13) * 0x1p112f;
    const uint32_t special = bit_cast<uint32_t>(small) | (mask_of(magnitude >= 0x7c00u) & 0x7f800000u);
    return bit_cast<float>(special | sign);
}

template <typename T>
inline T narrow(typename Computed<T>::Type x);

template <>
inline double narrow<double>(double x) {
    return x;
}

template <>
inline float narrow<float>(float x) {
    return x;
}

template <>
inline BFloat16 narrow<BFloat16>(float x) {
    const uint32_t bits = bit_cast<uint32_t>(x);
    const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
    const uint32_t nan = mask_of((bits & 0x7fffffffu) > 0x7f800000u);
    return {static_cast<uint16_t>((nan & 0x7fc0u) | (~nan & rounded))};
}

// A sum with a number whose last place is that of the result rounds as the result does.
template <>
inline Half narrow<Half>(float x) {
    const uint32_t bits = bit_cast<uint32_t>(x);
    const uint32_t sign = bits >> 16 & 0x8000u;
    const uint32_t magnitude = bits & 0x7fffffffu;
    const uint32_t exponent = magnitude & 0x7f800000u;
    // 2^(e+13): below the smallest exponent of a half all have the last place of the subnormals.
    const uint32_t lifted = (exponent < 0x38800000u ? 0x38800000u : exponent) + (13u << 23);
    const float anchor = bit_cast<float>(lifted > 0x7f000000u ? 0x7f000000u : lifted);
    const uint32_t rounded = bit_cast<uint32_t>((bit_cast<float>(magnitude) + anchor) - anchor);
    const uint32_t large = mask_of(rounded >= 0x47800000u);  // 65536, infinity and NaN
    const uint32_t nan = mask_of(magnitude > 0x7f800000u);
    // Scaled back so that subnormals come out as such.
    const uint32_t scaled = bit_cast<uint32_t>(bit_cast<float>(rounded & ~large) * 0x1p-112f) >> 13;
    return {static_cast<uint16_t>(sign | scaled | (large & 0x7c00u) | (nan & 0x200u))};
}

}  // namespace opwright
