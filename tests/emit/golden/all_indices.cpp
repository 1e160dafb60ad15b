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

struct ends_result {
    int64_t item0;
    int64_t item1;
};

__aicore__ inline ends_result ends(gm_pointer<int64_t> values, int64_t n) {
    gm_pointer<int64_t> last = values + (n - 1);
    ends_result result;
    result.item0 = values[0];
    result.item1 = last[0];
    return result;
}

extern "C" __global__ __launch_bounds__(1024) void all_indices(gm_pointer<int64_t> x, int64_t n) {
    x[0] = threadIdx.x + static_cast<int64_t>(threadIdx.y) * blockDim.x - threadIdx.z;
    x[1] = -static_cast<int64_t>(blockIdx.x) + static_cast<int64_t>(blockDim.y) % 3 + (n > 3 ? static_cast<int64_t>(gridDim.x) : -1);
    int64_t value = gridDim.y;
    int64_t value_1 = gridDim.z;
    int64_t value_2 = blockIdx.y;
    x[2] = (value_1 < value ? value_1 : value) + (3 > value_2 ? 3 : value_2) * blockIdx.z;
    if (static_cast<int64_t>(threadIdx.x) > 0 && warpSize == 32 && static_cast<int64_t>(blockDim.z) != warpSize) {
        asc_threadfence();
    }
    int32_t parts[4] = {0, 0, 0, 0};
    int64_t value_3 = static_cast<int64_t>(threadIdx.x) % 4;
    if (value_3 >= 4) {
        assert(false);
    }
    parts[value_3] = static_cast<int32_t>(n);
    asc_threadfence_block();
    ends_result ends_values = ends(x, n);
    printf("%d %d\n", ends_values.item0, ends_values.item1);
    int64_t value_4 = static_cast<int64_t>(parts[0]);
    if (value_4 == 0) {
        assert(false);
    }
    if (!(floor_div(n, value_4) > 2)) {
        assert(false);
    }
    int64_t value_5 = static_cast<int64_t>(parts[1]);
    if (value_5 == 0) {
        assert(false);
    }
    x[floor_div(n, value_5)] = static_cast<int64_t>(threadIdx.x < n);
}
