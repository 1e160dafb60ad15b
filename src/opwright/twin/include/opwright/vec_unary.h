// Chapter vec_unary: what calls with one source do to an element, in the type they compute in.
#pragma once

#include "qualifiers.h"

namespace opwright {

OPWRIGHT_INLINE float absolute(float value) { return __builtin_fabsf(value); }

// Correctly rounded wherever IEEE 754 is kept, and so is what a half becomes of it.
OPWRIGHT_INLINE float square_root(float value) { return __builtin_sqrtf(value); }

template <typename T>
OPWRIGHT_INLINE T relu(T value) {
    return value > T(0) ? value : T(0);
}

}  // namespace opwright
