#include "kernel_operator.h"

extern "C" __global__ __aicore__ void computing_casts(GM_ADDR z, float scale, int64_t turns) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<half> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z), 128);
    AscendC::LocalTensor<half> h(AscendC::TPosition::VECOUT, 0, 128);
    AscendC::LocalTensor<float> f(AscendC::TPosition::VECIN, 1024, 128);
    AscendC::LocalTensor<int32_t> i(AscendC::TPosition::VECIN, 2048, 128);
    AscendC::LocalTensor<int8_t> b(AscendC::TPosition::VECCALC, 4096, 128);
    AscendC::BinaryRepeatParams params(1, 1, 1, 4, 8, 8);
    AscendC::AddReluCast(h, f, f, 64);
    AscendC::AddReluCast(h, f, f, 64, turns, params);
    uint64_t mask[2] = {static_cast<uint64_t>(0), static_cast<uint64_t>(1)};
    mask[0] = static_cast<uint64_t>(turns);
    AscendC::AddReluCast(h, f, f, mask, 2, params);
    AscendC::SubReluCast(h, f, f, 64);
    AscendC::SubReluCast(h, f, f, 64, turns, params);
    uint64_t mask_1[2] = {static_cast<uint64_t>(0), static_cast<uint64_t>(1)};
    mask_1[0] = static_cast<uint64_t>(turns);
    AscendC::SubReluCast(h, f, f, mask_1, 2, params);
    AscendC::MulCast(b, h, h, 64);
    AscendC::MulCast(b, h, h, 64, 1, params);
    uint64_t mask_2[2] = {static_cast<uint64_t>(7), static_cast<uint64_t>(0)};
    AscendC::MulCast(b, h, h, mask_2, 1, params);
    AscendC::SetDeqScale(static_cast<half>(0.5f));
    AscendC::AddDeqRelu(h, i, i, 64);
    AscendC::SetDeqScale(static_cast<half>(scale));
    AscendC::AddDeqRelu(h, i, i, 64, turns, params);
    uint64_t mask_3[2] = {static_cast<uint64_t>(7), static_cast<uint64_t>(0)};
    AscendC::AddDeqRelu(h, i, i, mask_3, turns, params);
    AscendC::DataCopy(z_gm, h, 128);
    AscendC::PipeBarrier<PIPE_ALL>();
}
