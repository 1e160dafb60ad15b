#include "kernel_operator.h"

extern "C" __global__ __mix__(1, 0) void cube_cores_with_flags() {
    AscendC::InitSocState();
    AscendC::CrossCoreSetFlag<0, PIPE_FIX>(0);
    AscendC::CrossCoreWaitFlag<0, PIPE_FIX>(0);
    AscendC::PipeBarrier<PIPE_ALL>();
}
