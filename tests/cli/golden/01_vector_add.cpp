#include "kernel_operator.h"

extern "C" __global__ __aicore__ void vadd(GM_ADDR x, GM_ADDR y, GM_ADDR z, int64_t block_length) {
    AscendC::InitSocState();
    int64_t offset = AscendC::GetBlockIdx() * block_length;
    AscendC::GlobalTensor<half> x_gm;
    AscendC::GlobalTensor<half> y_gm;
    AscendC::GlobalTensor<half> z_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x) + offset, block_length);
    y_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y) + offset, block_length);
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z) + offset, block_length);
    AscendC::LocalTensor<half> x_local(AscendC::TPosition::VECIN, 0, 4096);
    AscendC::LocalTensor<half> y_local(AscendC::TPosition::VECIN, 8192, 4096);
    AscendC::LocalTensor<half> z_local(AscendC::TPosition::VECOUT, 16384, 4096);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(0);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(1);
    AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(0);
    AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(1);
    for (int64_t begin = 0; begin < block_length; begin += 2048) {
        int64_t buffer = begin / 2048 % 2;
        int64_t value = block_length - begin;
        int64_t count = value < 2048 ? value : 2048;
        AscendC::LocalTensor<half> x_tile = x_local[buffer * 2048];
        AscendC::LocalTensor<half> y_tile = y_local[buffer * 2048];
        AscendC::LocalTensor<half> z_tile = z_local[buffer * 2048];
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(buffer);
        AscendC::DataCopy(x_tile, x_gm[begin], count);
        AscendC::DataCopy(y_tile, y_gm[begin], count);
        AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(buffer);
        AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(buffer);
        AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(buffer);
        AscendC::Add(z_tile, x_tile, y_tile, count);
        AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(buffer);
        AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(buffer);
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(buffer);
        AscendC::DataCopy(z_gm[begin], z_tile, count);
        AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(buffer);
    }
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(0);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(1);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(0);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(1);
    AscendC::PipeBarrier<PIPE_ALL>();
}
