#include "kernel_operator.h"

extern "C" __global__ __aicore__ void about_the_core() {
    AscendC::InitSocState();
    AscendC::printf("%d %d\n", AscendC::GetSubBlockIdx(), AscendC::GetSubBlockNum() * AscendC::GetTaskRatio());
    AscendC::printf("%d\n", AscendC::GetDataBlockSizeInBytes());
    int64_t before = AscendC::GetSystemCycle();
    int64_t value = AscendC::GetSystemCycle();
    int64_t value_1 = AscendC::GetProgramCounter();
    AscendC::printf("%d %d\n", value - before, value_1);
    AscendC::PipeBarrier<PIPE_ALL>();
}
