#include "kernel_operator.h"

extern "C" __global__ __aicore__ void atomics(GM_ADDR x) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<int32_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(x));
    AscendC::LocalTensor<int32_t> a(AscendC::TPosition::VECCALC, 0, 64);
    AscendC::Duplicate(a, static_cast<int32_t>(1), 64);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::SetAtomicAdd<int32_t>();
    AscendC::DataCopy(x_gm, a, 64);
    AscendC::SetAtomicMax<int32_t>();
    AscendC::DataCopy(x_gm[64], a, 64);
    AscendC::SetAtomicMin<int32_t>();
    AscendC::SetAtomicType<int32_t>();
    AscendC::DataCopy(x_gm[128], a, 64);
    AscendC::SetAtomicNone();
    AscendC::PipeBarrier<PIPE_ALL>();
}
