// Which thread runs, of how many: what a text calls threadIdx, blockIdx, blockDim and gridDim.
#pragma once

#include "issue.h"

namespace opwright {

struct Indices {
    uint32_t x, y, z;
};

}  // namespace opwright

// Of this kernel alone, and their addresses are never taken: so they are no memory to the compiler.
#define OPWRIGHT_PER_THREAD __attribute__((unused)) static thread_local
OPWRIGHT_PER_THREAD opwright::Indices threadIdx;
OPWRIGHT_PER_THREAD opwright::Indices blockIdx;
OPWRIGHT_PER_THREAD opwright::Indices blockDim;
OPWRIGHT_PER_THREAD opwright::Indices gridDim;
constexpr int32_t warpSize = opwright::kWarpLanes;

// How many threads a kernel wants. As wide as its numbers are, and with its line: too many are refused, not cut off.
struct dim3 {
    int64_t x, y, z;
    int32_t line;
    OPWRIGHT_INLINE dim3(int64_t along_x, int64_t along_y = 1, int64_t along_z = 1,
                         int32_t text_line = __builtin_LINE())
        : x(along_x), y(along_y), z(along_z), line(text_line) {}
};

namespace opwright {

// The number of the running thread in its block; 32 numbers in a row are a warp.
OPWRIGHT_INLINE uint32_t thread_number() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

// Ends the core because of the running thread.
template <typename... Details>
[[noreturn]] __aicore__ __attribute__((cold, noinline)) void fail_thread(int32_t line, Fault fault,
                                                                         Details... details) {
    At(line).fail(fault, threadIdx.x, threadIdx.y, threadIdx.z, details...);
    __builtin_unreachable();
}

}  // namespace opwright
