// Chapter vec_transpose: elements in another order. Bits are moved, not computed with.
#pragma once

#include "calls/params.h"
#include "repeat.h"

namespace opwright {

constexpr uint32_t kSide = 16;  // of a matrix that one instruction transposes

// What the parameters of a transposition must be, as the words of a fault know it.
enum class TransposeRule : int64_t { TYPE, MATRIX, SIZE, BLOCKS, IN_PLACE };

OPWRIGHT_INLINE void require_transposable(const At& at, bool holds, TransposeRule rule, int64_t value) {
    if (OPWRIGHT_UNLIKELY(!holds)) at.fail(Fault::TRANSPOSE, rule, value);
}

OPWRIGHT_INLINE bool is_image(AscendC::TransposeType type) {
    return type == AscendC::TransposeType::TRANSPOSE_NCHW2NHWC || type == AscendC::TransposeType::TRANSPOSE_NHWC2NCHW;
}

// The bytes of src and of dst. Tests the parameters.
template <typename T, typename Params>
__aicore__ inline Runs transposed(const At& at, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                                  const Params& params) {
    const AscendC::TransposeType type = params.transposeType;
    if (type == AscendC::TransposeType::TRANSPOSE_TYPE_NONE) return {1, 0, 0};
    if (type == AscendC::TransposeType::TRANSPOSE_ND2ND_B16) {
        const bool is_matrix = params.hSize == kSide && params.wSize == kSide && std::is_same<T, uint16_t>::value;
        require_transposable(at, is_matrix, TransposeRule::MATRIX, params.hSize);
        return {1, kSide * kSide * sizeof(T), kSide * kSide * sizeof(T)};
    }
    require_transposable(at, is_image(type), TransposeRule::TYPE, static_cast<int64_t>(type));
    const uint64_t plane = uint64_t(params.hSize) * params.wSize;
    require_transposable(at, params.cSize <= 4095, TransposeRule::SIZE, params.cSize);
    require_transposable(at, plane <= 4095, TransposeRule::SIZE, plane);
    require_transposable(at, plane * sizeof(T) % kBlockBytes == 0, TransposeRule::BLOCKS, plane);
    const uint64_t bytes = params.nSize * params.cSize * plane * sizeof(T);
    require_transposable(at, bytes == 0 || dst.address() != src.address(), TransposeRule::IN_PLACE, dst.address());
    return {1, bytes, bytes};
}

// What the call uses of its buffer.
template <typename T, typename Params>
OPWRIGHT_INLINE Runs transposing_bytes(const Params& params) {
    if (!is_image(params.transposeType)) return {1, 0, 0};
    const uint64_t tile = (sizeof(T) == 1 ? 32 : 16) * kBlockBytes;
    const bool back = params.transposeType == AscendC::TransposeType::TRANSPOSE_NHWC2NCHW;
    const uint64_t bytes = (back ? params.cSize * 2 + 1 : params.cSize + 2) * tile;
    return {1, bytes, bytes};
}

template <typename T>
OPWRIGHT_INLINE void transpose_matrix(const At&, Written<T> dst, Read<T> src) {
    T rows[kSide * kSide];  // dst may be src
    __builtin_memcpy(rows, src.data(), sizeof rows);
    T* to = dst.data();
    for (uint32_t i = 0; i < kSide * kSide; ++i) to[i] = rows[i % kSide * kSide + i / kSide];
}

template <typename T, typename B, typename Params>
OPWRIGHT_INLINE void transpose_extended(const At& at, Written<T> dst, Read<T> src, Written<B> buffer,
                                        const Params& params) {
    if (params.transposeType == AscendC::TransposeType::TRANSPOSE_TYPE_NONE) return;
    if (!is_image(params.transposeType)) return transpose_matrix(at, dst, src);
    const uint64_t planes = params.cSize, plane = uint64_t(params.hSize) * params.wSize;
    const bool back = params.transposeType == AscendC::TransposeType::TRANSPOSE_NHWC2NCHW;
    const uint64_t rows = back ? plane : planes, columns = back ? planes : plane;
    const T* from = src.data();
    T* to = dst.data();
    for (uint64_t n = 0; n < params.nSize; ++n) {
        for (uint64_t row = 0; row < rows; ++row) {
            for (uint64_t column = 0; column < columns; ++column) to[column * rows + row] = from[row * columns + column];
        }
        from += rows * columns;
        to += rows * columns;
    }
    __builtin_memset(buffer.data(), 0xff, buffer.footprint.bytes);
}

}  // namespace opwright
