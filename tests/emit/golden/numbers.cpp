#include "kernel_operator.h"

extern "C" __global__ __aicore__ void numbers(GM_ADDR f, GM_ADDR u, GM_ADDR i, GM_ADDR b, int64_t n, float x) {
    AscendC::InitSocState();
    AscendC::LocalTensor<float> floats(AscendC::TPosition::VECIN, 0, 64);
    AscendC::Duplicate(floats, 0.1f, 8);
    AscendC::Duplicate(floats, -1e-45f, 8);
    AscendC::Duplicate(floats, 3.4028235e+38f, 8);
    AscendC::Duplicate(floats, __builtin_huge_valf(), 8);
    AscendC::Duplicate(floats, -__builtin_huge_valf(), 8);
    AscendC::Duplicate(floats, __builtin_nanf(""), 8);
    AscendC::Duplicate(floats, 16777216.0f, 8);
    AscendC::Duplicate(floats, static_cast<float>(n), 8);
    AscendC::Duplicate(floats, x, 8);
    AscendC::Duplicate(floats, static_cast<float>(n > 2), 8);
    AscendC::LocalTensor<uint64_t> longs(AscendC::TPosition::VECIN, 0, 32);
    AscendC::Duplicate(longs, static_cast<uint64_t>(18446744073709551615u), 4);
    AscendC::Duplicate(longs, static_cast<uint64_t>(n), 4);
    AscendC::LocalTensor<int64_t> signed_(AscendC::TPosition::VECIN, 0, 32);
    AscendC::Duplicate(signed_, -9223372036854775807 - 1, 4);
    AscendC::Duplicate(signed_, static_cast<int64_t>(-77), 4);
    AscendC::Duplicate(signed_, static_cast<int64_t>(n > 2 ? 1 : 2), 4);
    AscendC::Adds(signed_, signed_, n * 2 + 1, 4);
    AscendC::LocalTensor<uint8_t> bytes_(AscendC::TPosition::VECIN, 0, 32);
    AscendC::Duplicate(bytes_, static_cast<uint8_t>(255), 32);
    AscendC::Adds(bytes_, bytes_, static_cast<uint8_t>(n), 32);
    AscendC::LocalTensor<half> halves(AscendC::TPosition::VECIN, 0, 32);
    AscendC::Adds(halves, halves, static_cast<half>(x), 16);
    AscendC::Adds(halves, halves, static_cast<half>(static_cast<float>(n) + 0.5f), 16);
    AscendC::PipeBarrier<PIPE_ALL>();
}
