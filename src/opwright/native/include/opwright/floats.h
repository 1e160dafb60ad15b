// Rows of any float type, computed in float (double stays double), by the widest instructions of the CPU.
//
// In: rows whose elements lie `step` apart, and a function of one number of each. It is called as f(math, x, ...) with
// scalars, and math has the fused product `fma` and `exp`. Out: a row of results, each rounded once, or one sum. All is
// compiled for each instruction set (see float_loops.h), with the function inside of the loop, which vectorises.
//
// CPUs with fused products (AVX2 and later, all of AArch64) give the same bits. The others round a product before it is
// added, and may differ in the last place.
#pragma once

#include "opwright/numbers.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace opwright {

constexpr int64_t kBlock = 64;  // elements of one iteration: a multiple of every vector's length
constexpr int64_t kRest = 16;   // of one behind the last whole block, or of rows with gaps

// Elements that lie `step` apart.
template <typename T>
struct Run {
    T* data;
    int64_t step = 1;
};

// Numbers to compute with.
template <int64_t count, typename Number>
struct Block {
    Number at[count];
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

// The widest of this CPU: cpu/floats.cpp.
extern const FloatPath kFloatPath;

}  // namespace opwright

#define OPWRIGHT_PATH baseline
#define OPWRIGHT_TARGET
#define OPWRIGHT_HALVES 0
#if defined(__x86_64__)
#define OPWRIGHT_PRODUCTS PlainMath
#else
#define OPWRIGHT_PRODUCTS FusedMath
#endif
#include "opwright/float_loops.h"
#undef OPWRIGHT_PATH
#undef OPWRIGHT_TARGET
#undef OPWRIGHT_HALVES
#undef OPWRIGHT_PRODUCTS

#if defined(__x86_64__)
#define OPWRIGHT_PRODUCTS FusedMath

#define OPWRIGHT_PATH avx2
#define OPWRIGHT_TARGET __attribute__((target("avx2,fma,f16c")))
#define OPWRIGHT_HALVES 8
#include "opwright/float_loops.h"
#undef OPWRIGHT_PATH
#undef OPWRIGHT_TARGET
#undef OPWRIGHT_HALVES

#define OPWRIGHT_PATH avx512
#if defined(__clang__)
#define OPWRIGHT_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c"), min_vector_width(512)))
#else
#define OPWRIGHT_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c,prefer-vector-width=512")))
#endif
#define OPWRIGHT_HALVES 16
#include "opwright/float_loops.h"
#undef OPWRIGHT_PATH
#undef OPWRIGHT_TARGET
#undef OPWRIGHT_HALVES
#undef OPWRIGHT_PRODUCTS
#endif

namespace opwright {

// to[i] = f(math, from[i]...) for `count` elements. `to` may be one of those that are read.
template <typename Function, typename T, typename... From>
void map(Function f, int64_t count, Run<T> to, Run<const From>... from) {
#if defined(__x86_64__)
    if (kFloatPath == FloatPath::kAvx512) return avx512::map(f, count, to, from...);
    if (kFloatPath == FloatPath::kAvx2) return avx2::map(f, count, to, from...);
#endif
    baseline::map(f, count, to, from...);
}

// The sum that sum = f(math, sum, from[i]) makes in kBlock lanes, whose sums are added in a fixed order.
template <typename Function, typename T>
typename Computed<T>::Type fold(Function f, int64_t count, Run<const T> from) {
#if defined(__x86_64__)
    if (kFloatPath == FloatPath::kAvx512) return avx512::fold(f, count, from);
    if (kFloatPath == FloatPath::kAvx2) return avx2::fold(f, count, from);
#endif
    return baseline::fold(f, count, from);
}

}  // namespace opwright
