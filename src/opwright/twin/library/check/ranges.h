// The bytes of a footprint as ranges.
#pragma once

#include <cstdint>
#include <vector>

#include "../../include/opwright/issue.h"
#include "clocks.h"

namespace opwright {

class Ranges {
public:
    void clear() { ranges_.clear(); }
    const std::vector<Range>& all() const { return ranges_; }

    // Ranges of different operands are not put together.
    void add(const Footprint& touched) {
        first_ = ranges_.size();
        if (touched.repeats) {
            add_repeats(touched);
        } else if (touched.runs.count) {
            for (uint64_t run = 0; run < touched.runs.count; ++run) {
                const uint64_t begin = touched.address + touched.runs.first + run * touched.runs.stride;
                add(touched, begin, touched.runs.bytes);
            }
        } else {
            add(touched, touched.address, touched.bytes);
        }
    }

    void add(const Range& range) { ranges_.push_back(range); }

    // Bytes of another core's memory.
    void move(size_t place, uint32_t memory) { ranges_[place].memory = memory; }

private:
    void add(const Footprint& touched, uint64_t begin, uint64_t bytes) {
        if (bytes == 0) return;
        if (ranges_.size() > first_ && ranges_.back().end == begin) {
            ranges_.back().end += bytes;
            return;
        }
        // Field by field, in place: a copy of what was just put together would wait for it.
        Range& range = ranges_.emplace_back();
        range.memory = static_cast<uint32_t>(touched.memory);
        range.written = touched.written;
        range.element_bytes = static_cast<uint8_t>(touched.element_bytes);
        range.begin = begin;
        range.end = begin + bytes;
        if (touched.atomic.type) {
            range.atomic = static_cast<Touched>(static_cast<uint8_t>(Touched::SUM) + touched.atomic.operation);
            range.adds_floats = adds_floats(touched.atomic);
        }
    }

    static bool adds_floats(const AtomicState& atomic) {
        using AscendC::AtomicDtype;
        const auto type = static_cast<AtomicDtype>(atomic.type);
        const bool is_float = type == AtomicDtype::ATOMIC_F32 || type == AtomicDtype::ATOMIC_F16 || type == AtomicDtype::ATOMIC_BF16;
        return is_float && atomic.operation == static_cast<uint8_t>(AtomicKind::SUM);
    }

    void add_repeats(const Footprint& touched) {
        const uint32_t in_block = kBlockBytes / touched.element_bytes;
        const uint64_t full = (uint64_t(1) << in_block) - 1;
        uint64_t lanes[32];  // of repeats that have up to 256 lanes of 4 bytes
        bool whole = false;
        for (uint32_t repeat = 0; repeat < touched.repeats; ++repeat) {
            if (repeat == 0 || (touched.tail && repeat + 1 == touched.repeats)) {
                const Lanes chosen = touched.lanes_of(repeat);
                whole = touched.block_stride == 1;
                for (uint32_t block = 0; block < touched.blocks; ++block) {
                    lanes[block] = chosen.part(block * in_block, in_block);
                    whole = whole && lanes[block] == full;
                }
            }
            const uint64_t start = touched.start_of(repeat);
            if (whole) {
                add(touched, start, uint64_t(touched.blocks) * kBlockBytes);
                continue;
            }
            for (uint32_t block = 0; block < touched.blocks; ++block) {
                add_lanes(touched, start + uint64_t(block) * touched.block_stride * kBlockBytes, lanes[block]);
            }
        }
    }

    // Neighbouring lanes are one range.
    void add_lanes(const Footprint& touched, uint64_t start, uint64_t lanes) {
        uint64_t first = 0;
        while (lanes) {
            const auto skipped = static_cast<uint64_t>(__builtin_ctzll(lanes));
            lanes >>= skipped;
            const auto count = static_cast<uint64_t>(__builtin_ctzll(~lanes));
            add(touched, start + (first + skipped) * touched.element_bytes, count * touched.element_bytes);
            lanes >>= count;
            first += skipped + count;
        }
    }

    std::vector<Range> ranges_;
    size_t first_ = 0;  // of the operand
};

}  // namespace opwright
