#include "kernel_operator.h"

extern "C" __global__ __mix__(1, 2) void both_kinds(GM_ADDR x, int64_t n) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<float> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    int64_t place;
    if ASCEND_IS_AIC {
        place = AscendC::GetBlockIdx();
        AscendC::LocalTensor<float> a(AscendC::TPosition::A1, 0, 256);
        AscendC::DataCopy(a, x_gm, AscendC::DataCopyParams(1, 8, 0, 0));
    } else {
        place = AscendC::GetSubBlockIdx();
        AscendC::LocalTensor<float> b(AscendC::TPosition::VECIN, 0, 256);
        AscendC::DataCopy(b, x_gm, 256);
    }
    for (int64_t i = 0; i < n; ++i) {
        if (i > place) {
            if ASCEND_IS_AIV {
                AscendC::PipeBarrier<PIPE_V>();
            }
        }
    }
    if ASCEND_IS_AIV {
        AscendC::printf("%d\n", place + static_cast<int64_t>((g_coreType == AscendC::AIV)));
    }
    AscendC::PipeBarrier<PIPE_ALL>();
}
