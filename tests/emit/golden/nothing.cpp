#include "kernel_operator.h"

extern "C" __global__ __aicore__ void nothing() {
    AscendC::InitSocState();
    AscendC::PipeBarrier<PIPE_ALL>();
}
