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
                add(touched, touched.address + run * touched.runs.stride, touched.runs.bytes);
            }
        } else {
            add(touched, touched.address, touched.bytes);
        }
    }

private:
    void add(const Footprint& touched, uint64_t begin, uint64_t bytes) {
        if (bytes == 0) return;
        if (ranges_.size() > first_ && ranges_.back().end == begin) {
            ranges_.back().end += bytes;
            return;
        }
        const auto memory = static_cast<uint32_t>(touched.memory);
        const AtomicState& atomic = touched.atomic;
        const auto type = static_cast<AscendC::AtomicDtype>(atomic.type);
        const bool is_float = type == AscendC::AtomicDtype::ATOMIC_F32 || type == AscendC::AtomicDtype::ATOMIC_F16 ||
                              type == AscendC::AtomicDtype::ATOMIC_BF16;
        const bool adds = is_float && atomic.operation == static_cast<uint8_t>(AtomicKind::SUM);
        ranges_.push_back({memory, touched.written, static_cast<uint8_t>(touched.element_bytes), begin, begin + bytes,
                           atomic.type != 0, adds});
    }

    void add_repeats(const Footprint& touched) {
        const uint32_t in_block = kBlockBytes / touched.element_bytes;
        const uint64_t full = (uint64_t(1) << in_block) - 1;
        uint64_t lanes[8];
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
            const uint64_t start = touched.address + uint64_t(repeat) * touched.repeat_stride * kBlockBytes;
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
