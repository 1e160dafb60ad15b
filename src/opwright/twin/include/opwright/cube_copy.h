// Copies of the matrix unit's chapter of data_copy: rows into fractals and back, bias and scales.
//
// Nz: columns of 32 bytes, each with all its rows one after another. The field names are those of the structs.
#pragma once

#include "atomic.h"
#include "grid.h"

namespace opwright {

// Rows of row-major matrices in global memory, or in UB.
template <typename T, typename Params>
OPWRIGHT_INLINE Grid nd_rows(const Params& params) {
    const uint64_t matrix = params.srcNdMatrixStride * sizeof(T), row = params.srcDValue * sizeof(T);
    return {0, params.dValue * sizeof(T), {params.nValue, row}, {params.ndNum, matrix}};
}

// Where they go: of each row one block of 32 bytes in every column.
template <typename T, typename Params>
OPWRIGHT_INLINE Grid nz_blocks(const Params& params, uint64_t matrices) {
    const uint64_t columns = in_whole_blocks(params.dValue * sizeof(T)) / kBlockBytes;
    return {0,
            kBlockBytes,
            {params.nValue, uint64_t(params.dstNzNStride) * kBlockBytes},
            {columns, uint64_t(params.dstNzC0Stride) * kBlockBytes},
            {matrices, params.dstNzMatrixStride * sizeof(T)}};
}

// A piece of fixed size, so that it is two registers and no call.
OPWRIGHT_INLINE void copy_block(uint8_t* to, const uint8_t* from) { __builtin_memcpy(to, from, kBlockBytes); }

// Some rows of a matrix, column by column: several at once fill whole lines of the cache. What is left of the last
// block of a row is zero.
struct RowsToColumns {
    uint64_t bytes, from_row, to_row, to_column;

    template <uint32_t kRows>
    OPWRIGHT_INLINE void move(uint8_t* to, const uint8_t* from) const {
        const uint64_t whole = bytes / kBlockBytes, tail = bytes % kBlockBytes;
        for (uint64_t column = 0; column < whole; ++column) {
            for (uint32_t row = 0; row < kRows; ++row) {
                copy_block(to + column * to_column + row * to_row, from + row * from_row + column * kBlockBytes);
            }
        }
        for (uint32_t row = 0; tail && row < kRows; ++row) {
            uint8_t last[kBlockBytes] = {};
            __builtin_memcpy(last, from + row * from_row + whole * kBlockBytes, tail);
            copy_block(to + whole * to_column + row * to_row, last);
        }
    }

    __aicore__ inline void move_all(uint8_t* to, const uint8_t* from, uint64_t rows) const {
        uint64_t row = 0;
        for (; row + 4 <= rows; row += 4) move<4>(to + row * to_row, from + row * from_row);
        for (; row < rows; ++row) move<1>(to + row * to_row, from + row * from_row);
    }
};

template <typename T, typename Params>
OPWRIGHT_INLINE void copy_nd_to_nz(const At&, Written<T> dst, Read<T> src, const Params& params) {
    const auto from = reinterpret_cast<const uint8_t*>(src.data());
    const auto to = reinterpret_cast<uint8_t*>(dst.data());
    const RowsToColumns rows{params.dValue * sizeof(T), params.srcDValue * sizeof(T),
                             uint64_t(params.dstNzNStride) * kBlockBytes, uint64_t(params.dstNzC0Stride) * kBlockBytes};
    for (uint64_t i = 0; i < params.ndNum; ++i) {
        rows.move_all(to + i * params.dstNzMatrixStride * sizeof(T), from + i * params.srcNdMatrixStride * sizeof(T),
                      params.nValue);
    }
}

// Rows of matrices that lie transposed: element (d, n) of a matrix becomes row n, column d.
template <typename T, typename Params>
OPWRIGHT_INLINE Grid dn_rows(const Params& params) {
    const uint64_t matrix = params.srcDnMatrixStride * sizeof(T), row = params.srcDValue * sizeof(T);
    return {0, params.nValue * sizeof(T), {params.dValue, row}, {params.dnNum, matrix}};
}

template <typename T, typename Params>
OPWRIGHT_INLINE void copy_dn_to_nz(const At&, Written<T> dst, Read<T> src, const Params& params) {
    constexpr uint64_t kLanes = kBlockBytes / sizeof(T);
    const T* from = src.data();
    const auto to = reinterpret_cast<uint8_t*>(dst.data());
    const uint64_t to_row = uint64_t(params.dstNzNStride) * kBlockBytes;
    const uint64_t to_column = uint64_t(params.dstNzC0Stride) * kBlockBytes;
    for (uint64_t i = 0; i < params.dnNum; ++i) {
        const T* matrix = from + i * params.srcDnMatrixStride;
        uint8_t* place = to + i * params.dstNzMatrixStride * sizeof(T);
        for (uint64_t first = 0; first < params.dValue; first += kLanes) {
            const uint64_t lanes = params.dValue - first < kLanes ? params.dValue - first : kLanes;
            for (uint64_t n = 0; n < params.nValue; ++n) {
                T block[kLanes] = {};
                for (uint64_t lane = 0; lane < lanes; ++lane) {
                    block[lane] = matrix[(first + lane) * params.srcDValue + n];
                }
                copy_block(place + first / kLanes * to_column + n * to_row, reinterpret_cast<const uint8_t*>(block));
            }
        }
    }
}

// The way back, from UB: there columns are 16 elements wide, whatever their type.
constexpr uint64_t kNzWidth = 16;

template <typename T, typename Params>
OPWRIGHT_INLINE Grid nz_columns(const Params& params) {
    // Of the last column only some elements of each row are read; its rows are noted like the others.
    const uint64_t columns = (params.dValue + kNzWidth - 1) / kNzWidth, width = kNzWidth * sizeof(T);
    const uint64_t read = params.dValue < kNzWidth ? params.dValue * sizeof(T) : width;
    return {0,
            read,
            {params.nValue, width},
            {columns, params.srcNStride * width},
            {params.ndNum, params.srcNdMatrixStride * kNzWidth * width}};
}

template <typename T, typename Params>
OPWRIGHT_INLINE Grid nd_rows_back(const Params& params) {
    return {0,
            params.dValue * sizeof(T),
            {params.nValue, params.dstDStride * sizeof(T)},
            {params.ndNum, params.dstNdMatrixStride * sizeof(T)}};
}

template <typename T, typename Params>
OPWRIGHT_INLINE void copy_nz_to_nd(const At& at, Written<T> dst, Read<T> src, const Params& params) {
    const T* from = src.data();
    T* to = dst.data();
    const bool combines = is_atomic(at, dst);
    for (uint64_t i = 0; i < params.ndNum; ++i) {
        const T* matrix = from + i * params.srcNdMatrixStride * kNzWidth * kNzWidth;
        for (uint64_t row = 0; row < params.nValue; ++row) {
            T* place = to + i * params.dstNdMatrixStride + row * params.dstDStride;
            for (uint64_t first = 0; first < params.dValue; first += kNzWidth) {
                const uint64_t left = params.dValue - first, bytes = (left < kNzWidth ? left : kNzWidth) * sizeof(T);
                const T* piece = matrix + (first * params.srcNStride + row * kNzWidth);
                if (OPWRIGHT_UNLIKELY(combines)) {
                    at.core.library->combine(&at.core, place + first, piece, bytes, dst.footprint.atomic);
                } else {
                    __builtin_memcpy(place + first, piece, bytes);
                }
            }
        }
    }
}

// Bias: lengths and gaps of the bias table are in 64 bytes, on the ascend950 in 32; lengths are those of the source.
OPWRIGHT_INLINE uint64_t bias_unit(const At& at) { return is_3510(at) ? 32 : 64; }

template <typename Params>
OPWRIGHT_INLINE Runs bias_from(const At& at, const Params& params) {
    const uint64_t bytes = params.blockLen * bias_unit(at);
    return {bytes ? params.blockCount : 0u, bytes, bytes + params.srcStride * uint64_t(kBlockBytes)};
}

// Each source element becomes one of `ratio` times its size.
template <typename Params>
OPWRIGHT_INLINE Runs bias_to(const At& at, const Params& params, uint64_t ratio = 1) {
    const uint64_t bytes = params.blockLen * bias_unit(at) * ratio;
    return {bytes ? params.blockCount : 0u, bytes, bytes + params.dstStride * bias_unit(at)};
}

template <typename T, typename U, typename Params>
OPWRIGHT_INLINE void widen_bias(const At&, Written<T> dst, Read<U> src, const Params&) {
    const auto from = reinterpret_cast<const uint8_t*>(src.data());
    const auto to = reinterpret_cast<uint8_t*>(dst.data());
    const Runs &written = dst.footprint.runs, &read = src.footprint.runs;
    for (uint64_t i = 0; i < read.count; ++i) {
        const auto piece = reinterpret_cast<const U*>(from + i * read.stride);
        const auto place = reinterpret_cast<T*>(to + i * written.stride);
        for (uint64_t k = 0; k < read.bytes / sizeof(U); ++k) place[k] = widen(piece[k]);
    }
}

// Scales: strides go from start to start, in 32 bytes of the source and in 128 of the Fixpipe buffer.
constexpr uint64_t kScaleBytes = 128;

template <typename Params>
OPWRIGHT_INLINE Runs scales_from(const Params& params) {
    const uint64_t bytes = params.blockLen * kScaleBytes;
    return {bytes ? params.blockCount : 0u, bytes, params.srcStride * uint64_t(kBlockBytes)};
}

template <typename Params>
OPWRIGHT_INLINE Runs scales_to(const Params& params) {
    const uint64_t bytes = params.blockLen * kScaleBytes;
    return {bytes ? params.blockCount : 0u, bytes, params.dstStride * kScaleBytes};
}

// Between the cores of a group --------------------------------------------------------------------------------------

// Pieces in a memory of another core of the group.
template <typename Where>
struct OfCore {
    Where where;
    Owner owner;
};

template <typename Where>
OPWRIGHT_INLINE OfCore<Where> of_matrix_core(const Where& where) {
    return {where, Owner::AIC};
}

template <typename Where>
OPWRIGHT_INLINE OfCore<Where> of_vector_core(const Where& where, uint32_t which) {
    return {where, which ? Owner::AIV_1 : Owner::AIV_0};
}

template <typename T, typename Where>
OPWRIGHT_INLINE auto writes(const AscendC::LocalTensor<T>& tensor, uint32_t operand, const OfCore<Where>& of) {
    auto made = writes(tensor, operand, of.where);
    made.footprint.owner = of.owner;
    return made;
}

// A number of elements in whole blocks.
template <typename T>
OPWRIGHT_INLINE Runs counted(uint64_t count) {
    const uint64_t bytes = count * sizeof(T) / kBlockBytes * kBlockBytes;
    return {bytes ? 1u : 0u, bytes, bytes};
}

OPWRIGHT_INLINE bool is_vector_core(const At& at) { return at.core.kind == CoreKind::AIV; }

// Whether the group has one matrix core and two vector cores.
OPWRIGHT_INLINE bool is_whole_group(const At& at) { return at.core.group->aic && at.core.group->aiv[1]; }

// Which core it is, and how much, the operands say already.
template <typename T, typename... Others>
OPWRIGHT_INLINE void copy_across(const At&, Written<T> dst, Read<T> src, const Others&...) {
    const void* from = src.data();
    __builtin_memcpy(dst.data(), from, src.footprint.bytes);
}

template <typename T, typename... Others>
OPWRIGHT_INLINE void copy_pieces_across(const At&, Written<T> dst, Read<T> src, const Others&...) {
    const auto from = reinterpret_cast<const uint8_t*>(src.data());
    copy_pieces(reinterpret_cast<uint8_t*>(dst.data()), from, dst.footprint.runs, src.footprint.runs);
}

}  // namespace opwright
