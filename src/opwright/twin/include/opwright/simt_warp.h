// Calls in which the lanes of a warp meet: shuffles, votes and reductions; and what a lane knows about itself.
//
// In: what each lane brings. Out: what each of them gets. All living lanes of the warp must come to the same line;
// those that have ended take no part. Refuses a shuffle from a lane that takes none, and widths that the unit does not
// have.
#pragma once

#include "simt_element.h"

namespace opwright {

OPWRIGHT_INLINE uint32_t lane_number() { return thread_number() % kWarpLanes; }

template <typename T>
OPWRIGHT_INLINE uint64_t brought(T value) {
    static_assert(sizeof(T) <= sizeof(uint64_t), "a lane brings one number");
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}

// The lanes of a warp, where they have met, and what each of them brought.
template <typename T>
struct Met {
    const WarpMeeting& meeting;
    OPWRIGHT_INLINE Met(T value, int32_t line) : meeting(meet(brought(value), line)) {}

    OPWRIGHT_INLINE bool has(uint32_t lane) const { return meeting.lanes >> lane & 1; }
    OPWRIGHT_INLINE T operator[](uint32_t lane) const {
        T value;
        __builtin_memcpy(&value, &meeting.values[lane], sizeof value);
        return value;
    }

private:
    static OPWRIGHT_INLINE const WarpMeeting& meet(uint64_t bits, int32_t line) {
        Core& core = current_core();
        return *core.library->warp_meet(&core, line, bits);
    }
};

// Lanes are shuffled in groups of `width`.
OPWRIGHT_INLINE uint32_t group_begin(int32_t width, int32_t line) {
    if (OPWRIGHT_UNLIKELY(width < 1 || width > warpSize || (width & (width - 1)) != 0)) {
        fail_thread(line, Fault::SHFL_WIDTH, width);
    }
    return lane_number() & ~(static_cast<uint32_t>(width) - 1);
}

template <typename T>
OPWRIGHT_INLINE T shuffled(T value, uint32_t lane, int32_t line) {
    const Met<T> met(value, line);
    if (OPWRIGHT_UNLIKELY(!met.has(lane))) fail_thread(line, Fault::SHFL_LANE, lane);
    return met[lane];
}

// What is the same for all lanes is computed by the first that goes on.
template <typename T, typename Compute>
OPWRIGHT_INLINE auto shared_by_lanes(const Met<T>& met, Compute compute) {
    decltype(compute()) result;
    if (!met.meeting.has_result) {
        met.meeting.result = brought(compute());
        met.meeting.has_result = true;
    }
    __builtin_memcpy(&result, &met.meeting.result, sizeof result);
    return result;
}

// Neighbours first, then pairs of pairs. Lanes that take no part are left out.
template <typename T, typename Combine>
__aicore__ inline T tree_of(const Met<T>& met, Combine combine) {
    T values[kWarpLanes];
    for (uint32_t lane = 0; lane < kWarpLanes; ++lane) values[lane] = met[lane];
    uint32_t there = met.meeting.lanes;
    for (uint32_t step = 1; step < kWarpLanes; step *= 2) {
        for (uint32_t lane = 0; lane < kWarpLanes; lane += 2 * step) {
            const bool has = there >> lane & 1, has_other = there >> (lane + step) & 1;
            if (has && has_other) values[lane] = combine(values[lane], values[lane + step]);
            if (!has && has_other) values[lane] = values[lane + step];
            there |= uint32_t(has_other) << lane;
        }
    }
    return values[0];
}

template <typename T, typename Combine>
OPWRIGHT_INLINE T reduced(T value, int32_t line, Combine combine) {
    const Met<T> met(value, line);
    return shared_by_lanes(met, [&] { return tree_of(met, combine); });
}

// Lanes that bring something else than 0.
OPWRIGHT_INLINE uint32_t lanes_that(const Met<int32_t>& met) {
    return shared_by_lanes(met, [&] {
        uint32_t lanes = 0;
        for (uint32_t lane = 0; lane < kWarpLanes; ++lane) lanes |= uint32_t(met.has(lane) && met[lane] != 0) << lane;
        return lanes;
    });
}

template <typename T>
OPWRIGHT_INLINE T added(T a, T b) {
    if constexpr (!std::is_integral<T>::value) return rounded<T>(widen(a) + widen(b));
    else return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
template <typename T>
OPWRIGHT_INLINE T subtracted(T a, T b) {
    if constexpr (!std::is_integral<T>::value) return rounded<T>(widen(a) - widen(b));
    else return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
// A NaN gives way to a number.
template <typename T>
OPWRIGHT_INLINE T greater(T a, T b) {
    return widen(a) > widen(b) || widen(b) != widen(b) ? a : b;
}
template <typename T>
OPWRIGHT_INLINE T smaller(T a, T b) {
    return widen(a) < widen(b) || widen(b) != widen(b) ? a : b;
}

}  // namespace opwright

template <typename V>
__aicore__ inline auto asc_shfl(const V& var, int32_t src_lane, int32_t width = warpSize,
                                int32_t line = __builtin_LINE()) {
    const uint32_t begin = opwright::group_begin(width, line);
    const uint32_t lane = static_cast<uint32_t>(src_lane) & (static_cast<uint32_t>(width) - 1);
    return opwright::shuffled(opwright::plain(var), begin + lane, line);
}

template <typename V>
__aicore__ inline auto asc_shfl_up(const V& var, uint32_t delta, int32_t width = warpSize,
                                   int32_t line = __builtin_LINE()) {
    const uint32_t lane = opwright::lane_number(), begin = opwright::group_begin(width, line);
    return opwright::shuffled(opwright::plain(var), delta > lane - begin ? lane : lane - delta, line);
}

template <typename V>
__aicore__ inline auto asc_shfl_down(const V& var, uint32_t delta, int32_t width = warpSize,
                                     int32_t line = __builtin_LINE()) {
    const uint32_t lane = opwright::lane_number();
    const uint32_t last = opwright::group_begin(width, line) + static_cast<uint32_t>(width) - 1;
    return opwright::shuffled(opwright::plain(var), delta > last - lane ? lane : lane + delta, line);
}

// Lanes of lower groups are within reach, those of higher ones are not.
template <typename V>
__aicore__ inline auto asc_shfl_xor(const V& var, int32_t lane_mask, int32_t width = warpSize,
                                    int32_t line = __builtin_LINE()) {
    const uint32_t lane = opwright::lane_number(), other = lane ^ static_cast<uint32_t>(lane_mask);
    const uint32_t end = opwright::group_begin(width, line) + static_cast<uint32_t>(width);
    return opwright::shuffled(opwright::plain(var), other < end ? other : lane, line);
}

__aicore__ inline uint32_t asc_ballot(int32_t predicate, int32_t line = __builtin_LINE()) {
    return opwright::lanes_that(opwright::Met<int32_t>(predicate, line));
}

__aicore__ inline uint32_t asc_activemask(int32_t line = __builtin_LINE()) {
    return opwright::Met<int32_t>(1, line).meeting.lanes;
}

__aicore__ inline int32_t asc_all(int32_t predicate, int32_t line = __builtin_LINE()) {
    const opwright::Met<int32_t> met(predicate, line);
    return opwright::lanes_that(met) == met.meeting.lanes;
}

__aicore__ inline int32_t asc_any(int32_t predicate, int32_t line = __builtin_LINE()) {
    return opwright::lanes_that(opwright::Met<int32_t>(predicate, line)) != 0;
}

template <typename V>
__aicore__ inline auto asc_reduce_add(const V& val, int32_t line = __builtin_LINE()) {
    return opwright::reduced(opwright::plain(val), line, [](auto a, auto b) { return opwright::added(a, b); });
}

template <typename V>
__aicore__ inline auto asc_reduce_max(const V& val, int32_t line = __builtin_LINE()) {
    return opwright::reduced(opwright::plain(val), line, [](auto a, auto b) { return opwright::greater(a, b); });
}

template <typename V>
__aicore__ inline auto asc_reduce_min(const V& val, int32_t line = __builtin_LINE()) {
    return opwright::reduced(opwright::plain(val), line, [](auto a, auto b) { return opwright::smaller(a, b); });
}

__aicore__ inline int32_t laneid() { return static_cast<int32_t>(opwright::lane_number()); }
__aicore__ inline int32_t lanemask_eq() { return static_cast<int32_t>(1u << opwright::lane_number()); }
__aicore__ inline int32_t lanemask_lt() { return static_cast<int32_t>((1u << opwright::lane_number()) - 1); }
__aicore__ inline int32_t lanemask_le() { return lanemask_lt() | lanemask_eq(); }
__aicore__ inline int32_t lanemask_gt() { return ~lanemask_le(); }
__aicore__ inline int32_t lanemask_ge() { return ~lanemask_lt(); }
