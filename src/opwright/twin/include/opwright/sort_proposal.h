// Chapter sort_proposal: sorting and merging, the greatest first and otherwise as things came. A pair has 8 bytes: an
// element, and at byte 4 its index.
#pragma once

#include "repeat.h"

namespace opwright {

constexpr uint32_t kQueues = 4;

// `count` elements in each repeat, one after the other.
template <typename T>
OPWRIGHT_INLINE Runs elements_of(int64_t repeats, uint64_t count) {
    const uint64_t bytes = static_cast<uint64_t>(repeats) * count * sizeof(T);
    return {1, bytes, bytes};
}

// 32 pairs in each repeat.
OPWRIGHT_INLINE Runs pairs_of(int64_t repeats) { return elements_of<uint64_t>(repeats, 32); }

// Whether a comes before b: a NaN is greater than every number.
template <typename T>
OPWRIGHT_INLINE bool comes_before(T a, T b) {
    const auto x = widen(a), y = widen(b);
    return x != x ? y == y : x > y;
}

template <typename T>
struct Pair {
    T value;
    uint8_t reserved[4 - sizeof(T)];
    uint32_t index;
};
template <>
struct Pair<float> {
    float value;
    uint32_t index;
};

template <typename T>
OPWRIGHT_INLINE T key_of(const Pair<T>& pair) {
    return pair.value;
}
// A stable sort of `count` records, of which each `width` are sorted already. Merging from below needs no recursion, and
// space for as many records.
template <typename Record>
__aicore__ __attribute__((noinline)) void sort_records(Record* records, Record* room, uint64_t count, uint64_t width) {
    for (; width < count; width *= 2) {
        for (uint64_t begin = 0; begin < count; begin += 2 * width) {
            const uint64_t middle = begin + width < count ? begin + width : count;
            const uint64_t end = middle + width < count ? middle + width : count;
            uint64_t left = begin, right = middle;
            for (uint64_t i = begin; i < end; ++i) {
                const bool take_right =
                    right < end && (left == middle || comes_before(key_of(records[right]), key_of(records[left])));
                room[i] = records[take_right ? right++ : left++];
            }
        }
        __builtin_memcpy(records, room, count * sizeof(Record));
    }
}

constexpr uint64_t kGroup = 32;

// An integer that is greater where a number is greater. NaN is the greatest, and zeros are one.
OPWRIGHT_INLINE int32_t order_of(float value) {
    const int32_t bits = static_cast<int32_t>(bits_of(value + 0.0f));
    const int32_t ordered = bits ^ ((bits >> 31) & 0x7fffffff);
    return value == value ? ordered : 0x7fffffff;
}

// Pairs up the elements of a group and puts each where it belongs: behind those that come before it. Comparing all with
// all has no branch.
template <typename T>
OPWRIGHT_INLINE void sort_group(Pair<T>* to, const T* values, const uint32_t* indices) {
    int32_t keys[kGroup], places[kGroup];
    for (uint64_t i = 0; i < kGroup; ++i) {
        keys[i] = order_of(widen(values[i]));
        places[i] = 0;
    }
    for (int32_t other = 0; other < int32_t(kGroup); ++other) {
        const int32_t key = keys[other];
        // Of equal ones the first stays the first. No key is the least integer.
        for (int32_t i = 0; i < int32_t(kGroup); ++i) places[i] += key > keys[i] - (other < i ? 1 : 0);
    }
    for (uint64_t i = 0; i < kGroup; ++i) {
        Pair<T> pair = {};
        pair.value = values[i];
        pair.index = indices[i];
        to[places[i]] = pair;
    }
}

// Sorts each group of 32, or all.
template <typename T>
__aicore__ __attribute__((noinline)) void sort_pairs(const At& at, Pair<T>* to, const T* values, const uint32_t* indices,
                                                     uint64_t count, bool is_full) {
    for (uint64_t begin = 0; begin < count; begin += kGroup) sort_group(to + begin, values + begin, indices + begin);
    if (!is_full || count <= kGroup) return;
    const auto room = static_cast<Pair<T>*>(__builtin_malloc(count * sizeof(Pair<T>)));
    if (!room) at.fail(Fault::NO_MEMORY, count * sizeof(Pair<T>));
    sort_records(to, room, count, kGroup);
    __builtin_free(room);
}

template <typename T, typename U>
OPWRIGHT_INLINE void sort_groups(const At& at, Written<T> dst, Read<T> src0, Read<U> src1, int64_t repeats) {
    const T* values = src0.data();
    const U* indices = src1.data();
    sort_pairs(at, reinterpret_cast<Pair<T>*>(dst.data()), values, indices, static_cast<uint64_t>(repeats) * kGroup, false);
}

template <typename T, typename U>
OPWRIGHT_INLINE void sort_all(const At& at, Written<T> dst, Read<T> concat, Read<U> index, Written<T> tmp,
                              int64_t repeats, bool is_full) {
    const T* values = concat.data();
    const U* indices = index.data();
    const uint64_t count = static_cast<uint64_t>(repeats) * kGroup;
    sort_pairs(at, reinterpret_cast<Pair<T>*>(dst.data()), values, indices, count, is_full);
    __builtin_memset(tmp.data(), 0xff, tmp.footprint.bytes);
}

// Merging ---------------------------------------------------------------------------------------------------

struct Merge {
    uint64_t lengths[kQueues];  // in records
    uint64_t repeats;
    bool ends_with_a_queue;
};

struct Taken {
    uint16_t counts[kQueues];
};

// Takes the records of one merge in order; where `to` is null they are only counted.
template <typename Record>
__aicore__ __attribute__((noinline)) uint64_t merge_queues(const Merge& merge, const Record* const* queues, Record* to,
                                                           uint16_t* counts) {
    uint64_t next[kQueues] = {}, taken = 0;
    for (;;) {
        uint32_t best = kQueues;
        bool has_ended = false;
        for (uint32_t i = 0; i < kQueues; ++i) {
            if (next[i] == merge.lengths[i]) {
                has_ended = has_ended || merge.lengths[i] != 0;
            } else if (best == kQueues || comes_before(key_of(queues[i][next[i]]), key_of(queues[best][next[best]]))) {
                best = i;
            }
        }
        if (best == kQueues || (has_ended && merge.ends_with_a_queue)) break;
        if (to) to[taken] = queues[best][next[best]];
        ++taken;
        ++next[best];
    }
    for (uint32_t i = 0; i < kQueues; ++i) counts[i] = static_cast<uint16_t>(next[i]);
    return taken;
}

template <typename Record, typename... Queues>
OPWRIGHT_INLINE void take_queues(uint64_t skip, const Record** pointers, const Queues&... queues) {
    uint32_t i = 0;
    ((pointers[i++] = reinterpret_cast<const Record*>(queues.data()) + skip), ...);
}

// Queues are `operand` of the call: the object that holds them.
template <typename Record, typename T>
OPWRIGHT_INLINE auto queue_operand(const AscendC::LocalTensor<T>& queue, uint32_t operand, const Merge& merge, uint32_t i) {
    const uint64_t bytes = merge.lengths[i] * sizeof(Record);
    return reads(queue, operand, Runs{merge.repeats, bytes, kQueues * bytes});
}

// A merge that ends with a queue writes as much as it takes until then, which follows from the data.
template <typename Record, typename... Queues>
__aicore__ inline uint64_t merged_records(const At& at, const Merge& merge, const Queues&... queues) {
    uint64_t all = 0;
    for (const uint64_t length : merge.lengths) all += length;
    if (!merge.ends_with_a_queue || at.core.launch->mode == kPerturbed) return merge.repeats * all;
    (queues.check(at), ...);
    const Record* pointers[kQueues];
    uint16_t counts[kQueues];
    take_queues(0, pointers, queues.view(at)...);
    return merge_queues<Record>(merge, pointers, nullptr, counts);
}

// Returns what was taken, if it is wanted at once.
template <typename Record, bool wants, typename T, typename List>
__aicore__ inline auto merged(const At& at, const AscendC::LocalTensor<T>& dst, const List& list, const Merge& merge) {
    require(at, dst.address() % kBlockBytes == 0, 0, 0, static_cast<int64_t>(dst.address()));
    const auto first = queue_operand<Record>(list.src1, 1, merge, 0), second = queue_operand<Record>(list.src2, 1, merge, 1);
    const auto third = queue_operand<Record>(list.src3, 1, merge, 2), fourth = queue_operand<Record>(list.src4, 1, merge, 3);
    const uint64_t bytes = merged_records<Record>(at, merge, first, second, third, fourth) * sizeof(Record);
    const auto written = writes(dst, 0, Runs{1, bytes, bytes});
    require_apart(at, written, first);
    require_apart(at, written, second);
    require_apart(at, written, third);
    require_apart(at, written, fourth);
    const auto body = [=](const At& here, auto to, auto... queues) {
        const Record* pointers[kQueues];
        Taken taken = {};
        take_queues(0, pointers, queues...);
        auto place = reinterpret_cast<Record*>(to.data());
        for (uint64_t repeat = 0; repeat < merge.repeats; ++repeat) {
            place += merge_queues(merge, pointers, place, taken.counts);
            for (const Record*& pointer : pointers) pointer += kQueues * merge.lengths[0];
        }
        __builtin_memcpy(here.core.merged, taken.counts, sizeof taken.counts);
        if constexpr (wants) return taken;
    };
    return issue(at, PIPE_V, body, written, first, second, third, fourth);
}

// How many merges there are: repeats count if there are four queues of one length, one behind the other.
template <typename Record, typename List>
__aicore__ inline Merge merge_of(const At& at, const List& list, const uint16_t* lengths, uint32_t valid, int64_t repeats,
                                 bool ends_with_a_queue) {
    if (valid != 3 && valid != 7 && valid != 15) at.fail(Fault::QUEUES, valid);
    Merge merge = {{}, 1, ends_with_a_queue};
    for (uint32_t i = 0; i < kQueues; ++i) merge.lengths[i] = valid >> i & 1 ? lengths[i] : 0;
    const uint64_t bytes = lengths[0] * sizeof(Record), start = list.src1.address();
    const bool alike = lengths[1] == lengths[0] && lengths[2] == lengths[0] && lengths[3] == lengths[0];
    const bool follow = list.src2.address() == start + bytes && list.src3.address() == start + 2 * bytes &&
                        list.src4.address() == start + 3 * bytes;
    if (valid == 15 && alike && follow && !ends_with_a_queue && repeats >= 0) merge.repeats = static_cast<uint64_t>(repeats);
    return merge;
}

}  // namespace opwright

namespace AscendC {

template <typename T>
struct MrgSortSrcList {
    LocalTensor<T> src1, src2, src3, src4;
    MrgSortSrcList() = default;
    OPWRIGHT_INLINE MrgSortSrcList(const LocalTensor<T>& first, const LocalTensor<T>& second, const LocalTensor<T>& third,
                                   const LocalTensor<T>& fourth)
        : src1(first), src2(second), src3(third), src4(fourth) {}
};

struct MrgSort4Info {
    uint16_t elementLengths[opwright::kQueues] = {};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 15;
    uint16_t repeatTimes = 1;
    MrgSort4Info() = default;
    OPWRIGHT_INLINE MrgSort4Info(const uint16_t (&lengths)[opwright::kQueues], bool ends, opwright::Argument<uint16_t> valid,
                                 opwright::Argument<uint16_t> repeats, int32_t line = __builtin_LINE())
        : ifExhaustedSuspension(ends), validBit(valid), repeatTimes(repeats) {
        const opwright::At at(line);
        opwright::require_fits(at, 2, valid);
        opwright::require_fits(at, 3, repeats);
        opwright::require(at, repeats <= 255, 0, 3, int64_t(repeats));
        __builtin_memcpy(elementLengths, lengths, sizeof elementLengths);
    }
};

template <typename T>
__aicore__ inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& list, const MrgSort4Info& params,
                               int32_t line = __builtin_LINE()) {
    using Record = opwright::Pair<T>;
    const opwright::At at(line);
    const auto merge = opwright::merge_of<Record>(at, list, params.elementLengths, params.validBit, params.repeatTimes,
                                                  params.ifExhaustedSuspension);
    opwright::merged<Record, false>(at, dst, list, merge);
}

template <typename T, bool ends_with_a_queue = false>
__aicore__ inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& list,
                               const uint16_t (&lengths)[opwright::kQueues], uint32_t (&sorted)[opwright::kQueues],
                               opwright::Argument<uint16_t> valid, opwright::Argument<int32_t> repeats,
                               int32_t line = __builtin_LINE()) {
    using Record = opwright::Pair<T>;
    const opwright::At at(line);
    opwright::require_fits(at, 4, valid);
    opwright::require_fits(at, 5, repeats);
    const auto merge = opwright::merge_of<Record>(at, list, lengths, valid, repeats, ends_with_a_queue);
    const opwright::Taken taken = opwright::merged<Record, true>(at, dst, list, merge);
    for (uint32_t i = 0; i < opwright::kQueues; ++i) sorted[i] = taken.counts[i];
}

__aicore__ inline void GetMrgSortResult(uint16_t& first, uint16_t& second, uint16_t& third, uint16_t& fourth) {
    const uint16_t* counts = opwright::current_core().merged;
    first = counts[0];
    second = counts[1];
    third = counts[2];
    fourth = counts[3];
}

template <typename T>
__aicore__ inline uint32_t GetSortLen(uint32_t count) {
    return count * (8 / sizeof(T));
}

template <typename T>
__aicore__ inline uint32_t GetSortOffset(uint32_t offset) {
    return offset * (8 / sizeof(T));
}

}  // namespace AscendC
