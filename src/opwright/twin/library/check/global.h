// Global memory between cores: what each core touches from one barrier over all cores to the next.
//
// In: accesses of all cores, in any order. Out: pairs of accesses of different cores to the same bytes, one of them a
// write. Within such a phase nothing but meetings of some of them orders two cores; a barrier over all orders everything.
#pragma once

#include <algorithm>
#include <cstdint>
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
    uint32_t first_turn;
    uint32_t second_turn;
    uint64_t begin;
    uint64_t end;
    uint64_t element_bytes;  // of the second access
};

// Accesses to global memory of all cores between two barriers over all of them.
class GlobalOrder {
public:
    void access(uint32_t core, uint32_t pipe, const Range& range, const Stamp& stamp, uint32_t segment = 0) {
        touches_.push_back({range, core, pipe, stamp, segment});
    }

    // Accesses of different cores to the same bytes, one of them a write: nothing orders them.
    template <typename Found>
    void finish(uint32_t memory, Found found) {
        finish(memory, found, [](uint32_t, uint32_t, uint32_t, uint32_t) { return false; });
    }

    // `is_before` says whether a segment of one core has certainly ended when a segment of another begins.
    template <typename Found, typename Before>
    void finish(uint32_t memory, Found found, Before is_before) {
        std::sort(touches_.begin(), touches_.end(), [](const Touch& a, const Touch& b) { return a.range.begin < b.range.begin; });
        std::vector<const Touch*> open;
        for (const Touch& touch : touches_) {
            open.erase(std::remove_if(open.begin(), open.end(), [&](const Touch* o) { return o->range.end <= touch.range.begin; }),
                       open.end());
            for (const Touch* other : open) {
                if (other->core == touch.core || !(other->range.written || touch.range.written)) continue;
                const Touch& first = other->core < touch.core ? *other : touch;
                const Touch& second = other->core < touch.core ? touch : *other;
                if (is_before(first.core, first.segment, second.core, second.segment)) continue;
                if (is_before(second.core, second.segment, first.core, first.segment)) continue;
                const bool adds = first.range.adds_floats && second.range.adds_floats;
                if (first.range.atomic && second.range.atomic && !adds) continue;
                found(Finding{adds ? FindingKind::FLOAT_ATOMIC : FindingKind::RACE_BETWEEN_CORES, memory, second.core, first.core, first.pipe, second.pipe,
                              first.range.written, second.range.written, first.stamp.line, second.stamp.line, first.stamp.turn,
                              second.stamp.turn, touch.range.begin, std::min(touch.range.end, other->range.end),
                              second.range.element_bytes});
            }
            open.push_back(&touch);
        }
        touches_.clear();
    }

private:
    struct Touch {
        Range range;
        uint32_t core;
        uint32_t pipe;
        Stamp stamp;
        uint32_t segment;
    };
    std::vector<Touch> touches_;
};

// What one core touches, put together where a line goes on where it stopped: tile after tile is one piece.
class CoreGlobal {
public:
    void access(uint32_t pipe, int32_t line, uint32_t turn, const Range& range) {
        const size_t place = static_cast<size_t>(line) * 4 + static_cast<size_t>(range.how()) + range.adds_floats;
        if (place >= last_.size()) last_.resize(place + 1, 0);
        if (last_[place]) {
            Piece& piece = pieces_[last_[place] - 1];
            const bool now = piece.phase == phase_ && piece.segment == segment();
            if (now && piece.range.end == range.begin) {
                piece.range.end = range.end;
                return;
            }
            if (now && piece.range.begin <= range.begin && range.end <= piece.range.end) return;
        }
        pieces_.push_back({range, pipe, line, turn, phase_, segment()});
        last_[place] = static_cast<uint32_t>(pieces_.size());
    }

    void next_phase() { ++phase_; }

    // The core lets others know that all it has done so far has ended.
    void give_to(uint32_t core, std::vector<uint32_t>& given) {
        join(given, known_.back());
        if (given.size() <= core) given.resize(core + 1);
        given[core] = segment() + 1;
        known_.push_back(known_.back());
    }

    // The core knows from now on what others gave.
    void take_from(const std::vector<uint32_t>& given) {
        known_.push_back(known_.back());
        join(known_.back(), given);
    }

    // Whether a segment of another core has certainly ended when a segment of this one begins.
    bool knows(uint32_t segment, uint32_t other, uint32_t others_segment) const {
        const std::vector<uint32_t>& known = known_[segment];
        return other < known.size() && known[other] > others_segment;
    }

    // Gives everything to the phases of a launch.
    void give(uint32_t core, std::vector<GlobalOrder>& phases) const {
        for (const Piece& piece : pieces_) {
            if (phases.size() <= piece.phase) phases.resize(piece.phase + 1);
            phases[piece.phase].access(core, piece.pipe, piece.range, {0, piece.line, piece.turn}, piece.segment);
        }
    }

private:
    struct Piece {
        Range range;
        uint32_t pipe;
        int32_t line;
        uint32_t turn;
        uint32_t phase;
        uint32_t segment;
    };

    uint32_t segment() const { return static_cast<uint32_t>(known_.size() - 1); }

    static void join(std::vector<uint32_t>& into, const std::vector<uint32_t>& other) {
        if (into.size() < other.size()) into.resize(other.size());
        for (size_t i = 0; i < other.size(); ++i) into[i] = std::max(into[i], other[i]);
    }

    std::vector<std::vector<uint32_t>> known_{1};  // by segment: how many segments of each core have ended
    std::vector<Piece> pieces_;
    std::vector<uint32_t> last_;  // by line and how it touches: the piece of its last access, from 1
    uint32_t phase_ = 0;
};

}  // namespace opwright
