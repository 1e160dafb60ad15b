// Chapter scalar: bits of a scalar, and its conversion.
#pragma once

#include "vec_convert.h"

namespace opwright {

OPWRIGHT_INLINE int64_t scalar_get_sff_value(const At&, uint64_t value, int32_t bit) {
    const uint64_t ones = bit ? value : ~value;
    return ones ? __builtin_ctzll(ones) : -1;
}

OPWRIGHT_INLINE int64_t scalar_get_count_of_value(const At&, uint64_t value, int32_t bit) {
    return __builtin_popcountll(bit ? value : ~value);
}

OPWRIGHT_INLINE int64_t scalar_count_leading_zero(const At&, uint64_t value) { return value ? __builtin_clzll(value) : 64; }

OPWRIGHT_INLINE int64_t count_bits_cnt_same_as_sign_bit(const At&, int64_t value) { return __builtin_clrsbll(value); }

}  // namespace opwright

namespace AscendC {

template <typename From, typename To, RoundMode round_mode>
__aicore__ inline To ScalarCast(From value_in) {
    static_assert(std::is_same<From, float>::value, "a float is converted");
    return opwright::convert<round_mode, To>(value_in);
}

}  // namespace AscendC
