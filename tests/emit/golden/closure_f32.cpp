#include "kernel_operator.h"

extern "C" __global__ __aicore__ void closure(GM_ADDR z) {
    AscendC::InitSocState();
    AscendC::LocalTensor<float> local(AscendC::TPosition::VECCALC, 0, 16);
    AscendC::Duplicate(local, -5.0f, 16);
    AscendC::GlobalTensor<float> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    AscendC::DataCopy(z_gm, local, 16);
    AscendC::PipeBarrier<PIPE_ALL>();
}
