// Judges a trace: what some cores issued, each in its own program order.
//
// In: events. Out: conflicts within a core and between cores, and waits that nothing serves. This is the engine of the
// checked twin without a kernel: tests feed it with small programs whose every schedule they have listed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "event.h"
#include "global.h"

namespace opwright {

inline std::vector<Finding> judge(const TraceEvent* events, uint64_t count, const OrderRules& rules) {
    std::vector<Finding> findings;
    uint32_t cores = 0;
    for (uint64_t i = 0; i < count; ++i) cores = std::max(cores, events[i].core + 1);
    std::vector<CoreOrder> orders(cores, CoreOrder(rules));
    std::vector<uint32_t> phases(cores, 0);
    std::vector<GlobalOrder> globals;
    std::vector<Range> ranges;
    const uint32_t gm = static_cast<uint32_t>(Memory::GM);
    for (uint64_t i = 0; i < count; ++i) {
        const TraceEvent& event = events[i];
        CoreOrder& order = orders[event.core];
        auto race = [&](const Conflict& c) {
            findings.push_back({FindingKind::RACE, c.memory, event.core, event.core, c.first_pipe, c.second_pipe,
                                c.first_written, c.second_written, c.first.line, c.second.line, c.first.turn,
                                c.second.turn, c.begin, c.end, 1});
        };
        switch (event.kind) {
            case TraceKind::ACCESS: {
                ranges.clear();
                for (uint64_t j = i; j <= i + event.more; ++j) {
                    ranges.push_back({events[j].memory, events[j].written != 0, 1, events[j].begin, events[j].end});
                    if (events[j].memory == gm) {
                        if (globals.size() <= phases[event.core]) globals.resize(phases[event.core] + 1);
                        globals[phases[event.core]].access(event.core, event.pipe, ranges.back(), {0, event.line, 0});
                    }
                }
                order.access(event.pipe, event.line, 0, ranges.data(), static_cast<uint32_t>(ranges.size()), race);
                i += event.more;
                break;
            }
            case TraceKind::SET: order.set(event.pipe, event.other, event.id, event.line, race); break;
            case TraceKind::WAIT: order.wait(event.other, event.pipe, event.id, event.line, race); break;
            case TraceKind::BARRIER: order.barrier(event.pipe, event.line, race); break;
            case TraceKind::SYNC_ALL:
                order.barrier(PIPE_ALL, event.line, race);
                ++phases[event.core];
                break;
        }
    }
    for (uint32_t core = 0; core < cores; ++core) {
        orders[core].finish([&](uint32_t pipe, uint32_t source, uint32_t id, int32_t line) {
            findings.push_back({FindingKind::STALL, id, core, core, source, pipe, 0, 0, 0, line, 0, 0, 0, 0, 0});
        });
    }
    for (GlobalOrder& global : globals) global.finish(gm, [&](const Finding& f) { findings.push_back(f); });
    return findings;
}

}  // namespace opwright
