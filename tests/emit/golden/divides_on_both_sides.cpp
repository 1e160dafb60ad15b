#include "kernel_operator.h"
#include "simt_api/asc_simt.h"

#ifndef OPWRIGHT_POINTERS
template <typename T>
using gm_pointer = __gm__ T*;
template <typename T>
using ub_pointer = __ubuf__ T*;
#endif

__callee__ inline int64_t floor_div(int64_t a, int64_t b) {
    if (b == -1) {
        return 0 - a;
    }
    int64_t quotient = a / b;
    return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

__simt_vf__ __launch_bounds__(1024) inline void thirds(gm_pointer<int32_t> x, int64_t n) {
    int32_t value = x[threadIdx.x];
    if (n == 0) {
        assert(false);
    }
    x[threadIdx.x] = static_cast<int32_t>(floor_div(static_cast<int64_t>(value), n));
}

extern "C" __global__ __aicore__ void divides_on_both_sides(GM_ADDR x, int64_t n) {
    AscendC::InitSocState();
    asc_vf_call<thirds>(dim3(32), reinterpret_cast<__gm__ int32_t*>(x), floor_div(n, 3) - 7);
    AscendC::PipeBarrier<PIPE_ALL>();
}
