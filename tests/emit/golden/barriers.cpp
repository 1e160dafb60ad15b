#include "kernel_operator.h"

__aicore__ inline int64_t floor_mod(int64_t a, int64_t b) {
    if (b == -1) {
        return 0;
    }
    int64_t rest = a % b;
    return (rest != 0 && (rest < 0) != (b < 0)) ? rest + b : rest;
}

extern "C" __global__ __aicore__ void barriers(GM_ADDR z, int64_t rounds) {
    int64_t core = AscendC::GetBlockIdx();
    int64_t cores = AscendC::GetBlockNum();
    for (int64_t turn = 0; turn < rounds; ++turn) {
        AscendC::PipeBarrier<PIPE_ALL>();
        if (cores == 0) {
            AscendC::Trap();
        }
        if (core == floor_mod(turn, cores)) {
            AscendC::printf("core %d of %d\n", core, cores);
        }
        AscendC::SyncAll<true>();
    }
    if (cores > 48) {
        AscendC::Trap();
    }
}
