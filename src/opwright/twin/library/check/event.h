// What a core issued, one event at a time: the language of traces. Fixed layout: Python reads and writes them.
#pragma once

#include <cstdint>

#include "../../include/opwright/generated/enumerations.h"

namespace opwright {

constexpr uint32_t kTraceAtomic = 2;

struct TraceEvent {
    uint32_t core;
    TraceKind kind;
    uint32_t pipe;   // of a set its source, of a wait its destination
    // Of a set its destination, of a wait its source, of a flag between cores its mode; 1 for the barrier of the AIVs in a
    // launch that has AICs too, and for an access that waits for unit flags.
    uint32_t other;
    uint32_t id;
    int32_t line;
    uint32_t memory;
    uint32_t written;  // kTraceAtomic of an atomic copy
    uint64_t begin;
    uint64_t end;
    uint32_t more;  // how many of the following events are further ranges of this access
    uint32_t iteration;  // how often the line had run before
    uint32_t core_kind;
    uint32_t group;
};

}  // namespace opwright
