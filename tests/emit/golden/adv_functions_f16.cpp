#include "kernel_operator.h"

extern "C" __global__ __aicore__ void adv_functions(GM_ADDR x, GM_ADDR z, int64_t count) {
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
    AscendC::Acos(c, a);
    AscendC::Acosh(c, a);
    AscendC::Asin(c, a);
    AscendC::Asinh(c, a);
    AscendC::Atan(c, a);
    AscendC::Atanh(c, a);
    AscendC::Cos(c, a);
    AscendC::Cosh(c, a);
    AscendC::Erf(c, a);
    AscendC::Erfc(c, a);
    AscendC::Frac(c, a);
    AscendC::Log(c, a);
    AscendC::Sign(c, a);
    AscendC::Sin(c, a);
    AscendC::Sinh(c, a);
    AscendC::Tan(c, a);
    AscendC::Tanh(c, a);
    AscendC::Trunc(c, a);
    AscendC::Power(c, a, b);
    AscendC::Sin<half, true>(c, a);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(z_gm, c, 512);
}
