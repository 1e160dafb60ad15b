// half and bfloat16_t: two-byte classes of our own, the same on every compiler and machine. Arithmetic is done in
// float and rounded once, to nearest even. The conversions have no branch, so loops over them vectorise.
#pragma once

#include <type_traits>

#include "assumed.h"
#include "bits.h"

namespace opwright {

OPWRIGHT_INLINE uint16_t half_bits(float value) {
    const uint32_t sign = bits_of(value) & 0x80000000u;
    const uint32_t magnitude = bits_of(value) ^ sign;
    // Rounding a normal number: add half of the last kept bit, and one more if that bit is odd.
    const uint32_t normal = (magnitude + 0xc8000fffu + ((magnitude >> 13) & 1u)) >> 13;
    // Adding 0.5 shifts a subnormal's bits into place and lets the adder round them.
    const uint32_t subnormal = bits_of(float_of(magnitude) + 0.5f) - 0x3f000000u;
    const uint32_t special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    const uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
    const uint32_t result = magnitude >= 0x47800000u ? special : finite;
    return static_cast<uint16_t>(result | (sign >> 16));
}

OPWRIGHT_INLINE float half_value(uint16_t bits) {
    const uint32_t sign = (bits & 0x8000u) << 16;
    const uint32_t shifted = (bits & 0x7fffu) << 13;
    const uint32_t exponent = shifted & 0x0f800000u;
    const uint32_t normal = shifted + 0x38000000u;
    // A NaN is a quiet one afterwards, as every conversion makes it.
    const uint32_t special = shifted + 0x70000000u + ((bits & 0x3ffu) != 0 && (bits & 0x200u) == 0 ? 0x00400000u : 0u);
    const uint32_t subnormal = bits_of(float_of(shifted + 0x38800000u) - 6.103515625e-05f);
    const uint32_t finite = exponent == 0 ? subnormal : normal;
    return float_of((exponent == 0x0f800000u ? special : finite) | sign);
}

OPWRIGHT_INLINE uint16_t bfloat16_bits(float value) {
    const uint32_t bits = bits_of(value);
    const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const uint32_t quiet = (bits >> 16) | 0x40u;
    return static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

}  // namespace opwright

struct half {
    uint16_t bits;
    half() = default;
    OPWRIGHT_INLINE explicit half(float value) : bits(opwright::half_bits(value)) {}
    OPWRIGHT_INLINE explicit operator float() const { return opwright::half_value(bits); }
};

struct bfloat16_t {
    uint16_t bits;
    bfloat16_t() = default;
    OPWRIGHT_INLINE explicit bfloat16_t(float value) : bits(opwright::bfloat16_bits(value)) {}
    OPWRIGHT_INLINE explicit operator float() const {
        return opwright::float_of(static_cast<uint32_t>(bits) << 16);
    }
};

namespace opwright {

// The type in which a call computes on elements of type T.
template <typename T>
struct Compute {
    using type = T;
};
template <>
struct Compute<half> {
    using type = float;
};
template <>
struct Compute<bfloat16_t> {
    using type = float;
};

template <typename T>
OPWRIGHT_INLINE typename Compute<T>::type widen(T value) {
    return static_cast<typename Compute<T>::type>(value);
}

// A product and a sum that are rounded once, in the type of the elements. A product of two halves is exact in float, one
// of two floats in double; what is on its way to two bytes keeps what rounding drops, so that its rounding is the only
// one.
struct Fused {
    float a, b, c;  // a * b + c

    template <typename T>
    OPWRIGHT_INLINE float rounded() const {
        if constexpr (std::is_same<T, half>::value) return sum_to_odd(a * b, c);
        else if constexpr (sizeof(T) == 2) return float_to_odd(sum_to_odd(static_cast<double>(a) * b, static_cast<double>(c)));
        else return fused_once(a, b, c);
    }
};

template <typename T, typename V>
OPWRIGHT_INLINE auto on_its_way(V value) {
    if constexpr (std::is_base_of<Fused, V>::value) return value.template rounded<T>();
    else if constexpr (sizeof(T) == 2 && std::is_same<V, double>::value) return float_to_odd(value);
    else return value;
}

// A number of two bytes, the greatest in place of infinity and 0 in place of NaN.
template <typename T>
OPWRIGHT_INLINE T saturated(T number) {
    constexpr uint32_t infinity = std::is_same<T, half>::value ? 0x7c00u : 0x7f80u;
    const uint32_t sign = number.bits & 0x8000u, size = number.bits ^ sign;
    const uint32_t finite = size < infinity ? number.bits : (infinity - 1) | sign;
    number.bits = static_cast<uint16_t>(size > infinity ? 0u : finite);
    return number;
}

// From the type of a computation to that of the elements, as IEEE 754 says.
template <typename T, typename V>
OPWRIGHT_INLINE T rounded(V value) {
    return static_cast<T>(on_its_way<T>(value));
}

// Tells of results which are infinite or NaN: see assumed_notes.h.
template <typename T>
__aicore__ void note_not_finite(const T* results, int64_t count);

// Results that were rounded: the last step, which a switch decides.
template <typename T>
OPWRIGHT_INLINE void settle(T* results, int64_t count) {
    if constexpr (kTellsAssumed) {
        constexpr uint32_t infinity = std::is_same<T, half>::value ? 0x7c00u : 0x7f80u;
        uint32_t is_any = 0;
        for (int64_t i = 0; i < count; ++i) is_any |= (results[i].bits & 0x7fffu) >= infinity ? 1u : 0u;
        if (OPWRIGHT_UNLIKELY(is_any)) note_not_finite(results, count);
    }
    if constexpr (kSaturatesArithmetic) {
        for (int64_t i = 0; i < count; ++i) results[i] = saturated(results[i]);
    }
}

// Whether a V becomes a T that a switch decides. What has the type of the elements already is no result.
template <typename T, typename V>
constexpr bool is_settled = std::is_class<T>::value && sizeof(T) == 2 && !std::is_same<T, V>::value;

// The same of a result.
template <typename T, typename V>
OPWRIGHT_INLINE T narrow(V value) {
    if constexpr (is_settled<T, V>) {
        T number = rounded<T>(value);
        settle(&number, 1);
        return number;
    } else {
        return rounded<T>(value);
    }
}

}  // namespace opwright
