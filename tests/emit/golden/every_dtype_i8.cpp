#include "kernel_operator.h"

extern "C" __global__ __aicore__ void every_dtype(GM_ADDR z) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<int8_t> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(z));
    AscendC::LocalTensor<int8_t> local(AscendC::TPosition::VECCALC, 0, 64);
    AscendC::DataCopy(local, z_gm, 64);
    AscendC::DataCopy(z_gm, local, 64);
    AscendC::PipeBarrier<PIPE_ALL>();
}
