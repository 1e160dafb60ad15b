#include "kernel_operator.h"

extern "C" __global__ __aicore__ void float_calls(GM_ADDR x, GM_ADDR y, GM_ADDR z, float scale) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), 64);
    AscendC::GlobalTensor<half> y_gm;
    y_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y), 64);
    AscendC::GlobalTensor<half> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z), 64);
    AscendC::LocalTensor<half> a(AscendC::TPosition::VECIN, 0, 64);
    AscendC::LocalTensor<half> b(AscendC::TPosition::VECIN, 256, 64);
    AscendC::LocalTensor<half> c(AscendC::TPosition::VECOUT, 512, 64);
    AscendC::DataCopy(a, x_gm, 64);
    AscendC::DataCopy(b, y_gm, 64);
    AscendC::Sub(c, a, b, 64);
    AscendC::Mul(c, c, b, 64);
    AscendC::Div(c, a, c, 64);
    AscendC::Max(c, c, a, 64);
    AscendC::Min(c, c, b, 64);
    AscendC::AddRelu(c, c, a, 64);
    AscendC::SubRelu(c, c, b, 64);
    AscendC::Muls(c, c, static_cast<half>(scale), 64);
    AscendC::Maxs(c, c, static_cast<half>(-0.5f), 64);
    AscendC::Mins(c, c, static_cast<half>(6.0f), 64);
    AscendC::Abs(c, c, 64);
    AscendC::Relu(c, c, 64);
    AscendC::Sqrt(c, c, 64);
    AscendC::LeakyRelu(c, c, static_cast<half>(0.25f), 64);
    AscendC::Axpy(c, a, static_cast<half>(scale), 64);
    AscendC::MulAddDst(c, a, b, 64);
    AscendC::FusedMulAdd(c, a, b, 64);
    AscendC::FusedMulAddRelu(c, a, b, 64);
    AscendC::Exp(c, c, 64);
    AscendC::Ln(c, c, 64);
    AscendC::Rsqrt(c, c, 64);
    AscendC::Reciprocal(c, c, 64);
    AscendC::DataCopy(z_gm, c, 64);
    AscendC::PipeBarrier<PIPE_ALL>();
}
