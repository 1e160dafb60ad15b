#include "kernel_operator.h"

extern "C" __global__ __aicore__ void rows_and_bytes(GM_ADDR x, GM_ADDR z, int64_t rows, int64_t columns) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), 512);
    AscendC::GlobalTensor<int8_t> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(z), 512);
    AscendC::LocalTensor<half> a(AscendC::TPosition::VECIN, 0, 512);
    AscendC::LocalTensor<half> b(AscendC::TPosition::VECCALC, 2048, 512);
    AscendC::LocalTensor<float> sums(AscendC::TPosition::VECCALC, 4096, 64);
    AscendC::LocalTensor<float> greatest(AscendC::TPosition::VECCALC, 6144, 64);
    AscendC::LocalTensor<int8_t> c(AscendC::TPosition::VECOUT, 8192, 512);
    AscendC::LocalTensor<uint8_t> room(AscendC::TPosition::VECCALC, 10240, 4096);
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
    AscendC::PipeBarrier<PIPE_ALL>();
}
