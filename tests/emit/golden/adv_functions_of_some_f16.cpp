#include "kernel_operator.h"

extern "C" __global__ __aicore__ void adv_functions_of_some(GM_ADDR x, GM_ADDR z, int64_t count) {
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), 512);
    AscendC::GlobalTensor<half> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z), 512);
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECIN> a_buffer;
    pipe.InitBuffer(a_buffer, 2048);
    AscendC::LocalTensor<half> a = a_buffer.Get<half>();
    AscendC::TBuf<AscendC::TPosition::VECIN> b_buffer;
    pipe.InitBuffer(b_buffer, 2048);
    AscendC::LocalTensor<half> b = b_buffer.Get<half>();
    AscendC::TBuf<AscendC::TPosition::VECOUT> c_buffer;
    pipe.InitBuffer(c_buffer, 2048);
    AscendC::LocalTensor<half> c = c_buffer.Get<half>();
    AscendC::DataCopy(a, x_gm, 512);
    AscendC::DataCopy(b, x_gm, 512);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Acos(c, a, count);
    AscendC::Acosh(c, a, count);
    AscendC::Asin(c, a, count);
    AscendC::Asinh(c, a, count);
    AscendC::Atan(c, a, count);
    AscendC::Atanh(c, a, count);
    AscendC::Ceil(c, a, count);
    AscendC::Cos(c, a, count);
    AscendC::Cosh(c, a, count);
    AscendC::Digamma(c, a, count);
    AscendC::Erf(c, a, count);
    AscendC::Erfc(c, a, count);
    AscendC::Floor(c, a, count);
    AscendC::Frac(c, a, count);
    AscendC::Lgamma(c, a, count);
    AscendC::Log(c, a, count);
    AscendC::Round(c, a, count);
    AscendC::Sign(c, a, count);
    AscendC::Sin(c, a, count);
    AscendC::Sinh(c, a, count);
    AscendC::Tan(c, a, count);
    AscendC::Tanh(c, a, count);
    AscendC::Trunc(c, a, count);
    AscendC::Exp<half, 10, false>(c, a, count);
    AscendC::Power(c, a, b, count);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(z_gm, c, 512);
}
