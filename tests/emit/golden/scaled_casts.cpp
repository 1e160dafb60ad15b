#include "kernel_operator.h"

extern "C" __global__ __aicore__ void scaled_casts(GM_ADDR z, float scale, int64_t turns) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<int8_t> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(z), 512);
    AscendC::LocalTensor<int16_t> i(AscendC::TPosition::VECIN, 0, 256);
    AscendC::LocalTensor<int8_t> c(AscendC::TPosition::VECOUT, 1024, 512);
    AscendC::LocalTensor<uint64_t> w(AscendC::TPosition::VECCALC, 2048, 16);
    AscendC::LocalTensor<half> h(AscendC::TPosition::VECCALC, 4096, 512);
    AscendC::LocalTensor<uint32_t> u(AscendC::TPosition::VECCALC, 8192, 64);
    AscendC::LocalTensor<uint8_t> room(AscendC::TPosition::VECCALC, 16384, 8192);
    AscendC::UnaryRepeatParams params(1, 1, 8, 8);
    AscendC::SetDeqScale(scale, 3, true);
    AscendC::CastDeq<int8_t, int16_t, false, true>(c, i, 64);
    AscendC::CastDeq<int8_t, int16_t, true, false, false>(c, i, 64, turns, params);
    float scale_1[16] = {0.5f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f};
    scale_1[1] = scale;
    int16_t offset[16] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    offset[1] = static_cast<int16_t>(turns);
    bool sign_mode[16] = {true, false, false, false, false, false, false, false, false, false, false, false, false, false, false, false};
    AscendC::VdeqInfo vdeq_info(scale_1, offset, sign_mode);
    AscendC::SetDeqScale(w, vdeq_info);
    AscendC::CastDeq(c, i, 256);
    uint64_t mask[2] = {static_cast<uint64_t>(7), static_cast<uint64_t>(1)};
    AscendC::CastDeq<int8_t, int16_t, true, true, false>(c, i, mask, turns, params);
    AscendC::BilinearInterpolation(h[256], h, u, h[128], 128, 1, true, 1, 128, turns, room);
    uint64_t mask_1[2] = {static_cast<uint64_t>(7), static_cast<uint64_t>(1)};
    AscendC::BilinearInterpolation(h[256], h, u, h[128], mask_1, turns, false, 1, 128, 1, room);
    AscendC::DataCopy(z_gm, c, 512);
    AscendC::PipeBarrier<PIPE_ALL>();
}
