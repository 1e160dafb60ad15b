// Loads out of L1: what nothing has written there is not written where it is loaded to, either.
//
// In: a load that was just noted, and its body. Out: the bytes of its destination that are written, and of the others
// where they come from. Loads move elements about, transpose them and put padding between them: which byte goes where
// only the body knows. So it runs on shadows of the memories, twice, with different bytes in place of those that
// nothing has written; elements that then differ come from such bytes. A load of bytes that all are written costs
// nothing. Left out are copies into memories of other cores.
#pragma once

#include <cstring>

#include "checker.h"

namespace opwright {

constexpr size_t kMaxGaps = 254;  // that are distinguished; what comes behind them counts as the last one

// A part of the source that nothing has written. A shadow has its number, from 1, in place of its bytes.
struct Gap {
    uint64_t begin;
    uint64_t end;
};

// The memory that a load out of L1 fills; GM if it is not one that products read.
inline Memory loaded_memory(const std::vector<Range>& ranges) {
    Memory memory = Memory::GM;
    for (const Range& range : ranges) {
        if (!range.written) continue;
        memory = range.memory < kForeign ? static_cast<Memory>(range.memory) : Memory::GM;
        if (memory != Memory::L0A && memory != Memory::L0B && memory != Memory::BT) return Memory::GM;
    }
    return memory;
}

inline uint8_t number_of(size_t gap) { return static_cast<uint8_t>(std::min(gap, kMaxGaps - 1) + 1); }

// Which elements of a range differ in the two shadows: reported as runs of bytes that come from one gap.
template <typename Each>
inline void each_unwritten(const Range& range, const std::vector<uint8_t>* loaded, Each each) {
    const uint64_t bytes = range.element_bytes;
    uint64_t begin = range.begin, end = range.begin;
    uint8_t gap = 0;
    for (uint64_t at = range.begin; at < range.end; at += bytes) {
        const uint64_t size = std::min(bytes, range.end - at);
        if (memcmp(&loaded[0][at], &loaded[1][at], size) == 0) continue;
        if (at != end || loaded[0][at] != gap) {
            if (begin < end) each(begin, end, gap);
            begin = at;
            gap = loaded[0][at];
        }
        end = at + size;
    }
    if (begin < end) each(begin, end, gap);
}

inline void note_load(Core* core, int32_t line, void (*run)(void*), void* work) {
    Checker& checker = checker_of(core);
    const std::vector<Range>& ranges = checker.ranges.all();  // of this access
    const Memory to = loaded_memory(ranges);
    if (to == Memory::GM) return;
    constexpr auto l1 = static_cast<uint32_t>(Memory::L1);
    std::vector<Gap> gaps;
    uint64_t first = UINT64_MAX, last = 0;
    for (const Range& range : ranges) {
        if (range.memory != l1) continue;
        first = std::min(first, range.begin);
        last = std::max(last, range.end);
        checker.written[l1].each_missing(range.begin, range.end, [&](uint64_t begin, uint64_t end) {
            gaps.push_back({begin, end});
        });
    }
    if (gaps.empty()) return;

    // Behind L0B lie the indices of sparse matrices: see slot.h.
    const auto memory = static_cast<uint32_t>(to);
    Arena& source = core->memory[l1];
    Arena& destination = core->memory[memory];
    const Arena own[] = {source, destination};
    std::vector<uint8_t> shadow(source.bytes);
    std::vector<uint8_t> loaded[2];
    for (uint32_t turn = 0; turn < 2; ++turn) {
        for (size_t i = 0; i < gaps.size(); ++i) {
            const int number = turn ? ~number_of(i) : number_of(i);
            memset(&shadow[gaps[i].begin], number, gaps[i].end - gaps[i].begin);
        }
        loaded[turn].resize(destination.bytes + destination.bytes / 4);
        source.base = shadow.data();
        destination.base = loaded[turn].data();
        run(work);
        source = own[0];
        destination = own[1];
    }
    for (const Range& range : ranges) {
        if (!range.written) continue;
        each_unwritten(range, loaded, [&](uint64_t begin, uint64_t end, uint8_t number) {
            // What was converted on its way has no number of a gap: the first one stands for all.
            const size_t gap = number && number <= gaps.size() ? number - 1u : 0;
            checker.written[memory].remove(begin, end);
            checker.brought[memory].put(begin, end, {line, gaps[gap].begin, first, last});
        });
    }
}

}  // namespace opwright
