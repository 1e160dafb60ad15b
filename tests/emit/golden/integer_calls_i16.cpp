#include "kernel_operator.h"

extern "C" __global__ __aicore__ void integer_calls(GM_ADDR x, GM_ADDR y, GM_ADDR z, int64_t amount) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<int16_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int16_t*>(x), 64);
    AscendC::GlobalTensor<int16_t> y_gm;
    y_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int16_t*>(y), 64);
    AscendC::GlobalTensor<int16_t> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int16_t*>(z), 64);
    AscendC::LocalTensor<int16_t> a(AscendC::TPosition::VECIN, 0, 64);
    AscendC::LocalTensor<int16_t> b(AscendC::TPosition::VECIN, 512, 64);
    AscendC::LocalTensor<int16_t> c(AscendC::TPosition::VECOUT, 1024, 64);
    AscendC::DataCopy(a, x_gm, 64);
    AscendC::DataCopy(b, y_gm, 64);
    AscendC::Sub(c, a, b, 64);
    AscendC::Mul(c, c, b, 64);
    AscendC::Max(c, c, a, 64);
    AscendC::Min(c, c, b, 64);
    AscendC::And(c, c, a, 64);
    AscendC::Or(c, c, b, 64);
    AscendC::Not(c, c, 64);
    AscendC::AddRelu(c, c, a, 64);
    AscendC::SubRelu(c, c, b, 64);
    AscendC::Muls(c, c, static_cast<int16_t>(5), 64);
    AscendC::Maxs(c, c, static_cast<int16_t>(amount), 64);
    AscendC::Mins(c, c, static_cast<int16_t>(100), 64);
    AscendC::ShiftLeft(c, c, static_cast<int16_t>(2), 64);
    AscendC::ShiftRight(c, c, static_cast<int16_t>(amount), 64);
    AscendC::DataCopy(z_gm, c, 64);
    AscendC::PipeBarrier<PIPE_ALL>();
}
