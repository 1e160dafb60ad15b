// The path of AVX-512 with VBMI, which looks bytes up in tables of 64 and 128.
#if defined(__x86_64__)
#define OPWRIGHT_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")))
#include "hifloat8_avx512.h"
#include "hifloat8_paths.h"

namespace opwright::hifloat8 {
namespace {

// Where each of kWidth elements lies after `encode_halves`.
struct Places {
    alignas(64) uint8_t of_halves[64], of_quarters[64];
};

constexpr Places places() {
    Places made{};
    for (int i = 0; i < 64; ++i) {
        const int quarter = i / 16;
        made.of_halves[i] = uint8_t(i % 32 * 2 + i / 32);
        made.of_quarters[i] = uint8_t(i % 16 * 4 + quarter % 2 * 2 + quarter / 2);
    }
    return made;
}

constexpr Places kPlaces = places();

struct Vbmi : Avx512 {
    OPWRIGHT_INLINE Bytes lookup(const uint8_t* table, Bytes index) { return _mm512_permutexvar_epi8(index, load_bytes(table)); }
    OPWRIGHT_INLINE Bytes lookup_magnitude(const uint8_t* table, Bytes index) {
        return _mm512_permutex2var_epi8(load_bytes(table), index, load_bytes(table + 64));
    }
    OPWRIGHT_INLINE Bytes sorted_halves(Bytes x) { return _mm512_permutexvar_epi8(load_bytes(kPlaces.of_halves), x); }
    OPWRIGHT_INLINE Bytes sorted_quarters(Bytes x) { return _mm512_permutexvar_epi8(load_bytes(kPlaces.of_quarters), x); }
};

}  // namespace

constexpr Path kVbmiPath = Loops<Vector<InBytes<Vbmi>>>::path("vbmi");

}  // namespace opwright::hifloat8
#endif
