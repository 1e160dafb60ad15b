#include "kernel_operator.h"

extern "C" __global__ __aicore__ void order(int64_t n) {
    AscendC::InitSocState();
    int64_t m = 0;
    for (int64_t i = 0; i < n; ++i) {
        m = m + 1;
    }
    int64_t before = m;
    int64_t twice = m * 2;
    m = 7;
    int64_t sum_ = before + twice;
    if (n > 1) {
        m = m + before;
        before = m;
    }
    int64_t old = m;
    int64_t n_1 = m - 1;
    m = n;
    AscendC::printf("%d %d %d %d %d\n", before, sum_, old, m, n_1);
    AscendC::PipeBarrier<PIPE_ALL>();
}
