// Global memory between cores: what each core touches from one barrier over all cores to the next.
//
// In: accesses of all cores, in any order. Out: pairs of accesses of different cores to the same bytes, one of them a
// write. Within such a phase nothing but meetings of some of them orders two cores; a barrier over all orders everything.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "clocks.h"

namespace opwright {

enum class FindingKind : uint32_t { RACE, RACE_BETWEEN_CORES, STALL, FLOAT_ATOMIC };

struct Finding {
    FindingKind kind;
    uint32_t memory;
    uint32_t core;  // of the second access
    uint32_t first_core;
    uint32_t first_pipe;
    uint32_t second_pipe;
    uint32_t first_written;
    uint32_t second_written;
    int32_t first_line;
    int32_t second_line;
    uint32_t first_iteration;
    uint32_t second_iteration;
    uint64_t begin;
    uint64_t end;
    uint64_t element_bytes;  // of the second access
};

// A conflict within a core as a finding.
inline Finding finding_of(const Conflict& c, uint32_t core, uint64_t element_bytes) {
    return {FindingKind::RACE, c.memory,     core,          core,         c.first_pipe,  c.second_pipe, c.first_written,
            c.second_written,  c.first.line, c.second.line, c.first.iteration, c.second.iteration, c.begin,       c.end,
            element_bytes};
}

// What one line of the text touches on one core between two barriers: bytes that lie together, and in which iteration each
// of them was touched first, as long as iterations and bytes go on evenly.
struct Span {
    uint64_t begin;
    uint64_t end;
    uint32_t iteration;   // of its first bytes
    uint64_t step;   // bytes that a iteration goes on by; 0: not evenly

    uint32_t iteration_of(uint64_t byte) const { return step ? iteration + static_cast<uint32_t>((byte - begin) / step) : iteration; }
};

// How one line touches global memory.
struct Manner {
    int32_t line;
    uint32_t pipe;
    Touched how;
    bool adds_floats;

    bool written() const { return how != Touched::READ; }
    bool operator==(const Manner& other) const {
        return std::tie(line, pipe, how, adds_floats) == std::tie(other.line, other.pipe, other.how, other.adds_floats);
    }
    // Whether the order of two such accesses shows. Additions of floats are atomic, but show in the last bits.
    bool disturbs(const Manner& other) const {
        if (!written() && !other.written()) return false;
        return !changes_places(how, other.how) || (adds_floats && other.adds_floats);
    }
};

// Accesses to global memory of all cores between two barriers over all of them.
class GlobalOrder {
public:
    void access(uint32_t core, uint32_t segment, const Manner& manner, uint32_t element_bytes, const Span& span) {
        touches_.push_back({span, core, segment, manner, element_bytes});
    }

    // Accesses of different cores to the same bytes, one of them a write: nothing orders them. Each access is reported
    // with one of each manner that meets it, the first by bytes and core: with all of them, a launch whose cores all
    // write one place would have as many findings as pairs of cores. `is_before` says whether a segment of one core has
    // certainly ended when a segment of another begins.
    template <typename Found, typename Before>
    void finish(uint32_t memory, Found found, Before is_before) {
        std::sort(touches_.begin(), touches_.end(), [](const Touch& a, const Touch& b) {
            return std::make_tuple(a.span.begin, a.core, a.manner.line, a.manner.how, a.segment) <
                   std::make_tuple(b.span.begin, b.core, b.manner.line, b.manner.how, b.segment);
        });
        const auto is_ordered = [&](const Touch& a, const Touch& b) {
            return a.core == b.core || is_before(a.core, a.segment, b.core, b.segment) ||
                   is_before(b.core, b.segment, a.core, a.segment);
        };
        std::vector<Kind> kinds;
        for (const Touch& touch : touches_) {
            for (Kind& kind : kinds) {
                if (!kind.manner.disturbs(touch.manner)) continue;
                if (const Touch* other = kind.meets(touch, is_ordered)) tell(memory, *other, touch, found);
            }
            Kind* own = nullptr;
            for (Kind& kind : kinds) {
                if (kind.manner == touch.manner) own = &kind;
            }
            if (!own) own = &kinds.emplace_back(Kind{touch.manner, {}});
            own->open.push_back(&touch);
        }
        touches_.clear();
    }

private:
    struct Touch {
        Span span;
        uint32_t core;
        uint32_t segment;
        Manner manner;
        uint32_t element_bytes;
    };

    // The accesses of one manner that may still meet later ones.
    struct Kind {
        Manner manner;
        std::vector<const Touch*> open;

        template <typename Ordered>
        const Touch* meets(const Touch& touch, Ordered is_ordered) {
            const Touch* found = nullptr;
            size_t kept = 0, i = 0;
            for (; i < open.size() && !found; ++i) {
                if (open[i]->span.end <= touch.span.begin) continue;  // nothing that comes meets it
                open[kept++] = open[i];
                if (!is_ordered(*open[i], touch)) found = open[i];
            }
            if (kept < i) open.erase(open.begin() + static_cast<ptrdiff_t>(kept), open.begin() + static_cast<ptrdiff_t>(i));
            return found;
        }
    };

    template <typename Found>
    static void tell(uint32_t memory, const Touch& a, const Touch& b, Found& found) {
        const Touch& first = a.core < b.core ? a : b;
        const Touch& second = a.core < b.core ? b : a;
        const uint64_t begin = std::max(a.span.begin, b.span.begin);
        const Manner &one = first.manner, &other = second.manner;
        const bool adds = one.adds_floats && other.adds_floats;
        found(Finding{adds ? FindingKind::FLOAT_ATOMIC : FindingKind::RACE_BETWEEN_CORES, memory, second.core, first.core,
                      one.pipe, other.pipe, one.written(), other.written(), one.line, other.line,
                      first.span.iteration_of(begin), second.span.iteration_of(begin), begin, std::min(a.span.end, b.span.end),
                      second.element_bytes});
    }

    std::vector<Touch> touches_;
};

// What a core knows of all of them: how many accesses of each pipe have certainly ended.
class Known {
public:
    void put(uint32_t core, uint32_t pipe, uint32_t count) {
        const uint32_t key = core * kPipes + pipe;
        const auto place = std::lower_bound(ended_.begin(), ended_.end(), key, is_before);
        if (place == ended_.end() || place->first != key) {
            ended_.insert(place, {key, count});
        } else {
            place->second = std::max(place->second, count);
        }
    }

    void join(const Known& other) {
        std::vector<Ended> both;
        both.reserve(ended_.size() + other.ended_.size());
        auto a = ended_.begin();
        for (const Ended& b : other.ended_) {
            while (a != ended_.end() && a->first < b.first) both.push_back(*a++);
            const bool same = a != ended_.end() && a->first == b.first;
            both.push_back({b.first, same ? std::max(a->second, b.second) : b.second});
            a += same;
        }
        both.insert(both.end(), a, ended_.end());
        ended_.swap(both);
    }

    uint32_t ended(uint32_t core, uint32_t pipe) const {
        const uint32_t key = core * kPipes + pipe;
        const auto place = std::lower_bound(ended_.begin(), ended_.end(), key, is_before);
        return place != ended_.end() && place->first == key ? place->second : 0;
    }

private:
    using Ended = std::pair<uint32_t, uint32_t>;  // core and pipe, count
    static bool is_before(const Ended& one, uint32_t key) { return one.first < key; }

    std::vector<Ended> ended_;  // by core and pipe
};

// What one core touches, line by line. The same bytes again, and those that follow, are one span: tiles of a loop, and
// a table that is read again and again, take little memory. A segment is work of a pipe that is known to others as a
// whole. In a kernel that has flags between cores it is one access: who waits may know any number of them.
class CoreGlobal {
public:
    explicit CoreGlobal(bool apart = false) : apart_(apart) {}

    // `number`: of the access on its pipe; `clock`: what the pipe knew when it began. Returns its segment.
    uint32_t access(uint32_t pipe, int32_t line, uint32_t iteration, const Range& range, uint32_t number, const Clock& clock) {
        const size_t kind = static_cast<size_t>(range.how()) * 2 + range.adds_floats;
        const size_t place = static_cast<size_t>(line) * (2 * kTouched) + kind;
        if (place >= lines_.size()) lines_.resize(place + 1);
        Line& own = lines_[place];
        const uint32_t segment = segment_of(pipe, number, view_of(clock));
        if (own.segment != segment || own.phase != phase_) end(own);
        own.segment = segment;
        own.phase = phase_;
        own.manner = {line, pipe, range.how(), range.adds_floats};
        own.element_bytes = range.element_bytes;
        put(own.spans, range, iteration);
        return segment;
    }

    // The segment of what a pipe does that touches no bytes.
    uint32_t passes(uint32_t pipe, uint32_t number, const Clock& clock) { return segment_of(pipe, number, view_of(clock)); }

    void next_phase() { ++phase_; }

    // The core lets others know what one of its pipes knows.
    void give(uint32_t core, const Clock& clock, Known& given) {
        for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
            const bool is_pipe = !(kWaitPlaces >> pipe & 1);
            if (is_pipe && clock.ended[pipe]) given.put(core, pipe, clock.ended[pipe]);
        }
        given.join(known(view_of(clock)));
        std::fill(std::begin(open_), std::end(open_), 0);
    }

    // A pipe of the core has waited, and knows from now on what others gave.
    void take(uint32_t pipe, const Known& given) {
        std::vector<Known>& taken = taken_[wait_of(pipe)];
        taken.push_back(taken.empty() ? Known() : taken.back());
        taken.back().join(given);
    }

    // Whether a segment of another core has certainly ended when a segment of this one begins.
    bool knows(uint32_t segment, uint32_t other, const CoreGlobal& others, uint32_t others_segment) const {
        const Segment& theirs = others.segments_[others_segment];
        const uint32_t view = segments_[segment].view;
        return view && known(view).ended(other, theirs.pipe) >= theirs.number;
    }

    // Gives everything to the phases of a launch.
    void give(uint32_t core, std::vector<GlobalOrder>& phases) const {
        for (const Line& line : ended_) give(core, line, phases);
        for (const Line& line : lines_) give(core, line, phases);
    }

    // Calls `each` with the line and the bytes of everything that was written.
    template <typename Each>
    void each_written(Each each) const {
        for (const std::vector<Line>* lines : {&ended_, &lines_}) {
            for (const Line& line : *lines) {
                if (!line.manner.written()) continue;
                for (const Span& span : line.spans) each(line.manner.line, span.begin, span.end);
            }
        }
    }

private:
    struct Line {
        Manner manner = {};
        uint32_t element_bytes = 1;
        uint32_t segment = 0;
        uint32_t phase = 0;
        std::vector<Span> spans;  // apart from each other, in order
    };
    // Accesses of a pipe up to a number, which begin with one knowledge of other cores.
    struct Segment {
        uint32_t pipe;
        uint32_t number;
        uint32_t view;
    };
    // How often each pipe had waited, as far as a clock knows. The first one is that of a core that never did.
    using View = std::array<uint32_t, kWaits>;

    uint32_t view_of(const Clock& clock) {
        View view;
        for (uint32_t i = 0; i < kWaits; ++i) view[i] = clock.ended[kWaitPlace[i]];
        if (view == views_[view_]) return view_;
        const auto [place, is_new] = number_of_.insert({view, static_cast<uint32_t>(views_.size())});
        if (is_new) {
            views_.push_back(view);
            Known& all = known_.emplace_back();
            for (uint32_t i = 0; i < kWaits; ++i) {
                if (view[i]) all.join(taken_[i][view[i] - 1]);
            }
        }
        return view_ = place->second;
    }

    const Known& known(uint32_t view) const { return known_[view]; }

    uint32_t segment_of(uint32_t pipe, uint32_t number, uint32_t view) {
        uint32_t& open = open_[pipe];
        // The ranges of one access belong together.
        if (open && segments_[open].view == view && (!apart_ || segments_[open].number == number)) {
            segments_[open].number = number;
            return open;
        }
        segments_.push_back({pipe, number, view});
        return open = static_cast<uint32_t>(segments_.size() - 1);
    }

    // What was touched so far is not put together with what comes.
    void end(Line& line) {
        if (!line.spans.empty()) ended_.push_back(line);
        line.spans.clear();
    }

    static void put(std::vector<Span>& spans, const Range& range, uint32_t iteration) {
        const uint64_t bytes = range.end - range.begin;
        // The first that ends at the range's begin or after it; mostly that is the last.
        size_t i = spans.size();
        if (i && spans[i - 1].begin <= range.begin) {
            i -= spans[i - 1].end >= range.begin;
        } else {
            i = static_cast<size_t>(std::lower_bound(spans.begin(), spans.end(), range.begin,
                                                     [](const Span& span, uint64_t byte) { return span.end < byte; }) -
                                    spans.begin());
        }
        if (i == spans.size() || range.end < spans[i].begin) {
            spans.insert(spans.begin() + static_cast<ptrdiff_t>(i), {range.begin, range.end, iteration, bytes});
            return;
        }
        Span& span = spans[i];
        if (span.begin <= range.begin && range.end <= span.end) return;
        const bool follows = span.end == range.begin && span.step == bytes && iteration == span.iteration_of(span.end);
        if (!follows) span.step = 0;
        span.begin = std::min(span.begin, range.begin);
        span.end = std::max(span.end, range.end);
        // It may have reached those behind it.
        size_t last = i + 1;
        for (; last < spans.size() && spans[last].begin <= span.end; ++last) {
            span.end = std::max(span.end, spans[last].end);
            span.step = 0;
        }
        spans.erase(spans.begin() + static_cast<ptrdiff_t>(i) + 1, spans.begin() + static_cast<ptrdiff_t>(last));
    }

    static void give(uint32_t core, const Line& line, std::vector<GlobalOrder>& phases) {
        if (line.spans.empty()) return;
        if (phases.size() <= line.phase) phases.resize(line.phase + 1);
        for (const Span& span : line.spans) {
            phases[line.phase].access(core, line.segment, line.manner, line.element_bytes, span);
        }
    }

    bool apart_;
    std::vector<Line> lines_;  // by line and how it touches
    std::vector<Line> ended_;
    std::vector<Segment> segments_{1};  // the first one is none
    uint32_t open_[kPipes] = {};        // of each pipe: the segment to which its next access belongs; 0: a new one
    std::vector<Known> taken_[kWaits];  // by pipe that waits: what it knew after each wait
    std::vector<View> views_{1};
    std::vector<Known> known_{1};  // by view
    std::map<View, uint32_t> number_of_{{View{}, 0}};
    uint32_t view_ = 0;  // that was asked for last
    uint32_t phase_ = 0;
};

}  // namespace opwright
