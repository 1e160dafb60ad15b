// Chapter vec_binary: what calls with two sources do to a pair of elements, in the type they compute in.
#pragma once

#include "vec_convert.h"
#include "vec_unary.h"

namespace opwright {

// The second where the comparison is false: for NaN, and for zeros of whatever sign.
template <typename T>
OPWRIGHT_INLINE T maximum(T a, T b) {
    return a > b ? a : b;
}

template <typename T>
OPWRIGHT_INLINE T minimum(T a, T b) {
    return a < b ? a : b;
}

// Integers wrap in their own type before they are compared.
template <typename T>
OPWRIGHT_INLINE T add_relu(T a, T b) {
    return relu(static_cast<T>(a + b));
}

template <typename T>
OPWRIGHT_INLINE T sub_relu(T a, T b) {
    return relu(static_cast<T>(a - b));
}

// a * b + c with one rounding. Integers wrap.
template <typename T>
OPWRIGHT_INLINE T fused(T a, T b, T c) {
    return static_cast<T>(a * b + c);
}

OPWRIGHT_INLINE Fused fused(float a, float b, float c) { return {a, b, c}; }

struct FusedRelu : Fused {
    template <typename T>
    OPWRIGHT_INLINE float rounded() const {
        return relu(Fused::rounded<T>());
    }
};

template <typename T>
OPWRIGHT_INLINE T fused_relu(T a, T b, T c) {
    return relu(fused(a, b, c));
}

OPWRIGHT_INLINE FusedRelu fused_relu(float a, float b, float c) { return {{a, b, c}}; }

// A product of halves is exact in float and rounded to half, as Mul does.
template <typename To, typename From>
OPWRIGHT_INLINE void mul_cast(const At&, To dst, From src0, From src1) {
    map(dst, [](auto a, auto b) {
        const auto product = narrow<typename From::Element>(a * b);
        return convert<RoundMode::CAST_RINT, typename To::Element>(widen(product));
    }, src0, src1);
}

// A sum of 32 bits times a scale of 11 is exact in double, and rounded once.
template <typename To, typename From>
OPWRIGHT_INLINE void add_deq_relu(const At&, To dst, From src0, From src1, float scale) {
    map(dst, [scale](int32_t a, int32_t b) { return relu(static_cast<double>(a + b) * scale); }, src0, src1);
}

}  // namespace opwright
