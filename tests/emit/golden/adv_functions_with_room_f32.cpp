#include "kernel_operator.h"

extern "C" __global__ __aicore__ void adv_functions_with_room(GM_ADDR x, GM_ADDR z, int64_t count) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<float> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), 512);
    AscendC::GlobalTensor<float> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z), 512);
    AscendC::LocalTensor<float> a(AscendC::TPosition::VECIN, 0, 512);
    AscendC::LocalTensor<float> b(AscendC::TPosition::VECIN, 2048, 512);
    AscendC::LocalTensor<float> c(AscendC::TPosition::VECOUT, 4096, 512);
    AscendC::LocalTensor<uint8_t> room(AscendC::TPosition::VECCALC, 8192, 4096);
    AscendC::DataCopy(a, x_gm, 512);
    AscendC::DataCopy(b, x_gm, 512);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Acos(c, a, room);
    AscendC::Acosh(c, a, room);
    AscendC::Asin(c, a, room);
    AscendC::Asinh(c, a, room);
    AscendC::Atan(c, a, room);
    AscendC::Atanh(c, a, room);
    AscendC::Cos(c, a, room);
    AscendC::Cosh(c, a, room);
    AscendC::Erf(c, a, room);
    AscendC::Erfc(c, a, room);
    AscendC::Frac(c, a, room);
    AscendC::Sign(c, a, room);
    AscendC::Sin(c, a, room);
    AscendC::Sinh(c, a, room);
    AscendC::Tan(c, a, room);
    AscendC::Tanh(c, a, room);
    AscendC::Trunc(c, a, room);
    AscendC::Power(c, a, b, room);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(z_gm, c, 512);
    AscendC::PipeBarrier<PIPE_ALL>();
}
