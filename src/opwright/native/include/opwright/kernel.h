// Kernels of an operator that were compiled ahead of time, for vector cores of one SoC: how a call becomes the launch of
// one of them.
//
// In: a call that `infer` has accepted, the operator's compiled `launch`, and a table of variants that is generated. Out:
// `plan` and `run` of `entry.h`: a part is a block of the launch, and runs in the caller's thread. What `launch` refuses,
// tensors with gaps that a kernel takes without only, and numbers that it cannot take are reasons of `plan`. A fault of
// the kernel is thrown.
#pragma once

#include "opwright/abi.h"
#include "opwright/host.h"

namespace opwright::kernel {

// The most addresses and numbers that a kernel takes.
constexpr int32_t kMostSlots = 64;

using Entry = void (*)(const uint64_t* slots);

// One address or number that a kernel takes.
struct Slot {
    enum Kind : uint8_t { kInput, kOutput, kInteger, kFloat, kBool, kWorkspace } kind;
    uint8_t use;        // of memory: as GmRange of the twin has it
    bool takes_gaps;    // of a tensor: its strides are among the numbers
    host::Dtype dtype;  // of a tensor
    int32_t place;      // of a tensor among arguments or results
    int64_t bytes;      // of scratch memory, for each block
};

struct Variant {
    const char* name;
    const Entry* entries;  // as many as there are levels
    const Slot* slots;
    int32_t slot_count;
    bool auto_sync;
};

// The SoC that the kernels were compiled for.
struct Machine {
    uint32_t cores;
    uint32_t arch;
    uint64_t ub_bytes;
};

struct Kernels {
    const Variant* variants;
    int32_t count;
    const int32_t* levels;  // instruction sets that there are entries for, the least first: see level() of kernel.cpp
    int32_t level_count;
    host::Launch (*launch)(const OpwrightCall& call);
    Machine machine;
};

const char* plan(const Kernels& kernels, OpwrightCall* call);
void run(const Kernels& kernels, const OpwrightCall* call, int64_t begin, int64_t end);

}  // namespace opwright::kernel
