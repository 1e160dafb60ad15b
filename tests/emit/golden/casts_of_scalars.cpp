#include "kernel_operator.h"

extern "C" __global__ __aicore__ void casts_of_scalars(float x) {
    AscendC::InitSocState();
    int64_t whole = static_cast<int64_t>(AscendC::ScalarCast<float, int32_t, AscendC::RoundMode::CAST_CEIL>(x));
    float half_ = static_cast<float>(AscendC::ScalarCast<float, half, AscendC::RoundMode::CAST_ODD>(x + 1.0f));
    AscendC::printf("%d %f %d\n", whole, half_, static_cast<int64_t>(AscendC::ScalarCast<float, int32_t, AscendC::RoundMode::CAST_RINT>(0.5f)));
    AscendC::PipeBarrier<PIPE_ALL>();
}
