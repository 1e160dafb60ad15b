// The loops of floats.h for one instruction set: included once for each, with
//   OPWRIGHT_PATH      the namespace
//   OPWRIGHT_TARGET    the attribute of its functions. What has none is inlined into those that have one
//   OPWRIGHT_PRODUCTS  how `math.fma` is computed
//   OPWRIGHT_HALVES    how many halves are converted by one instruction: 0, 8 or 16
#define OPWRIGHT_LOOP OPWRIGHT_TARGET __attribute__((flatten))

namespace opwright::OPWRIGHT_PATH {

using PathMath = Math<OPWRIGHT_PRODUCTS>;

template <int64_t count, typename T>
OPWRIGHT_TARGET inline auto loaded(const T* from) {
    if constexpr (sizeof(T) >= sizeof(float)) {
        return View<T>{from};
    } else {
        Block<count, float> to;
        for (int64_t k = 0; k < count; ++k) to.at[k] = widen(from[k]);
        return to;
    }
}

template <int64_t count, typename T>
OPWRIGHT_TARGET inline void store(const Block<count, typename Computed<T>::Type>& from, T* to) {
    for (int64_t k = 0; k < count; ++k) to[k] = narrow<T>(from.at[k]);
}

#if OPWRIGHT_HALVES == 8
template <int64_t count>
OPWRIGHT_TARGET inline Block<count, float> loaded(const Half* from) {
    Block<count, float> to;
    for (int64_t k = 0; k < count; k += 8) {
        _mm256_storeu_ps(to.at + k, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k))));
    }
    return to;
}

template <int64_t count>
OPWRIGHT_TARGET inline void store(const Block<count, float>& from, Half* to) {
    const __m256 quiet = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000)), sign = _mm256_set1_ps(-0.0f);
    for (int64_t k = 0; k < count; k += 8) {
        const __m256 x = _mm256_loadu_ps(from.at + k);
        const __m256 nan = _mm256_or_ps(_mm256_and_ps(x, sign), quiet);
        const __m256 plain = _mm256_blendv_ps(x, nan, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + k), _mm256_cvtps_ph(plain, _MM_FROUND_TO_NEAREST_INT));
    }
}
#elif OPWRIGHT_HALVES == 16
constexpr __mmask16 kAll = 0xffff;  // g++ warns of its own intrinsics without a mask (its bug 105593)

template <int64_t count>
OPWRIGHT_TARGET inline Block<count, float> loaded(const Half* from) {
    Block<count, float> to;
    for (int64_t k = 0; k < count; k += 16) {
        const __m256i halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + k));
        _mm512_storeu_ps(to.at + k, _mm512_maskz_cvtph_ps(kAll, halves));
    }
    return to;
}

template <int64_t count>
OPWRIGHT_TARGET inline void store(const Block<count, float>& from, Half* to) {
    const __m512 quiet = _mm512_castsi512_ps(_mm512_set1_epi32(0x7fc00000)), sign = _mm512_set1_ps(-0.0f);
    for (int64_t k = 0; k < count; k += 16) {
        const __m512 x = _mm512_loadu_ps(from.at + k);
        const __mmask16 is_nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
        const __m512 plain = _mm512_mask_or_ps(x, is_nan, _mm512_and_ps(x, sign), quiet);
        const __m256i halves = _mm512_maskz_cvtps_ph(kAll, plain, _MM_FROUND_TO_NEAREST_INT);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + k), halves);
    }
}
#endif

template <int64_t count, typename Function, typename Number, typename... Numbers>
OPWRIGHT_TARGET inline void combine(Function f, Block<count, Number>& to, const Numbers&... from) {
    for (int64_t k = 0; k < count; ++k) to.at[k] = f(PathMath(), from.at[k]...);
}

template <int64_t count, typename Function, typename T, typename... From>
OPWRIGHT_TARGET inline void map_block(Function f, T* to, const From*... from) {
    Block<count, typename Computed<T>::Type> made;
    combine(f, made, loaded<count>(from)...);
    store(made, to);
}

// Up to kRest elements of a row, from the i-th on, without gaps; zeros behind them.
template <typename T>
OPWRIGHT_TARGET inline Block<kRest, T> gathered(Run<const T> from, int64_t i, int64_t some) {
    Block<kRest, T> taken{};
    for (int64_t k = 0; k < some; ++k) taken.at[k] = from.data[(i + k) * from.step];
    return taken;
}

template <typename Function, typename T, typename... From>
OPWRIGHT_LOOP void map(Function f, int64_t count, Run<T> to, Run<const From>... from) {
    int64_t i = 0;
    if (to.step == 1 && (... && (from.step == 1))) {
        for (; i + kBlock <= count; i += kBlock) map_block<kBlock>(f, to.data + i, (from.data + i)...);
    }
    for (; i < count; i += kRest) {
        const int64_t some = count - i < kRest ? count - i : kRest;
        Block<kRest, T> made;
        map_block<kRest>(f, made.at, gathered(from, i, some).at...);
        for (int64_t k = 0; k < some; ++k) to.data[(i + k) * to.step] = made.at[k];
    }
}

template <int64_t count, typename Function, typename Number, typename Numbers>
OPWRIGHT_TARGET inline void fold_block(Function f, Number* sums, const Numbers& from) {
    for (int64_t k = 0; k < count; ++k) sums[k] = f(PathMath(), sums[k], from.at[k]);
}

template <typename Function, typename T>
OPWRIGHT_LOOP typename Computed<T>::Type fold(Function f, int64_t count, Run<const T> from) {
    typename Computed<T>::Type sums[kBlock] = {};
    int64_t i = 0;
    if (from.step == 1) {
        for (; i + kBlock <= count; i += kBlock) fold_block<kBlock>(f, sums, loaded<kBlock>(from.data + i));
    }
    for (; i < count; i += kRest) {
        const int64_t some = count - i < kRest ? count - i : kRest;
        fold_block<kRest>(f, sums, loaded<kRest>(gathered(from, i, some).at));
    }
    for (int64_t half = kBlock / 2; half; half /= 2) {
        for (int64_t k = 0; k < half; ++k) sums[k] += sums[k + half];
    }
    return sums[0];
}

}  // namespace opwright::OPWRIGHT_PATH

#undef OPWRIGHT_LOOP
