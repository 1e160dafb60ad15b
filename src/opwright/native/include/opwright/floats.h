// Rows of any float type, computed in float (double stays double), by the widest instructions of the CPU.
//
// In: rows whose elements lie `step` apart, and a function of one number of each. It is called as f(math, x, ...) with
// scalars, and math has the fused product `fma` and `exp`. Out: a row of results, each rounded once, or one sum. A loop
// is compiled for each type and each instruction set (see float_loops.h), with the function inside, which vectorises. An
// iteration is short, so that the compiler has little to do. Rows with gaps are gathered first. Conversions alone are
// functions of the library (`take`, `put`).
//
// CPUs with fused products (AVX2 and later, all of AArch64) give the same bits. The others round a product before it is
// added, and may differ in the last place.
#pragma once

#include <type_traits>

#include "opwright/numbers.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace opwright {

constexpr int64_t kStep = 16;    // elements of one iteration: a multiple of every vector's length
constexpr int64_t kLanes = 64;   // of a sum
constexpr int64_t kPiece = 256;  // elements that are gathered at a time: a multiple of kLanes

// Elements that lie `step` apart.
template <typename T>
struct Run {
    T* data;
    int64_t step = 1;
};

// Numbers to compute with.
template <int64_t count>
struct Block {
    float at[count];
};

// The same, where they lie in a tensor.
template <typename Number>
struct View {
    const Number* at;
};

struct FusedMath {
    static float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
    static double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
};

struct PlainMath {
    static float fma(float a, float b, float c) { return a * b + c; }
    static double fma(double a, double b, double c) { return a * b + c; }
};

template <typename Products>
struct Math : Products {
    using Products::fma;

    // e^x as plain arithmetic: at most 1 unit in the last place off; 0, infinity and NaN as std::exp gives them, and
    // subnormals too.
    static float exp(float x) {
        // Outside of these the result is 0 or infinity anyway. NaN stays, since every comparison with it is false.
        const float clamped = x < -104.0f ? -104.0f : x > 89.0f ? 89.0f : x;
        // n = round(x / ln 2), by a sum with 1.5 * 2^23, whose low bits then hold it.
        const float shifted = fma(clamped, 0x1.715476p+0f, 0x1.8p23f);
        const float n = shifted - 0x1.8p23f;
        // ln 2 in two parts: n times the first one is exact.
        const float r = fma(n, -0x1.7f7d1cp-20f, fma(n, -0x1.62e4p-1f, clamped));
        float p = 0x1.6850e4p-10f;
        p = fma(p, r, 0x1.123bccp-7f);
        p = fma(p, r, 0x1.555b98p-5f);
        p = fma(p, r, 0x1.55548ep-3f);
        p = fma(p, r, 0x1.fffff8p-2f);
        const float near = 1.0f + fma(r * r, p, r);
        // 2^n in two factors, so that neither overflows: n is -150 to 129.
        const int32_t whole = bit_cast<int32_t>(shifted) - 0x4b400000;
        const int32_t half = whole >> 1;
        const float first = bit_cast<float>((half + 127) << 23), second = bit_cast<float>((whole - half + 127) << 23);
        return near * first * second;
    }

    // The same for doubles, by the series of e^x up to r^13: at most 2 units off. 2^n is made without shifts of signed
    // numbers, which vectors of 64 bits do not have everywhere.
    static double exp(double x) {
        const double clamped = x < -746.0 ? -746.0 : x > 710.0 ? 710.0 : x;
        const double n = fma(clamped, 0x1.71547652b82fep+0, 0x1.8p52) - 0x1.8p52;
        const double r = fma(n, -0x1.a39ef35793c76p-33, fma(n, -0x1.62e42feep-1, clamped));
        double p = 1.0 / 6227020800;
        p = fma(p, r, 1.0 / 479001600);
        p = fma(p, r, 1.0 / 39916800);
        p = fma(p, r, 1.0 / 3628800);
        p = fma(p, r, 1.0 / 362880);
        p = fma(p, r, 1.0 / 40320);
        p = fma(p, r, 1.0 / 5040);
        p = fma(p, r, 1.0 / 720);
        p = fma(p, r, 1.0 / 120);
        p = fma(p, r, 1.0 / 24);
        p = fma(p, r, 1.0 / 6);
        p = fma(p, r, 0.5);
        const double near = 1.0 + fma(r * r, p, r);
        const double shifted = n * 0.5 + 0x1.8p52, half = shifted - 0x1.8p52;
        return near * power_of_2(shifted) * power_of_2((n - half) + 0x1.8p52);
    }

   private:
    // 2^n, where n is what the low bits of n + 1.5 * 2^52 hold.
    static double power_of_2(double shifted) { return bit_cast<double>((bit_cast<uint64_t>(shifted) + 1023) << 52); }
};

enum class FloatPath { kBaseline, kAvx2, kAvx512 };

// The widest of this CPU: cpu/floats.cpp. Tests set others.
extern FloatPath float_path;

// Conversions of elements without gaps, by these instructions: cpu/float_conversions.cpp.
void widen_all(const Half* from, int64_t count, float* to);
void widen_all(const BFloat16* from, int64_t count, float* to);
void narrow_all(const float* from, int64_t count, Half* to);
void narrow_all(const float* from, int64_t count, BFloat16* to);

}  // namespace opwright

#if defined(__x86_64__)
#define OPWRIGHT_AVX2 __attribute__((target("avx2,fma,f16c")))
#if defined(__clang__)
#define OPWRIGHT_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c"), min_vector_width(512)))
#else
#define OPWRIGHT_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c,prefer-vector-width=512")))
#endif
#endif

#define OPWRIGHT_PATH baseline
#define OPWRIGHT_TARGET
#if defined(__x86_64__)
#define OPWRIGHT_PRODUCTS PlainMath
#else
#define OPWRIGHT_PRODUCTS FusedMath
#endif
#define OPWRIGHT_HALVES 0
#include "opwright/float_loops.h"
#undef OPWRIGHT_PATH
#undef OPWRIGHT_TARGET
#undef OPWRIGHT_HALVES
#undef OPWRIGHT_PRODUCTS

#if defined(__x86_64__)
#define OPWRIGHT_PRODUCTS FusedMath

#define OPWRIGHT_PATH avx2
#define OPWRIGHT_TARGET OPWRIGHT_AVX2
#define OPWRIGHT_HALVES 8
#include "opwright/float_loops.h"
#undef OPWRIGHT_PATH
#undef OPWRIGHT_TARGET
#undef OPWRIGHT_HALVES

#define OPWRIGHT_PATH avx512
#define OPWRIGHT_TARGET OPWRIGHT_AVX512
#define OPWRIGHT_HALVES 16
#include "opwright/float_loops.h"
#undef OPWRIGHT_PATH
#undef OPWRIGHT_TARGET
#undef OPWRIGHT_HALVES
#undef OPWRIGHT_PRODUCTS
#endif

namespace opwright {

// to[i] = f(math, from[i]...) for `count` elements, up to the next multiple of kStep.
template <typename Function, typename T, typename... From>
void compute(Function f, int64_t count, T* to, const From*... from) {
#if defined(__x86_64__)
    if (float_path == FloatPath::kAvx512) return avx512::compute(f, count, to, from...);
    if (float_path == FloatPath::kAvx2) return avx2::compute(f, count, to, from...);
#endif
    baseline::compute(f, count, to, from...);
}

// sums[k] = f(math, sums[k], from[i]) for `count` elements, up to the next multiple of kStep. Whole lots of kLanes go to
// all lanes, the rest to the first ones.
template <typename Function, typename Number, typename T>
void accumulate(Function f, int64_t count, Number* sums, const T* from) {
#if defined(__x86_64__)
    if (float_path == FloatPath::kAvx512) return avx512::accumulate(f, count, sums, from);
    if (float_path == FloatPath::kAvx2) return avx2::accumulate(f, count, sums, from);
#endif
    baseline::accumulate(f, count, sums, from);
}

// Elements of a row as numbers to compute with.
template <typename T>
void take(Run<const T> from, int64_t count, typename Computed<T>::Type* to) {
    if constexpr (sizeof(T) >= sizeof(float)) {
        if (from.step == 1) return static_cast<void>(std::memcpy(to, from.data, static_cast<size_t>(count) * sizeof(T)));
        for (int64_t i = 0; i < count; ++i) to[i] = from.data[i * from.step];
    } else if (from.step == 1) {
        widen_all(from.data, count, to);
    } else {
        T taken[kPiece];
        for (int64_t begin = 0; begin < count; begin += kPiece) {
            const int64_t some = count - begin < kPiece ? count - begin : kPiece;
            for (int64_t i = 0; i < some; ++i) taken[i] = from.data[(begin + i) * from.step];
            widen_all(taken, some, to + begin);
        }
    }
}

// Numbers that were computed as elements of a row, each rounded once.
template <typename T>
void put(const typename Computed<T>::Type* from, int64_t count, Run<T> to) {
    if constexpr (sizeof(T) >= sizeof(float)) {
        if (to.step == 1) return static_cast<void>(std::memcpy(to.data, from, static_cast<size_t>(count) * sizeof(T)));
        for (int64_t i = 0; i < count; ++i) to.data[i * to.step] = from[i];
    } else if (to.step == 1) {
        narrow_all(from, count, to.data);
    } else {
        T rounded[kPiece];
        for (int64_t begin = 0; begin < count; begin += kPiece) {
            const int64_t some = count - begin < kPiece ? count - begin : kPiece;
            narrow_all(from + begin, some, rounded);
            for (int64_t i = 0; i < some; ++i) to.data[(begin + i) * to.step] = rounded[i];
        }
    }
}

// Elements of a row as numbers of another type.
template <typename T, typename Number>
void take_as(Run<const T> from, int64_t count, Number* to) {
    if constexpr (std::is_same_v<typename Computed<T>::Type, Number>) {
        take(from, count, to);
    } else {
        for (int64_t i = 0; i < count; ++i) to[i] = static_cast<Number>(widen(from.data[i * from.step]));
    }
}

// A row that is read in pieces without gaps: where they lie, if that can be, else in `space`.
template <typename T>
struct Pieces {
    explicit Pieces(Run<const T> row) : from(row) {}

    // `some` elements from the i-th on, and zeros up to the next multiple of kStep.
    const T* at(int64_t i, int64_t some) {
        const T* const data = from.data + i * from.step;
        if (from.step == 1 && some % kStep == 0) return data;
        for (int64_t k = 0; k < some; ++k) space[k] = data[k * from.step];
        for (int64_t k = some; k % kStep != 0; ++k) space[k] = T{};
        return space;
    }

    Run<const T> from;
    alignas(64) T space[kPiece];
};

// How many of the elements that are left are the next piece: all vectors of it are whole, or it is shorter than one.
inline int64_t piece_of(int64_t left, int64_t multiple, bool is_dense) {
    if (left < multiple) return left;
    return is_dense || left < kPiece ? left - left % multiple : kPiece;
}

template <typename Function, typename T, typename... From>
void map_pieces(Function f, int64_t count, Run<T> to, Pieces<From>&&... from) {
    const bool is_dense = to.step == 1 && (... && (from.from.step == 1));
    alignas(64) T made[kPiece];
    for (int64_t i = 0, some; i < count; i += some) {
        some = piece_of(count - i, kStep, is_dense);
        T* const data = to.data + i * to.step;
        if (to.step == 1 && some % kStep == 0) {
            compute(f, some, data, from.at(i, some)...);
            continue;
        }
        compute(f, some, made, from.at(i, some)...);
        for (int64_t k = 0; k < some; ++k) data[k * to.step] = made[k];
    }
}

// to[i] = f(math, from[i]...) for `count` elements. `to` may be one of those that are read.
template <typename Function, typename T, typename... From>
void map(Function f, int64_t count, Run<T> to, Run<const From>... from) {
    map_pieces(f, count, to, Pieces<From>(from)...);
}

// The sum that sum = f(math, sum, from[i]) makes in kLanes lanes, whose sums are added in a fixed order.
template <typename Function, typename T>
typename Computed<T>::Type fold(Function f, int64_t count, Run<const T> from) {
    Pieces<T> pieces(from);
    typename Computed<T>::Type sums[kLanes] = {};
    for (int64_t i = 0, some; i < count; i += some) {
        some = piece_of(count - i, count - i < kLanes ? kStep : kLanes, from.step == 1);
        accumulate(f, some, sums, pieces.at(i, some));
    }
    for (int64_t half = kLanes / 2; half; half /= 2) {
        for (int64_t k = 0; k < half; ++k) sums[k] += sums[k + half];
    }
    return sums[0];
}

}  // namespace opwright
