// Chapter data_copy: copies between global and local memory. A copy in pieces touches nothing between them.
#pragma once

#include "atomic.h"
#include "half.h"
#include "slices.h"

namespace opwright {

// An element as it is, which is no result.
template <typename T, typename V>
OPWRIGHT_INLINE auto copied(V value) {
    if constexpr (kSaturatesArithmetic || kTellsAssumed) return rounded<T>(value);
    else return value;
}

template <typename T>
OPWRIGHT_INLINE void copy_in(const At& at, Written<T> dst, Read<T> src) {
    if (try_alias(at.core, dst.footprint, src.footprint)) return;
    at.core.library->copy_prefetching(dst.data(), src.data(), src.footprint.bytes);
}

template <typename T>
OPWRIGHT_INLINE void copy_out(const At& at, Written<T> dst, Read<T> src) {
    const void* from = src.data();
    if (OPWRIGHT_UNLIKELY(is_atomic(at, dst))) {
        return at.core.library->combine(&at.core, dst.data(), from, src.footprint.bytes, dst.footprint.atomic);
    }
    if (at.core.launch->flags & kStream) {
        at.core.library->copy_streaming(dst.data(), from, src.footprint.bytes);
    } else {
        __builtin_memcpy(dst.data(), from, src.footprint.bytes);
    }
}

template <typename T>
OPWRIGHT_INLINE void copy_local(const At&, Written<T> dst, Read<T> src) {
    const void* from = src.data();
    __builtin_memmove(dst.data(), from, src.footprint.bytes);
}

// Pieces of `bytes` with `gap` bytes from the end of one to the start of the next.
OPWRIGHT_INLINE Runs pieces(uint64_t count, uint64_t bytes, uint64_t gap) {
    return {bytes ? count : 0, bytes, bytes + gap};
}

// On-chip pieces start at whole blocks.
OPWRIGHT_INLINE Runs pieces_on_chip(uint64_t count, uint64_t bytes, uint64_t gap_blocks) {
    return {bytes ? count : 0, bytes, in_whole_blocks(bytes) + gap_blocks * kBlockBytes};
}

// Runs of one view as runs of another. `from` was taken before `to`.
OPWRIGHT_INLINE void copy_pieces(uint8_t* to, const uint8_t* from, const Runs& written, const Runs& read) {
    for (uint64_t i = 0; i < read.count; ++i) {
        __builtin_memcpy(to + i * written.stride, from + i * read.stride, read.bytes);
    }
}

template <typename T, typename Params>
OPWRIGHT_INLINE void copy_pieces_in(const At& at, Written<T> dst, Read<T> src, const Params&) {
    if (dst.footprint.is_whole() && src.footprint.is_whole()) return copy_in(at, dst, src);
    const auto from = reinterpret_cast<const uint8_t*>(src.data());
    copy_pieces(reinterpret_cast<uint8_t*>(dst.data()), from, dst.footprint.runs, src.footprint.runs);
}

template <typename T, typename Params>
OPWRIGHT_INLINE void copy_pieces_out(const At& at, Written<T> dst, Read<T> src, const Params&) {
    if (dst.footprint.is_whole() && src.footprint.is_whole()) return copy_out(at, dst, src);
    const auto from = reinterpret_cast<const uint8_t*>(src.data());
    if (OPWRIGHT_UNLIKELY(is_atomic(at, dst))) {
        const auto to = reinterpret_cast<uint8_t*>(dst.data());
        const Runs &written = dst.footprint.runs, &read = src.footprint.runs;
        for (uint64_t i = 0; i < read.count; ++i) {
            at.core.library->combine(&at.core, to + i * written.stride, from + i * read.stride, read.bytes,
                                     dst.footprint.atomic);
        }
        return;
    }
    copy_pieces(reinterpret_cast<uint8_t*>(dst.data()), from, dst.footprint.runs, src.footprint.runs);
}

// The same place copied to itself stays what it is; other overlaps are refused before.
template <typename T, typename Params>
OPWRIGHT_INLINE void copy_pieces_local(const At&, Written<T> dst, Read<T> src, const Params&) {
    const auto from = reinterpret_cast<const uint8_t*>(src.data());
    const auto to = reinterpret_cast<uint8_t*>(dst.data());
    if (from != to) copy_pieces(to, from, dst.footprint.runs, src.footprint.runs);
}

// The parameters that only copies of the matrix unit look at are of no use here.
template <typename T, typename Params, typename Enhanced>
OPWRIGHT_INLINE void copy_enhanced_in(const At& at, Written<T> dst, Read<T> src, const Params& params, const Enhanced&) {
    copy_pieces_in(at, dst, src, params);
}

template <typename T, typename Params, typename Enhanced>
OPWRIGHT_INLINE void copy_enhanced_out(const At& at, Written<T> dst, Read<T> src, const Params& params, const Enhanced&) {
    copy_pieces_out(at, dst, src, params);
}

template <typename T, typename Params, typename Enhanced>
OPWRIGHT_INLINE void copy_enhanced_local(const At& at, Written<T> dst, Read<T> src, const Params& params, const Enhanced&) {
    copy_pieces_local(at, dst, src, params);
}

// Piece by piece, in the order of the slices. The lists are in the places already.
template <typename T, typename Where, typename Slices>
OPWRIGHT_INLINE void copy_slices(const At& at, WrittenPlaces<T, Where> dst, ReadPlaces<T, Where> src, const Slices&,
                                 const Slices&, uint32_t) {
    const auto from = reinterpret_cast<const uint8_t*>(src.data());
    const auto to = reinterpret_cast<uint8_t*>(dst.data());
    const bool combines = is_atomic(at, dst);
    const uint64_t pieces = src.where.pieces(), bytes = src.where.piece_bytes();
    for (uint64_t piece = 0; piece < pieces; ++piece) {
        const uint8_t* begin = from + src.where.begin(piece);
        uint8_t* place = to + dst.where.begin(piece);
        if (OPWRIGHT_UNLIKELY(combines)) {
            at.core.library->combine(&at.core, place, begin, bytes, dst.footprint.atomic);
        } else {
            __builtin_memcpy(place, begin, bytes);
        }
    }
}

// What a padded copy writes: every piece with its padding, filled up to whole blocks. Tests the padding.
template <typename T, typename Params, typename Pad>
OPWRIGHT_INLINE Runs padded_pieces(const At& at, const Params& params, const Pad& pad) {
    const uint64_t left = pad.leftPadding * sizeof(T), right = pad.rightPadding * sizeof(T);
    if (OPWRIGHT_UNLIKELY(left > kBlockBytes || right > kBlockBytes)) at.fail(Fault::PADDING, left, right);
    if constexpr (sizeof(T) == 8) {
        const bool fills = pad.isPad && (left || right);
        if (OPWRIGHT_UNLIKELY(fills && pad.paddingValue != 0)) at.fail(Fault::PADDING_VALUE);
    }
    const uint64_t bytes = params.blockLen ? in_whole_blocks(left + params.blockLen + right) : 0;
    return pieces_on_chip(params.blockCount, bytes, params.dstStride);
}

// The padding value of DataCopyPadParams, which knows no element type, is a pattern of bits.
template <typename T, typename Value>
OPWRIGHT_INLINE T padding_of(const Value& value) {
    T result;
    static_assert(sizeof value >= sizeof result, "a value of the element type, or 64 bits");
    __builtin_memcpy(&result, &value, sizeof result);
    return result;
}

// With padding counts the padding and what fills the last block are the padding value. Without any, what fills the last
// block is the first element of the piece. Counts without a value take that of SetPadValue; before any was set they
// leave padding undefined: here it is all ones.
template <typename T, typename Params, typename Pad>
OPWRIGHT_INLINE void copy_padded_in(const At& at, Written<T> dst, Read<T> src, const Params& params, const Pad& pad,
                                    const PadValue& set) {
    const bool fills_nothing = dst.footprint.runs.bytes == src.footprint.runs.bytes;
    if (fills_nothing && dst.footprint.is_whole() && src.footprint.is_whole()) return copy_in(at, dst, src);
    const auto from = reinterpret_cast<const uint8_t*>(src.data());
    const auto to = reinterpret_cast<uint8_t*>(dst.data());
    const Runs &written = dst.footprint.runs, &read = src.footprint.runs;
    const uint64_t left = pad.leftPadding * sizeof(T), begin = left + params.blockLen;
    uint8_t fill[sizeof(T)];
    __builtin_memset(fill, 0xff, sizeof(T));
    const T value = pad.isPad ? padding_of<T>(pad.paddingValue) : padding_of<T>(set.bits);
    if (pad.isPad || set.is_set) __builtin_memcpy(fill, &value, sizeof(T));
    for (uint64_t i = 0; i < read.count; ++i) {
        const uint8_t* piece = from + i * read.stride;
        uint8_t* place = to + i * written.stride;
        if (!pad.leftPadding && !pad.rightPadding) {
            for (uint64_t k = 0; k < sizeof(T); ++k) fill[k] = piece[k < read.bytes ? k : 0];
        }
        for (uint64_t k = 0; k < left; ++k) place[k] = fill[k % sizeof(T)];
        __builtin_memcpy(place + left, piece, read.bytes);
        for (uint64_t k = begin; k < written.bytes; ++k) place[k] = fill[k % sizeof(T)];
    }
}

}  // namespace opwright

namespace AscendC {

// What fills padding that a copy gives no value for.
template <typename T, TPosition pos = TPosition::MAX>
__aicore__ inline void SetPadValue(opwright::ElementArgument<T> value,
                                   opwright::Line line = opwright::Line(__builtin_LINE())) {
    static_assert(pos == TPosition::MAX || opwright::memory_of(pos) == opwright::Memory::UB, "padding is in UB");
    const opwright::At at(line);
    at.core.pad_value = {opwright::element_bits<T>(at, value), true};
}

}  // namespace AscendC

#ifdef OPWRIGHT_MATRIX
#include "cube_copy.h"
#include "cube_fixpipe.h"
#endif
