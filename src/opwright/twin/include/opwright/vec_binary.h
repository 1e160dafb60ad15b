// Chapter vec_binary: what calls with two sources do to a pair of elements, in the type they compute in.
#pragma once

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

}  // namespace opwright
