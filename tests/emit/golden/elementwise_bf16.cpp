#include "simt_api/asc_bf16.h"

#ifndef OPWRIGHT_POINTERS
template <typename T>
using gm_pointer = T*;
template <typename T>
using ub_pointer = T*;
#endif

extern "C" __global__ __launch_bounds__(1024) void elementwise(gm_pointer<bfloat16_t> x, gm_pointer<bfloat16_t> y, int64_t n) {
    int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = static_cast<bfloat16_t>(static_cast<float>(x[i]) + static_cast<float>(x[i]));
        y[i] = static_cast<bfloat16_t>(static_cast<float>(y[i]) + 1.0f);
    }
}
