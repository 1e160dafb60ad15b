#include "kernel_operator.h"

extern "C" __global__ __aicore__ void rows_and_bytes(GM_ADDR x, GM_ADDR z, int64_t rows, int64_t columns) {
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), 512);
    AscendC::GlobalTensor<int8_t> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(z), 512);
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECIN> a_buffer;
    pipe.InitBuffer(a_buffer, 1024);
    AscendC::LocalTensor<half> a = a_buffer.Get<half>();
    AscendC::TBuf<AscendC::TPosition::VECCALC> b_buffer;
    pipe.InitBuffer(b_buffer, 1024);
    AscendC::LocalTensor<half> b = b_buffer.Get<half>();
    AscendC::TBuf<AscendC::TPosition::VECCALC> sums_buffer;
    pipe.InitBuffer(sums_buffer, 256);
    AscendC::LocalTensor<float> sums = sums_buffer.Get<float>();
    AscendC::TBuf<AscendC::TPosition::VECCALC> greatest_buffer;
    pipe.InitBuffer(greatest_buffer, 256);
    AscendC::LocalTensor<float> greatest = greatest_buffer.Get<float>();
    AscendC::TBuf<AscendC::TPosition::VECOUT> c_buffer;
    pipe.InitBuffer(c_buffer, 512);
    AscendC::LocalTensor<int8_t> c = c_buffer.Get<int8_t>();
    AscendC::TBuf<AscendC::TPosition::VECCALC> room_buffer;
    pipe.InitBuffer(room_buffer, 4096);
    AscendC::LocalTensor<uint8_t> room = room_buffer.Get<uint8_t>();
    AscendC::DataCopy(a, x_gm, 512);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::tiling::SoftMaxTiling softmax_tiling{static_cast<uint32_t>(rows), static_cast<uint32_t>(columns), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    AscendC::SoftMax<half, false, false, false>(b, sums, greatest, a, softmax_tiling);
    AscendC::tiling::SoftMaxTiling softmax_tiling_1{static_cast<uint32_t>(rows), static_cast<uint32_t>(columns), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    AscendC::SoftMax<half, false, true, false>(b, sums, greatest, a, room, softmax_tiling_1);
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::RmsNorm(a, b, b[256], static_cast<half>(0.001f), AscendC::tiling::RmsNormTiling{1, 2, 64, 64, 0.015625f, 0, 0, 0, 0, 0, 0, 0});
    AscendC::RmsNorm<half, true>(a, b, b[256], room, static_cast<half>(0.001f), AscendC::tiling::RmsNormTiling{1, 2, 64, 64, 0.015625f, 0, 0, 0, 0, 0, 0, 0});
    AscendC::PipeBarrier<PIPE_V>();
    AscendC::AscendQuant(c, a, 0.5f, 1.0f);
    AscendC::AscendQuant(c, a, 0.5f, 1.0f, 128);
    AscendC::AscendQuant(c, a, room, 0.5f, 1.0f);
    AscendC::AscendQuant(c, a, room, 0.5f, 1.0f, 128);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(z_gm, c, 512);
}
