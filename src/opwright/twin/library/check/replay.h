// Replays a trace of one core in the order that a seed chooses.
//
// In: events as in trace.h, of which each wait comes after its set. Out: the lines of the accesses in the order in which
// they are carried out. This is the engine of the perturbed twin without a kernel: tests compare the order with every
// schedule of small programs, which they have listed.
#pragma once

#include <vector>

#include "held.h"
#include "trace.h"

namespace opwright {

inline std::vector<int32_t> replay(const TraceEvent* events, uint64_t count, const OrderRules& rules, uint64_t seed) {
    struct Work {
        std::vector<int32_t>* order;
        int32_t line;
    };
    std::vector<int32_t> order;
    HeldWork held(Schedule(seed, 0), rules);
    for (uint64_t i = 0; i < count; ++i) {
        const TraceEvent& event = events[i];
        switch (event.kind) {
            case TraceKind::ACCESS: {
                std::vector<Footprint> touched;
                bool written = false;
                for (uint64_t j = i; j <= i + event.more; ++j) {
                    const TraceEvent& range = events[j];
                    touched.push_back({static_cast<Memory>(range.memory), 0, 1, range.written != 0, range.begin,
                                       range.end - range.begin});
                    written |= range.written != 0;
                }
                const auto ranges = static_cast<uint32_t>(touched.size());
                const Work work = {&order, event.line};
                if (event.pipe == PIPE_S && !written) {
                    // The scalar unit needs what it reads.
                    held.reach(event.pipe, touched.data(), ranges);
                    order.push_back(event.line);
                } else {
                    const auto run = [](void* kept) {
                        const auto mine = static_cast<Work*>(kept);
                        mine->order->push_back(mine->line);
                    };
                    held.defer(event.pipe, touched.data(), ranges, run, &work, sizeof work);
                }
                i += event.more;
                break;
            }
            case TraceKind::SET: held.set(event.pipe, event.other, event.id); break;
            case TraceKind::WAIT: held.wait(event.other, event.pipe, event.id); break;
            case TraceKind::BARRIER: held.barrier(event.pipe); break;
            case TraceKind::SYNC_ALL: held.barrier(PIPE_ALL); break;
            case TraceKind::CROSS_SET:
            case TraceKind::CROSS_WAIT: break;
        }
    }
    held.finish();
    return order;
}

}  // namespace opwright
