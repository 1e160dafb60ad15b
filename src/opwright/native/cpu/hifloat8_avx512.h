// AVX-512 as Lanes of hifloat8_vector.h; OPWRIGHT_TARGET has F, BW, VL and DQ at least.
#pragma once

#include <immintrin.h>

#include "hifloat8_vector.h"

// g++ says it of its own intrinsics (its bug 105593).
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace opwright::hifloat8 {
namespace {

struct Avx512 {
    static constexpr int kWidth = 64;
    static constexpr int64_t kAlignment = 64;
    using Bytes = __m512i;
    using Quarter = __m512;

    OPWRIGHT_INLINE Bytes load_bytes(const void* in) { return _mm512_loadu_si512(in); }
    OPWRIGHT_INLINE void store_bytes(Bytes bytes, void* out, bool stream) {
        if (stream) _mm512_stream_si512(static_cast<__m512i*>(out), bytes);
        else _mm512_storeu_si512(out, bytes);
    }
    static void fence() { _mm_sfence(); }

    OPWRIGHT_INLINE Bytes splat(uint8_t value) { return _mm512_set1_epi8(char(value)); }
    OPWRIGHT_INLINE Bytes splat16(uint16_t value) { return _mm512_set1_epi16(short(value)); }
    OPWRIGHT_INLINE Bytes splat32(uint32_t value) { return _mm512_set1_epi32(int(value)); }
    template <int by>
    OPWRIGHT_INLINE Bytes right16(Bytes x) { return _mm512_srli_epi16(x, by); }
    template <int by>
    OPWRIGHT_INLINE Bytes left16(Bytes x) { return _mm512_slli_epi16(x, by); }
    OPWRIGHT_INLINE Bytes select(Bytes mask, Bytes yes, Bytes no) { return _mm512_ternarylogic_epi64(mask, yes, no, 0xCA); }
    OPWRIGHT_INLINE Bytes minus_or_0(Bytes x, Bytes y) { return _mm512_subs_epu8(x, y); }
    OPWRIGHT_INLINE Bytes least(Bytes x, Bytes y) { return _mm512_min_epu8(x, y); }
    OPWRIGHT_INLINE Bytes plus_top_bit(Bytes x, Bytes top) {
        return _mm512_mask_sub_epi8(x, _mm512_movepi8_mask(top), x, splat(0xFF));
    }
    OPWRIGHT_INLINE Bytes where_not_0(Bytes test, Bytes x) { return _mm512_maskz_mov_epi8(_mm512_test_epi8_mask(test, test), x); }
    OPWRIGHT_INLINE Bytes equal(Bytes x, Bytes y) { return _mm512_movm_epi8(_mm512_cmpeq_epi8_mask(x, y)); }
    OPWRIGHT_INLINE bool any_equal(Bytes x, Bytes y) { return _mm512_cmpeq_epi8_mask(x, y) != 0; }

    // Four tables of 16; those that an index is not in give 0.
    OPWRIGHT_INLINE Bytes lookup(const uint8_t* table, Bytes index) {
        Bytes found = splat(0);
        for (int i = 0; i < 4; ++i) {
            const Bytes part = _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(table) + i));
            const Bytes within = _mm512_adds_epu8(_mm512_sub_epi8(index, splat(uint8_t(16 * i))), splat(0x70));
            found = found | _mm512_shuffle_epi8(part, within);
        }
        return found;
    }
    OPWRIGHT_INLINE Bytes lookup_magnitude(const uint8_t* table, Bytes index) {
        const Bytes size = index & splat(0x7F);
        return lookup(table, size) | lookup(table + 64, _mm512_sub_epi8(size, splat(64)));
    }

    OPWRIGHT_INLINE Bytes transposed() { return _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15); }
    OPWRIGHT_INLINE Bytes sorted_halves(Bytes x) {
        const __m128i apart = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
        const Bytes lanes = _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(apart));
        return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), lanes);
    }
    OPWRIGHT_INLINE Bytes sorted_quarters(Bytes x) {
        const __m128i apart = _mm_setr_epi8(0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15);
        return _mm512_permutexvar_epi32(transposed(), _mm512_shuffle_epi8(x, _mm512_broadcast_i32x4(apart)));
    }
    OPWRIGHT_INLINE Bytes unsorted_halves(Bytes x) { return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), x); }
    OPWRIGHT_INLINE Bytes unsorted_quarters(Bytes x) { return _mm512_permutexvar_epi32(transposed(), x); }
    OPWRIGHT_INLINE Bytes zip_first8(Bytes x, Bytes y) { return _mm512_unpacklo_epi8(x, y); }
    OPWRIGHT_INLINE Bytes zip_second8(Bytes x, Bytes y) { return _mm512_unpackhi_epi8(x, y); }
    OPWRIGHT_INLINE Bytes zip_first16(Bytes x, Bytes y) { return _mm512_unpacklo_epi16(x, y); }
    OPWRIGHT_INLINE Bytes zip_second16(Bytes x, Bytes y) { return _mm512_unpackhi_epi16(x, y); }

    OPWRIGHT_INLINE Quarter floats(Bytes x) { return _mm512_castsi512_ps(x); }
    OPWRIGHT_INLINE Bytes bits(Quarter x) { return _mm512_castps_si512(x); }
    OPWRIGHT_INLINE Bytes upper(Quarter x) { return _mm512_srli_epi32(bits(x), 16); }
    OPWRIGHT_INLINE Quarter quiet(Quarter x) {
        return floats(_mm512_mask_or_epi32(bits(x), _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), bits(x), splat32(0x00400000)));
    }
    OPWRIGHT_INLINE Quarter canonical(Quarter x) {
        return floats(_mm512_mask_mov_epi32(bits(x), _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), splat32(0x7FC00000)));
    }

    // A product with the inverse, corrected by its remainder once, is less than a step away from the quotient of IEEE
    // 754, and the same near a border between two codes: a test tries all scales there. It holds for quotients that do
    // not become 0, if neither they nor the scale are extreme.
    static constexpr bool kInverts = true;
    static bool can_invert(float scale) {
        const float size = scale < 0 ? -scale : scale;
        return size > 0x1p-60f && size < 0x1p60f;
    }
    template <class Floats>
    OPWRIGHT_INLINE Floats quotient(Floats numbers, float scale, float inverse) {
        const Quarter by = _mm512_set1_ps(scale), inverted = _mm512_set1_ps(inverse);
        Floats near;
        for (int i = 0; i < 4; ++i) near.at[i] = numbers.at[i] * inverted;
        constexpr int kLargerSize = 0b1011;
        const Quarter largest = _mm512_range_ps(_mm512_range_ps(near.at[0], near.at[1], kLargerSize),
                                                _mm512_range_ps(near.at[2], near.at[3], kLargerSize), kLargerSize);
        if (__builtin_expect(_mm512_cmp_ps_mask(largest, _mm512_set1_ps(0x1p17f), _CMP_NLT_UQ) != 0, 0)) {
            for (int i = 0; i < 4; ++i) near.at[i] = numbers.at[i] / by;
            return near;
        }
        for (int i = 0; i < 4; ++i) {
            const Quarter remainder = _mm512_fnmadd_ps(near.at[i], by, numbers.at[i]);
            near.at[i] = _mm512_fmadd_ps(remainder, inverted, near.at[i]);
        }
        return near;
    }

    OPWRIGHT_INLINE __m256i load_words(const void* in) { return _mm256_loadu_si256(static_cast<const __m256i*>(in)); }
    // The form without a rounding argument makes clang 14 load words one by one.
    OPWRIGHT_INLINE Quarter load_half(const void* in) { return _mm512_cvt_roundph_ps(load_words(in), _MM_FROUND_NO_EXC); }
    OPWRIGHT_INLINE Quarter load_brain(const void* in) { return floats(_mm512_slli_epi32(_mm512_cvtepu16_epi32(load_words(in)), 16)); }
    OPWRIGHT_INLINE Bytes narrow_half(Quarter x, Quarter y) {
        const __m256i first = _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        const __m256i second = _mm512_cvtps_ph(y, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
        return _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
    }
    OPWRIGHT_INLINE Bytes rounded_upper(Quarter x) {
        const Bytes is_odd = upper(x) & splat32(1);
        return _mm512_srli_epi32(_mm512_add_epi32(_mm512_add_epi32(bits(x), splat32(0x7FFF)), is_odd), 16);
    }
    OPWRIGHT_INLINE Bytes narrow_brain(Quarter x, Quarter y) {
        const Bytes lanes = _mm512_packus_epi32(rounded_upper(x), rounded_upper(y));
        return _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), lanes);
    }
};

}  // namespace
}  // namespace opwright::hifloat8
