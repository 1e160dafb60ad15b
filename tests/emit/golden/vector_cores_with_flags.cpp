#include "kernel_operator.h"

extern "C" __global__ __mix__(0, 1) void vector_cores_with_flags() {
    AscendC::InitSocState();
    AscendC::SyncAll<true>();
    AscendC::PipeBarrier<PIPE_ALL>();
}
