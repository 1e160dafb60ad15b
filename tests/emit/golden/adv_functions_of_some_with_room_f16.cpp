#include "kernel_operator.h"

extern "C" __global__ __aicore__ void adv_functions_of_some_with_room(GM_ADDR x, GM_ADDR z, int64_t count) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), 512);
    AscendC::GlobalTensor<half> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z), 512);
    AscendC::LocalTensor<half> a(AscendC::TPosition::VECIN, 0, 512);
    AscendC::LocalTensor<half> b(AscendC::TPosition::VECIN, 2048, 512);
    AscendC::LocalTensor<half> c(AscendC::TPosition::VECOUT, 4096, 512);
    AscendC::LocalTensor<uint8_t> room(AscendC::TPosition::VECCALC, 8192, 4096);
    AscendC::DataCopy(a, x_gm, 512);
    AscendC::DataCopy(b, x_gm, 512);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Acos(c, a, room, count);
    AscendC::Acosh(c, a, room, count);
    AscendC::Asin(c, a, room, count);
    AscendC::Asinh(c, a, room, count);
    AscendC::Atan(c, a, room, count);
    AscendC::Atanh(c, a, room, count);
    AscendC::Ceil(c, a, room, count);
    AscendC::Cos(c, a, room, count);
    AscendC::Cosh(c, a, room, count);
    AscendC::Digamma(c, a, room, count);
    AscendC::Erf(c, a, room, count);
    AscendC::Erfc(c, a, room, count);
    AscendC::Floor(c, a, room, count);
    AscendC::Frac(c, a, room, count);
    AscendC::Lgamma(c, a, room, count);
    AscendC::Round(c, a, room, count);
    AscendC::Sign(c, a, room, count);
    AscendC::Sin(c, a, room, count);
    AscendC::Sinh(c, a, room, count);
    AscendC::Tan(c, a, room, count);
    AscendC::Tanh(c, a, room, count);
    AscendC::Trunc(c, a, room, count);
    AscendC::Exp<half, 10, true>(c, a, room, count);
    AscendC::Power(c, a, b, room, count);
    AscendC::Axpy<half, half, false>(c, a, static_cast<half>(0.5f), room, count);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(z_gm, c, 512);
    AscendC::PipeBarrier<PIPE_ALL>();
}
