#include "kernel_operator.h"

extern "C" __global__ __aicore__ void vector_calls(GM_ADDR x, GM_ADDR y, GM_ADDR z, int64_t length) {
    AscendC::InitSocState();
    int64_t offset = AscendC::GetBlockIdx() * length;
    AscendC::GlobalTensor<int16_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int16_t*>(x) + offset, length);
    AscendC::GlobalTensor<int16_t> y_gm;
    y_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int16_t*>(y) + offset, length);
    AscendC::GlobalTensor<int16_t> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int16_t*>(z) + offset);
    AscendC::LocalTensor<int16_t> a(AscendC::TPosition::VECIN, 0, 64);
    AscendC::LocalTensor<int16_t> b(AscendC::TPosition::VECIN, 128, 64);
    AscendC::LocalTensor<int16_t> c(AscendC::TPosition::VECOUT, 256, 64);
    AscendC::DataCopy(a, x_gm, length);
    AscendC::DataCopy(b, y_gm, length);
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(0);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(0);
    AscendC::Duplicate(c, static_cast<int16_t>(7), 64);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Add(c, a, b, length);
    AscendC::Adds(c, c, static_cast<int16_t>(3), length);
    AscendC::DataCopy(a, c, length);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(1);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(1);
    AscendC::DataCopy(z_gm, a, length);
    AscendC::SyncAll<true>();
    AscendC::PipeBarrier<PIPE_ALL>();
}
