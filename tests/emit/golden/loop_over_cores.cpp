#include "kernel_operator.h"

__aicore__ inline int64_t floor_div(int64_t a, int64_t b) {
    if (b == -1) {
        return 0 - a;
    }
    int64_t quotient = a / b;
    return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

extern "C" __global__ __aicore__ void loop_over_cores(GM_ADDR x, int64_t n) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<int32_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(x));
    int64_t cores = AscendC::GetBlockNum();
    for (int64_t tile = AscendC::GetBlockIdx(); tile < n; tile += AscendC::GetBlockNum()) {
        x_gm.SetValue(tile / 4 + tile % 4, static_cast<int32_t>(floor_div(n, cores)));
    }
    int64_t value = AscendC::GetBlockIdx() * 64;
    int64_t value_1 = cores * 64;
    for (int64_t start = value; start < n; start += value_1) {
        x_gm.SetValue(start / 64, static_cast<int32_t>(1));
    }
    AscendC::PipeBarrier<PIPE_ALL>();
}
