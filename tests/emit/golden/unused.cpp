#include "kernel_operator.h"

extern "C" __global__ __aicore__ void unused(int64_t n) {
    AscendC::InitSocState();
    AscendC::LocalTensor<float> d(AscendC::TPosition::VECIN, 0, 64);
    AscendC::printf("%d\n", 3);
    AscendC::PipeBarrier<PIPE_ALL>();
}
