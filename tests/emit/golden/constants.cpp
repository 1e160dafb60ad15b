#include "kernel_operator.h"

extern "C" __global__ __aicore__ void constants(GM_ADDR z) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<int32_t> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(z), 8);
    AscendC::LocalTensor<int32_t> local(AscendC::TPosition::VECOUT, 64, 8);
    AscendC::Duplicate(local, static_cast<int32_t>(23), 8);
    AscendC::printf("%f %d %d\n", 0.1f, 1024, -4);
    AscendC::DataCopy(z_gm, local, 8);
    AscendC::PipeBarrier<PIPE_ALL>();
}
