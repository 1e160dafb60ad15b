// The format as tables that the compiler makes: what all paths look codes and values up in.
//
// A number is seen through the upper 16 bits of its float32: sign, exponent, 7 bits of mantissa, of which 4 decide. A
// row is a power of two: row 0 all that becomes 0, row 24 is 1, rows from 40 on are too large. Rounding looks the upper
// 4 bits of the mantissa up by how many bits of it the row keeps; it either gives the bits kept, or a carry, which
// leads to the next row with a mantissa of 0.
#pragma once

#include <cstdint>

namespace opwright::hifloat8::format {

constexpr int kRows = 64, kLastRow = 62;        // a carry must not leave the table
constexpr int kFirstExponent = 103;             // of float32, that of row 0
constexpr uint8_t kSpecialExponent = 255;       // infinity and NaN
constexpr uint8_t kLargest = 0x6E, kInfinity = 0x6F, kNan = 0x80, kCarry = 0x80;

constexpr int kept_bits(int exponent) {
    const int size = exponent < 0 ? -exponent : exponent;
    return size <= 3 ? 3 : size <= 7 ? 2 : exponent >= -15 ? 1 : 0;
}

// The code of a power of two from 2^-22 to 2^15.
constexpr uint8_t code_of_power(int exponent) {
    const int size = exponent < 0 ? -exponent : exponent;
    if (exponent < -15) return uint8_t(exponent + 23);
    if (size == 0) return 0x08;
    const int bits = size < 2 ? 0 : size < 4 ? 1 : size < 8 ? 2 : 3;  // of the exponent, after its leading 1
    const int mantissa = kept_bits(exponent);
    const int prefix = bits == 0 ? 0x10 : bits << 5;
    return uint8_t(prefix | (exponent < 0) << (bits + mantissa) | (size - (1 << bits)) << mantissa);
}

// How an overflow rule encodes. Kinds are 16 times the bits of mantissa that rounding takes away, less one.
struct Rule {
    alignas(64) uint8_t kind[kRows];
    alignas(64) uint8_t code[kRows];
    uint8_t infinity, nan;
};

constexpr Rule rule(bool saturate, bool all) {
    Rule made{};
    for (int row = 0; row < kRows; ++row) {
        const int exponent = row - 24;
        // From 2^15 on all is the same code when it saturates: as if nothing of the mantissa were kept.
        const bool keeps = exponent >= -22 && exponent <= (saturate ? 14 : 15);
        made.kind[row] = uint8_t((3 - (keeps ? kept_bits(exponent) : 0)) << 4);
        // Row 1 is nearer to 2^-22 than to 0. Row 0 gets its code by other means: it may not carry.
        if (exponent > 15) made.code[row] = saturate ? kLargest : kInfinity;
        else if (row > 0) made.code[row] = code_of_power(exponent < -22 ? -22 : exponent);
    }
    made.infinity = all ? kLargest : kInfinity;
    made.nan = all ? 0 : kNan;
    return made;
}

struct Rounded {
    alignas(64) uint8_t bits[64];
};

constexpr Rounded rounded() {
    Rounded made{};
    for (int dropped = 1; dropped <= 4; ++dropped)
        for (int mantissa = 0; mantissa < 16; ++mantissa) {
            const int sum = mantissa + (1 << (dropped - 1));
            made.bits[(dropped - 1) << 4 | mantissa] = sum > 15 ? kCarry : uint8_t(sum >> dropped);
        }
    return made;
}

// The upper bytes of the values of codes 0x00 to 0x7F in a type, and that of NaN.
struct Values {
    alignas(64) uint8_t low[128];
    alignas(64) uint8_t high[128];
    uint16_t nan;
};

// `bits` of mantissa in 16; exponents from `least` on are normal.
constexpr Values values(int bits, int bias, int least) {
    Values made{};
    for (int exponent = -22; exponent <= 15; ++exponent)
        for (int mantissa = 0; mantissa < 1 << kept_bits(exponent); ++mantissa) {
            const int significand = ((1 << kept_bits(exponent)) + mantissa) << (bits - kept_bits(exponent));
            const int value = exponent < least ? significand >> (least - exponent)
                                               : (exponent + bias) << bits | (significand & ((1 << bits) - 1));
            const int code = code_of_power(exponent) + mantissa;
            made.low[code] = uint8_t(value);
            made.high[code] = uint8_t(value >> 8);
        }
    const int infinity = (2 * bias + 1) << bits;
    made.low[kInfinity] = uint8_t(infinity);
    made.high[kInfinity] = uint8_t(infinity >> 8);
    made.nan = uint16_t(infinity | 1 << (bits - 1));
    return made;
}

inline constexpr Rule kRules[] = {rule(false, false), rule(true, false), rule(true, true)};
inline constexpr Rounded kRounded = rounded();
inline constexpr Values kHalfValues = values(10, 15, -14);
inline constexpr Values kBrainValues = values(7, 127, -126);  // of float32 too

}  // namespace opwright::hifloat8::format
