#include "kernel_operator.h"

extern "C" __global__ __aicore__ void copies_of_lanes(GM_ADDR x, GM_ADDR z, int64_t turns) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<uint32_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ uint32_t*>(x), 512);
    AscendC::GlobalTensor<uint32_t> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ uint32_t*>(z), 512);
    AscendC::LocalTensor<uint32_t> a(AscendC::TPosition::VECIN, 0, 512);
    AscendC::LocalTensor<uint32_t> c(AscendC::TPosition::VECOUT, 2048, 512);
    AscendC::DataCopy(a, x_gm, 512);
    AscendC::Copy(c, a, 64, turns, AscendC::CopyRepeatParams(1, 1, 8, 8));
    uint64_t mask[2] = {static_cast<uint64_t>(0), static_cast<uint64_t>(5)};
    mask[0] = static_cast<uint64_t>(turns);
    AscendC::Copy(c, a, mask, 2, AscendC::CopyRepeatParams(2, 1, 16, 8));
    AscendC::DataCopy(z_gm, c, 512);
    AscendC::PipeBarrier<PIPE_ALL>();
}
