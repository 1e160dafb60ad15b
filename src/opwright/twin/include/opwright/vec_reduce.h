// Chapter vec_reduce: many lanes become one. Values are joined as trees of neighbours, and every node is rounded to the
// element type. Lanes that take no part are passed over: their neighbour goes up as it is.
#pragma once

#include <limits>

#include "reduce_results.h"

namespace opwright {

// How two values become one -----------------------------------------------------------------------------------

struct Sum {
    template <typename T>
    OPWRIGHT_INLINE T operator()(T a, T b) const {
        return static_cast<T>(a + b);
    }
    template <typename T>
    static OPWRIGHT_INLINE T of_nothing() {
        return T(0);
    }
};

struct Greater {
    template <typename T>
    static OPWRIGHT_INLINE bool is_before(T a, T b) {
        return a > b;
    }
    template <typename T>
    static OPWRIGHT_INLINE T of_nothing() {
        if constexpr (std::is_integral<T>::value) return std::numeric_limits<T>::lowest();
        else return T(-__builtin_inff());
    }
};

struct Less {
    template <typename T>
    static OPWRIGHT_INLINE bool is_before(T a, T b) {
        return a < b;
    }
    template <typename T>
    static OPWRIGHT_INLINE T of_nothing() {
        if constexpr (std::is_integral<T>::value) return std::numeric_limits<T>::max();
        else return T(__builtin_inff());
    }
};

// Of equal values the first one stays. NaN comes before every number.
template <typename Order>
struct Extreme {
    template <typename T>
    static OPWRIGHT_INLINE bool replaces(T next, T best) {
        return best == best && (next != next || Order::is_before(next, best));
    }
    template <typename T>
    OPWRIGHT_INLINE T operator()(T a, T b) const {
        return replaces(b, a) ? b : a;
    }
    template <typename T>
    static OPWRIGHT_INLINE T of_nothing() {
        return Order::template of_nothing<T>();
    }
};

// The work ----------------------------------------------------------------------------------------------------
//
// Not inlined, and once for each element type: kernels with many such calls would compile for long.

// One level of the trees of a repeat, from lanes to results.
template <typename T>
struct Level {
    static constexpr uint32_t kLanes = kBlocks * kBlockBytes / sizeof(T);
    T values[kLanes];
    bool there[kLanes];
    bool is_full;  // all are there

    OPWRIGHT_INLINE void load(const Stepped<const T>& from, uint32_t repeat) {
        constexpr uint32_t in_block = kBlockBytes / sizeof(T);
        is_full = true;
        const Lanes chosen = from.shape->lanes_of(repeat);
        for (uint32_t block = 0; block < kBlocks; ++block) {
            const uint64_t bits = chosen.part(block * in_block, in_block);
            const T* lanes = from.at(repeat, block * in_block);
            is_full = is_full && bits == (uint64_t(1) << in_block) - 1;
            for (uint32_t i = 0; i < in_block; ++i) {
                there[block * in_block + i] = bits >> i & 1;
                if (bits >> i & 1) values[block * in_block + i] = lanes[i];
            }
        }
    }

    // The first `count` lanes.
    OPWRIGHT_INLINE void load(const T* from, uint64_t count) {
        is_full = count >= kLanes;
        for (uint32_t i = 0; i < kLanes; ++i) {
            there[i] = i < count;
            if (there[i]) values[i] = from[i];
        }
    }

    // Neighbours among `count` become one, until `wanted` are left.
    template <typename Join>
    OPWRIGHT_INLINE void join(uint32_t count, uint32_t wanted, Join join) {
        for (; count > wanted; count /= 2) {
            for (uint32_t i = 0; i < count / 2; ++i) {
                const T a = values[2 * i], b = values[2 * i + 1];
                const bool is_a = is_full || there[2 * i], is_b = is_full || there[2 * i + 1];
                values[i] = is_a && is_b ? narrow<T>(join(widen(a), widen(b))) : is_a ? a : b;
                there[i] = is_a || is_b;
            }
        }
    }
};

// `results` of each repeat.
template <typename Join, typename T>
__aicore__ __attribute__((noinline)) inline void reduce_repeats(const At& at, WrittenRepeats<T> dst, ReadRepeats<T> src,
                                                                uint32_t results) {
    if (src.footprint.repeats == 0) return;
    const Stepped<const T> from{src.data(), &src.footprint};
    const Stepped<T> to{dst.data(), &dst.footprint};
    Level<T> level;
    for (uint32_t repeat = 0; repeat < src.footprint.repeats; ++repeat) {
        level.load(from, repeat);
        level.join(Level<T>::kLanes, results, Join());
        for (uint32_t i = 0; i < results; ++i) {
            if (level.there[i]) *to.at(repeat, i) = level.values[i];
            else if (fills_empty_results(at)) *to.at(repeat, i) = Join::template of_nothing<T>();
        }
    }
}

// Strides that are arguments stand in the footprints too.
template <typename T, typename... Strides>
OPWRIGHT_INLINE void block_reduce_sum(const At& at, WrittenRepeats<T> dst, ReadRepeats<T> src, const Strides&...) {
    reduce_repeats<Sum>(at, dst, src, kBlocks);
}

template <typename T, typename... Strides>
OPWRIGHT_INLINE void block_reduce_max(const At& at, WrittenRepeats<T> dst, ReadRepeats<T> src, const Strides&...) {
    reduce_repeats<Extreme<Greater>>(at, dst, src, kBlocks);
}

template <typename T, typename... Strides>
OPWRIGHT_INLINE void block_reduce_min(const At& at, WrittenRepeats<T> dst, ReadRepeats<T> src, const Strides&...) {
    reduce_repeats<Extreme<Less>>(at, dst, src, kBlocks);
}

template <typename T, typename... Strides>
OPWRIGHT_INLINE void pair_reduce_sum(const At& at, WrittenRepeats<T> dst, ReadRepeats<T> src, const Strides&...) {
    reduce_repeats<Sum>(at, dst, src, Level<T>::kLanes / 2);
}

template <typename T, typename... Strides>
OPWRIGHT_INLINE void whole_reduce_sum(const At& at, WrittenRepeats<T> dst, ReadRepeats<T> src, const Strides&...) {
    reduce_repeats<Sum>(at, dst, src, 1);
}

// The first of the greatest or least values, and where it was.
template <typename Order, typename T>
struct Winner {
    T value;
    uint32_t index;
    bool is_any = false;

    OPWRIGHT_INLINE void look(T next, uint32_t at) {
        if (is_any && !Extreme<Order>::replaces(widen(next), widen(value))) return;
        value = next;
        index = at;
        is_any = true;
    }
    OPWRIGHT_INLINE void look(const Stepped<const T>& from, uint32_t repeat, uint32_t start) {
        for (uint32_t lane = 0; lane < Level<T>::kLanes; ++lane) {
            if (from.shape->lanes.part(lane, 1)) look(*from.at(repeat, lane), start + lane);
        }
    }
    // The index is an integer of the size of an element; by itself it has 32 bits.
    OPWRIGHT_INLINE void write(T* place, ReduceOrder order) const {
        const bool is_alone = order == ReduceOrder::ORDER_ONLY_INDEX;
        const bool is_first = order == ReduceOrder::ORDER_INDEX_VALUE;
        const uint64_t bits = index;  // the low bytes come first
        const T kept = value;
        if (is_alone) {
            __builtin_memcpy(place, &bits, sizeof(uint32_t));
            return;
        }
        place[is_first ? 1 : 0] = kept;
        if (order != ReduceOrder::ORDER_ONLY_VALUE) __builtin_memcpy(place + (is_first ? 0 : 1), &bits, sizeof(T));
    }
};

template <typename Order, typename T>
__aicore__ __attribute__((noinline)) inline void whole_reduce(WrittenRepeats<T> dst, ReadRepeats<T> src, ReduceOrder order) {
    if (src.footprint.repeats == 0) return;
    const Stepped<const T> from{src.data(), &src.footprint};
    const Stepped<T> to{dst.data(), &dst.footprint};
    for (uint32_t repeat = 0; repeat < src.footprint.repeats; ++repeat) {
        Winner<Order, T> found;
        found.look(from, repeat, 0);
        found.write(to.at(repeat, 0), order);
    }
}

template <typename T, typename Stride>
OPWRIGHT_INLINE void whole_reduce_max(const At&, WrittenRepeats<T> dst, ReadRepeats<T> src, Stride, ReduceOrder order) {
    whole_reduce<Greater>(dst, src, order);
}

template <typename T, typename Stride>
OPWRIGHT_INLINE void whole_reduce_min(const At&, WrittenRepeats<T> dst, ReadRepeats<T> src, Stride, ReduceOrder order) {
    whole_reduce<Less>(dst, src, order);
}

// A tree over values that come one by one: those of the lowest level are joined as soon as there are two.
template <typename T>
struct GrowingTree {
    T nodes[32];
    uint32_t count = 0;  // values so far: a node stands for each of its bits

    OPWRIGHT_INLINE void add(T value) {
        uint32_t level = 0;
        for (; count >> level & 1; ++level) value = narrow<T>(Sum()(widen(nodes[level]), widen(value)));
        nodes[level] = value;
        ++count;
    }
    OPWRIGHT_INLINE T result() const {
        T value = nodes[__builtin_ctz(count)];
        // Only over the bits that are set: g++ 12 would add +0 for the others, and -0 would be lost.
        for (uint32_t left = count & (count - 1); left; left &= left - 1) {
            value = narrow<T>(Sum()(widen(nodes[__builtin_ctz(left)]), widen(value)));
        }
        return value;
    }
};

// What a call leaves in its temporary space is nobody's business: here it is all ones.
template <typename T>
OPWRIGHT_INLINE void spoil(Written<T> space) {
    if (space.footprint.bytes) __builtin_memset(space.data(), 0xff, space.footprint.bytes);
}

template <typename T>
__aicore__ __attribute__((noinline)) inline void sum_repeats(Written<T> dst, Written<T> space, ReadRepeats<T> src) {
    if (src.footprint.repeats == 0) return;
    const Stepped<const T> from{src.data(), &src.footprint};
    Level<T> level;
    GrowingTree<T> tree;
    for (uint32_t repeat = 0; repeat < src.footprint.repeats; ++repeat) {
        level.load(from, repeat);
        level.join(Level<T>::kLanes, 1, Sum());
        tree.add(level.values[0]);
    }
    spoil(space);
    *dst.data() = tree.result();
}

template <typename T>
__aicore__ __attribute__((noinline)) inline void sum_elements(const At& at, Written<T> dst, Written<T> space, Read<T> src) {
    if (src.size() == 0) return;
    const T* from = src.data();
    const uint64_t count = static_cast<uint64_t>(src.size());
    Level<T> level;
    GrowingTree<T> tree;
    T sum{};
    for (uint64_t begin = 0; begin < count; begin += Level<T>::kLanes) {
        level.load(from + begin, count - begin);
        level.join(Level<T>::kLanes, 1, Sum());
        tree.add(level.values[0]);
        sum = begin == 0 ? level.values[0] : narrow<T>(Sum()(widen(sum), widen(level.values[0])));
    }
    spoil(space);
    *dst.data() = at.core.launch->arch == 3510 ? tree.result() : sum;
}

template <typename T>
OPWRIGHT_INLINE void reduce_sum(const At&, Written<T> dst, Written<T> space, ReadRepeats<T> src) {
    sum_repeats(dst, space, src);
}

template <typename T>
OPWRIGHT_INLINE void reduce_sum(const At& at, Written<T> dst, Written<T> space, Read<T> src) {
    sum_elements(at, dst, space, src);
}

template <typename Order, typename T>
OPWRIGHT_INLINE void write_found(const Winner<Order, T>& found, Written<T> dst, Written<T> space, bool cal_index) {
    spoil(space);
    found.write(dst.data(), cal_index ? ReduceOrder::ORDER_VALUE_INDEX : ReduceOrder::ORDER_ONLY_VALUE);
}

template <typename Order, typename T>
__aicore__ __attribute__((noinline)) inline void reduce_to(Written<T> dst, Written<T> space, ReadRepeats<T> src, bool cal_index) {
    if (src.footprint.repeats == 0) return;
    const Stepped<const T> from{src.data(), &src.footprint};
    Winner<Order, T> found;
    for (uint32_t repeat = 0; repeat < src.footprint.repeats; ++repeat) {
        found.look(from, repeat, repeat * Level<T>::kLanes);
    }
    write_found(found, dst, space, cal_index);
}

template <typename Order, typename T>
__aicore__ __attribute__((noinline)) inline void reduce_to(Written<T> dst, Written<T> space, Read<T> src, bool cal_index) {
    if (src.size() == 0) return;
    const T* from = src.data();
    Winner<Order, T> found;
    for (int64_t i = 0; i < src.size(); ++i) found.look(from[i], static_cast<uint32_t>(i));
    write_found(found, dst, space, cal_index);
}

template <typename T, typename From>
OPWRIGHT_INLINE void reduce_max(const At&, Written<T> dst, Written<T> space, From src, bool cal_index) {
    reduce_to<Greater>(dst, space, src, cal_index);
}

template <typename T, typename From>
OPWRIGHT_INLINE void reduce_min(const At&, Written<T> dst, Written<T> space, From src, bool cal_index) {
    reduce_to<Less>(dst, space, src, cal_index);
}

}  // namespace opwright
