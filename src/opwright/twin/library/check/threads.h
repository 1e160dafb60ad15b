// Checked mode: what the threads of a block touch.
//
// In: accesses of threads, their barriers and meetings. Out: races between them, reads of UB that nothing has written; and
// when the last one has ended, what all of them touched is an access of the vector pipe, at the line that started them, and
// one of their core to global memory, at the lines of the threads.
#pragma once

#include <unordered_map>
#include <vector>

#include "checker.h"
#include "thread_order.h"

namespace opwright {

// Reads of UB that nothing has written, until the threads of the block meet: if another thread writes the bytes before, in
// no order with the read, that is a race, and nothing else is reported.
class EarlyReads {
public:
    void add(uint64_t begin, const Found& found) {
        places_[begin] = all_.size();
        all_.push_back(found);
    }

    void drop(uint64_t begin) {
        const auto place = places_.find(begin);
        if (place != places_.end()) all_[place->second].count = 0;
    }

    void tell(FoundList& list) {
        for (const Found& found : all_) {
            if (found.count) list.add(found, 0);
        }
        clear();
    }

    void clear() {
        all_.clear();
        places_.clear();
    }

private:
    std::vector<Found> all_;
    std::unordered_map<uint64_t, size_t> places_;  // by their first bytes
};

// The threads that a worker runs just now: those of a block run to their ends before it goes on with another core.
struct CheckedThreads {
    ThreadOrder order;
    uint32_t dims[3];
    EarlyReads early;
    std::vector<int32_t> fresh_lines;  // that read past the cache
    std::vector<uint64_t> cleaned;     // addresses whose lines the cache has forgotten

    bool reads_fresh(int32_t line) const { return std::find(fresh_lines.begin(), fresh_lines.end(), line) != fresh_lines.end(); }

    // What of the function's reads came before its cleaning and what after is not known: it counts before and after them.
    void clean(CoreCache& cache) const {
        for (const uint64_t address : cleaned) {
            if (address == kAllLines) {
                cache.clean_all(Cached::THREADS, 0);
            } else {
                cache.clean_line(address, Cached::THREADS, 0);
            }
        }
    }
};

inline CheckedThreads& checked_threads(Core* core) {
    void*& kept = slot_of(core)->worker->checked;
    if (!kept) kept = new CheckedThreads();
    return *static_cast<CheckedThreads*>(kept);
}

inline void checker_forget_threads(void* kept) { delete static_cast<CheckedThreads*>(kept); }

// Before the first thread of a block starts.
inline void checker_begin_threads(Core* core, const ThreadBlock* block) {
    checker_of(core);  // UB is as nothing has left it, from here on at the latest
    CheckedThreads& threads = checked_threads(core);
    threads.order.begin();
    threads.early.clear();
    threads.fresh_lines.clear();
    threads.cleaned.clear();
    std::copy(block->dims, block->dims + 3, threads.dims);
}

// All threads of the block have come to a barrier; all living lanes of a warp have met.
inline void checker_thread_barrier(Core* core) {
    CheckedThreads& threads = checked_threads(core);
    threads.order.meet_block();
    threads.early.tell(checker_of(core).report.found);
}
inline void checker_warp_meeting(Core* core, uint32_t warp) { checked_threads(core).order.meet_warp(warp); }

// Tells what is wrong with one access. The details are as `faults.py` names them.
struct ThreadReport {
    Core* core;
    CheckedThreads& threads;
    const ThreadTouch& touch;
    uint64_t origin;  // where the tensor or array of the access starts

    struct Part {
        uint32_t thread;
        int32_t line;
        ThreadKind kind;
    };

    int64_t x(uint32_t thread) const { return thread % threads.dims[0]; }
    int64_t y(uint32_t thread) const { return thread / threads.dims[0] % threads.dims[1]; }
    int64_t z(uint32_t thread) const { return thread / threads.dims[0] / threads.dims[1]; }

    int64_t element(uint64_t begin, const InArgument& in) const {
        const uint64_t start = touch.memory == Memory::GM ? in.base : origin;
        return static_cast<int64_t>((begin - start) / touch.bytes);
    }

    // Reported once for two lines. The upper one comes first, so that it does not matter which of them a thread ran
    // first.
    __attribute__((noinline)) void race(ThreadStamp other, ThreadKind kind, uint64_t begin, uint64_t end) const {
        Part first = {other.thread(), other.line(), kind}, second = {touch.thread, touch.line, touch.kind};
        if (second.line < first.line || (second.line == first.line && second.thread < first.thread)) std::swap(first, second);
        const auto memory = static_cast<uint32_t>(touch.memory);
        const InArgument in = argument_of(*core->launch, memory, begin);
        const int64_t details[] = {first.line,
                                   memory,
                                   static_cast<int64_t>(first.kind),
                                   static_cast<int64_t>(second.kind),
                                   static_cast<int64_t>(begin - in.base),
                                   static_cast<int64_t>(end - in.base),
                                   in.slot,
                                   element(begin, in),
                                   x(first.thread),
                                   y(first.thread),
                                   z(first.thread),
                                   x(second.thread),
                                   y(second.thread),
                                   z(second.thread)};
        static_assert(sizeof details / sizeof details[0] <= kDetails, "they fit a fault");
        const bool adds = kind == ThreadKind::ADDS_FLOATS && touch.kind == ThreadKind::ADDS_FLOATS;
        note(core, adds ? Fault::THREAD_FLOATS : Fault::THREAD_RACE, second.line, details, 14, 2);
        if (touch.memory == Memory::UB && !adds) threads.early.drop(begin);
    }

    // Bytes that nothing has written are reported, and count as written from then on.
    void first_read(uint64_t begin, uint64_t end) const {
        Checker& checker = checker_of(core);
        WrittenBytes& written = checker.written[static_cast<uint32_t>(Memory::UB)];
        const uint64_t byte = written.first_missing(begin, end);
        if (byte == end) return;
        const Held held = checker.garbage.at(byte);
        const auto memory = static_cast<uint32_t>(touch.memory);
        const int64_t details[] = {x(touch.thread),
                                   y(touch.thread),
                                   z(touch.thread),
                                   memory,
                                   static_cast<int64_t>(byte),
                                   static_cast<int64_t>(end),
                                   element(byte, {-1, 0}),
                                   held.is_result ? checker.garbage[held.origin].found.line : 0};
        threads.early.add(begin, found_of(Fault::THREAD_UNINITIALISED, touch.line, core->block, index_of(core->kind), details, 8));
        checker.garbage.tell(begin, end, touch.line);
        written.add(begin, end);
    }
};

inline ThreadKind kind_of(const ThreadAccess& access) {
    if (access.kind == ThreadAccessKind::READ) return ThreadKind::READ;
    if (access.kind == ThreadAccessKind::WRITE) return ThreadKind::WRITTEN;
    return access.flags & kThreadAddsFloats ? ThreadKind::ADDS_FLOATS : ThreadKind::ATOMIC;
}

inline void note_thread(Core* core, int32_t line, uint32_t thread, const ThreadAccess* access) {
    CheckedThreads& threads = checked_threads(core);
    if (access->kind == ThreadAccessKind::FORGET) {
        const uint64_t address = access->bytes ? access->address : kAllLines;
        if (std::find(threads.cleaned.begin(), threads.cleaned.end(), address) == threads.cleaned.end()) {
            threads.cleaned.push_back(address);
        }
        return;
    }
    if (access->flags & kThreadVolatile && !threads.reads_fresh(line)) threads.fresh_lines.push_back(line);
    const ThreadTouch touch = {thread, line, access->memory, kind_of(*access), access->address, access->bytes};
    threads.order.access(touch, ThreadReport{core, threads, touch, access->origin});
}

// Tells a conflict of what the threads touched with what another pipe does.
struct ThreadsReport {
    Core* core;
    const std::vector<Range>& ranges;

    void operator()(const Conflict& c) const {
        const InArgument in = argument_of(*core->launch, c.memory, c.begin);
        int64_t element = -1;
        for (const Range& range : ranges) {
            if (in.slot < 0 || range.memory != c.memory || c.begin < range.begin || c.begin >= range.end) continue;
            element = static_cast<int64_t>((c.begin - in.base) / range.element_bytes);
        }
        const RaceDetails details(finding_of(c, core->block, 1), in, element);
        note(core, Fault::RACE, c.second.line, details.values, kRaceDetails - kCoreDetails, kRaceIdentity);
    }
};

// After the last thread has ended. `line` is 0 in a kernel that is nothing but threads.
inline void checker_end_threads(Core* core, int32_t line) {
    Checker& checker = checker_of(core);
    CheckedThreads& threads = checked_threads(core);
    threads.early.tell(checker.report.found);
    std::sort(threads.cleaned.begin(), threads.cleaned.end());  // line by line is how whole ranges are given up
    threads.clean(checker.report.cache);
    const uint32_t iteration = next_iteration(checker, line);
    checker.ranges.clear();
    const uint32_t number = checker.order.count(PIPE_V) + 1;
    const Clock clock = checker.order.given(PIPE_V);
    threads.order.touched([&](const ThreadTouch& touch, uint64_t end) {
        const bool is_written = touch.kind != ThreadKind::READ;
        Range range = {static_cast<uint32_t>(touch.memory), is_written, static_cast<uint8_t>(touch.bytes), touch.address, end};
        range.adds_floats = touch.kind == ThreadKind::ADDS_FLOATS;
        if (range.adds_floats || touch.kind == ThreadKind::ATOMIC) range.atomic = Touched::OF_THREADS;
        checker.ranges.add(range);
        if (touch.memory == Memory::GM) {
            const uint32_t segment = checker.report.global.access(PIPE_V, touch.line, iteration, range, number, clock);
            const bool is_cached = !is_written && !threads.reads_fresh(touch.line);
            const Cached cache = is_cached ? Cached::THREADS : Cached::NONE;
            checker.report.cache.access(PIPE_V, touch.line, iteration, range, cache, segment);
            return;
        }
        if (is_written) checker.written[range.memory].add(range.begin, range.end);
        if (core->is_watching) {
            const Footprint touched = {touch.memory, kNoOperand, touch.bytes, is_written, range.begin, range.end - range.begin};
            check_watches(core, touch.line, PIPE_V, iteration, touched, range);
        }
    });
    threads.clean(checker.report.cache);
    if (checker.records) record_access(core, checker, line, PIPE_V, iteration);
    const std::vector<Range>& ranges = checker.ranges.all();
    checker.order.access(PIPE_V, line, iteration, ranges.data(), static_cast<uint32_t>(ranges.size()), ThreadsReport{core, ranges});
}

}  // namespace opwright
