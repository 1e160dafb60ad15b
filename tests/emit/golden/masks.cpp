#include "kernel_operator.h"

extern "C" __global__ __aicore__ void masks(GM_ADDR x, int64_t count) {
    AscendC::LocalTensor<float> a(AscendC::TPosition::VECCALC, 0, 256);
    AscendC::LocalTensor<half> h(AscendC::TPosition::VECCALC, 1024, 256);
    AscendC::InitSocState();
    AscendC::Duplicate(a, 1.0f, 256);
    AscendC::Duplicate(h, static_cast<half>(1.0f), 256);
    AscendC::SetMaskCount();
    AscendC::SetVectorMask<float, AscendC::MaskMode::COUNTER>(count);
    AscendC::Adds<float, false>(a, a, 1.0f, 1);
    AscendC::SetMaskNorm();
    AscendC::SetVectorMask<float, AscendC::MaskMode::NORMAL>(0, static_cast<uint64_t>(18446462603027742720u));
    AscendC::UnaryRepeatParams params(1, 1, 8, 4);
    AscendC::Axpy<float, half, false>(a, h, static_cast<half>(0.5f), 1, 2, params);
    AscendC::Axpy<float, float, false>(a, a, 0.5f, 1, 2, AscendC::UnaryRepeatParams(1, 1, 8, 8));
    AscendC::Cast<float, half, false>(a, h, AscendC::RoundMode::CAST_NONE, 1, 2, params);
    AscendC::Relu(a, a, 64, 2, AscendC::UnaryRepeatParams(1, 1, 8, 8));
    AscendC::ResetMask();
    AscendC::PipeBarrier<PIPE_ALL>();
}
