// Judges what the threads of one vector function did.
//
// In: events in the order in which they come. Out: what the engine of the checked twin reports, every time it reports
// it, then what was touched. Tests feed it with small lists of events whose order they know without it.
#pragma once

#include <vector>

#include "thread_order.h"

namespace opwright {

enum class ThreadEventKind : uint32_t { ACCESS, BLOCK_MEETS, WARP_MEETS };

// Fixed layout, as that of what is found: Python writes the one and reads the other.
struct ThreadEvent {
    ThreadEventKind kind;
    uint32_t thread;  // of a warp that meets any of its threads
    int32_t line;
    uint32_t memory;
    ThreadKind access;
    uint32_t bytes;
    uint64_t address;
};

enum class ThreadFindingKind : uint32_t { RACE, FIRST_READ, TOUCHED };

struct ThreadFinding {
    ThreadFindingKind kind;
    uint32_t memory;
    uint32_t first_thread;
    uint32_t second_thread;
    int32_t first_line;
    int32_t second_line;
    ThreadKind first_access;
    ThreadKind second_access;
    uint64_t begin;
    uint64_t end;
};

inline std::vector<ThreadFinding> judge_threads(const ThreadEvent* events, uint64_t count) {
    struct Observer {
        std::vector<ThreadFinding>& found;
        const ThreadEvent& event;

        void race(ThreadStamp first, ThreadKind kind, uint64_t begin, uint64_t end) {
            found.push_back({ThreadFindingKind::RACE, event.memory, first.thread(), event.thread, first.line(), event.line,
                             kind, event.access, begin, end});
        }
        void first_read(uint64_t begin, uint64_t end) {
            found.push_back({ThreadFindingKind::FIRST_READ, event.memory, 0, event.thread, 0, event.line, ThreadKind::READ,
                             event.access, begin, end});
        }
    };
    std::vector<ThreadFinding> found;
    ThreadOrder order;
    order.begin();
    for (const ThreadEvent* event = events; event != events + count; ++event) {
        switch (event->kind) {
            case ThreadEventKind::ACCESS:
                order.access({event->thread, event->line, static_cast<Memory>(event->memory), event->access, event->address,
                              event->bytes},
                             Observer{found, *event});
                break;
            case ThreadEventKind::BLOCK_MEETS: order.meet_block(); break;
            case ThreadEventKind::WARP_MEETS: order.meet_warp(event->thread / kWarpLanes); break;
        }
    }
    order.touched([&](const ThreadTouch& touch, uint64_t end) {
        found.push_back({ThreadFindingKind::TOUCHED, static_cast<uint32_t>(touch.memory), 0, 0, 0, touch.line, touch.kind,
                         touch.kind, touch.address, end});
    });
    return found;
}

}  // namespace opwright
