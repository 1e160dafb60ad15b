#include "kernel_operator.h"

extern "C" __global__ __aicore__ void pieces(GM_ADDR x, GM_ADDR z, int64_t n) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), 4096);
    AscendC::GlobalTensor<half> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z), 4096);
    AscendC::LocalMemAllocator<AscendC::Hardware::UB> allocator;
    AscendC::LocalTensor<half> a = allocator.Alloc<AscendC::TPosition::VECIN, half, 1024>();
    AscendC::LocalTensor<half> b = allocator.Alloc<AscendC::TPosition::VECOUT, half>(n * 16);
    AscendC::printf("%d\n", static_cast<int64_t>(allocator.GetCurAddr()));
    AscendC::DataCopy(a, x_gm, AscendC::DataCopyParams(4, 2, 1, 0));
    AscendC::DataCopyParams data_copy_params(n, 1, 0, 0);
    AscendC::DataCopy(b, a, data_copy_params);
    AscendC::DataCopyParams params(2, n, 0, 3);
    AscendC::DataCopy(z_gm, b, params);
    AscendC::DataCopyExtParams ext(4, 10, 6, 0, 0);
    AscendC::DataCopyPad(a, x_gm, ext, AscendC::DataCopyPadExtParams<half>(true, 1, 2, static_cast<half>(-1.5f)));
    AscendC::DataCopyPad(z_gm, a, ext);
    AscendC::DataCopyPad(a, x_gm, AscendC::DataCopyParams(2, 10, 6, 0), AscendC::DataCopyPadParams(true, 0, 1, 15360));
    AscendC::DataCopyParams data_copy_params_1(2, n * 2, 0, 0);
    AscendC::DataCopyPad(z_gm, a, data_copy_params_1);
    AscendC::PipeBarrier<PIPE_ALL>();
}
