#include "kernel_operator.h"

extern "C" __global__ __aicore__ void unused(int64_t n) {
    int64_t a = n + 2;
    AscendC::LocalTensor<float> d(AscendC::TPosition::VECIN, 0, 64);
    if (n > 1) {
    }
    AscendC::printf("%d\n", 3);
}
