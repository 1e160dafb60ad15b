#include "kernel_operator.h"

extern "C" __global__ __cube__ void cube_cores(GM_ADDR x, GM_ADDR z) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<half> x_gm;
    AscendC::GlobalTensor<half> z_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z));
    AscendC::LocalMemAllocator<AscendC::Hardware::L1> allocator;
    AscendC::LocalTensor<half> a = allocator.Alloc<AscendC::TPosition::A1, half, 512>();
    AscendC::DataCopy(a, x_gm, AscendC::DataCopyParams(2, 8, 0, 0));
    AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE3>(0);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE3>(0);
    AscendC::DataCopy(z_gm, a, AscendC::DataCopyParams(2, 8, 0, 0));
    AscendC::LocalTensor<float> bias(AscendC::TPosition::C2, 0, 16);
    AscendC::LocalTensor<uint64_t> scales(AscendC::TPosition::C2PIPE2GM, 0, 16);
    AscendC::printf("%d %d\n", static_cast<int64_t>(bias.GetSize()), static_cast<int64_t>(scales.GetSize()));
    AscendC::PipeBarrier<PIPE_ALL>();
}
