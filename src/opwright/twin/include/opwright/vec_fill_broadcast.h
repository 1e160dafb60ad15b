// Chapter vec_fill_broadcast: one element fills many.
#pragma once

#include "repeat.h"

namespace opwright {

// What one repeat reads and fills.
constexpr uint32_t kBroadcast = 8;

template <typename T>
OPWRIGHT_INLINE Runs broadcast_elements(uint32_t repeats) {
    const uint64_t bytes = uint64_t(repeats) * kBroadcast * sizeof(T);
    return {bytes ? 1u : 0u, bytes, bytes};
}

template <typename T, typename Params>
OPWRIGHT_INLINE Steps filled_blocks(uint32_t repeats, const Params& params) {
    const uint32_t lanes = kBroadcast * kBlockBytes / sizeof(T);
    return {lanes, repeats, params.dstBlkStride, params.dstRepStride, chosen_lanes(lanes)};
}

template <typename T, typename Params>
OPWRIGHT_INLINE void brcb(const At&, WrittenRepeats<T> written, Read<T> src, uint32_t repeats, const Params&) {
    if (repeats == 0) return;
    constexpr uint32_t in_block = kBlockBytes / sizeof(T);
    const T* from = src.data();
    const Stepped<T> dst{written.data(), &written.footprint};
    for (uint32_t i = 0; i < repeats * kBroadcast; ++i) {
        T* block = dst.at(i / kBroadcast, i % kBroadcast * in_block);
        for (uint32_t k = 0; k < in_block; ++k) block[k] = from[i];
    }
}

}  // namespace opwright
