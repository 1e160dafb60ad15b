// Chapter vec_reduce: what its calls touch. Results lie closer together than what they come from.
#pragma once

#include "generated/enums.h"
#include "repeat.h"

namespace opwright {

using AscendC::ReduceOrder;

constexpr uint32_t kBlocks = 8;  // of a repeat

// Where nothing takes part, older cores leave the result as it was; newer ones write what changes no result.
OPWRIGHT_INLINE bool fills_empty_results(const At& at) { return at.core.launch->arch == 3510; }

OPWRIGHT_INLINE bool any_lane(const Lanes& lanes) {
    return (lanes.words[0] | lanes.words[1] | lanes.words[2] | lanes.words[3]) != 0;
}

// Results of `size` lanes each: bit i of what comes out says that one of the lanes of result i takes part.
template <typename T>
__aicore__ inline Lanes lanes_of_results(const At& at, const Lanes& lanes, uint32_t size) {
    Lanes results = {{0, 0, 0, 0}};
    if (!any_lane(lanes)) return results;
    const uint32_t count = kBlocks * kBlockBytes / sizeof(T) / size;
    for (uint32_t i = 0; i < count; ++i) {
        const bool is_written = fills_empty_results(at) || lanes.part(i * size, size) != 0;
        results.words[i / 64] |= uint64_t(is_written) << (i % 64);
    }
    return results;
}

// One result for each block.
template <typename T>
OPWRIGHT_INLINE Steps block_results(const At& at, const Lanes& lanes, uint32_t repeats, uint32_t stride) {
    const Lanes results = lanes_of_results<T>(at, lanes, kBlockBytes / sizeof(T));
    return {kBlocks, repeats, 1, stride, results, 0, kBlocks * sizeof(T)};
}

// One result for each pair of neighbours.
template <typename T>
OPWRIGHT_INLINE Steps pair_results(const At& at, const Chosen& chosen, uint32_t stride) {
    const uint32_t count = kBlocks * kBlockBytes / sizeof(T) / 2;
    const uint32_t tail = fills_empty_results(at) ? 0 : (chosen.tail + 1) / 2;
    const Lanes results = lanes_of_results<T>(at, chosen.lanes, 2);
    return {count, chosen.repeats, 1, stride, results, tail, kBlocks * kBlockBytes / 2};
}

template <typename T>
OPWRIGHT_INLINE constexpr uint32_t result_bytes(ReduceOrder order) {
    if (order == ReduceOrder::ORDER_ONLY_INDEX) return sizeof(uint32_t);
    return order == ReduceOrder::ORDER_ONLY_VALUE ? sizeof(T) : 2 * sizeof(T);
}

// One result for each repeat; the last one has a lane at least, if it has fewer than the others.
template <typename T>
OPWRIGHT_INLINE Steps whole_results(const Chosen& chosen, uint32_t stride,
                                    ReduceOrder order = ReduceOrder::ORDER_ONLY_VALUE) {
    const uint32_t bytes = result_bytes<T>(order), count = bytes / sizeof(T);
    const uint64_t written = any_lane(chosen.lanes) ? (uint64_t(1) << count) - 1 : 0;
    return {count, chosen.repeats, 1, stride, {{written, 0, 0, 0}}, 0, bytes};
}

OPWRIGHT_INLINE Runs one_piece(uint64_t bytes) { return {bytes ? 1u : 0u, bytes, bytes}; }

// The one result of all repeats.
template <typename T>
OPWRIGHT_INLINE Runs one_result(bool is_any, uint32_t elements) {
    return one_piece(is_any ? elements * sizeof(T) : 0);
}

template <typename T>
OPWRIGHT_INLINE constexpr uint64_t repeats_of(uint64_t count) {
    return (count * sizeof(T) + kBlocks * kBlockBytes - 1) / (kBlocks * kBlockBytes);
}

// The sums of all repeats.
template <typename T>
OPWRIGHT_INLINE Runs space_for_sums(uint64_t repeats) {
    return one_piece(in_whole_blocks(repeats * sizeof(T)));
}

// Older cores add the sums of a count up in a register.
template <typename T>
OPWRIGHT_INLINE Runs space_for_sum(const At& at, uint64_t count) {
    return space_for_sums<T>(at.core.launch->arch == 3510 ? repeats_of<T>(count) : 0);
}

// A value and an index of each repeat; with the index of the whole, those of two more rounds stay beside them.
template <typename T>
OPWRIGHT_INLINE Runs space_for_extremes(uint64_t repeats, bool cal_index) {
    uint64_t elements = 2 * repeats, bytes = in_whole_blocks(elements * sizeof(T));
    for (uint32_t round = 0; repeats && cal_index && round < 2; ++round) {
        elements = 2 * repeats_of<T>(elements);
        bytes += in_whole_blocks(elements * sizeof(T));
    }
    return one_piece(bytes);
}

// The first byte after what a repeat touches; footprints without repeats are one.
OPWRIGHT_INLINE uint64_t end_of_repeat(const Footprint& access, uint32_t repeat) {
    const uint64_t before_last = access.repeats ? access.start_of(access.repeats - 1) - access.address : 0;
    return access.start_of(repeat) + access.bytes - before_last;
}

// What is written starts where a repeat starts that is being read, or does not touch it, and no later repeat reads it.
__aicore__ __attribute__((noinline)) inline void require_reducible(const At& at, const Footprint& w, const Footprint& r) {
    if (w.bytes == 0 || r.bytes == 0 || !overlap(w.address, w.bytes, r.address, r.bytes)) return;
    const uint32_t written = w.repeats ? w.repeats : 1, read = r.repeats ? r.repeats : 1;
    for (uint32_t i = 0; i < written; ++i) {
        const uint64_t begin = w.start_of(i), bytes = end_of_repeat(w, i) - begin;
        for (uint32_t j = i; j < read; ++j) {
            const uint64_t from = r.start_of(j), size = end_of_repeat(r, j) - from;
            const bool is_in_place = i == j && begin == from;
            if (!is_in_place && overlap(begin, bytes, from, size)) {
                at.fail(Fault::OVERLAP, w.operand, r.operand, w.address - r.address);
            }
        }
    }
}

template <typename A, typename B>
OPWRIGHT_INLINE void require_reduces(const At& at, const Operand<A>& written, const Operand<B>& read) {
    require_reducible(at, written.footprint, read.footprint);
}

}  // namespace opwright
