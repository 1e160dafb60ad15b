#include "kernel_operator.h"

extern "C" __global__ __aicore__ void two_types(GM_ADDR x, GM_ADDR z, float scale) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), 64);
    AscendC::GlobalTensor<float> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z), 64);
    AscendC::LocalTensor<half> a(AscendC::TPosition::VECIN, 0, 64);
    AscendC::LocalTensor<half> b(AscendC::TPosition::VECCALC, 128, 64);
    AscendC::LocalTensor<float> c(AscendC::TPosition::VECOUT, 256, 64);
    AscendC::LocalTensor<int32_t> d(AscendC::TPosition::VECCALC, 256, 64);
    AscendC::DataCopy(a, x_gm, 64);
    AscendC::Cast(d, a, AscendC::RoundMode::CAST_FLOOR, 64);
    AscendC::Cast(c, d, AscendC::RoundMode::CAST_NONE, 64);
    AscendC::Cast(b, c, AscendC::RoundMode::CAST_ODD, 64);
    AscendC::Axpy(c, a, static_cast<half>(scale), 64);
    AscendC::Axpy(c, a, static_cast<half>(3.0f), 64);
    AscendC::MulAddDst(c, a, b, 64);
    AscendC::DataCopy(z_gm, c, 64);
    AscendC::PipeBarrier<PIPE_ALL>();
}
