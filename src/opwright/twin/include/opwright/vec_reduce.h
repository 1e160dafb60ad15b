// Chapter vec_reduce: many lanes become one. Values are joined as trees of neighbours, and every node is rounded to the
// element type. Lanes that take no part are passed over: their neighbour goes up as it is.
#pragma once

#include <limits>

#include "reduce_results.h"

namespace opwright {

// How two values become one -----------------------------------------------------------------------------------

struct Sum {
    static constexpr bool kRounds = true;
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
    static constexpr bool kRounds = false;
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

// Elements in the type that calls compute in.
template <typename T>
OPWRIGHT_INLINE void widen_all(typename Compute<T>::type* to, const T* from, uint32_t count) {
    if constexpr (std::is_same<T, half>::value) widen_halves(to, from, count);
    else for (uint32_t i = 0; i < count; ++i) to[i] = widen(from[i]);
}

template <typename T>
OPWRIGHT_INLINE void round_all(typename Compute<T>::type* values, uint32_t count) {
    if constexpr (std::is_same<T, half>::value) round_to_halves(values, count);
    else for (uint32_t i = 0; i < count; ++i) values[i] = widen(narrow<T>(values[i]));
}

// Neighbours among `Count` become one, until `Wanted` are left.
template <typename T, typename Join, uint32_t Count, uint32_t Wanted>
OPWRIGHT_INLINE void join_all(typename Compute<T>::type* to, const typename Compute<T>::type* from) {
    if constexpr (Count == Wanted) {
        for (uint32_t i = 0; i < Count; ++i) to[i] = from[i];
    } else {
        constexpr uint32_t whole = Count / 2 < 8 ? 8 : Count / 2;  // fewer are not rounded faster
        typename Compute<T>::type next[whole] = {};
        for (uint32_t i = 0; i < Count / 2; ++i) next[i] = Join()(from[2 * i], from[2 * i + 1]);
        if constexpr (Join::kRounds && sizeof(T) == 2) round_all<T>(next, whole);
        join_all<T, Join, Count / 2, Wanted>(to, next);
    }
}

// One level of the trees of a repeat, from lanes to results.
template <typename T>
struct Level {
    static constexpr uint32_t kLanes = kBlocks * kBlockBytes / sizeof(T);
    typename Compute<T>::type values[kLanes];
    bool there[kLanes];
    bool is_full;  // all are there

    OPWRIGHT_INLINE void load(const Stepped<const T>& from, uint32_t repeat) {
        constexpr uint32_t in_block = kBlockBytes / sizeof(T);
        const Lanes chosen = from.shape->lanes_of(repeat);
        is_full = chosen.has_first(kLanes);
        if (is_full && from.has_dense_repeats()) return widen_all(values, from.at(repeat, 0), kLanes);
        for (uint32_t block = 0; block < kBlocks; ++block) {
            const uint64_t bits = chosen.part(block * in_block, in_block);
            const T* lanes = from.at(repeat, block * in_block);
            for (uint32_t i = 0; i < in_block; ++i) {
                there[block * in_block + i] = bits >> i & 1;
                if (bits >> i & 1) values[block * in_block + i] = widen(lanes[i]);
            }
        }
    }

    // The first `count` lanes.
    OPWRIGHT_INLINE void load(const T* from, uint64_t count) {
        is_full = count >= kLanes;
        if (is_full) return widen_all(values, from, kLanes);
        for (uint32_t i = 0; i < kLanes; ++i) {
            there[i] = i < count;
            if (there[i]) values[i] = widen(from[i]);
        }
    }

    // Neighbours become one, until `Wanted` are left.
    template <typename Join, uint32_t Wanted>
    OPWRIGHT_INLINE void join() {
        if (is_full) return join_all<T, Join, kLanes, Wanted>(values, values);
        for (uint32_t count = kLanes; count > Wanted; count /= 2) {
            for (uint32_t i = 0; i < count / 2; ++i) {
                const auto a = values[2 * i], b = values[2 * i + 1];
                const bool is_a = there[2 * i], is_b = there[2 * i + 1];
                values[i] = is_a && is_b ? widen(narrow<T>(Join()(a, b))) : is_a ? a : b;
                there[i] = is_a || is_b;
            }
        }
    }

    // Lane by lane, to lanes that are all there.
    OPWRIGHT_INLINE void add(const Level& other) {
        for (uint32_t i = 0; i < kLanes; ++i) {
            if (other.has(i)) values[i] = widen(narrow<T>(Sum()(values[i], other.values[i])));
        }
    }

    OPWRIGHT_INLINE bool has(uint32_t i) const { return is_full || there[i]; }
    OPWRIGHT_INLINE T element(uint32_t i) const { return narrow<T>(values[i]); }
};

// `Results` of each repeat.
template <typename Join, uint32_t Results, typename T>
__aicore__ __attribute__((noinline)) inline void reduce_repeats(const At& at, WrittenRepeats<T> dst, ReadRepeats<T> src) {
    if (src.footprint.repeats == 0) return;
    const Stepped<const T> from{src.data(), &src.footprint};
    const Stepped<T> to{dst.data(), &dst.footprint};
    Level<T> level;
    for (uint32_t repeat = 0; repeat < src.footprint.repeats; ++repeat) {
        level.load(from, repeat);
        level.template join<Join, Results>();
        for (uint32_t i = 0; i < Results; ++i) {
            if (level.has(i)) *to.at(repeat, i) = level.element(i);
            else if (fills_empty_results(at)) *to.at(repeat, i) = Join::template of_nothing<T>();
        }
    }
}

// Strides that are arguments stand in the footprints too.
template <typename T, typename... Strides>
OPWRIGHT_INLINE void block_reduce_sum(const At& at, WrittenRepeats<T> dst, ReadRepeats<T> src, const Strides&...) {
    reduce_repeats<Sum, kBlocks>(at, dst, src);
}

template <typename T, typename... Strides>
OPWRIGHT_INLINE void block_reduce_max(const At& at, WrittenRepeats<T> dst, ReadRepeats<T> src, const Strides&...) {
    reduce_repeats<Extreme<Greater>, kBlocks>(at, dst, src);
}

template <typename T, typename... Strides>
OPWRIGHT_INLINE void block_reduce_min(const At& at, WrittenRepeats<T> dst, ReadRepeats<T> src, const Strides&...) {
    reduce_repeats<Extreme<Less>, kBlocks>(at, dst, src);
}

template <typename T, typename... Strides>
OPWRIGHT_INLINE void pair_reduce_sum(const At& at, WrittenRepeats<T> dst, ReadRepeats<T> src, const Strides&...) {
    reduce_repeats<Sum, Level<T>::kLanes / 2>(at, dst, src);
}

template <typename T, typename... Strides>
OPWRIGHT_INLINE void whole_reduce_sum(const At& at, WrittenRepeats<T> dst, ReadRepeats<T> src, const Strides&...) {
    reduce_repeats<Sum, 1>(at, dst, src);
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
    // All lanes at once: the extreme of them by halves, then the first lane that has it. NaN needs a closer look, and
    // so does 0, which has two signs; for any other value the lane matters only to those who ask for its index.
    OPWRIGHT_INLINE void look_at_all(const T* lanes, uint32_t start, bool wants_index) {
        constexpr uint32_t count = Level<T>::kLanes;
        typename Compute<T>::type values[count], best[count];
        widen_all(values, lanes, count);
        uint32_t others = 0;
        for (uint32_t i = 0; i < count; ++i) {
            best[i] = values[i];
            others |= values[i] != values[i];
        }
        for (uint32_t left = count / 2; left; left /= 2) {
            for (uint32_t i = 0; i < left; ++i) best[i] = Order::is_before(best[left + i], best[i]) ? best[left + i] : best[i];
        }
        if (!wants_index && !others && best[0] != 0) return look(narrow<T>(best[0]), start);
        uint32_t first = count;
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t place = values[i] == best[0] ? i : count;
            first = place < first ? place : first;
        }
        for (uint32_t lane = others ? 0 : first; lane < (others ? count : first + 1); ++lane) look(lanes[lane], start + lane);
    }
    OPWRIGHT_INLINE void look(const Stepped<const T>& from, uint32_t repeat, uint32_t start, bool wants_index) {
        constexpr uint32_t count = Level<T>::kLanes;
        const Lanes& chosen = from.shape->lanes;
        const uint32_t leading = from.has_dense_repeats() ? leading_lanes(chosen, count) : 0;
        if (leading == count) return look_at_all(from.at(repeat, 0), start, wants_index);
        if (leading) {
            T lanes[count];  // those behind the leading ones are before nothing
            for (uint32_t i = 0; i < count; ++i) lanes[i] = Order::template of_nothing<T>();
            __builtin_memcpy(lanes, from.at(repeat, 0), leading * sizeof(T));
            return look_at_all(lanes, start, wants_index);
        }
        for (uint32_t lane = 0; lane < count; ++lane) {
            if (chosen.part(lane, 1)) look(*from.at(repeat, lane), start + lane);
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
        found.look(from, repeat, 0, order != ReduceOrder::ORDER_ONLY_VALUE);
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

template <typename T>
__aicore__ __attribute__((noinline)) inline void sum_repeats(Written<T> dst, Written<T> space, ReadRepeats<T> src) {
    if (src.footprint.repeats == 0) return;
    const Stepped<const T> from{src.data(), &src.footprint};
    Level<T> level;
    GrowingTree<T> tree;
    for (uint32_t repeat = 0; repeat < src.footprint.repeats; ++repeat) {
        level.load(from, repeat);
        level.template join<Sum, 1>();
        tree.add(level.element(0));
    }
    spoil(space);
    *dst.data() = tree.result();
}

// Up to four repeats, the upper ones added to the lower ones until one is left.
constexpr uint64_t kFolded = 4;

template <typename T>
__aicore__ __attribute__((noinline)) inline T folded_sum(const T* from, uint64_t count) {
    Level<T> levels[kFolded];
    uint64_t left = 0;
    for (uint64_t begin = 0; begin < count; begin += Level<T>::kLanes) levels[left++].load(from + begin, count - begin);
    while (left > 1) {
        const uint64_t kept = left > 2 ? 2 : 1;
        for (uint64_t i = kept; i < left; ++i) levels[i - kept].add(levels[i]);
        left = kept;
    }
    levels[0].template join<Sum, 1>();
    return levels[0].element(0);
}

template <typename T>
__aicore__ __attribute__((noinline)) inline void sum_elements(const At& at, Written<T> dst, Written<T> space, Read<T> src) {
    if (src.size() == 0) return;
    const T* from = src.data();
    const uint64_t count = static_cast<uint64_t>(src.size());
    const bool is_tree = at.core.launch->arch == 3510;
    // Integers wrap, so that their order shows in nothing.
    if constexpr (kFoldsSums && !std::is_integral<T>::value) {
        if (is_tree && count > Level<T>::kLanes && count <= kFolded * Level<T>::kLanes) {
            const T sum = folded_sum(from, count);
            spoil(space);
            *dst.data() = sum;
            return;
        }
    }
    Level<T> level;
    GrowingTree<T> tree;
    T sum{};
    for (uint64_t begin = 0; begin < count; begin += Level<T>::kLanes) {
        level.load(from + begin, count - begin);
        level.template join<Sum, 1>();
        if (is_tree) tree.add(level.element(0));
        else sum = begin == 0 ? level.element(0) : narrow<T>(Sum()(widen(sum), level.values[0]));
    }
    spoil(space);
    *dst.data() = is_tree ? tree.result() : sum;
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
        found.look(from, repeat, repeat * Level<T>::kLanes, cal_index);
    }
    write_found(found, dst, space, cal_index);
}

template <typename Order, typename T>
__aicore__ __attribute__((noinline)) inline void reduce_to(Written<T> dst, Written<T> space, Read<T> src, bool cal_index) {
    if (src.size() == 0) return;
    const T* from = src.data();
    Winner<Order, T> found;
    int64_t i = 0;
    for (; i + Level<T>::kLanes <= src.size(); i += Level<T>::kLanes) {
        found.look_at_all(from + i, static_cast<uint32_t>(i), cal_index);
    }
    for (; i < src.size(); ++i) found.look(from[i], static_cast<uint32_t>(i));
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
