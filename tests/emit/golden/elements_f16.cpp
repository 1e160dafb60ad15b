#include "kernel_operator.h"

extern "C" __global__ __aicore__ void elements(GM_ADDR x) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), 64);
    x_gm.SetL2CacheHint<AscendC::CacheRwMode::READ>(AscendC::CacheMode::CACHE_MODE_DISABLE);
    AscendC::GlobalTensor<half> y_gm;
    y_gm.SetGlobalBuffer(const_cast<__gm__ half*>(x_gm.GetPhyAddr()), 32);
    AscendC::GlobalTensor<half> w_gm;
    w_gm.SetGlobalBuffer(const_cast<__gm__ half*>(x_gm.GetPhyAddr(16)));
    AscendC::LocalTensor<half> x_local(AscendC::TPosition::VECCALC, 0, 64);
    x_local.SetValue(1, static_cast<half>(static_cast<float>(x_gm.GetValue(2))));
    x_gm.SetValue(3, static_cast<half>(1.0f));
    float first = static_cast<float>(x_local.GetValue(1)) + static_cast<float>(x_local.GetValue(2)) * 2.0f;
    AscendC::DataSyncBarrier<AscendC::MemDsbT::ALL>();
    w_gm.SetValue(0, static_cast<half>(first));
    AscendC::LocalTensor<uint8_t> bits = x_local.ReinterpretCast<uint8_t>();
    AscendC::printf("%d %d %d\n", static_cast<int64_t>(bits.GetSize()), static_cast<int64_t>(bits.GetLength()), static_cast<int64_t>(x_local.GetPhyAddr(2)) - static_cast<int64_t>(x_local.GetPhyAddr()));
    AscendC::printf("%d\n", static_cast<int64_t>(y_gm.GetSize()));
    AscendC::PipeBarrier<PIPE_ALL>();
}
