// Outputs that no core wrote in full.
//
// In: which bytes of global memory the cores of a launch wrote, and by which lines. Out: for each argument that the kernel
// may write how many of its bytes nothing wrote, the first of them, and the line and core that wrote next to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "../../include/opwright/context.h"

namespace opwright {

struct WrittenPart {
    uint64_t begin;
    uint64_t end;
    int32_t line;
    uint32_t block;
    uint32_t kind;  // of the core
};

class WrittenOutputs {
public:
    void add(const WrittenPart& part) { parts_.push_back(part); }

    // `tell` gets a range, its bytes that nothing wrote, the first of them from its start, and what wrote next to it: a
    // part without a line if nothing did.
    template <typename Tell>
    void finish(const LaunchRecord& launch, Tell tell) {
        std::sort(parts_.begin(), parts_.end(), [](const WrittenPart& a, const WrittenPart& b) {
            return std::tie(a.begin, a.block, a.line) < std::tie(b.begin, b.block, b.line);
        });
        for (uint32_t i = 0; i < launch.ranges; ++i) {
            const GmRange& range = launch.gm()[i];
            if (range.use & kGmWritten) look(range, tell);
        }
    }

private:
    template <typename Tell>
    void look(const GmRange& range, Tell tell) const {
        const uint64_t stop = range.base + range.bytes;
        uint64_t known = range.base, missing = 0, first = 0;  // before `known` everything was looked at
        WrittenPart next = {};
        for (const WrittenPart& part : parts_) {
            if (part.end <= range.base) continue;
            if (part.begin >= stop) break;
            if (part.begin > known) {
                if (!missing) first = known;
                missing += part.begin - known;
            }
            if (!next.line || !missing) next = part;
            known = std::max(known, std::min(part.end, stop));
        }
        if (known < stop) {
            if (!missing) first = known;
            missing += stop - known;
        }
        if (missing) tell(range, missing, first - range.base, next);
    }

    std::vector<WrittenPart> parts_;
};

}  // namespace opwright
