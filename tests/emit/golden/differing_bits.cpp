#include "kernel_operator.h"

extern "C" __global__ __aicore__ void differing_bits(GM_ADDR x, GM_ADDR z, int64_t count) {
    AscendC::GlobalTensor<int16_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int16_t*>(x), 512);
    AscendC::GlobalTensor<int16_t> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int16_t*>(z), 512);
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECIN> a_buffer;
    pipe.InitBuffer(a_buffer, 1024);
    AscendC::LocalTensor<int16_t> a = a_buffer.Get<int16_t>();
    AscendC::TBuf<AscendC::TPosition::VECIN> b_buffer;
    pipe.InitBuffer(b_buffer, 1024);
    AscendC::LocalTensor<int16_t> b = b_buffer.Get<int16_t>();
    AscendC::TBuf<AscendC::TPosition::VECOUT> c_buffer;
    pipe.InitBuffer(c_buffer, 1024);
    AscendC::LocalTensor<int16_t> c = c_buffer.Get<int16_t>();
    AscendC::TBuf<AscendC::TPosition::VECCALC> room_buffer;
    pipe.InitBuffer(room_buffer, 4096);
    AscendC::LocalTensor<uint8_t> room = room_buffer.Get<uint8_t>();
    AscendC::DataCopy(a, x_gm, 512);
    AscendC::DataCopy(b, x_gm, 512);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Xor(c, a, b);
    AscendC::Xor(c, a, b, count);
    AscendC::Xor(c, a, b, room);
    AscendC::Xor(c, a, b, room, count);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(z_gm, c, 512);
}
