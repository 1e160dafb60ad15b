// Conversions of half.h over arrays, for test_half.py.
#include <type_traits>

#include "opwright/half.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void half_to_float(const uint16_t* from, float* to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) to[i] = opwright::half_value(from[i]);
}

EXPORT void float_to_half(const float* from, uint16_t* to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) to[i] = opwright::half_bits(from[i]);
}

EXPORT void bfloat16_to_float(const bfloat16_t* from, float* to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
}

EXPORT void float_to_bfloat16(const float* from, uint16_t* to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) to[i] = opwright::bfloat16_bits(from[i]);
}

EXPORT void classes(const float* from, half* halves, bfloat16_t* bfloats, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        halves[i] = static_cast<half>(from[i]);
        bfloats[i] = static_cast<bfloat16_t>(from[i]);
    }
}

static_assert(sizeof(half) == 2 && sizeof(bfloat16_t) == 2, "two bytes in memory");
static_assert(std::is_trivially_copyable<half>::value, "copied as bytes");
