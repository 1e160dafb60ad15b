// Chapter vec_transpose: elements in another order. Bits are moved, not computed with.
#pragma once

#include "generated/calls/params.h"
#include "places.h"

namespace opwright {

constexpr uint32_t kSide = 16;  // of a matrix that one instruction transposes

OPWRIGHT_INLINE bool is_image(AscendC::TransposeType type) {
    return type == AscendC::TransposeType::TRANSPOSE_NCHW2NHWC || type == AscendC::TransposeType::TRANSPOSE_NHWC2NCHW;
}

// The bytes of src and of dst.
template <typename T, typename Params>
OPWRIGHT_INLINE Runs transposed(const Params& params) {
    const AscendC::TransposeType type = params.transposeType;
    if (type == AscendC::TransposeType::TRANSPOSE_TYPE_NONE) return {1, 0, 0};
    const bool is_matrix = type == AscendC::TransposeType::TRANSPOSE_ND2ND_B16;
    const uint64_t plane = uint64_t(params.hSize) * params.wSize;
    const uint64_t bytes = (is_matrix ? kSide * kSide : params.nSize * params.cSize * plane) * sizeof(T);
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

// A list of tensors as one operand: of each a piece of a block, and again in every repeat. Places count from the start
// of the memory.
struct Listed {
    uint64_t starts[kSide];
    uint64_t repeats;
    uint64_t stride;  // in bytes, like the next
    uint64_t first;   // within a block
    uint64_t bytes;

    OPWRIGHT_INLINE uint64_t place(uint64_t repeat, uint32_t row) const {
        // A single repeat starts one step further on.
        return starts[row] + (repeats == 1 ? 1 : repeat) * stride + first;
    }
    OPWRIGHT_INLINE uint64_t most(const At&) const { return repeats * kSide + 1; }
    template <typename Place>
    OPWRIGHT_INLINE void each(const At&, Place piece) const {
        for (uint64_t repeat = 0; repeat < repeats; ++repeat) {
            for (uint32_t row = 0; row < kSide; ++row) piece(place(repeat, row), bytes);
        }
    }
};

// Tests that each tensor of a list starts at a block and reaches far enough.
template <typename T>
__aicore__ inline Listed listed(const At& at, const AscendC::LocalTensor<T> (&list)[kSide], uint32_t operand,
                                uint64_t repeats, uint64_t stride, bool is_high) {
    constexpr uint64_t bytes = sizeof(T) == 1 ? kBlockBytes / 2 : kBlockBytes;
    Listed made = {{}, repeats, stride * kBlockBytes, is_high && sizeof(T) == 1 ? bytes : 0, bytes};
    for (uint32_t row = 0; row < kSide; ++row) {
        made.starts[row] = list[row].address();
        if (OPWRIGHT_UNLIKELY(made.starts[row] % kBlockBytes != 0)) at.fail(Fault::LIST_ALIGN, made.starts[row]);
        const uint64_t last = repeats ? made.place(repeats - 1, row) + bytes - made.starts[row] : 0;
        const uint64_t left = list[row].operand(operand, 0, 1, false).left;
        if (OPWRIGHT_UNLIKELY(last > left)) at.fail(Fault::TENSOR_RANGE, operand, last, left);
    }
    return made;
}

// The hull of a list is all of UB.
template <typename T>
OPWRIGHT_INLINE Operand<T> list_hull(const At& at, const AscendC::LocalTensor<T>& any, uint32_t operand, bool written) {
    Operand<T> hull = hull_of(any, operand, written);
    hull.footprint.address = 0;
    hull.footprint.bytes = hull.left = at.core.memory[static_cast<uint32_t>(Memory::UB)].bytes;
    return hull;
}

// Element j of row i is element i of row j, of the halves or pairs of blocks that a row is.
template <typename T>
OPWRIGHT_INLINE void transpose_lists(uint8_t* to, const uint8_t* from, const Listed& written, const Listed& read) {
    constexpr uint32_t rows = sizeof(T) == 4 ? 8 : kSide;  // elements that are taken of each block
    for (uint64_t repeat = 0; repeat < read.repeats; ++repeat) {
        T taken[rows][kSide];
        for (uint32_t j = 0; j < kSide; ++j) {
            for (uint32_t i = 0; i < rows; ++i) {
                __builtin_memcpy(&taken[i][j], from + read.place(repeat, j) + i * sizeof(T), sizeof(T));
            }
        }
        const auto bytes = reinterpret_cast<const uint8_t*>(taken);
        for (uint32_t row = 0; row < kSide; ++row) {
            __builtin_memcpy(to + written.place(repeat, row), bytes + row * written.bytes, written.bytes);
        }
    }
}

}  // namespace opwright

namespace AscendC {

template <typename T>
__aicore__ inline void TransDataTo5HD(const LocalTensor<T> (&dst)[16], const LocalTensor<T> (&src)[16],
                                      const TransDataTo5HDParams& params, int32_t line = __builtin_LINE()) {
    using opwright::Listed;
    const opwright::At at(line);
    const Listed to = opwright::listed(at, dst, 0, params.repeatTimes, params.dstRepStride, params.dstHighHalf);
    const Listed from = opwright::listed(at, src, 1, params.repeatTimes, params.srcRepStride, params.srcHighHalf);
    const opwright::WrittenPlacesOperand<T, Listed> written{{opwright::list_hull(at, dst[0], 0, true)}, to};
    const opwright::ReadPlacesOperand<T, Listed> read{{opwright::list_hull(at, src[0], 1, false)}, from};
    to.each(at, [&](uint64_t begin, uint64_t bytes) {
        from.each(at, [&](uint64_t other, uint64_t size) {
            if (OPWRIGHT_UNLIKELY(opwright::overlap(begin, bytes, other, size))) {
                at.fail(opwright::Fault::OVERLAP, 0, 1, begin - other);
            }
        });
    });
    opwright::issue(at, PIPE_V, [=](const opwright::At&, auto out, auto in) {
        const auto bytes = reinterpret_cast<const uint8_t*>(in.data());
        opwright::transpose_lists<T>(reinterpret_cast<uint8_t*>(out.data()), bytes, out.where, in.where);
    }, written, read);
}

}  // namespace AscendC
