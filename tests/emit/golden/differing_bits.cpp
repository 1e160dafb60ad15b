#include "kernel_operator.h"

extern "C" __global__ __aicore__ void differing_bits(GM_ADDR x, GM_ADDR z, int64_t count) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<int16_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int16_t*>(x), 512);
    AscendC::GlobalTensor<int16_t> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int16_t*>(z), 512);
    AscendC::LocalTensor<int16_t> a(AscendC::TPosition::VECIN, 0, 512);
    AscendC::LocalTensor<int16_t> b(AscendC::TPosition::VECIN, 2048, 512);
    AscendC::LocalTensor<int16_t> c(AscendC::TPosition::VECOUT, 4096, 512);
    AscendC::LocalTensor<uint8_t> room(AscendC::TPosition::VECCALC, 8192, 4096);
    AscendC::DataCopy(a, x_gm, 512);
    AscendC::DataCopy(b, x_gm, 512);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Xor(c, a, b);
    AscendC::Xor(c, a, b, count);
    AscendC::Xor(c, a, b, room);
    AscendC::Xor(c, a, b, room, count);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(z_gm, c, 512);
    AscendC::PipeBarrier<PIPE_ALL>();
}
