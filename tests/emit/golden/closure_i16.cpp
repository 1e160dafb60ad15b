#include "kernel_operator.h"

extern "C" __global__ __aicore__ void closure(GM_ADDR z) {
    AscendC::InitSocState();
    AscendC::LocalTensor<int16_t> local(AscendC::TPosition::VECCALC, 0, 16);
    AscendC::Duplicate(local, static_cast<int16_t>(-5), 16);
    AscendC::GlobalTensor<int16_t> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int16_t*>(z));
    AscendC::DataCopy(z_gm, local, 16);
    AscendC::PipeBarrier<PIPE_ALL>();
}
