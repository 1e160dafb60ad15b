#include "kernel_operator.h"
#include "simt_api/asc_simt.h"

#ifndef OPWRIGHT_POINTERS
template <typename T>
using gm_pointer = __gm__ T*;
template <typename T>
using ub_pointer = __ubuf__ T*;
#endif

__simt_callee__ inline float twice(float number) {
    return number * 2.0f;
}

__simt_vf__ __launch_bounds__(1024) inline void scale(gm_pointer<float> x, ub_pointer<float> y, int64_t n) {
    int64_t i = threadIdx.x;
    while (i < n) {
        float value = twice(x[i]);
        y[i] = value;
        i = i + blockDim.x;
    }
}

extern "C" __global__ __aicore__ void starts_threads(GM_ADDR x, GM_ADDR z, int64_t n) {
    AscendC::InitSocState();
    AscendC::LocalTensor<float> y(AscendC::TPosition::VECOUT, 0, 1024);
    AscendC::GlobalTensor<float> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z), n);
    asc_vf_call<scale>(dim3(1024), reinterpret_cast<__gm__ float*>(x), ub_pointer<float>(y.GetPhyAddr()), n);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(0);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(0);
    AscendC::DataCopy(z_gm, y, 1024);
    AscendC::PipeBarrier<PIPE_ALL>();
}
