#include "kernel_operator.h"

extern "C" __global__ __aicore__ void fractals_to_rows(GM_ADDR x, GM_ADDR z) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<half> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z));
    AscendC::LocalTensor<half> a(AscendC::TPosition::VECOUT, 0, 1024);
    AscendC::DataCopy(z_gm, a, AscendC::Nz2NdParamsFull(1, 16, 32, 1, 16, 32, 1));
    AscendC::PipeBarrier<PIPE_ALL>();
}
