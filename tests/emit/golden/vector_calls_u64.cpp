#include "kernel_operator.h"

extern "C" __global__ __aicore__ void vector_calls(GM_ADDR x, GM_ADDR y, GM_ADDR z, int64_t length) {
    AscendC::InitSocState();
    int64_t offset = AscendC::GetBlockIdx() * length;
    AscendC::GlobalTensor<uint64_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(x) + offset, length);
    AscendC::GlobalTensor<uint64_t> y_gm;
    y_gm.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(y) + offset, length);
    AscendC::GlobalTensor<uint64_t> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(z) + offset);
    AscendC::LocalTensor<uint64_t> a(AscendC::TPosition::VECIN, 0, 64);
    AscendC::LocalTensor<uint64_t> b(AscendC::TPosition::VECIN, 512, 64);
    AscendC::LocalTensor<uint64_t> c(AscendC::TPosition::VECOUT, 1024, 64);
    AscendC::DataCopy(a, x_gm, length);
    AscendC::DataCopy(b, y_gm, length);
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(0);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(0);
    AscendC::Duplicate(c, static_cast<uint64_t>(7), 64);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Add(c, a, b, length);
    AscendC::Adds(c, c, static_cast<uint64_t>(3), length);
    AscendC::DataCopy(a, c, length);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(1);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(1);
    AscendC::DataCopy(z_gm, a, length);
    AscendC::SyncAll<true>();
    AscendC::PipeBarrier<PIPE_ALL>();
}
