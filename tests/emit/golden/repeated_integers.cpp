#include "kernel_operator.h"

extern "C" __global__ __aicore__ void repeated_integers(GM_ADDR x, GM_ADDR z, int64_t turns) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<int16_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int16_t*>(x), 128);
    AscendC::GlobalTensor<int16_t> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int16_t*>(z), 128);
    AscendC::LocalTensor<int16_t> a(AscendC::TPosition::VECIN, 0, 128);
    AscendC::LocalTensor<int16_t> c(AscendC::TPosition::VECOUT, 256, 128);
    AscendC::LocalTensor<half> h(AscendC::TPosition::VECCALC, 512, 128);
    AscendC::LocalTensor<float> f(AscendC::TPosition::VECCALC, 1024, 128);
    AscendC::DataCopy(a, x_gm, 128);
    AscendC::BinaryRepeatParams two(1, 1, 1, 8, 8, 8);
    AscendC::UnaryRepeatParams one(1, 1, 8, 8);
    AscendC::UnaryRepeatParams wide(1, 1, 8, 4);
    AscendC::And(c, a, a, 128, 1, two);
    uint64_t mask[2] = {static_cast<uint64_t>(1), static_cast<uint64_t>(2)};
    AscendC::And(c, a, a, mask, 1, two);
    AscendC::Or(c, a, a, 128, 1, two);
    uint64_t mask_1[2] = {static_cast<uint64_t>(1), static_cast<uint64_t>(2)};
    AscendC::Or(c, a, a, mask_1, 1, two);
    AscendC::Not(c, a, 128, 1, one);
    uint64_t mask_2[2] = {static_cast<uint64_t>(1), static_cast<uint64_t>(2)};
    AscendC::Not(c, a, mask_2, 1, one);
    AscendC::ShiftLeft(c, a, static_cast<int16_t>(3), 128, 1, one);
    uint64_t mask_3[2] = {static_cast<uint64_t>(1), static_cast<uint64_t>(2)};
    AscendC::ShiftLeft(c, a, static_cast<int16_t>(3), mask_3, 1, one);
    AscendC::ShiftRight(c, a, static_cast<int16_t>(turns), 128, 1, one);
    uint64_t mask_4[2] = {static_cast<uint64_t>(1), static_cast<uint64_t>(2)};
    AscendC::ShiftRight(c, a, static_cast<int16_t>(turns), mask_4, 1, one);
    AscendC::Cast(h, a, AscendC::RoundMode::CAST_CEIL, 128, 1, one);
    uint64_t mask_5[2] = {static_cast<uint64_t>(9223372036854775808u), static_cast<uint64_t>(0)};
    AscendC::Cast(f, h, AscendC::RoundMode::CAST_NONE, mask_5, 2, wide);
    AscendC::Axpy(f, h, static_cast<half>(0.5f), 64, 2, wide);
    uint64_t mask_6[2] = {static_cast<uint64_t>(3), static_cast<uint64_t>(0)};
    AscendC::Axpy(f, h, static_cast<half>(0.5f), mask_6, 2, wide);
    AscendC::MulAddDst(f, h, h, 64, 2, AscendC::BinaryRepeatParams(1, 1, 1, 8, 4, 4));
    uint64_t mask_7[2] = {static_cast<uint64_t>(3), static_cast<uint64_t>(0)};
    AscendC::MulAddDst(f, h, h, mask_7, 2, AscendC::BinaryRepeatParams(1, 1, 1, 8, 4, 4));
    AscendC::DataCopy(z_gm, c, 128);
    AscendC::PipeBarrier<PIPE_ALL>();
}
