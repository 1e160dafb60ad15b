#include "kernel_operator.h"

extern "C" __global__ __aicore__ void comparisons(GM_ADDR x, float number, int64_t count, int64_t turns) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<float> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), 256);
    AscendC::LocalTensor<float> a(AscendC::TPosition::VECCALC, 0, 256);
    AscendC::LocalTensor<float> b(AscendC::TPosition::VECCALC, 1024, 256);
    AscendC::LocalTensor<float> c(AscendC::TPosition::VECCALC, 2048, 256);
    AscendC::LocalTensor<uint8_t> bits(AscendC::TPosition::VECCALC, 3072, 32);
    AscendC::BinaryRepeatParams two(1, 1, 1, 8, 8, 8);
    AscendC::UnaryRepeatParams one(1, 1, 8, 8);
    AscendC::DataCopy(a, x_gm, 256);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Compare(bits, a, b, AscendC::CMPMODE::LT, 128);
    AscendC::Compare(bits, a, b, AscendC::CMPMODE::GT, count, turns, two);
    uint64_t mask[2] = {static_cast<uint64_t>(1), static_cast<uint64_t>(2)};
    AscendC::Compare(bits, a, b, AscendC::CMPMODE::LE, mask, turns, two);
    uint64_t mask_1[2] = {static_cast<uint64_t>(3), static_cast<uint64_t>(0)};
    AscendC::Compare(a, b, AscendC::CMPMODE::GE, mask_1, two);
    AscendC::Compare(a, b, AscendC::CMPMODE::NE, count, two);
    AscendC::CompareScalar(bits, a, number, AscendC::CMPMODE::EQ, 128);
    AscendC::CompareScalar(bits, a, 1.5f, AscendC::CMPMODE::LT, count, turns, one);
    uint64_t mask_2[2] = {static_cast<uint64_t>(1), static_cast<uint64_t>(0)};
    AscendC::CompareScalar(bits, a, number, AscendC::CMPMODE::LT, mask_2, turns, one);
    AscendC::GetCmpMask(bits);
    AscendC::SetCmpMask(bits);
    AscendC::Select(c, bits, a, number, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    AscendC::Select(c, bits, a, b, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
    uint64_t mask_3[2] = {static_cast<uint64_t>(5), static_cast<uint64_t>(0)};
    AscendC::Select(c, bits, a, 2.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, mask_3, turns, two);
    AscendC::Select(c, bits, a, number, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count, turns, two);
    AscendC::Select(c, bits, a, turns, two);
    uint64_t mask_4[2] = {static_cast<uint64_t>(5), static_cast<uint64_t>(6)};
    AscendC::Select(c, bits, a, b, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, mask_4, turns, two);
    AscendC::Select(c, bits, a, b, AscendC::SELMODE::VSEL_CMPMASK_SPR, count, turns, two);
    AscendC::Select<float, AscendC::SELMODE::VSEL_CMPMASK_SPR>(c, a, b, turns, two);
    AscendC::PipeBarrier<PIPE_ALL>();
}
