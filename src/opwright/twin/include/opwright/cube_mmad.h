// Chapter cube_mmad: products of the matrix unit, over what lies in L0A and L0B, into L0C. See cube_product.h.
//
// A call with m, n or k of 0 does nothing. If m is 1, A is one row of k elements; not if the parameters forbid it.
#pragma once

#include "cube_part.h"
#include "cube_product.h"
#include "cube_sparse.h"

namespace opwright {

template <typename Params>
OPWRIGHT_INLINE bool is_nothing(const Params& params) {
    return params.m == 0 || params.n == 0 || params.k == 0;
}

template <typename Params>
OPWRIGHT_INLINE CubeLeft left_lies(const At& at, const Params& params) {
    if (params.m == 1 && !(is_3510(at) && params.disableGemv)) return CubeLeft::ROW;
    return is_3510(at) ? CubeLeft::NZ : CubeLeft::ZZ;
}

// Columns that a row of fractals of A lies with: with kDirectionAlign k is rounded up to 16, not to the 8 of float.
template <typename Params>
OPWRIGHT_INLINE int64_t stored_columns(const Params& params) {
    return params.kDirectionAlign ? fractals_of(params.k, 16) * 16 : params.k;
}

// The m x k elements of A.
template <typename T, typename Params>
OPWRIGHT_INLINE PartOfFractals left_of_product(const At& at, const Params& params) {
    if (is_nothing(params)) return {};
    const uint64_t bytes = params.k * sizeof(T);
    const CubeLeft lies = left_lies(at, params);
    if (lies == CubeLeft::ROW) return {1, bytes, 0, kBlockBytes};
    const uint64_t stored = fractals_of(stored_columns(params), kC0<T>);
    if (lies == CubeLeft::ZZ) return {params.m, bytes, stored * kFractalBytes, kFractalBytes};
    return {params.m, bytes, kFractalBytes, fractals_of(params.m, kFractalSide) * kFractalBytes};
}

// Of a sparse product, whose A always lies in fractals.
template <typename Params>
OPWRIGHT_INLINE PartOfFractals left_of_sparse(const Params& params) {
    if (is_nothing(params)) return {};
    return {params.m, params.k, fractals_of(params.k, kC0<int8_t>) * kFractalBytes, kFractalBytes};
}

// The k x n elements of B; `part` is how much of k it has: all, or of a sparse one half.
template <typename T, typename Params>
OPWRIGHT_INLINE PartOfFractals right_of_product(const Params& params, uint32_t part = 1) {
    if (is_nothing(params)) return {};
    return {params.n, params.k / part * sizeof(T), kFractalBytes, fractals_of(params.n, kFractalSide) * kFractalBytes};
}

// Rows of 16 sums, in columns of fractals.
template <typename Params>
OPWRIGHT_INLINE Runs sums_of_product(const Params& params) {
    constexpr uint64_t row = kFractalSide * sizeof(float);
    if (is_nothing(params)) return {0, 0, 0};
    return {static_cast<uint64_t>(fractals_of(params.n, kFractalSide)), params.m * row,
            fractals_of(params.m, kFractalSide) * kFractalSide * row};
}

// What sums start from if the call is given no bias. A deprecated field asks for what is in C, too.
template <typename Params>
OPWRIGHT_INLINE CubeStart start_of_product(const Params& params) {
    if (params.cmatrixInitVal && !params.isBias) return CubeStart::ZERO;
    return params.cmatrixSource ? CubeStart::BIAS : CubeStart::KEPT;
}

template <typename Params>
OPWRIGHT_INLINE Runs sums_before_product(const Params& params) {
    return start_of_product(params) == CubeStart::KEPT ? sums_of_product(params) : Runs{0, 0, 0};
}

template <typename Params>
OPWRIGHT_INLINE Runs bias_of_product(const Params& params) {
    const uint64_t bytes = is_nothing(params) ? 0 : params.n * sizeof(float);
    return {bytes ? 1ull : 0ull, bytes, bytes};
}

// A bias that the parameters ask for and the call does not name lies at the start of BT.
template <typename S, typename Params>
OPWRIGHT_INLINE ReadOperand<S> bias_without_name(const At& at, const Params& params) {
    const uint64_t bytes = start_of_product(params) == CubeStart::BIAS ? bias_of_product(params).bytes : 0;
    const uint64_t most = at.core.memory[static_cast<uint32_t>(Memory::BT)].bytes;
    if (OPWRIGHT_UNLIKELY(bytes > most)) at.fail(Fault::CAPACITY, Memory::BT, 0, bytes, most);
    return {{{Memory::BT, kNoOperand, sizeof(S), false, 0, bytes}, most}};
}

template <typename S, typename T, typename U, typename Params>
OPWRIGHT_INLINE void multiply(const At& at, Written<S> c, Read<T> a, Read<U> b, const S* bias, const Params& params,
                              CubeStart start, ProductMode mode) {
    CubeRounding rounding = CubeRounding::NONE;
    if (std::is_same<T, float>::value && mode.is_hf32) {
        rounding = mode.ties_away ? CubeRounding::AWAY : CubeRounding::EVEN;
    }
    const CubeShape shape{params.m, params.n, params.k, stored_columns(params)};
    const T* const left = a.data();
    const U* const right = b.data();
    cube_product(c.data(), left, left_lies(at, params), right, shape, start, bias, rounding);
}

template <typename S, typename T, typename U, typename Params>
OPWRIGHT_INLINE void mmad(const At& at, Written<S> c, Read<S>, Read<T> a, Read<U> b, Read<S> bias, const Params& params,
                          ProductMode mode) {
    multiply(at, c, a, b, bias.data(), params, start_of_product(params), mode);
}

template <typename S, typename T, typename U, typename Params>
OPWRIGHT_INLINE void mmad_with_bias(const At& at, Written<S> c, Read<T> a, Read<U> b, Read<S> bias,
                                    const Params& params, ProductMode mode) {
    multiply(at, c, a, b, bias.data(), params, CubeStart::BIAS, mode);
}

// A bias in L0C is what is in C.
template <typename S, typename T, typename U, typename Params>
OPWRIGHT_INLINE void mmad_onto_sums(const At& at, Written<S> c, Read<T> a, Read<U> b, Read<S>, const Params& params,
                                    ProductMode mode) {
    multiply(at, c, a, b, static_cast<const S*>(nullptr), params, CubeStart::KEPT, mode);
}

template <typename T, typename Params>
OPWRIGHT_INLINE auto indices_of_product(const At& at, const AscendC::LocalTensor<T>& filter, const Params& params) {
    return indices_beside<ReadOperand<uint8_t>>(at, filter, 2, right_of_product<T>(params, 2).hull() / 4, false);
}

// B has two of every four rows. Sums are exact and saturate.
template <typename Params>
OPWRIGHT_INLINE void mmad_with_sparse(const At&, Written<int32_t> c, Read<int32_t>, Read<int8_t> a, Read<int8_t> b,
                                      Read<uint8_t> own, const Params& params) {
    if (is_nothing(params)) return;
    const uint8_t* const indices = own.data();
    const int8_t* const left = a.data();
    const int8_t* const right = b.data();
    int32_t* const sums = c.data();
    constexpr int64_t c0 = kC0<int8_t>;
    const bool adds = start_of_product(params) == CubeStart::KEPT;
    for (int64_t column = 0; column < params.n; ++column) {
        for (int64_t row = 0; row < params.m; ++row) {
            int32_t& sum = sums[nz_index(row, column, params.m, kFractalSide)];
            int64_t total = adds ? sum : 0;
            for (int64_t kept = 0; kept < params.k / 2; ++kept) {
                const int64_t place = zn_index(kept, column, params.n, c0);
                const int64_t from = kept / 2 * 4 + kept % 2 + sparse_index(indices, place);
                if (from < params.k) total += left[zz_index(row, from, params.k, c0)] * right[place];
            }
            sum = saturated(total);
        }
    }
}

}  // namespace opwright
