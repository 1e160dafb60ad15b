#include "kernel_operator.h"

extern "C" __global__ __aicore__ void sorts_all(GM_ADDR x, GM_ADDR i, GM_ADDR z, GM_ADDR k) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<float> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), 64);
    AscendC::GlobalTensor<uint32_t> i_gm;
    i_gm.SetGlobalBuffer(reinterpret_cast<__gm__ uint32_t*>(i), 64);
    AscendC::GlobalTensor<float> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z), 64);
    AscendC::GlobalTensor<uint32_t> k_gm;
    k_gm.SetGlobalBuffer(reinterpret_cast<__gm__ uint32_t*>(k), 64);
    AscendC::LocalTensor<float> a(AscendC::TPosition::VECIN, 0, 64);
    AscendC::LocalTensor<uint32_t> places(AscendC::TPosition::VECIN, 256, 64);
    AscendC::LocalTensor<float> ready(AscendC::TPosition::VECCALC, 512, 64);
    AscendC::LocalTensor<float> pairs(AscendC::TPosition::VECCALC, 1024, 128);
    AscendC::LocalTensor<float> room(AscendC::TPosition::VECCALC, 2048, 128);
    AscendC::LocalTensor<float> values(AscendC::TPosition::VECOUT, 3072, 64);
    AscendC::LocalTensor<uint32_t> found(AscendC::TPosition::VECOUT, 4096, 64);
    AscendC::DataCopy(a, x_gm, 64);
    AscendC::DataCopy(places, i_gm, 64);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Concat(ready, a, room, 4);
    AscendC::Sort<float, true>(pairs, ready, places, room, 2);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::Extract(values, found, pairs, 2);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(z_gm, values, 64);
    AscendC::DataCopy(k_gm, found, 64);
    AscendC::PipeBarrier<PIPE_ALL>();
}
