#include "kernel_operator.h"

extern "C" __global__ __aicore__ void barriers(GM_ADDR z, int64_t rounds) {
    AscendC::InitSocState();
    int64_t core = AscendC::GetBlockIdx();
    int64_t cores = AscendC::GetBlockNum();
    for (int64_t turn = 0; turn < rounds; ++turn) {
        AscendC::PipeBarrier<PIPE_ALL>();
        if (core == turn % cores) {
            AscendC::printf("core %d of %d\n", core, cores);
        }
        AscendC::SyncAll<true>();
    }
    if (cores > 48) {
        AscendC::Trap();
    }
    AscendC::PipeBarrier<PIPE_ALL>();
}
