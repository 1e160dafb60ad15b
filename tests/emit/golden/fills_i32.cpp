#include "kernel_operator.h"

extern "C" __global__ __aicore__ void fills(GM_ADDR z, int64_t turns) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<int32_t> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(z), 512);
    AscendC::LocalTensor<int32_t> a(AscendC::TPosition::VECIN, 0, 512);
    AscendC::LocalTensor<int32_t> c(AscendC::TPosition::VECOUT, 2048, 512);
    AscendC::Duplicate(a, static_cast<int32_t>(3), 64, turns, 1, 8);
    uint64_t mask[2] = {static_cast<uint64_t>(0), static_cast<uint64_t>(5)};
    mask[0] = static_cast<uint64_t>(turns);
    AscendC::Duplicate(a, static_cast<int32_t>(turns), mask, 2, 2, 16);
    AscendC::Brcb(c, a, turns, AscendC::BrcbRepeatParams(1, 8));
    AscendC::DataCopy(z_gm, c, 512);
    AscendC::PipeBarrier<PIPE_ALL>();
}
