// Integers of 4 bits: int4b_t. Two share a byte, the first in its low half, and the type stands for that byte. They are
// only stored and converted; nothing computes in them.
#pragma once

#include <stdint.h>

#include "qualifiers.h"

namespace AscendC {

struct int4b_t {
    uint8_t pair;
};

}  // namespace AscendC

namespace opwright {

// Elements that share a byte.
template <typename T>
constexpr uint32_t kPerByte = 1;
template <>
constexpr uint32_t kPerByte<AscendC::int4b_t> = 2;

template <typename T>
OPWRIGHT_INLINE constexpr uint64_t bytes_of(uint64_t count) {
    return count * sizeof(T) / kPerByte<T>;
}
template <typename T>
OPWRIGHT_INLINE constexpr uint64_t elements_in(uint64_t bytes) {
    return bytes * kPerByte<T> / sizeof(T);
}

}  // namespace opwright
