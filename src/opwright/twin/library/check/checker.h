// Checked mode: what each core of a launch tells about its work, judged as it comes.
//
// In: accesses with their footprints, flags, barriers. Out: the first conflict of a core ends that core, as any other
// fault does. A kernel runs in program order here too; whether the chip could run it in another order is what is judged.
#pragma once

#include <new>

#include "../../include/opwright/issue.h"
#include "../scheduler.h"
#include "clocks.h"

namespace opwright {

// What is known about one core.
struct Checker {
    CoreOrder order;
    std::vector<uint32_t> turns;  // how often each line has run
    std::vector<Range> ranges;
};

inline Checker& checker_of(Core* core) {
    if (!core->order) {
        const bool auto_sync = core->launch->flags & kAutoSync;
        // From 3510 on the chip itself keeps vector work in order; before, the toolchain does if it may.
        const OrderRules rules = {auto_sync || core->launch->arch >= 3510, auto_sync};
        core->order = new Checker{CoreOrder(rules), {}, {}};
    }
    return *static_cast<Checker*>(core->order);
}

inline void checker_forget(Core* core) {
    delete static_cast<Checker*>(core->order);
    core->order = nullptr;
}

// The bytes of a footprint as ranges.
inline void add_ranges(std::vector<Range>& ranges, const Footprint& touched) {
    const uint32_t memory = static_cast<uint32_t>(touched.memory);
    auto add = [&](uint64_t begin, uint64_t bytes) {
        if (bytes == 0) return;
        if (!ranges.empty() && ranges.back().memory == memory && ranges.back().written == touched.written &&
            ranges.back().end == begin) {
            ranges.back().end += bytes;
        } else {
            ranges.push_back({memory, touched.written, begin, begin + bytes});
        }
    };
    if (touched.repeats) {
        const uint32_t in_block = kBlockBytes / touched.element_bytes;
        for (uint32_t repeat = 0; repeat < touched.repeats; ++repeat) {
            for (uint32_t block = 0; block < touched.blocks; ++block) {
                const uint64_t start = touched.address + (uint64_t(repeat) * touched.repeat_stride +
                                                          uint64_t(block) * touched.block_stride) * kBlockBytes;
                const uint64_t lanes = touched.lanes.part(block * in_block, in_block);
                for (uint32_t lane = 0; lane < in_block; ++lane) {
                    if (lanes >> lane & 1) add(start + lane * touched.element_bytes, touched.element_bytes);
                }
            }
        }
    } else if (touched.runs.count) {
        for (uint64_t run = 0; run < touched.runs.count; ++run) {
            add(touched.address + run * touched.runs.stride, touched.runs.bytes);
        }
    } else {
        add(touched.address, touched.bytes);
    }
}

struct Report {
    Core* core;
    void operator()(const Conflict& c) const {
        const int64_t details[] = {c.memory,       c.first_pipe,     c.second_pipe,           c.first.line,
                                   c.first.turn,   c.first_written,  c.second_written,        static_cast<int64_t>(c.begin)};
        core_fail(core, Fault::RACE, c.second.line, details, 8);
    }
};

inline void note_access(Core* core, int32_t line, uint32_t pipe, const Footprint* touched, uint32_t count) {
    Checker& checker = checker_of(core);
    checker.ranges.clear();
    // What is read first: that a value is not there yet is what people understand best.
    for (const bool written : {false, true}) {
        for (uint32_t i = 0; i < count; ++i) {
            if (touched[i].written == written) add_ranges(checker.ranges, touched[i]);
        }
    }
    if (checker.turns.size() <= static_cast<size_t>(line)) checker.turns.resize(static_cast<size_t>(line) + 1);
    checker.order.access(pipe, line, checker.turns[static_cast<size_t>(line)]++, checker.ranges.data(),
                         static_cast<uint32_t>(checker.ranges.size()), Report{core});
}

inline void note_flag(Core* core, int32_t line, bool is_set, uint32_t source, uint32_t destination, uint32_t id) {
    CoreOrder& order = checker_of(core).order;
    if (is_set) {
        order.set(source, destination, id, line, Report{core});
    } else {
        order.wait(source, destination, id, line, Report{core});
    }
}

inline void note_barrier(Core* core, int32_t line, uint32_t pipe) { checker_of(core).order.barrier(pipe, line, Report{core}); }

}  // namespace opwright
