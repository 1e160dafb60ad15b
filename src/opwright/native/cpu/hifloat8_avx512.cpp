// The path of AVX-512 without VBMI: it looks words up in tables of 64, which are two registers.
#if defined(__x86_64__)
#define OPWRIGHT_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#include "hifloat8_avx512.h"
#include "hifloat8_paths.h"

namespace opwright::hifloat8 {
namespace {

// The upper 16 bits of the values of codes 0x00 to 0x7F.
struct WordValues {
    alignas(64) uint16_t at[128];
    uint16_t nan;
};

constexpr WordValues word_values(const format::Values& values) {
    WordValues made{};
    for (int code = 0; code < 128; ++code) made.at[code] = uint16_t(values.high[code] << 8 | values.low[code]);
    made.nan = values.nan;
    return made;
}

constexpr WordValues kHalfWords = word_values(format::kHalfValues), kBrainWords = word_values(format::kBrainValues);

// By row: half of the last bit of the mantissa that is kept; the code of the power of two, and above it how many bits of
// a mantissa of 7 are not kept.
struct WordRule {
    alignas(64) uint16_t half[format::kRows];
    alignas(64) uint16_t code[format::kRows];
    uint8_t infinity, nan;
};

constexpr WordRule word_rule(const format::Rule& rule) {
    WordRule made{};
    for (int row = 0; row < format::kRows; ++row) {
        const int dropped = 4 + (rule.kind[row] >> 4);
        // Row 0 becomes 0, and where all rows that follow have the same code nothing may leave the table.
        made.half[row] = row == 0 || row >= 40 ? 0 : uint16_t(1 << (dropped - 1));
        made.code[row] = uint16_t(dropped << 8 | rule.code[row]);
    }
    made.infinity = rule.infinity;
    made.nan = rule.nan;
    return made;
}

constexpr WordRule kWordRules[] = {word_rule(format::kRules[0]), word_rule(format::kRules[1]), word_rule(format::kRules[2])};

struct InWords : Avx512 {
    using Rule = const WordRule&;

    static Rule rule(Overflow overflow) { return kWordRules[int(overflow)]; }

    OPWRIGHT_INLINE Bytes lookup_word(const uint16_t* table, Bytes index) {
        return _mm512_permutex2var_epi16(load_bytes(table), index, load_bytes(table + 32));
    }

    // The codes of finite numbers, in words.
    OPWRIGHT_INLINE Bytes codes_of(Bytes halves, Bytes size, Rule rule) {
        constexpr int kLast = format::kLastRow << 7 | 0x7F;
        const Bytes from_first = _mm512_subs_epu16(size, splat16(format::kFirstExponent << 7));
        const Bytes near = _mm512_min_epu16(from_first, splat16(kLast));
        // The carry of rounding runs into the row by itself.
        const Bytes rounded = _mm512_add_epi16(near, lookup_word(rule.half, right16<7>(near)));
        const Bytes code = lookup_word(rule.code, right16<7>(rounded));
        const Bytes mantissa = _mm512_srlv_epi16(rounded & splat16(0x7F), right16<8>(code));
        const Bytes magnitude = _mm512_add_epi16(code, mantissa);
        const Bytes sign = _mm512_maskz_srli_epi16(_mm512_test_epi16_mask(magnitude, splat16(0x7F)), halves, 8);
        return select(splat16(0x7F), magnitude, sign);
    }

    OPWRIGHT_INLINE Bytes with_specials(Bytes codes, Bytes halves, Bytes size, Rule rule) {
        const Bytes infinity = splat16(rule.infinity) | (right16<8>(halves) & splat16(0x80));
        const __mmask32 is_infinity = _mm512_cmpeq_epi16_mask(size, splat16(0x7F80));
        const __mmask32 is_nan = _mm512_cmpgt_epu16_mask(size, splat16(0x7F80));
        return _mm512_mask_mov_epi16(_mm512_mask_mov_epi16(codes, is_infinity, infinity), is_nan, splat16(rule.nan));
    }

    OPWRIGHT_INLINE Bytes encode_halves(Bytes first, Bytes second, Rule rule) {
        const Bytes first_size = first & splat16(0x7FFF), second_size = second & splat16(0x7FFF);
        Bytes evens = codes_of(first, first_size, rule), odds = codes_of(second, second_size, rule);
        const Bytes largest = _mm512_max_epu16(first_size, second_size);
        if (__builtin_expect(_mm512_cmpge_epu16_mask(largest, splat16(0x7F80)) != 0, 0)) {
            evens = with_specials(evens, first, first_size, rule);
            odds = with_specials(odds, second, second_size, rule);
        }
        return evens | left16<8>(odds);
    }

    struct Pair {
        Bytes first, second;
    };

    // The upper 16 bits of the values of 32 codes.
    OPWRIGHT_INLINE Bytes values_of(__m256i codes, const WordValues& values) {
        const Bytes code = _mm512_cvtepu8_epi16(codes);
        const Bytes small = lookup_word(values.at, code), large = lookup_word(values.at + 64, code);
        const Bytes size = _mm512_mask_mov_epi16(small, _mm512_test_epi16_mask(code, splat16(0x40)), large);
        constexpr int kOrBoth = 0xF8;  // the first, or what the others have both
        const Bytes value = _mm512_ternarylogic_epi64(size, left16<8>(code), splat16(0x8000), kOrBoth);
        return _mm512_mask_mov_epi16(value, _mm512_cmpeq_epi16_mask(code, splat16(format::kNan)), splat16(values.nan));
    }

    OPWRIGHT_INLINE Pair both_values(Bytes codes, const WordValues& values) {
        return {values_of(_mm512_castsi512_si256(codes), values), values_of(_mm512_extracti64x4_epi64(codes, 1), values)};
    }

    template <Type type>
    OPWRIGHT_INLINE Pair values(Bytes codes) { return both_values(codes, type == Type::F16 ? kHalfWords : kBrainWords); }

    OPWRIGHT_INLINE Pair zippable(Bytes codes) {
        const Bytes order = _mm512_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15);
        return both_values(_mm512_permutexvar_epi32(order, codes), kBrainWords);
    }
};

}  // namespace

constexpr Path kAvx512Path = Loops<Vector<InWords>>::path("avx512");

}  // namespace opwright::hifloat8
#endif
