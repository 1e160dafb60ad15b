// Which accesses of threads to some bytes are kept, so that no later race is missed.
//
// In: accesses of the threads of one block, block barriers and meetings of warps, as they come. Out: for a new access
// one that it races with, if there is any.
//
// Two accesses of different threads are ordered by a block barrier between them, and by a meeting of their warp if they
// are of one warp. Hence an access races with all earlier ones of other warps since the last block barrier, and with those
// of other threads of its own warp since that warp met. Of each kind it is enough to keep two warps, of each of them two
// threads since the warp met last:
//   - if a new access of warp w races with one of another warp, then one of those is kept: of two warps at least one is
//     not w, and a single one is kept;
//   - if it races with one of w alone, w is the only warp there is, so it is kept, with the accesses since it met; of two
//     threads at least one is another than its own, and a single one is kept.
// What a warp did before it met is never needed: others of the warp are ordered after it, and to other warps a later
// access of the same warp looks the same.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../../include/opwright/generated/constants.h"
#include "../../include/opwright/generated/enumerations.h"

namespace opwright {

constexpr uint32_t kThreadKinds = 4;

// One access in a word: when, by which thread, at which line; or the number of a record of several.
class ThreadStamp {
public:
    ThreadStamp() = default;
    ThreadStamp(uint32_t time, uint32_t thread, int32_t line)
        : word_(uint64_t(time) << 32 | thread << kLineBits | std::min(static_cast<uint32_t>(line), kLines)) {}
    static ThreadStamp several(uint32_t time, uint32_t record) {
        ThreadStamp stamp;
        stamp.word_ = uint64_t(time) << 32 | kSeveral | record;
        return stamp;
    }

    uint32_t time() const { return static_cast<uint32_t>(word_ >> 32); }
    bool is_several() const { return word_ & kSeveral; }
    uint32_t record() const { return static_cast<uint32_t>(word_) & (kSeveral - 1); }
    uint32_t thread() const { return static_cast<uint32_t>(word_) >> kLineBits; }
    uint32_t warp() const { return thread() / kWarpLanes; }
    int32_t line() const { return static_cast<int32_t>(word_ & kLines); }

private:
    static constexpr uint32_t kLineBits = 20;
    static constexpr uint32_t kLines = (1u << kLineBits) - 1;
    static constexpr uint32_t kSeveral = 1u << 31;
    static_assert(kBlockThreads <= 1u << (31 - kLineBits), "threads and lines share 31 bits");

    uint64_t word_ = 0;
};

// Time passes when a vector function begins, at block barriers and when a warp meets.
struct ThreadClock {
    uint32_t now = 0;
    uint32_t begun = 0;  // when the vector function began
    uint32_t block = 0;  // when the block met last
    uint32_t warps[kBlockThreads / kWarpLanes] = {};  // when each warp met last

    void begin() { begun = block = ++now; }
    void meet_block() { block = ++now; }
    void meet_warp(uint32_t warp) { warps[warp] = ++now; }

    // Whether nothing orders a kept access before one that a thread makes now.
    bool is_open(ThreadStamp kept, uint32_t thread) const {
        if (kept.time() < block || kept.thread() == thread) return false;
        const uint32_t warp = thread / kWarpLanes;
        return kept.warp() != warp || kept.time() >= warps[warp];
    }
};

// Up to two threads of each of two warps, each warp since it met last. A stamp of time 0 is none.
struct ThreadRecord {
    ThreadStamp kept[2][2];

    void add(const ThreadClock& clock, ThreadStamp mine) {
        for (auto& warp : kept) {
            if (warp[0].time() && warp[0].warp() != mine.warp()) continue;
            if (warp[0].time() < clock.block || warp[0].time() < clock.warps[mine.warp()]) {
                warp[0] = mine;
                warp[1] = {};
            } else if (!warp[1].time() && warp[0].thread() != mine.thread()) {
                warp[1] = mine;
            }
            return;
        }
    }
};

// The records of all places that several threads touched. Those of a vector function are gone when the next one begins.
class ThreadRecords {
public:
    void clear() {
        records_.clear();
        free_.clear();
    }

    ThreadRecord& operator[](uint32_t number) { return records_[number]; }

    uint32_t take() {
        if (free_.empty()) {
            records_.emplace_back();
            return static_cast<uint32_t>(records_.size() - 1);
        }
        const uint32_t number = free_.back();
        free_.pop_back();
        records_[number] = {};
        return number;
    }

    // The line of an access of this vector function, or of one of several.
    int32_t line_of(ThreadStamp stamp) const {
        return stamp.is_several() ? records_[stamp.record()].kept[0][0].line() : stamp.line();
    }

    void give_back(uint32_t number) { free_.push_back(number); }

    // The same accesses, for bytes that are looked at on their own from now on.
    ThreadStamp copy(ThreadStamp stamp) {
        const uint32_t number = take();
        records_[number] = records_[stamp.record()];
        return ThreadStamp::several(stamp.time(), number);
    }

private:
    std::vector<ThreadRecord> records_;
    std::vector<uint32_t> free_;
};

// What is kept of the accesses to some bytes that all touched alike: a stamp of each kind.
struct ThreadCell {
    ThreadStamp last[kThreadKinds];

    ThreadStamp& of(ThreadKind kind) { return last[static_cast<uint32_t>(kind)]; }

    // When they were touched last.
    uint32_t newest() const {
        return std::max(std::max(last[0].time(), last[1].time()), std::max(last[2].time(), last[3].time()));
    }
};

// One of the kept accesses of a kind with which one that a thread makes now races; a stamp of time 0 if there is none.
inline ThreadStamp open_access(const ThreadClock& clock, ThreadRecords& records, ThreadStamp last, uint32_t thread) {
    if (last.time() < clock.block) return {};
    if (!last.is_several()) return clock.is_open(last, thread) ? last : ThreadStamp();
    for (const auto& warp : records[last.record()].kept) {
        for (const ThreadStamp& kept : warp) {
            if (clock.is_open(kept, thread)) return kept;
        }
    }
    return {};
}

__attribute__((noinline)) inline void keep_beside(const ThreadClock& clock, ThreadRecords& records, ThreadStamp& last,
                                                  ThreadStamp mine) {
    if (!last.is_several()) {
        const ThreadStamp first = last;
        last = ThreadStamp::several(mine.time(), records.take());
        records[last.record()].add(clock, first);
    } else {
        last = ThreadStamp::several(mine.time(), last.record());
    }
    records[last.record()].add(clock, mine);
}

// Keeps an access, beside earlier ones of its kind if they may still race with later ones that it does not race with.
inline void keep_access(const ThreadClock& clock, ThreadRecords& records, ThreadStamp& last, ThreadStamp mine) {
    if (last.time() >= clock.block && (last.is_several() || clock.is_open(last, mine.thread()))) {
        keep_beside(clock, records, last, mine);
        return;
    }
    if (last.is_several() && last.time() >= clock.begun) records.give_back(last.record());
    last = mine;
}

}  // namespace opwright
