#include "kernel_operator.h"

extern "C" __global__ __aicore__ void tensors_by_branch(GM_ADDR x, GM_ADDR y, int64_t n, bool flip) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<float> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), 16);
    AscendC::GlobalTensor<float> y_gm;
    y_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), 16);
    AscendC::GlobalTensor<float> source = x_gm;
    if (flip) {
        source = y_gm;
    }
    AscendC::LocalTensor<float> local;
    if (n > 2) {
        local = AscendC::LocalTensor<float>(AscendC::TPosition::VECIN, 0, 16);
    } else {
        local = AscendC::LocalTensor<float>(AscendC::TPosition::VECIN, 64, 16);
    }
    AscendC::DataCopy(local, source, 16);
    AscendC::DataCopy(source, local, 16);
    AscendC::PipeBarrier<PIPE_ALL>();
}
