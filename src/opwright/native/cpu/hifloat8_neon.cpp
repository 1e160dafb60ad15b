// The path of every aarch64.
#if defined(__aarch64__)
#include <arm_neon.h>

#define OPWRIGHT_TARGET
#include "hifloat8_paths.h"
#include "hifloat8_vector.h"

namespace opwright::hifloat8 {
namespace {

struct Neon {
    static constexpr int kWidth = 16;
    static constexpr bool kInverts = false;
    static constexpr int64_t kAlignment = 1;  // there is no store past the caches
    using Bytes = uint8x16_t;
    using Quarter = float32x4_t;

    OPWRIGHT_INLINE Bytes load_bytes(const void* in) { return vld1q_u8(static_cast<const uint8_t*>(in)); }
    OPWRIGHT_INLINE void store_bytes(Bytes bytes, void* out, bool) { vst1q_u8(static_cast<uint8_t*>(out), bytes); }
    static void fence() {}

    OPWRIGHT_INLINE Bytes of16(uint16x8_t x) { return vreinterpretq_u8_u16(x); }
    OPWRIGHT_INLINE Bytes of32(uint32x4_t x) { return vreinterpretq_u8_u32(x); }
    OPWRIGHT_INLINE uint16x8_t as16(Bytes x) { return vreinterpretq_u16_u8(x); }
    OPWRIGHT_INLINE uint32x4_t as32(Bytes x) { return vreinterpretq_u32_u8(x); }

    OPWRIGHT_INLINE Bytes splat(uint8_t value) { return vdupq_n_u8(value); }
    OPWRIGHT_INLINE Bytes splat16(uint16_t value) { return of16(vdupq_n_u16(value)); }
    OPWRIGHT_INLINE Bytes splat32(uint32_t value) { return of32(vdupq_n_u32(value)); }
    template <int by>
    OPWRIGHT_INLINE Bytes right16(Bytes x) { return of16(vshrq_n_u16(as16(x), by)); }
    template <int by>
    OPWRIGHT_INLINE Bytes left16(Bytes x) { return of16(vshlq_n_u16(as16(x), by)); }
    OPWRIGHT_INLINE Bytes select(Bytes mask, Bytes yes, Bytes no) { return vbslq_u8(mask, yes, no); }
    OPWRIGHT_INLINE Bytes minus_or_0(Bytes x, Bytes y) { return vqsubq_u8(x, y); }
    OPWRIGHT_INLINE Bytes least(Bytes x, Bytes y) { return vminq_u8(x, y); }
    OPWRIGHT_INLINE Bytes plus_top_bit(Bytes x, Bytes top) { return vsraq_n_u8(x, top, 7); }
    OPWRIGHT_INLINE Bytes where_not_0(Bytes test, Bytes x) { return vandq_u8(vtstq_u8(test, test), x); }
    OPWRIGHT_INLINE Bytes equal(Bytes x, Bytes y) { return vceqq_u8(x, y); }
    OPWRIGHT_INLINE bool any_equal(Bytes x, Bytes y) { return vmaxvq_u8(equal(x, y)) != 0; }

    OPWRIGHT_INLINE Bytes lookup(const uint8_t* table, Bytes index) {
        const uint8x16x4_t parts = {{vld1q_u8(table), vld1q_u8(table + 16), vld1q_u8(table + 32), vld1q_u8(table + 48)}};
        return vqtbl4q_u8(parts, index);
    }
    OPWRIGHT_INLINE Bytes lookup_magnitude(const uint8_t* table, Bytes index) {
        const Bytes size = vandq_u8(index, splat(0x7F));
        return vorrq_u8(lookup(table, size), lookup(table + 64, vsubq_u8(size, splat(64))));
    }

    OPWRIGHT_INLINE Bytes sorted_halves(Bytes x) {
        const Bytes apart = {0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15};
        return vqtbl1q_u8(x, apart);
    }
    OPWRIGHT_INLINE Bytes sorted_quarters(Bytes x) {
        const Bytes apart = {0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15};
        return vqtbl1q_u8(x, apart);
    }
    OPWRIGHT_INLINE Bytes unsorted_halves(Bytes x) { return x; }
    OPWRIGHT_INLINE Bytes unsorted_quarters(Bytes x) { return x; }
    OPWRIGHT_INLINE Bytes zip_first8(Bytes x, Bytes y) { return vzip1q_u8(x, y); }
    OPWRIGHT_INLINE Bytes zip_second8(Bytes x, Bytes y) { return vzip2q_u8(x, y); }
    OPWRIGHT_INLINE Bytes zip_first16(Bytes x, Bytes y) { return of16(vzip1q_u16(as16(x), as16(y))); }
    OPWRIGHT_INLINE Bytes zip_second16(Bytes x, Bytes y) { return of16(vzip2q_u16(as16(x), as16(y))); }

    OPWRIGHT_INLINE Quarter floats(Bytes x) { return vreinterpretq_f32_u8(x); }
    OPWRIGHT_INLINE Bytes bits(Quarter x) { return vreinterpretq_u8_f32(x); }
    OPWRIGHT_INLINE Bytes upper(Quarter x) { return of32(vshrq_n_u32(vreinterpretq_u32_f32(x), 16)); }
    OPWRIGHT_INLINE Bytes is_nan(Quarter x) { return of32(vmvnq_u32(vceqq_f32(x, x))); }
    OPWRIGHT_INLINE Quarter quiet(Quarter x) { return floats(vorrq_u8(bits(x), vandq_u8(is_nan(x), splat32(0x00400000)))); }
    OPWRIGHT_INLINE Quarter canonical(Quarter x) { return floats(select(is_nan(x), splat32(0x7FC00000), bits(x))); }
    OPWRIGHT_INLINE uint16x4_t load_words(const void* in) { return vreinterpret_u16_u8(vld1_u8(static_cast<const uint8_t*>(in))); }
    OPWRIGHT_INLINE Quarter load_half(const void* in) { return vcvt_f32_f16(vreinterpret_f16_u16(load_words(in))); }
    OPWRIGHT_INLINE Quarter load_brain(const void* in) { return vreinterpretq_f32_u32(vshll_n_u16(load_words(in), 16)); }
    OPWRIGHT_INLINE Bytes narrow_half(Quarter x, Quarter y) {
        return vreinterpretq_u8_f16(vcvt_high_f16_f32(vcvt_f16_f32(x), y));
    }
    OPWRIGHT_INLINE uint32x4_t rounded(Quarter x) {
        const uint32x4_t word = vreinterpretq_u32_f32(x);
        const uint32x4_t is_odd = vandq_u32(vshrq_n_u32(word, 16), vdupq_n_u32(1));
        return vaddq_u32(vaddq_u32(word, vdupq_n_u32(0x7FFF)), is_odd);
    }
    OPWRIGHT_INLINE Bytes narrow_brain(Quarter x, Quarter y) {
        return of16(vuzp2q_u16(vreinterpretq_u16_u32(rounded(x)), vreinterpretq_u16_u32(rounded(y))));
    }
};

}  // namespace

constexpr Path kNeonPath = Loops<Vector<InBytes<Neon>>>::path("neon");

}  // namespace opwright::hifloat8
#endif
