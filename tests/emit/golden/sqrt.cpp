#include "kernel_operator.h"

extern "C" __global__ __aicore__ void sqrt_(int64_t n) {
    AscendC::printf("%d\n", n);
}
