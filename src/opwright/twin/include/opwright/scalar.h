// Chapter scalar: bits of a scalar.
#pragma once

#include "issue.h"

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
