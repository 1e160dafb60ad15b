// Global memory between cores: what each core touches from one barrier over all cores to the next.
//
// In: accesses of all cores, in any order. Out: pairs of accesses of different cores to the same bytes, one of them a
// write. Within such a phase nothing orders two cores; a barrier over all of them orders everything.
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
    void access(uint32_t core, uint32_t pipe, const Range& range, const Stamp& stamp) {
        touches_.push_back({range, core, pipe, stamp});
    }

    // Accesses of different cores to the same bytes, one of them a write: nothing orders them.
    template <typename Found>
    void finish(uint32_t memory, Found found) {
        std::sort(touches_.begin(), touches_.end(), [](const Touch& a, const Touch& b) { return a.range.begin < b.range.begin; });
        std::vector<const Touch*> open;
        for (const Touch& touch : touches_) {
            open.erase(std::remove_if(open.begin(), open.end(), [&](const Touch* o) { return o->range.end <= touch.range.begin; }),
                       open.end());
            for (const Touch* other : open) {
                if (other->core == touch.core || !(other->range.written || touch.range.written)) continue;
                const Touch& first = other->core < touch.core ? *other : touch;
                const Touch& second = other->core < touch.core ? touch : *other;
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
            if (piece.phase == phase_ && piece.range.end == range.begin) {
                piece.range.end = range.end;
                return;
            }
            if (piece.phase == phase_ && piece.range.begin <= range.begin && range.end <= piece.range.end) return;
        }
        pieces_.push_back({range, pipe, line, turn, phase_});
        last_[place] = static_cast<uint32_t>(pieces_.size());
    }

    void next_phase() { ++phase_; }

    // Gives everything to the phases of a launch.
    void give(uint32_t core, std::vector<GlobalOrder>& phases) const {
        for (const Piece& piece : pieces_) {
            if (phases.size() <= piece.phase) phases.resize(piece.phase + 1);
            phases[piece.phase].access(core, piece.pipe, piece.range, {0, piece.line, piece.turn});
        }
    }

private:
    struct Piece {
        Range range;
        uint32_t pipe;
        int32_t line;
        uint32_t turn;
        uint32_t phase;
    };
    std::vector<Piece> pieces_;
    std::vector<uint32_t> last_;  // by line and how it touches: the piece of its last access, from 1
    uint32_t phase_ = 0;
};

}  // namespace opwright
