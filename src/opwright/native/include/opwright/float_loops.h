// The loops of floats.h for one instruction set: included once for each, with
//   OPWRIGHT_PATH      the namespace
//   OPWRIGHT_TARGET    the attribute of its functions. What has none is inlined into those that have one
//   OPWRIGHT_PRODUCTS  how `math.fma` is computed
//   OPWRIGHT_HALVES    how many halves are converted by one instruction: 0, 8 or 16
#define OPWRIGHT_LOOP OPWRIGHT_TARGET __attribute__((flatten, noinline))

namespace opwright::OPWRIGHT_PATH {

using PathMath = Math<OPWRIGHT_PRODUCTS>;

// kStep elements as numbers.
template <typename T>
OPWRIGHT_TARGET inline void widen_step(const T* from, float* to) {
    for (int64_t k = 0; k < kStep; ++k) to[k] = widen(from[k]);
}

// kStep numbers as elements.
template <typename T>
OPWRIGHT_TARGET inline void narrow_step(const typename Computed<T>::Type* from, T* to) {
    for (int64_t k = 0; k < kStep; ++k) to[k] = narrow<T>(from[k]);
}

#if OPWRIGHT_HALVES == 8
OPWRIGHT_TARGET inline void widen_step(const Half* from, float* to) {
    for (int64_t k = 0; k < kStep; k += 8) {
        _mm256_storeu_ps(to + k, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k))));
    }
}

OPWRIGHT_TARGET inline void narrow_step(const float* from, Half* to) {
    const __m256 quiet = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000)), sign = _mm256_set1_ps(-0.0f);
    for (int64_t k = 0; k < kStep; k += 8) {
        const __m256 x = _mm256_loadu_ps(from + k);
        const __m256 nan = _mm256_or_ps(_mm256_and_ps(x, sign), quiet);
        const __m256 plain = _mm256_blendv_ps(x, nan, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + k), _mm256_cvtps_ph(plain, _MM_FROUND_TO_NEAREST_INT));
    }
}

// What a compiler makes of the loops above has no vectors here.
OPWRIGHT_TARGET inline void widen_step(const BFloat16* from, float* to) {
    for (int64_t k = 0; k < kStep; k += 8) {
        const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k)));
        _mm256_storeu_ps(to + k, _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16)));
    }
}

OPWRIGHT_TARGET inline void narrow_step(const float* from, BFloat16* to) {
    const __m256i below_half = _mm256_set1_epi32(0x7fff), one = _mm256_set1_epi32(1), quiet = _mm256_set1_epi32(0x7fc0);
    for (int64_t k = 0; k < kStep; k += 8) {
        const __m256 x = _mm256_loadu_ps(from + k);
        const __m256i bits = _mm256_castps_si256(x);
        const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), one);
        const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(_mm256_add_epi32(bits, below_half), odd), 16);
        const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
        const __m256i made = _mm256_blendv_epi8(rounded, quiet, is_nan);
        const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(made, made), 0xd8);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + k), _mm256_castsi256_si128(packed));
    }
}
#elif OPWRIGHT_HALVES == 16
constexpr __mmask16 kAll = 0xffff;  // g++ warns of its own intrinsics without a mask (its bug 105593)

OPWRIGHT_TARGET inline void widen_step(const Half* from, float* to) {
    const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    _mm512_storeu_ps(to, _mm512_maskz_cvtph_ps(kAll, halves));
}

OPWRIGHT_TARGET inline void narrow_step(const float* from, Half* to) {
    const __m512 quiet = _mm512_castsi512_ps(_mm512_set1_epi32(0x7fc00000)), sign = _mm512_set1_ps(-0.0f);
    const __m512 x = _mm512_loadu_ps(from);
    const __mmask16 is_nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
    const __m512 plain = _mm512_mask_or_ps(x, is_nan, _mm512_and_ps(x, sign), quiet);
    const __m256i halves = _mm512_maskz_cvtps_ph(kAll, plain, _MM_FROUND_TO_NEAREST_INT);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), halves);
}
#endif

template <int64_t count, typename T>
OPWRIGHT_TARGET inline auto loaded(const T* from) {
    if constexpr (sizeof(T) >= sizeof(float)) {
        return View<T>{from};
    } else {
        Block<count> to;
        for (int64_t k = 0; k < count; k += kStep) widen_step(from + k, to.at + k);
        return to;
    }
}

template <typename Function, typename Number, typename... Numbers>
OPWRIGHT_TARGET inline void combine(Function f, Number* to, const Numbers&... from) {
    for (int64_t k = 0; k < kStep; ++k) to[k] = f(PathMath(), from.at[k]...);
}

template <typename Function, typename T, typename... From>
OPWRIGHT_LOOP void compute(Function f, int64_t count, T* to, const From*... from) {
    for (int64_t i = 0; i < count; i += kStep) {
        typename Computed<T>::Type made[kStep];  // `to` may be one of those that are read
        combine(f, made, loaded<kStep>(from + i)...);
        narrow_step(made, to + i);
    }
}

template <int64_t count, typename Function, typename Number, typename Numbers>
OPWRIGHT_TARGET inline void add(Function f, Number* sums, const Numbers& from) {
    for (int64_t k = 0; k < count; ++k) sums[k] = f(PathMath(), sums[k], from.at[k]);
}

template <typename Function, typename Number, typename T>
OPWRIGHT_LOOP void accumulate(Function f, int64_t count, Number* sums, const T* from) {
    Number lanes[kLanes];
    for (int64_t k = 0; k < kLanes; ++k) lanes[k] = sums[k];
    int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) add<kLanes>(f, lanes, loaded<kLanes>(from + i));
    for (; i < count; i += kStep) add<kStep>(f, lanes, loaded<kStep>(from + i));
    for (int64_t k = 0; k < kLanes; ++k) sums[k] = lanes[k];
}

}  // namespace opwright::OPWRIGHT_PATH

#undef OPWRIGHT_LOOP
