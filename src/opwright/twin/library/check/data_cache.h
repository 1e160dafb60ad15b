// The data caches of a core, known to no other core and to no copy: that of the scalar unit, lines of 64 bytes, written
// back some time; and that of threads, lines of 128 bytes, which holds what they read and keeps nothing that they write.
//
// In: accesses of all cores to global memory, and where their caches were cleaned. Out: reads that may miss what set_value
// wrote, reads of get_value and of threads that may be older than what others wrote, lines that two cores set, writes
// that a line which the same or another core has set may take back, and what set_value wrote and nothing cleaned. Work
// between two barriers over all cores is in order between cores as far as flags and words between them say; races are
// reported elsewhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "global.h"

namespace opwright {

// The cache that an access goes through.
enum class Cached : uint8_t { NONE, SCALAR, THREADS };

// The first byte of the cache line of a byte, and that of the first line that starts at it or after it.
inline uint64_t line_bytes(Cached cache) { return cache == Cached::THREADS ? kThreadCacheLine : kCacheLine; }
inline uint64_t line_of(uint64_t byte, Cached cache) { return byte / line_bytes(cache) * line_bytes(cache); }
inline uint64_t line_end(uint64_t byte, Cached cache) { return line_of(byte + line_bytes(cache) - 1, cache); }

constexpr uint64_t kAllLines = ~uint64_t(0);  // as the end of what is cleaned

// What one core does to global memory, in its program order.
struct CacheEvent {
    Range range;
    uint32_t pipe;
    int32_t line;
    uint32_t iteration;
    uint32_t phase;
    bool cleans;
    Cached cache;      // that it reads or sets, or that is cleaned
    uint32_t segment;  // of CoreGlobal; 0: only the phase orders it

    bool is_scalar() const { return cache == Cached::SCALAR; }
};

class CoreCache {
public:
    void access(uint32_t pipe, int32_t line, uint32_t iteration, const Range& range, Cached cache, uint32_t segment) {
        // Accesses of a line are put together as long as no others come between that the order is asked of.
        if (cache != last_cache_) next_epoch();
        last_cache_ = cache;
        const bool scalar = cache == Cached::SCALAR;
        // What threads read in one go is never old.
        used_ = used_ || scalar || (cache == Cached::THREADS && read_ && read_ != epoch_ + 1);
        if (cache == Cached::THREADS) read_ = epoch_ + 1;
        const size_t place = static_cast<size_t>(line) * 2 + range.written;
        if (place >= last_.size()) last_.resize(place + 1);
        Last& last = last_[place];
        if (last.number && last.epoch == epoch_) {
            Range& known = events_[last.number - 1].range;
            if (known.begin <= range.begin && range.end <= known.end) return;
            if (known.end == range.begin) {
                known.end = range.end;
                return;
            }
        }
        // Nor are the same bytes again: a table of counters is touched many times.
        if (scalar && !seen_.insert({place, range.begin, range.end}).second) return;
        events_.push_back({range, pipe, line, iteration, phase_, false, cache, segment});
        last = {static_cast<uint32_t>(events_.size()), epoch_};
    }

    void clean_line(uint64_t byte, Cached cache, uint32_t segment) { clean(byte, byte + 1, cache, segment); }
    void clean_all(Cached cache, uint32_t segment) { clean(0, kAllLines, cache, segment); }

    // Other cores know what this one did, or it knows from now on what they did.
    void meets() {
        has_met_ = true;
        next_epoch();
    }
    bool has_met() const { return has_met_; }

    void next_phase() {
        ++phase_;
        next_epoch();
    }

    bool is_used() const { return used_; }
    const std::vector<CacheEvent>& events() const { return events_; }

private:
    void clean(uint64_t begin, uint64_t end, Cached cache, uint32_t segment) {
        const Range range = {static_cast<uint32_t>(Memory::GM), false, 1, begin, end};
        events_.push_back({range, PIPE_S, 0, 0, phase_, true, cache, segment});
        next_epoch();
    }

    void next_epoch() {
        ++epoch_;
        seen_.clear();
    }

    struct Last {
        uint32_t number;  // of the event, from 1
        uint32_t epoch;
    };
    std::vector<CacheEvent> events_;
    std::vector<Last> last_;  // by line and whether written
    std::set<std::tuple<size_t, uint64_t, uint64_t>> seen_;  // of this epoch: line and whether written, bytes
    uint32_t phase_ = 0;
    uint32_t epoch_ = 0;
    uint32_t read_ = 0;  // the epoch, from 1, in which threads read last
    bool used_ = false;
    bool has_met_ = false;
    Cached last_cache_ = Cached::NONE;
};

// The caches of all cores of a launch. `Before` says whether a segment of one core has certainly ended when a segment of
// another begins.
template <typename Before>
class CacheOrder {
public:
    explicit CacheOrder(Before before) : before_(before) {}

    void add(uint32_t core, const CoreCache* cache) {
        used_ = used_ || cache->is_used();
        meets_ = meets_ || cache->has_met();
        cores_.push_back({core, cache, {}});
    }

    // `place` says where a byte lies among the cache lines. `found` gets a Fault and a Finding; the first access of it is
    // the one whose value is not there, or is lost.
    template <typename Place, typename Found>
    void finish(uint32_t memory, Place place, Found found) {
        if (!used_) return;
        std::vector<Touch> touches;
        for (CoreEvents& core : cores_) {
            core.events = core.cache->events();
            for (CacheEvent& event : core.events) {
                put(event, place);
                if (!event.cleans) touches.push_back({&core, &event, line_of(event.range.begin, Cached::SCALAR)});
            }
        }
        std::stable_sort(touches.begin(), touches.end(), [](const Touch& a, const Touch& b) { return a.begin < b.begin; });
        std::vector<const Touch*> open;
        for (const Touch& touch : touches) {
            open.erase(std::remove_if(open.begin(), open.end(),
                                      [&](const Touch* o) { return line_end(o->event->range.end, Cached::SCALAR) <= touch.begin; }),
                       open.end());
            for (const Touch* other : open) {
                judge(memory, *other, touch, found);
                judge(memory, touch, *other, found);
            }
            open.push_back(&touch);
        }
    }

    // Of what set_value wrote, that whose lines its core never cleans afterwards; after finish. `found` gets the core, the
    // line, and the first byte.
    template <typename Found>
    void each_uncleaned(Found found) const {
        for (const CoreEvents& core : cores_) {
            WrittenBytes cleaned;  // later
            for (auto event = core.events.rbegin(); event != core.events.rend(); ++event) {
                const Range& range = event->range;
                if (event->cleans && event->is_scalar()) cleaned.add(range.begin, range.end);
                if (event->cleans || !event->is_scalar() || !range.written) continue;
                const uint64_t byte = cleaned.first_missing(range.begin, range.end);
                if (byte != range.end) found(core.block, event->line, byte);
            }
        }
    }

private:
    struct CoreEvents {
        uint32_t block;
        const CoreCache* cache;
        std::vector<CacheEvent> events;
    };
    struct Touch {
        const CoreEvents* core;
        const CacheEvent* event;
        uint64_t begin;  // of its first cache line
    };

    template <typename Place>
    static void put(CacheEvent& event, Place place) {
        Range& range = event.range;
        if (event.cleans && range.end == kAllLines) return;
        const uint64_t begin = place(range.begin), end = begin + (range.end - range.begin);
        range.begin = event.cleans ? line_of(begin, event.cache) : begin;
        range.end = event.cleans ? line_end(end, event.cache) : end;
    }

    static bool overlap(const Range& a, const Range& b) { return a.begin < b.end && b.begin < a.end; }

    // Whether something that one core does has certainly ended when another core does something.
    bool is_ahead(const CoreEvents* core, const CacheEvent& event, const CoreEvents* other, const CacheEvent& later) const {
        if (event.phase != later.phase) return event.phase < later.phase;
        return event.segment && later.segment && before_(core->block, event.segment, other->block, later.segment);
    }

    // Whether `a` is done before `b` is: earlier in the program of one core, or known to the other.
    bool is_before(const Touch& a, const Touch& b) const {
        return a.core == b.core ? a.event < b.event : is_ahead(a.core, *a.event, b.core, *b.event);
    }

    // Whether a core gives up the bytes after one of its events and before something that it, or another core, does.
    bool cleans(const Touch& from, const Range& bytes, const Touch& until) const {
        const Cached cache = from.event->cache;
        uint64_t rest = line_of(bytes.begin, cache);  // from here on they are not given up
        const CacheEvent* end = from.core->events.data() + from.core->events.size();
        for (const CacheEvent* event = from.event + 1; event != end; ++event) {
            const bool is_own = from.core == until.core;
            if (is_own && event >= until.event) return false;
            if (!is_own && !(meets_ ? event->phase <= until.event->phase : event->phase < until.event->phase)) return false;
            const Range& cleaned = event->range;
            if (!event->cleans || event->cache != cache || cleaned.begin > rest) continue;
            if (!is_own && !is_ahead(from.core, *event, until.core, *until.event)) return false;
            rest = std::max(rest, cleaned.end);
            if (bytes.end <= rest) return true;
        }
        return false;
    }

    // Whether the reader's cache may hold the bytes from a time before they were written.
    bool is_cached(const Touch& reader, const Touch& writer) const {
        const Cached cache = reader.event->cache;
        for (const CacheEvent& event : reader.core->events) {
            if (&event >= reader.event) return false;
            const Range line = {0, false, 1, line_of(event.range.begin, cache), line_end(event.range.end, cache)};
            if (event.cleans || event.cache != cache || !overlap(line, reader.event->range)) continue;
            const bool later = reader.core == writer.core ? &event > writer.event
                                                          : is_ahead(writer.core, *writer.event, reader.core, event);
            if (!later && !cleans({reader.core, &event, 0}, reader.event->range, reader)) return true;
        }
        return false;
    }

    template <typename Found>
    void judge(uint32_t memory, const Touch& first, const Touch& second, Found found) const {
        const CacheEvent &a = *first.event, &b = *second.event;
        if (!a.range.written) return;
        const bool same_core = first.core == second.core, touches = overlap(a.range, b.range);
        const bool sets = a.is_scalar(), apart = sets && !same_core, earlier = is_before(first, second);
        if (apart && b.is_scalar() && b.range.written) {
            // Two cores set the line. Reported for the one with the higher number, or the later one.
            const bool reports = earlier || (!is_before(second, first) && !touches && first.core < second.core);
            if (reports && !(earlier && cleans(first, a.range, second))) {
                tell(memory, Fault::SHARED_LINE, first, second, b.range, found);
            }
            return;
        }
        if (sets && b.range.written && !b.is_scalar()) {
            // The line is written back some time, with what was there before. Two cores that write the same bytes in no
            // order are a race.
            const bool unordered = apart && !touches && !is_before(second, first);
            if (earlier ? !cleans(first, a.range, second) : unordered) {
                tell(memory, Fault::LOST_UPDATE, first, second, b.range, found);
            }
            return;
        }
        if (!touches || b.range.written || !earlier) return;
        const Range common = {memory, false, b.range.element_bytes, std::max(a.range.begin, b.range.begin),
                              std::min(a.range.end, b.range.end)};
        if (sets && !(same_core && b.is_scalar())) {
            if (!cleans(first, common, second)) tell(memory, Fault::NOT_CLEANED, first, second, common, found);
            else if (b.cache != Cached::NONE && is_cached(second, first)) tell(memory, Fault::STALE, first, second, common, found);
        } else if (!sets && b.cache != Cached::NONE && !(same_core && a.pipe == b.pipe) && is_cached(second, first)) {
            // What threads of the same core wrote is known to their cache.
            tell(memory, Fault::STALE, first, second, common, found);
        }
    }

    template <typename Found>
    static void tell(uint32_t memory, Fault fault, const Touch& first, const Touch& second, const Range& bytes, Found found) {
        const CacheEvent &a = *first.event, &b = *second.event;
        found(fault, Finding{FindingKind::RACE_BETWEEN_CORES, memory, second.core->block, first.core->block, a.pipe, b.pipe,
                             a.range.written, b.range.written, a.line, b.line, a.iteration, b.iteration, bytes.begin, bytes.end,
                             bytes.element_bytes});
    }

    Before before_;
    std::vector<CoreEvents> cores_;
    bool used_ = false;
    bool meets_ = false;  // some cores waited for others, not all for all
};

}  // namespace opwright
