// Chapter vec_binary_scalar: what calls with a source and a scalar do to an element.
#pragma once

#include <type_traits>

#include "vec_binary.h"

namespace opwright {

// The factor is chosen, not the result: a product on one side only would keep g++ from vectorising.
OPWRIGHT_INLINE float leaky_relu(float value, float slope) { return value * (value >= 0.0f ? 1.0f : slope); }

// C++ leaves shifts by other amounts open; an amount below 0 counts as a large one.
template <typename T>
OPWRIGHT_INLINE bool is_within_width(T amount) {
    return static_cast<std::make_unsigned_t<T>>(amount) < 8 * sizeof(T);
}

template <typename T>
OPWRIGHT_INLINE T shift_left(T value, T amount) {
    const auto bits = static_cast<std::make_unsigned_t<T>>(value);
    return is_within_width(amount) ? static_cast<T>(bits << amount) : T(0);
}

template <typename T>
OPWRIGHT_INLINE T shift_right(T value, T amount) {
    if (is_within_width(amount)) return static_cast<T>(value >> amount);
    return value < T(0) ? static_cast<T>(-1) : T(0);
}

}  // namespace opwright
