// The path of AVX2; F16C comes with it on every CPU.
#if defined(__x86_64__)
#include <immintrin.h>

#define OPWRIGHT_TARGET __attribute__((target("avx2,f16c")))
#include "hifloat8_paths.h"
#include "hifloat8_vector.h"

namespace opwright::hifloat8 {
namespace {

struct Avx2 {
    static constexpr int kWidth = 32;
    static constexpr bool kInverts = false;
    static constexpr int64_t kAlignment = 32;
    using Bytes = __m256i;
    using Quarter = __m256;

    OPWRIGHT_INLINE Bytes load_bytes(const void* in) { return _mm256_loadu_si256(static_cast<const __m256i*>(in)); }
    OPWRIGHT_INLINE void store_bytes(Bytes bytes, void* out, bool stream) {
        if (stream) _mm256_stream_si256(static_cast<__m256i*>(out), bytes);
        else _mm256_storeu_si256(static_cast<__m256i*>(out), bytes);
    }
    static void fence() { _mm_sfence(); }

    OPWRIGHT_INLINE Bytes splat(uint8_t value) { return _mm256_set1_epi8(char(value)); }
    OPWRIGHT_INLINE Bytes splat16(uint16_t value) { return _mm256_set1_epi16(short(value)); }
    OPWRIGHT_INLINE Bytes splat32(uint32_t value) { return _mm256_set1_epi32(int(value)); }
    template <int by>
    OPWRIGHT_INLINE Bytes right16(Bytes x) { return _mm256_srli_epi16(x, by); }
    template <int by>
    OPWRIGHT_INLINE Bytes left16(Bytes x) { return _mm256_slli_epi16(x, by); }
    OPWRIGHT_INLINE Bytes select(Bytes mask, Bytes yes, Bytes no) { return (mask & yes) | _mm256_andnot_si256(mask, no); }
    OPWRIGHT_INLINE Bytes minus_or_0(Bytes x, Bytes y) { return _mm256_subs_epu8(x, y); }
    OPWRIGHT_INLINE Bytes least(Bytes x, Bytes y) { return _mm256_min_epu8(x, y); }
    OPWRIGHT_INLINE Bytes plus_top_bit(Bytes x, Bytes top) { return _mm256_sub_epi8(x, _mm256_cmpgt_epi8(splat(0), top)); }
    OPWRIGHT_INLINE Bytes where_not_0(Bytes test, Bytes x) { return _mm256_andnot_si256(equal(test, splat(0)), x); }
    OPWRIGHT_INLINE Bytes equal(Bytes x, Bytes y) { return _mm256_cmpeq_epi8(x, y); }
    OPWRIGHT_INLINE bool any_equal(Bytes x, Bytes y) { return _mm256_movemask_epi8(equal(x, y)) != 0; }

    // Four tables of 16; those that an index is not in give 0.
    OPWRIGHT_INLINE Bytes lookup(const uint8_t* table, Bytes index) {
        Bytes found = splat(0);
        for (int i = 0; i < 4; ++i) {
            const Bytes part = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(table) + i));
            const Bytes within = _mm256_adds_epu8(_mm256_sub_epi8(index, splat(uint8_t(16 * i))), splat(0x70));
            found = found | _mm256_shuffle_epi8(part, within);
        }
        return found;
    }
    OPWRIGHT_INLINE Bytes lookup_magnitude(const uint8_t* table, Bytes index) {
        const Bytes size = index & splat(0x7F);
        return lookup(table, size) | lookup(table + 64, _mm256_sub_epi8(size, splat(64)));
    }

    OPWRIGHT_INLINE Bytes sorted_halves(Bytes x) {
        const __m128i apart = _mm_setr_epi8(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
        return unsorted_halves(_mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(apart)));
    }
    OPWRIGHT_INLINE Bytes sorted_quarters(Bytes x) {
        const __m128i apart = _mm_setr_epi8(0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15);
        const Bytes lanes = _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(apart));
        return _mm256_permutevar8x32_epi32(lanes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    }
    OPWRIGHT_INLINE Bytes unsorted_halves(Bytes x) { return _mm256_permute4x64_epi64(x, 0xD8); }
    OPWRIGHT_INLINE Bytes unsorted_quarters(Bytes x) { return _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7)); }
    OPWRIGHT_INLINE Bytes zip_first8(Bytes x, Bytes y) { return _mm256_unpacklo_epi8(x, y); }
    OPWRIGHT_INLINE Bytes zip_second8(Bytes x, Bytes y) { return _mm256_unpackhi_epi8(x, y); }
    OPWRIGHT_INLINE Bytes zip_first16(Bytes x, Bytes y) { return _mm256_unpacklo_epi16(x, y); }
    OPWRIGHT_INLINE Bytes zip_second16(Bytes x, Bytes y) { return _mm256_unpackhi_epi16(x, y); }

    OPWRIGHT_INLINE Quarter floats(Bytes x) { return _mm256_castsi256_ps(x); }
    OPWRIGHT_INLINE Bytes bits(Quarter x) { return _mm256_castps_si256(x); }
    OPWRIGHT_INLINE Bytes upper(Quarter x) { return _mm256_srli_epi32(bits(x), 16); }
    OPWRIGHT_INLINE Bytes is_nan(Quarter x) { return bits(_mm256_cmp_ps(x, x, _CMP_UNORD_Q)); }
    OPWRIGHT_INLINE Quarter quiet(Quarter x) { return floats(bits(x) | (is_nan(x) & splat32(0x00400000))); }
    OPWRIGHT_INLINE Quarter canonical(Quarter x) { return floats(select(is_nan(x), splat32(0x7FC00000), bits(x))); }
    OPWRIGHT_INLINE __m128i load_words(const void* in) { return _mm_loadu_si128(static_cast<const __m128i*>(in)); }
    OPWRIGHT_INLINE Quarter load_half(const void* in) { return _mm256_cvtph_ps(load_words(in)); }
    OPWRIGHT_INLINE Quarter load_brain(const void* in) { return floats(_mm256_slli_epi32(_mm256_cvtepu16_epi32(load_words(in)), 16)); }
    OPWRIGHT_INLINE Bytes narrow_half(Quarter x, Quarter y) {
        return _mm256_set_m128i(_mm256_cvtps_ph(y, _MM_FROUND_TO_NEAREST_INT), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
    }
    OPWRIGHT_INLINE Bytes rounded_upper(Quarter x) {
        const Bytes is_odd = upper(x) & splat32(1);
        return _mm256_srli_epi32(_mm256_add_epi32(_mm256_add_epi32(bits(x), splat32(0x7FFF)), is_odd), 16);
    }
    OPWRIGHT_INLINE Bytes narrow_brain(Quarter x, Quarter y) {
        return _mm256_permute4x64_epi64(_mm256_packus_epi32(rounded_upper(x), rounded_upper(y)), 0xD8);
    }
};

}  // namespace

constexpr Path kAvx2Path = Loops<Vector<InBytes<Avx2>>>::path("avx2");

}  // namespace opwright::hifloat8
#endif
