#include "simt_api/asc_simt.h"

#ifndef OPWRIGHT_POINTERS
template <typename T>
using gm_pointer = T*;
template <typename T>
using ub_pointer = T*;
#endif

extern "C" __global__ __launch_bounds__(1024) void elementwise(gm_pointer<float> x, gm_pointer<float> y, int64_t n) {
    int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i] + x[i];
        y[i] = y[i] + 1.0f;
    }
}
