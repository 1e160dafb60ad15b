// Chapter simt_convert: conversions that a thread calls, by a name for each pair of types and way of rounding.
#pragma once

#include "conversions.h"

// One function for each of five ways of rounding.
#define OPWRIGHT_ROUNDINGS(name, To, From)                                          \
    OPWRIGHT_ROUNDING(name##_rn, To, From, CAST_RINT) /* to nearest, of two to even */ \
    OPWRIGHT_ROUNDING(name##_rz, To, From, CAST_TRUNC) /* towards 0 */                 \
    OPWRIGHT_ROUNDING(name##_rd, To, From, CAST_FLOOR) /* down */                      \
    OPWRIGHT_ROUNDING(name##_ru, To, From, CAST_CEIL) /* up */                         \
    OPWRIGHT_ROUNDING(name##_rna, To, From, CAST_ROUND) /* to nearest, of two away from 0 */
#define OPWRIGHT_ROUNDING(name, To, From, mode) \
    OPWRIGHT_INLINE To name(From x) { return opwright::convert<AscendC::RoundMode::mode, To>(opwright::widen(x)); }
#define OPWRIGHT_INTEGERS(type, Type)                       \
    OPWRIGHT_ROUNDINGS(__##type##2int, int32_t, Type)       \
    OPWRIGHT_ROUNDINGS(__##type##2uint, uint32_t, Type)     \
    OPWRIGHT_ROUNDINGS(__##type##2ll, int64_t, Type)        \
    OPWRIGHT_ROUNDINGS(__##type##2ull, uint64_t, Type)      \
    OPWRIGHT_ROUNDINGS(__int2##type, Type, int32_t)         \
    OPWRIGHT_ROUNDINGS(__uint2##type, Type, uint32_t)       \
    OPWRIGHT_ROUNDINGS(__ll2##type, Type, int64_t)          \
    OPWRIGHT_ROUNDINGS(__ull2##type, Type, uint64_t)

OPWRIGHT_INTEGERS(float, float)
OPWRIGHT_INTEGERS(half, half)
OPWRIGHT_INTEGERS(bfloat16, bfloat16_t)
OPWRIGHT_ROUNDINGS(__float2float, float, float)  // to an integer that is still a float
OPWRIGHT_ROUNDINGS(__float2half, half, float)
OPWRIGHT_ROUNDINGS(__float2bfloat16, bfloat16_t, float)
OPWRIGHT_ROUNDINGS(__half2bfloat16, bfloat16_t, half)
OPWRIGHT_ROUNDINGS(__bfloat162half, half, bfloat16_t)
OPWRIGHT_ROUNDING(__float2half_ro, half, float, CAST_ODD)
OPWRIGHT_ROUNDING(__float2half, half, float, CAST_RINT)
OPWRIGHT_ROUNDING(__float2bfloat16, bfloat16_t, float, CAST_RINT)

#undef OPWRIGHT_INTEGERS
#undef OPWRIGHT_ROUNDING
#undef OPWRIGHT_ROUNDINGS

OPWRIGHT_INLINE float __half2float(half x) { return static_cast<float>(x); }
OPWRIGHT_INLINE float __bfloat162float(bfloat16_t x) { return static_cast<float>(x); }

// The same bits as another type.
OPWRIGHT_INLINE float __int_as_float(int32_t x) { return opwright::float_of(static_cast<uint32_t>(x)); }
OPWRIGHT_INLINE float __uint_as_float(uint32_t x) { return opwright::float_of(x); }
OPWRIGHT_INLINE int32_t __float_as_int(float x) { return static_cast<int32_t>(opwright::bits_of(x)); }
OPWRIGHT_INLINE uint32_t __float_as_uint(float x) { return opwright::bits_of(x); }
OPWRIGHT_INLINE half __ushort_as_half(uint16_t x) {
    half result;
    result.bits = x;
    return result;
}
OPWRIGHT_INLINE uint16_t __half_as_ushort(half x) { return x.bits; }
OPWRIGHT_INLINE bfloat16_t __ushort_as_bfloat16(uint16_t x) {
    bfloat16_t result;
    result.bits = x;
    return result;
}
