// Judges a trace: what some cores issued, each in its own program order.
//
// In: events. Out: conflicts within a core and between cores, and waits that nothing serves, among them those of cores
// that wait for the others. This is the engine of the checked twin without a kernel: tests feed it with small programs
// whose every schedule they have listed. The iteration of an access is its place among the events of its core.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "event.h"
#include "global.h"

namespace opwright {

// The cores of a trace, each with what it has issued so far.
class Trace {
public:
    Trace(const TraceEvent* events, uint64_t count, const OrderRules& rules) {
        for (uint64_t i = 0; i < count; ++i) {
            while (cores_.size() <= events[i].core) cores_.push_back({CoreOrder(rules), {}, 0});
            cores_[events[i].core].events.push_back(events[i]);
        }
    }

    std::vector<Finding> judge() {
        // A core that does not come to the barrier over all cores keeps the others there for ever.
        bool met = !cores_.empty();
        while (met) {
            std::vector<const TraceEvent*> arrived(cores_.size(), nullptr);
            for (uint32_t core = 0; core < cores_.size(); ++core) {
                arrived[core] = issue(core);
                met = met && arrived[core];
            }
            conclude_phase();
            for (uint32_t core = 0; core < cores_.size() && !met; ++core) {
                if (arrived[core]) stall(core, PIPE_S, PIPE_ALL, 0, arrived[core]->line);
            }
        }
        for (uint32_t core = 0; core < cores_.size(); ++core) {
            cores_[core].order.finish([&](uint32_t pipe, uint32_t source, uint32_t id, int32_t line) {
                stall(core, pipe, source, id, line);
            });
        }
        return findings_;
    }

private:
    static constexpr uint32_t kGm = static_cast<uint32_t>(Memory::GM);

    struct TracedCore {
        CoreOrder order;
        std::vector<TraceEvent> events;
        uint32_t next;  // the event to be issued next
    };

    struct GlobalAccess {
        uint32_t core;
        uint32_t place;  // in the events of the core
        Range range;
    };

    // Issues what a core does up to its next barrier over all cores, which is returned if the core arrives there.
    const TraceEvent* issue(uint32_t core) {
        TracedCore& traced = cores_[core];
        CoreOrder& order = traced.order;
        auto race = [&](const Conflict& c) {
            findings_.push_back(finding_of(c, core, 1));
        };
        while (traced.next < traced.events.size()) {
            const uint32_t place = traced.next;
            const TraceEvent& event = traced.events[place];
            traced.next += 1 + event.more;
            switch (event.kind) {
                case TraceKind::ACCESS: {
                    std::vector<Range> ranges;
                    for (uint32_t i = place; i < traced.next; ++i) {
                        const TraceEvent& part = traced.events[i];
                        ranges.push_back({part.memory, part.written != 0, 1, part.begin, part.end});
                        if (part.memory == kGm) global_.push_back({core, place, ranges.back()});
                    }
                    order.access(event.pipe, event.line, place, ranges.data(), static_cast<uint32_t>(ranges.size()),
                                 race);
                    break;
                }
                case TraceKind::SET: order.set(event.pipe, event.other, event.id, event.line, race); break;
                case TraceKind::WAIT: order.wait(event.other, event.pipe, event.id, event.line, race); break;
                case TraceKind::BARRIER: order.barrier(event.pipe, event.line, race); break;
                case TraceKind::SYNC_ALL:
                    order.barrier(PIPE_ALL, event.line, race);
                    return order.is_drained() ? &event : nullptr;
                case TraceKind::CROSS_SET:
                case TraceKind::CROSS_WAIT: break;
            }
        }
        return nullptr;
    }

    // Compares what the cores did to global memory since the last barrier. What never started conflicts with nothing.
    void conclude_phase() {
        GlobalOrder phase;
        for (const GlobalAccess& access : global_) {
            const TracedCore& traced = cores_[access.core];
            const TraceEvent& event = traced.events[access.place];
            if (traced.order.is_held(access.place)) continue;
            const Span span = {access.range.begin, access.range.end, access.place, 0};
            phase.access(access.core, 0, {event.line, event.pipe, access.range.how(), false}, 1, span);
        }
        const auto nothing = [](uint32_t, uint32_t, uint32_t, uint32_t) { return false; };
        phase.finish(kGm, [&](const Finding& finding) { findings_.push_back(finding); }, nothing);
        global_.clear();
    }

    void stall(uint32_t core, uint32_t pipe, uint32_t source, uint32_t id, int32_t line) {
        findings_.push_back({FindingKind::STALL, id, core, core, source, pipe, 0, 0, 0, line, 0, 0, 0, 0, 0});
    }

    std::vector<TracedCore> cores_;
    std::vector<GlobalAccess> global_;  // since the last barrier over all cores
    std::vector<Finding> findings_;
};

inline std::vector<Finding> judge(const TraceEvent* events, uint64_t count, const OrderRules& rules) {
    return Trace(events, count, rules).judge();
}

}  // namespace opwright
