// Checked mode: what each core of a launch tells about its work, judged as it comes.
//
// In: accesses with their footprints, flags, barriers. Out: the first conflict of a core ends that core, as any other
// fault does. A kernel runs in program order here too; whether the chip could run it in another order is what is judged.
#pragma once

#include <tuple>

#include "../../include/opwright/issue.h"
#include "../scheduler.h"
#include "global.h"

namespace opwright {

// What is known about one core.
struct Checker {
    CoreOrder order;
    std::vector<uint32_t> turns;  // how often each line has run
    std::vector<Range> ranges;
    CoreGlobal global;
    WrittenBytes written;  // of UB
};

inline OrderRules rules_of(const LaunchRecord& launch) {
    const bool auto_sync = launch.flags & kAutoSync;
    // From 3510 on the chip itself keeps vector work in order; before, the toolchain does if it may.
    return {auto_sync || launch.arch >= 3510, auto_sync};
}

inline Checker& checker_of(Core* core) {
    if (!core->order) {
        core->order = new Checker{CoreOrder(rules_of(*core->launch)), {}, {}, {}, {}};
    }
    return *static_cast<Checker*>(core->order);
}

// A core has ended: what it did to global memory is compared with the others when all have.
inline void checker_forget(Core* core) {
    auto checker = static_cast<Checker*>(core->order);
    core->order = nullptr;
    Launch& launch = *slot_of(core)->launch;
    {
        Locked locked(launch);
        if (!launch.phases) launch.phases = new std::vector<GlobalOrder>();
        checker->global.give(core->block, *static_cast<std::vector<GlobalOrder>*>(launch.phases));
    }
    delete checker;
}

inline void checker_next_phase(Core* core) { checker_of(core).global.next_phase(); }

// All cores have ended. The race that is told is that of the lowest cores.
inline void checker_conclude(Launch& launch) {
    auto phases = static_cast<std::vector<GlobalOrder>*>(launch.phases);
    launch.phases = nullptr;
    std::vector<Finding> findings;
    for (GlobalOrder& phase : *phases) phase.finish(0, [&](const Finding& finding) { findings.push_back(finding); });
    delete phases;
    if (findings.empty() || launch.outcome->fault) return;
    const auto key = [](const Finding& f) { return std::make_tuple(f.first_core, f.core, f.first_line, f.second_line, f.begin); };
    const Finding& first =
        *std::min_element(findings.begin(), findings.end(), [&](auto& a, auto& b) { return key(a) < key(b); });
    const int64_t details[] = {first.first_core,    first.first_pipe,     first.second_pipe, first.first_line,
                               first.first_written, first.second_written, static_cast<int64_t>(first.begin),
                               static_cast<int64_t>(first.end)};
    launch_fail(launch, rank_of(first.core, 1), Fault::RACE_BETWEEN_CORES, first.second_line, details, 8);
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
    for (const Range& range : checker.ranges) {
        if (range.memory == static_cast<uint32_t>(Memory::GM)) {
            checker.global.access(pipe, line, range);
        } else if (range.memory == static_cast<uint32_t>(Memory::UB)) {
            if (range.written) {
                checker.written.add(range.begin, range.end);
            } else if (const uint64_t byte = checker.written.first_missing(range.begin, range.end); byte != range.end) {
                const int64_t details[] = {static_cast<int64_t>(byte), static_cast<int64_t>(range.begin)};
                core_fail(core, Fault::UNINITIALISED, line, details, 2);
            }
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
