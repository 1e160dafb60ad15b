// The bits of a number and back.
#pragma once

#include "qualifiers.h"

namespace opwright {

OPWRIGHT_INLINE uint32_t bits_of(float value) {
    uint32_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

OPWRIGHT_INLINE float float_of(uint32_t bits) {
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

OPWRIGHT_INLINE uint64_t bits_of(double value) {
    uint64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

OPWRIGHT_INLINE double double_of(uint64_t bits) {
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace opwright
