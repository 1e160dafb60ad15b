// Chapter vec_binary: what calls with two sources do to a pair of elements, in the type they compute in.
#pragma once

#include "places.h"
#include "vec_convert.h"
#include "vec_unary.h"

namespace opwright {

// The second where the comparison is false: for NaN, and for zeros of whatever sign.
template <typename T>
OPWRIGHT_INLINE T maximum(T a, T b) {
    return a > b ? a : b;
}

template <typename T>
OPWRIGHT_INLINE T minimum(T a, T b) {
    return a < b ? a : b;
}

// Integers wrap in their own type before they are compared.
template <typename T>
OPWRIGHT_INLINE T add_relu(T a, T b) {
    return relu(static_cast<T>(a + b));
}

template <typename T>
OPWRIGHT_INLINE T sub_relu(T a, T b) {
    return relu(static_cast<T>(a - b));
}

// a * b + c with one rounding. Integers wrap.
template <typename T>
OPWRIGHT_INLINE T fused(T a, T b, T c) {
    return static_cast<T>(a * b + c);
}

OPWRIGHT_INLINE Fused fused(float a, float b, float c) { return {a, b, c}; }

struct FusedRelu : Fused {
    template <typename T>
    OPWRIGHT_INLINE float rounded() const {
        return relu(Fused::rounded<T>());
    }
};

template <typename T>
OPWRIGHT_INLINE T fused_relu(T a, T b, T c) {
    return relu(fused(a, b, c));
}

OPWRIGHT_INLINE FusedRelu fused_relu(float a, float b, float c) { return {{a, b, c}}; }

// A product of halves is exact in float and rounded to half, as Mul does.
template <typename To, typename From>
OPWRIGHT_INLINE void mul_cast(const At&, To dst, From src0, From src1) {
    map(dst, [](auto a, auto b) {
        const auto product = narrow<typename From::Element>(a * b);
        return cast_number<RoundMode::CAST_RINT, typename To::Element>(widen(product));
    }, src0, src1);
}

// A sum of 32 bits times a scale of 11 is exact in double, and rounded once.
template <typename To, typename From>
OPWRIGHT_INLINE void add_deq_relu(const At&, To dst, From src0, From src1, const Dequant& set) {
    map(dst, [scale = set.to_half](int32_t a, int32_t b) { return relu(static_cast<double>(a + b) * scale); }, src0, src1);
}

// What BilinearInterpolation touches. A turn takes eight blocks of src0, and of src1 one weight or eight.
constexpr uint32_t kTurnBlocks = 8;

// Turns of one column lie `v_r_offset` elements apart, in whole blocks.
template <typename T, typename Mask>
OPWRIGHT_INLINE Steps interpolated(const Mask& mask, uint32_t v_repeat, uint32_t dst_blk_stride, uint32_t v_r_offset) {
    constexpr uint32_t lanes = 8 * kBlockBytes / sizeof(T);
    const auto apart = static_cast<uint32_t>(v_r_offset * sizeof(T) / kBlockBytes);
    return {lanes, v_repeat, dst_blk_stride, apart, chosen_lanes(mask)};
}

OPWRIGHT_INLINE Runs interpolated_offsets(uint64_t h_repeat, uint64_t v_repeat) {
    const uint64_t bytes = h_repeat * v_repeat * kTurnBlocks * sizeof(uint32_t);
    return {1, bytes, bytes};
}

OPWRIGHT_INLINE uint64_t interpolating_weights(uint64_t h_repeat, uint64_t v_repeat, bool repeat_mode) {
    const uint64_t turns = h_repeat * v_repeat;
    return repeat_mode ? turns * kTurnBlocks : (turns + kTurnBlocks - 1) / kTurnBlocks * kTurnBlocks;
}

// Weights are taken eight at a time.
template <typename T>
OPWRIGHT_INLINE Runs interpolated_weights(uint64_t h_repeat, uint64_t v_repeat, bool repeat_mode) {
    const uint64_t bytes = interpolating_weights(h_repeat, v_repeat, repeat_mode) * sizeof(T);
    return {1, bytes, bytes};
}

// The blocks that were gathered, and one block of each weight.
OPWRIGHT_INLINE Runs interpolating_bytes(uint64_t h_repeat, uint64_t v_repeat, bool repeat_mode) {
    const uint64_t blocks = h_repeat * v_repeat * kTurnBlocks + interpolating_weights(h_repeat, v_repeat, repeat_mode);
    return {1, blocks * kBlockBytes, blocks * kBlockBytes};
}

// Products and sums are rounded to half one by one, in the order of the iterations.
template <typename T, typename Where, typename Mask>
OPWRIGHT_INLINE void interpolate(const At& at, WrittenRepeats<T> written, Read<uint32_t>, ReadPlaces<T, Where> src0,
                                 Read<T> src1, Written<uint8_t> room, const Mask&, uint32_t h_repeat, bool repeat_mode,
                                 uint32_t, uint32_t, uint32_t) {
    const T* from = src0.data();
    const T* weights = src1.data();
    const Stepped<T> dst{written.data(), &written.footprint};
    __builtin_memset(room.data(), 0xff, room.footprint.bytes);
    constexpr uint32_t in_block = kBlockBytes / sizeof(T);
    uint32_t number = 0;
    src0.where.each(at, [&](uint64_t begin, uint32_t) {
        const uint32_t turn = number / kTurnBlocks, block = number % kTurnBlocks;
        const auto weight = widen(weights[repeat_mode ? number : turn]);
        for (uint32_t i = 0; i < in_block; ++i) {
            const uint32_t lane = block * in_block + i;
            if (!written.footprint.lanes.part(lane, 1)) continue;
            const T product = narrow<T>(widen(from[begin / sizeof(T) + i]) * weight);
            T* to = dst.at(turn / h_repeat, lane);
            *to = turn % h_repeat == 0 ? product : narrow<T>(widen(*to) + widen(product));
        }
        ++number;
    });
}

}  // namespace opwright
