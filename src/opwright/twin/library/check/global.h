// Global memory between cores: what each core touches from one barrier over all cores to the next.
//
// In: accesses of all cores, in any order. Out: pairs of accesses of different cores to the same bytes, one of them a
// write. Within such a phase nothing orders two cores; a barrier over all of them orders everything.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "clocks.h"

namespace opwright {

enum class FindingKind : uint32_t { RACE, RACE_BETWEEN_CORES, STALL };

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
    uint32_t first_turn;
    uint32_t second_turn;
    uint64_t begin;
    uint64_t end;
    uint64_t element_bytes;  // of the second access
};

// A conflict within a core as a finding.
inline Finding finding_of(const Conflict& c, uint32_t core, uint64_t element_bytes) {
    return {FindingKind::RACE, c.memory,     core,          core,         c.first_pipe,  c.second_pipe, c.first_written,
            c.second_written,  c.first.line, c.second.line, c.first.turn, c.second.turn, c.begin,       c.end,
            element_bytes};
}

// What one line of the text touches on one core between two barriers: bytes that lie together, and in which turn each
// of them was touched first, as long as turns and bytes go on evenly.
struct Span {
    uint64_t begin;
    uint64_t end;
    uint32_t turn;   // of its first bytes
    uint64_t step;   // bytes that a turn goes on by; 0: not evenly

    uint32_t turn_of(uint64_t byte) const { return step ? turn + static_cast<uint32_t>((byte - begin) / step) : turn; }
};

// Accesses to global memory of all cores between two barriers over all of them.
class GlobalOrder {
public:
    void access(uint32_t core, uint32_t pipe, int32_t line, bool written, uint32_t element_bytes, const Span& span) {
        touches_.push_back({span, core, pipe, line, element_bytes, written});
    }

    // Accesses of different cores to the same bytes, one of them a write: nothing orders them. Each access is told with
    // one of each kind (line, pipe, written) that meets it, the first by bytes and core: with all of them, a launch
    // whose cores all write one place would have as many findings as pairs of cores.
    template <typename Found>
    void finish(uint32_t memory, Found found) {
        std::sort(touches_.begin(), touches_.end(), [](const Touch& a, const Touch& b) {
            return std::make_tuple(a.span.begin, a.core, a.line, a.written) <
                   std::make_tuple(b.span.begin, b.core, b.line, b.written);
        });
        std::vector<Kind> kinds;
        for (const Touch& touch : touches_) {
            for (Kind& kind : kinds) {
                if (!kind.written && !touch.written) continue;
                if (const Touch* other = kind.meets(touch)) tell(memory, *other, touch, found);
            }
            Kind* own = nullptr;
            for (Kind& kind : kinds) {
                if (kind.line == touch.line && kind.pipe == touch.pipe && kind.written == touch.written) own = &kind;
            }
            if (!own) own = &kinds.emplace_back(Kind{touch.line, touch.pipe, touch.written, {}});
            own->open.push_back(&touch);
        }
        touches_.clear();
    }

private:
    struct Touch {
        Span span;
        uint32_t core;
        uint32_t pipe;
        int32_t line;
        uint32_t element_bytes;
        bool written;
    };

    // The accesses of one line that may still meet later ones.
    struct Kind {
        int32_t line;
        uint32_t pipe;
        bool written;
        std::vector<const Touch*> open;

        const Touch* meets(const Touch& touch) {
            const Touch* found = nullptr;
            size_t kept = 0, i = 0;
            for (; i < open.size() && !found; ++i) {
                if (open[i]->span.end <= touch.span.begin) continue;  // nothing that comes meets it
                open[kept++] = open[i];
                if (open[i]->core != touch.core) found = open[i];
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
        found(Finding{FindingKind::RACE_BETWEEN_CORES, memory, second.core, first.core, first.pipe, second.pipe,
                      first.written, second.written, first.line, second.line, first.span.turn_of(begin),
                      second.span.turn_of(begin), begin, std::min(a.span.end, b.span.end), second.element_bytes});
    }

    std::vector<Touch> touches_;
};

// What one core touches, line by line. The same bytes again, and those that follow, are one span: tiles of a loop, and
// a table that is read again and again, take little room.
class CoreGlobal {
public:
    void access(uint32_t pipe, int32_t line, uint32_t turn, const Range& range) {
        const size_t place = static_cast<size_t>(line) * 2 + range.written;
        if (place >= lines_.size()) lines_.resize(place + 1);
        Line& own = lines_[place];
        own.pipe = pipe;
        own.element_bytes = range.element_bytes;
        put(own.spans, range, turn);
    }

    void next_phase() {
        for (size_t place = 0; place < lines_.size(); ++place) {
            if (lines_[place].spans.empty()) continue;
            ended_.push_back({place, phase_, lines_[place]});
            lines_[place].spans.clear();
        }
        ++phase_;
    }

    // Gives everything to the phases of a launch.
    void give(uint32_t core, std::vector<GlobalOrder>& phases) const {
        for (const Ended& ended : ended_) give(core, ended.place, ended.line, ended.phase, phases);
        for (size_t place = 0; place < lines_.size(); ++place) give(core, place, lines_[place], phase_, phases);
    }

private:
    struct Line {
        uint32_t pipe = 0;
        uint32_t element_bytes = 1;
        std::vector<Span> spans;  // apart from each other, in order
    };
    struct Ended {
        size_t place;
        uint32_t phase;
        Line line;
    };

    static void put(std::vector<Span>& spans, const Range& range, uint32_t turn) {
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
            spans.insert(spans.begin() + static_cast<ptrdiff_t>(i), {range.begin, range.end, turn, bytes});
            return;
        }
        Span& span = spans[i];
        if (span.begin <= range.begin && range.end <= span.end) return;
        const bool follows = span.end == range.begin && span.step == bytes && turn == span.turn_of(span.end);
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

    static void give(uint32_t core, size_t place, const Line& line, uint32_t phase, std::vector<GlobalOrder>& phases) {
        if (line.spans.empty()) return;
        if (phases.size() <= phase) phases.resize(phase + 1);
        for (const Span& span : line.spans) {
            phases[phase].access(core, line.pipe, static_cast<int32_t>(place / 2), place % 2, line.element_bytes, span);
        }
    }

    std::vector<Line> lines_;  // by line and whether written
    std::vector<Ended> ended_;
    uint32_t phase_ = 0;
};

}  // namespace opwright
