#include "kernel_operator.h"

extern "C" __global__ __mix__(1, 1) void one_of_each() {
    AscendC::InitSocState();
    AscendC::printf("%d\n", AscendC::GetTaskRatio());
    AscendC::PipeBarrier<PIPE_ALL>();
}
