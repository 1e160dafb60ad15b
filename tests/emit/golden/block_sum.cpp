#include "simt_api/asc_simt.h"

#ifndef OPWRIGHT_POINTERS
template <typename T>
using gm_pointer = T*;
template <typename T>
using ub_pointer = T*;
#endif

__aicore__ inline int64_t floor_div(int64_t a, int64_t b) {
    if (b == -1) {
        return 0 - a;
    }
    int64_t quotient = a / b;
    return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

extern "C" __global__ __launch_bounds__(2048) void block_sum(gm_pointer<float> x, gm_pointer<float> sums, int64_t n) {
    __ubuf__ float tile_memory[256];
    ub_pointer<float> tile = tile_memory;
    __ubuf__ int8_t flags_memory[3];
    ub_pointer<int8_t> flags = flags_memory;
    int64_t tid = threadIdx.x;
    int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + tid;
    float value;
    if (i < n) {
        value = x[i];
    } else {
        value = 0.0f;
    }
    tile[tid] = value;
    flags[0] = static_cast<int8_t>(1);
    asc_syncthreads();
    int64_t stride = static_cast<int64_t>(blockDim.x) / 2;
    while (stride > 0) {
        if (tid < stride) {
            tile[tid] = tile[tid] + tile[tid + stride];
        }
        asc_syncthreads();
        stride = floor_div(stride, 2);
    }
    if (tid == 0) {
        sums[blockIdx.x] = tile[0];
    }
}
