// Some groups of a launch of vector cores, run in the caller's thread: how a program that has kernels linked into it
// runs them. Plain data, so that the program needs nothing else of the twin.
#pragma once

#include <cstdint>

extern "C" {

// A range of global memory, as GmRange has it.
struct OpwrightMemory {
    uint64_t base;
    uint64_t bytes;
    uint32_t use;
    uint32_t slot;
};

struct OpwrightGroups {
    void (*entry)(const uint64_t* slots);
    const uint64_t* slots;
    const OpwrightMemory* memories;
    uint32_t slot_count;
    uint32_t memory_count;
    uint32_t groups;  // of the whole launch
    uint32_t cores;   // that run at once
    uint32_t arch;
    uint32_t auto_sync;
    uint64_t ub_bytes;
};

// Runs the groups [begin, end). Gives 0, or the number of a fault, and the line of the kernel's text where it was found.
// Any number of threads may do so at once; each keeps its core, with its memory, for the next call.
int32_t opwright_run_groups(const OpwrightGroups* launch, uint32_t begin, uint32_t end, int32_t* line);

}
