#include "kernel_operator.h"
#include "simt_api/asc_bf16.h"

#ifndef OPWRIGHT_POINTERS
template <typename T>
using gm_pointer = __gm__ T*;
template <typename T>
using ub_pointer = __ubuf__ T*;
#endif

__simt_vf__ __launch_bounds__(256) inline void every_kind(gm_pointer<bfloat16_t> x, ub_pointer<int32_t> y, int64_t n, uint64_t wide, int8_t small, float factor, bool flag) {
    if (flag && n > 0) {
        float value = static_cast<float>(x[2]) * factor;
        if (!(value >= -9.223372e+18f && value < 9.223372e+18f)) {
            assert(false);
        }
        y[threadIdx.y] = static_cast<int32_t>(static_cast<int64_t>(value) + static_cast<int64_t>(small) + static_cast<int64_t>(wide));
    }
}

__aicore__ inline void helper(AscendC::GlobalTensor<bfloat16_t> x_gm, AscendC::LocalTensor<int32_t> y, int64_t n, int64_t rows) {
    asc_vf_call<every_kind>(dim3(8, n, rows), gm_pointer<bfloat16_t>(x_gm.GetPhyAddr()), ub_pointer<int32_t>(y[64].GetPhyAddr()), n, static_cast<uint64_t>(n), static_cast<int8_t>(3), 0.5f, n > 1);
}

extern "C" __global__ __aicore__ void starts_threads_in_a_helper(GM_ADDR x, int64_t n) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<bfloat16_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(x), 1024);
    AscendC::LocalTensor<int32_t> y(AscendC::TPosition::VECCALC, 0, 256);
    helper(x_gm, y, n, 2);
    asc_vf_call<every_kind>(dim3(4, 4), gm_pointer<bfloat16_t>(x_gm[8].GetPhyAddr()), ub_pointer<int32_t>(y.GetPhyAddr()), n, static_cast<uint64_t>(n), static_cast<int8_t>(3), 1.0f, true);
    AscendC::PipeBarrier<PIPE_ALL>();
}
