// Chapter simt_integer: functions of integers that a thread calls. What overflows wraps.
#pragma once

#include "qualifiers.h"

// Bits. Of a 0 there is no first bit: all of its bits lead, and the number of the lowest is 0.
OPWRIGHT_INLINE int32_t __clz(int32_t x) { return x ? __builtin_clz(static_cast<uint32_t>(x)) : 32; }
OPWRIGHT_INLINE int32_t __clz(int64_t x) { return x ? __builtin_clzll(static_cast<uint64_t>(x)) : 64; }
OPWRIGHT_INLINE int32_t __ffs(int32_t x) { return __builtin_ffs(x); }
OPWRIGHT_INLINE int32_t __ffs(int64_t x) { return __builtin_ffsll(x); }
OPWRIGHT_INLINE int32_t __popc(uint32_t x) { return __builtin_popcount(x); }
OPWRIGHT_INLINE int32_t __popc(uint64_t x) { return __builtin_popcountll(x); }
OPWRIGHT_INLINE uint32_t __brev(uint32_t x) {
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
OPWRIGHT_INLINE uint64_t __brev(uint64_t x) {
    return uint64_t(__brev(static_cast<uint32_t>(x))) << 32 | __brev(static_cast<uint32_t>(x >> 32));
}

// Of each 4 bits of s three choose one of the 8 bytes of y and x, those of x being the lower ones.
OPWRIGHT_INLINE uint32_t __byte_perm(uint32_t x, uint32_t y, uint32_t s) {
    const uint64_t bytes = uint64_t(y) << 32 | x;
    uint32_t result = 0;
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; ++i) {
        result |= static_cast<uint32_t>(bytes >> 8 * (s >> 4 * i & 7) & 0xff) << 8 * i;
    }
    return result;
}

// Products.
OPWRIGHT_INLINE int64_t __mul_i32toi64(int32_t x, int32_t y) { return int64_t(x) * y; }
OPWRIGHT_INLINE int32_t __mulhi(int32_t x, int32_t y) { return static_cast<int32_t>((int64_t(x) * y) >> 32); }
OPWRIGHT_INLINE uint32_t __umulhi(uint32_t x, uint32_t y) { return static_cast<uint32_t>((uint64_t(x) * y) >> 32); }
OPWRIGHT_INLINE int64_t __mul64hi(int64_t x, int64_t y) {
    return static_cast<int64_t>((static_cast<__int128>(x) * y) >> 64);
}
OPWRIGHT_INLINE uint64_t __umul64hi(uint64_t x, uint64_t y) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(x) * y) >> 64);
}
// Of the lowest 24 bits; the lowest 32 of the product.
OPWRIGHT_INLINE int32_t __mul24(int32_t x, int32_t y) {
    const int64_t low_x = static_cast<int32_t>(static_cast<uint32_t>(x) << 8) >> 8;
    const int64_t low_y = static_cast<int32_t>(static_cast<uint32_t>(y) << 8) >> 8;
    return static_cast<int32_t>(low_x * low_y);
}
OPWRIGHT_INLINE uint32_t __umul24(uint32_t x, uint32_t y) {
    return static_cast<uint32_t>(uint64_t(x & 0xffffffu) * (y & 0xffffffu));
}

// Differences and averages, without overflow on the way.
OPWRIGHT_INLINE uint32_t __sad(int32_t x, int32_t y, uint32_t z) {
    const int64_t apart = int64_t(x) - y;
    return static_cast<uint32_t>(static_cast<uint64_t>(apart < 0 ? -apart : apart) + z);
}
OPWRIGHT_INLINE uint32_t __usad(uint32_t x, uint32_t y, uint32_t z) { return (x > y ? x - y : y - x) + z; }
OPWRIGHT_INLINE int32_t __hadd(int32_t x, int32_t y) { return static_cast<int32_t>((int64_t(x) + y) >> 1); }
OPWRIGHT_INLINE int32_t __rhadd(int32_t x, int32_t y) { return static_cast<int32_t>((int64_t(x) + y + 1) >> 1); }
OPWRIGHT_INLINE uint32_t __uhadd(uint32_t x, uint32_t y) { return static_cast<uint32_t>((uint64_t(x) + y) >> 1); }
OPWRIGHT_INLINE uint32_t __urhadd(uint32_t x, uint32_t y) { return static_cast<uint32_t>((uint64_t(x) + y + 1) >> 1); }

// Of the least number there is no positive one: it stays.
OPWRIGHT_INLINE int64_t labs(int64_t x) {
    return x < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x;
}
OPWRIGHT_INLINE int64_t llabs(int64_t x) { return labs(x); }
OPWRIGHT_INLINE uint32_t umax(uint32_t x, uint32_t y) { return x > y ? x : y; }
OPWRIGHT_INLINE uint32_t umin(uint32_t x, uint32_t y) { return x < y ? x : y; }
OPWRIGHT_INLINE int64_t llmax(int64_t x, int64_t y) { return x > y ? x : y; }
OPWRIGHT_INLINE int64_t llmin(int64_t x, int64_t y) { return x < y ? x : y; }
OPWRIGHT_INLINE uint64_t ullmax(uint64_t x, uint64_t y) { return x > y ? x : y; }
OPWRIGHT_INLINE uint64_t ullmin(uint64_t x, uint64_t y) { return x < y ? x : y; }
