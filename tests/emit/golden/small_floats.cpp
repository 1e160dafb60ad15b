#include "kernel_operator.h"

extern "C" __global__ __aicore__ void small_floats(GM_ADDR z) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<uint8_t> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(z), 256);
    AscendC::LocalTensor<float> f(AscendC::TPosition::VECIN, 0, 256);
    AscendC::LocalTensor<uint8_t> b(AscendC::TPosition::VECOUT, 1024, 256);
    AscendC::LocalTensor<hifloat8_t> codes = b.ReinterpretCast<hifloat8_t>();
    AscendC::Cast(codes, f, AscendC::RoundMode::CAST_ROUND, 256);
    AscendC::Cast(f, codes[32], AscendC::RoundMode::CAST_NONE, 128);
    AscendC::Cast(b.ReinterpretCast<fp8_e4m3fn_t>(), f, AscendC::RoundMode::CAST_RINT, 128);
    AscendC::Cast(b.ReinterpretCast<fp8_e5m2_t>()[128], f, AscendC::RoundMode::CAST_RINT, 128);
    AscendC::LocalTensor<half> h(AscendC::TPosition::VECIN, 2048, 64);
    AscendC::Cast(b.ReinterpretCast<AscendC::int4b_t>()[64], h, AscendC::RoundMode::CAST_FLOOR, 64);
    AscendC::DataCopy(z_gm, b, 256);
    AscendC::PipeBarrier<PIPE_ALL>();
}
