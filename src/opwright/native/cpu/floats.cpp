// Floats of two bytes to float and back, many at a time. All paths give the same bits: NaN becomes the quiet one.
#include "opwright/floats.h"

#include "opwright/plan.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace opwright {

namespace {

template <typename T>
inline void widen_each(const T* from, float* to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) to[i] = widen(from[i]);
}

template <typename T>
inline void narrow_each(const float* from, T* to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) to[i] = narrow<T>(from[i]);
}

#if defined(__x86_64__)
constexpr int64_t kEight = 8;

const bool has_f16c = [] {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c");
}();

__attribute__((target("avx2,f16c"))) int64_t widen_eights(const Half* from, float* to, int64_t count) {
    int64_t i = 0;
    for (; i + kEight <= count; i += kEight) {
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
    }
    return i;
}

__attribute__((target("avx2,f16c"))) int64_t narrow_eights(const float* from, Half* to, int64_t count) {
    const __m256 quiet = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
    const __m256 sign = _mm256_castsi256_ps(_mm256_set1_epi32(INT32_MIN));
    int64_t i = 0;
    for (; i + kEight <= count; i += kEight) {
        const __m256 x = _mm256_loadu_ps(from + i);
        const __m256 nan = _mm256_or_ps(_mm256_and_ps(x, sign), quiet);
        const __m256 plain = _mm256_blendv_ps(x, nan, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm256_cvtps_ph(plain, _MM_FROUND_TO_NEAREST_INT));
    }
    return i;
}
#else
constexpr bool has_f16c = false;

int64_t widen_eights(const Half*, float*, int64_t) { return 0; }
int64_t narrow_eights(const float*, Half*, int64_t) { return 0; }
#endif

}  // namespace

void widen_all(const Half* from, float* to, int64_t count) {
    const int64_t done = has_f16c ? widen_eights(from, to, count) : 0;
    widen_each(from + done, to + done, count - done);
}

void narrow_all(const float* from, Half* to, int64_t count) {
    const int64_t done = has_f16c ? narrow_eights(from, to, count) : 0;
    narrow_each(from + done, to + done, count - done);
}

OPWRIGHT_CLONES void widen_all(const BFloat16* from, float* to, int64_t count) { widen_each(from, to, count); }

OPWRIGHT_CLONES void narrow_all(const float* from, BFloat16* to, int64_t count) { narrow_each(from, to, count); }

}  // namespace opwright
