// Chapter cube_load: from L1 and global memory into the matrix unit's own memories, by fractals of 512 bytes.
//
// A fractal is 16 rows of 32 bytes. Plain loads move fractals; transposing loads turn squares over: two fractals of 8-bit
// elements (32 x 32), one of 16-bit elements (16 x 16), two of 32-bit elements (16 x 16).
#pragma once

#include "cube_layout.h"
#include "cube_load_params.h"
#include "cube_sparse.h"
#include "im2col.h"

namespace opwright {

OPWRIGHT_INLINE void copy_fractal(uint8_t* to, const uint8_t* from) { __builtin_memcpy(to, from, kFractalBytes); }

// Transposes ---------------------------------------------------------------------------------------------------

// One perfect shuffle: the halves of the source, element by element in turn. It rotates the bits of every index, so that
// as many as a row index has bits transpose a square; and compilers make it of interleaving instructions.
template <uint32_t kCount, typename Bits>
OPWRIGHT_INLINE void shuffle_halves(Bits* to, const Bits* from) {
    OPWRIGHT_VECTOR_LOOP
    for (uint32_t i = 0; i < kCount / 2; ++i) {
        to[2 * i] = from[i];
        to[2 * i + 1] = from[i + kCount / 2];
    }
}

// A square in one piece, turned over.
__aicore__ inline void transpose_square(uint8_t* to, const uint8_t* from) {
    alignas(64) uint8_t a[1024], b[1024];
    shuffle_halves<1024>(a, from);
    shuffle_halves<1024>(b, a);
    shuffle_halves<1024>(a, b);
    shuffle_halves<1024>(b, a);
    shuffle_halves<1024>(to, b);
}
template <typename Bits>
__aicore__ inline void transpose_square(Bits* to, const Bits* from) {
    alignas(64) Bits a[256], b[256];
    shuffle_halves<256>(a, from);
    shuffle_halves<256>(b, a);
    shuffle_halves<256>(a, b);
    shuffle_halves<256>(to, a);
}

// The fractals of a square: how many, and whether they lie beside or above each other.
template <typename T>
constexpr uint64_t kSquareFractals = sizeof(T) == 2 ? 1 : 2;

// Turns a square over whose fractals lie anywhere.
template <typename T>
OPWRIGHT_INLINE void transpose_fractals(uint8_t* to0, uint8_t* to1, const uint8_t* from0, const uint8_t* from1) {
    if constexpr (sizeof(T) == 2) {
        uint16_t square[256], turned[256];
        copy_fractal(reinterpret_cast<uint8_t*>(square), from0);
        transpose_square(turned, square);
        copy_fractal(to0, reinterpret_cast<const uint8_t*>(turned));
    } else if constexpr (sizeof(T) == 1) {
        uint8_t square[1024], turned[1024];
        copy_fractal(square, from0);
        copy_fractal(square + kFractalBytes, from1);
        transpose_square(turned, square);
        copy_fractal(to0, turned);
        copy_fractal(to1, turned + kFractalBytes);
    } else {
        static_assert(sizeof(T) == 4, "no other elements are loaded");
        uint32_t square[256], turned[256];
        for (uint32_t row = 0; row < 16; ++row) {
            __builtin_memcpy(square + 16 * row, from0 + 32 * row, 32);
            __builtin_memcpy(square + 16 * row + 8, from1 + 32 * row, 32);
        }
        transpose_square(turned, square);
        for (uint32_t row = 0; row < 16; ++row) {
            __builtin_memcpy(to0 + 32 * row, turned + 16 * row, 32);
            __builtin_memcpy(to1 + 32 * row, turned + 16 * row + 8, 32);
        }
    }
}

// LoadData2DParams -----------------------------------------------------------------------------------------------

// The lowest fractal that is read: with addrMode 1 they go down.
template <typename Params>
OPWRIGHT_INLINE Runs fractals_read(const Params& params) {
    const uint64_t stride = params.srcStride * kFractalBytes, more = params.repeatTimes ? params.repeatTimes - 1u : 0u;
    const uint64_t first = params.startIndex * kFractalBytes - (params.addrMode ? more * stride : 0);
    if (!params.repeatTimes) return {0, 0, 0};
    if (stride == 0) return {1, kFractalBytes, kFractalBytes, first};
    return {params.repeatTimes, kFractalBytes, stride, first};
}

template <typename Params>
OPWRIGHT_INLINE Runs fractals_written(const Params& params) {
    return {params.repeatTimes, kFractalBytes, (1u + params.dstGap) * kFractalBytes};
}

template <typename T, typename Params>
OPWRIGHT_INLINE void load_fractals(const At&, Written<T> dst, Read<T> src, const Params& params) {
    const auto from = reinterpret_cast<const uint8_t*>(src.data()) + params.startIndex * kFractalBytes;
    const auto to = reinterpret_cast<uint8_t*>(dst.data());
    const uint64_t gap = (1u + params.dstGap) * kFractalBytes;
    const int64_t step = (params.addrMode ? -1 : 1) * int64_t(params.srcStride * kFractalBytes);
    for (int64_t i = 0; i < params.repeatTimes; ++i) {
        if (sizeof(T) == 2 && params.ifTranspose) {
            transpose_fractals<uint16_t>(to + i * gap, nullptr, from + i * step, nullptr);
        } else {
            copy_fractal(to + i * gap, from + i * step);
        }
    }
}

// LoadData2DParamsV2: a part of an Nz matrix ------------------------------------------------------------------------

template <typename Params>
OPWRIGHT_INLINE Grid matrix_read(const Params& params) {
    const uint64_t stride = uint64_t(params.srcStride) * kFractalBytes;
    const uint64_t first = params.kStartPosition * stride + params.mStartPosition * kFractalBytes;
    return {first, kFractalBytes, {params.mStep, kFractalBytes}, {params.kStep, stride}};
}

// Transposed, columns of fractals become rows, and squares tell how many there are of each.
template <typename T, typename Params>
OPWRIGHT_INLINE Grid matrix_written(const Params& params) {
    const uint64_t stride = params.dstStride * kFractalBytes, lanes = kBlockBytes / sizeof(T);
    if (!params.ifTranspose) return {0, kFractalBytes, {params.mStep, kFractalBytes}, {params.kStep, stride}};
    return {0, kFractalBytes, {params.kStep * lanes / 16, kFractalBytes}, {params.mStep * 16u / lanes, stride}};
}

template <typename T, typename Params>
OPWRIGHT_INLINE void load_matrix(const At&, Written<T> dst, Read<T> src, const Params& params) {
    const uint64_t stride = uint64_t(params.srcStride) * kFractalBytes, to_stride = params.dstStride * kFractalBytes;
    const auto from = reinterpret_cast<const uint8_t*>(src.data()) + params.kStartPosition * stride +
                      params.mStartPosition * kFractalBytes;
    const auto to = reinterpret_cast<uint8_t*>(dst.data());
    if (!params.ifTranspose) {
        for (uint64_t k = 0; k < params.kStep; ++k) {
            __builtin_memcpy(to + k * to_stride, from + k * stride, params.mStep * kFractalBytes);
        }
        return;
    }
    // Squares take two fractals of one column, one fractal, or two of one row.
    constexpr uint64_t kDown = sizeof(T) == 1 ? 2 : 1, kAcross = sizeof(T) == 4 ? 2 : 1;
    for (uint64_t m = 0; m + kDown <= params.mStep; m += kDown) {
        for (uint64_t k = 0; k + kAcross <= params.kStep; k += kAcross) {
            const uint8_t* square = from + k * stride + m * kFractalBytes;
            uint8_t* place = to + m / kDown * kAcross * to_stride + k / kAcross * kDown * kFractalBytes;
            transpose_fractals<T>(place, kDown == 2 ? place + kFractalBytes : place + to_stride, square,
                                  kDown == 2 ? square + kFractalBytes : square + stride);
        }
    }
}

// LoadData2dTransposeParams: squares ---------------------------------------------------------------------------------

// Fractals from the start of one square to that of the next, and from one fractal of a square to the other.
struct Squares {
    uint64_t start, stride, inner;
};

template <typename T, typename Params>
OPWRIGHT_INLINE Squares squares_together(const Params& params) {
    return {params.startIndex * kSquareFractals<T>, params.srcStride * kSquareFractals<T>, 1};
}

template <typename T, typename Params>
OPWRIGHT_INLINE Squares squares_apart(const Params& params) {
    return {params.startIndex, params.srcStride, 1u + params.srcFracGap};
}

template <typename T, typename Params>
OPWRIGHT_INLINE Grid squares_read(const Params& params, const Squares& squares) {
    return {squares.start * kFractalBytes,
            kFractalBytes,
            {kSquareFractals<T>, squares.inner * kFractalBytes},
            {params.repeatTimes, squares.stride * kFractalBytes}};
}

template <typename T, typename Params>
OPWRIGHT_INLINE Grid squares_written(const Params& params) {
    return {0,
            kFractalBytes,
            {kSquareFractals<T>, (1u + params.dstFracGap) * kFractalBytes},
            {params.repeatTimes, (1u + params.dstGap) * kFractalBytes}};
}

// Whether a fractal is written twice.
template <typename T, typename Params>
OPWRIGHT_INLINE bool squares_overlap(const Params& params) {
    const uint64_t next = 1u + params.dstGap, other = 1u + params.dstFracGap;
    return kSquareFractals<T> == 2 && other % next == 0 && other / next < params.repeatTimes;
}

template <typename T, typename Params>
OPWRIGHT_INLINE void transpose_squares(Written<T> dst, Read<T> src, const Params& params, const Squares& squares) {
    const auto from = reinterpret_cast<const uint8_t*>(src.data()) + squares.start * kFractalBytes;
    const auto to = reinterpret_cast<uint8_t*>(dst.data());
    const uint64_t other = (1u + params.dstFracGap) * kFractalBytes;
    for (uint64_t i = 0; i < params.repeatTimes; ++i) {
        const uint8_t* square = from + i * squares.stride * kFractalBytes;
        uint8_t* place = to + i * (1u + params.dstGap) * kFractalBytes;
        transpose_fractals<T>(place, place + other, square, square + squares.inner * kFractalBytes);
    }
}

template <typename T, typename Params>
OPWRIGHT_INLINE void load_squares(const At&, Written<T> dst, Read<T> src, const Params& params) {
    transpose_squares(dst, src, params, squares_together<T>(params));
}

template <typename T, typename Params>
OPWRIGHT_INLINE void load_squares_apart(const At&, Written<T> dst, Read<T> src, const Params& params) {
    transpose_squares(dst, src, params, squares_apart<T>(params));
}

// LoadDataWithSparse: with every fractal of weights 128 bytes of indices.
constexpr uint64_t kIndexBytes = 128;

template <typename Params>
OPWRIGHT_INLINE Runs weights_read(const Params& params) {
    const uint64_t bytes = params.repeatTimes * kFractalBytes;
    return bytes ? Runs{1, bytes, bytes, params.startIndex * kFractalBytes} : Runs{0, 0, 0};
}

template <typename Params>
OPWRIGHT_INLINE Runs indices_read(const Params& params) {
    const uint64_t bytes = params.repeatTimes * kIndexBytes;
    return bytes ? Runs{1, bytes, bytes, params.startIndex * kIndexBytes} : Runs{0, 0, 0};
}

template <typename T, typename Params>
OPWRIGHT_INLINE auto indices_loaded(const At& at, const AscendC::LocalTensor<T>& dst, const Params& params) {
    return indices_beside<WrittenOperand<uint8_t>>(at, dst, 0, params.repeatTimes * kIndexBytes, true);
}

template <typename T, typename U, typename Params>
OPWRIGHT_INLINE void load_sparse(const At&, Written<T> dst, Read<T> src, Read<U> indices, Written<uint8_t> own,
                                 const Params& params) {
    const uint64_t start = params.startIndex, count = params.repeatTimes;
    const auto words = reinterpret_cast<const uint8_t*>(indices.data()) + start * kIndexBytes;
    const auto from = reinterpret_cast<const uint8_t*>(src.data()) + start * kFractalBytes;
    __builtin_memcpy(dst.data(), from, count * kFractalBytes);
    __builtin_memcpy(own.data(), words, count * kIndexBytes);
}

// InitConstValue -----------------------------------------------------------------------------------------------------

template <typename Params>
OPWRIGHT_INLINE Runs blocks_filled(const Params& params, uint64_t block_bytes) {
    const uint64_t bytes = params.blockNum * block_bytes;
    return {bytes ? params.repeatTimes : 0u, bytes, bytes + params.dstGap * block_bytes};
}

template <typename T, typename Params>
OPWRIGHT_INLINE void fill_blocks(const At&, Written<T> dst, const Params& params) {
    const Runs& runs = dst.footprint.runs;
    const auto to = reinterpret_cast<uint8_t*>(dst.data());
    for (uint64_t i = 0; i < runs.count; ++i) {
        const auto place = reinterpret_cast<T*>(to + i * runs.stride);
        for (uint64_t k = 0; k < runs.bytes / sizeof(T); ++k) place[k] = params.initValue;
    }
}

}  // namespace opwright

#include "cube_load_image.h"
