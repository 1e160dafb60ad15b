#include "kernel_operator.h"

extern "C" __global__ __aicore__ void parts(GM_ADDR x, int64_t n) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), 256);
    AscendC::LocalTensor<half> whole(AscendC::TPosition::VECCALC, 0, 256);
    AscendC::DataCopy(whole[64], x_gm[n], 64);
    AscendC::LocalTensor<half> tail = whole[128][16];
    AscendC::Add(tail, whole[64], whole[64][32], 16);
    AscendC::Adds(whole[192], tail[0], static_cast<half>(0.5f), n);
    AscendC::DataCopy(x_gm[16][n], whole[n * 4][n], 32);
    AscendC::DataCopy(x_gm, whole, 16);
    AscendC::PipeBarrier<PIPE_ALL>();
}
