#include "kernel_operator.h"

extern "C" __global__ __aicore__ void loops(int64_t n, int64_t m) {
    AscendC::InitSocState();
    int64_t total = 0;
    for (int64_t i = 0; i < n; ++i) {
        total = total + i;
    }
    for (int64_t i = n; i > 0; --i) {
        total = total + i * 2;
    }
    int64_t value = -m;
    for (int64_t i = m; i > value; i -= 5) {
        total = total - i;
    }
    int64_t value_1 = n + m;
    float weight = 0.5f;
    for (int64_t i = 1; i < value_1; i += 3) {
        weight = weight + static_cast<float>(i);
    }
    int64_t n_1 = n;
    for (int64_t value_2 = 0; value_2 < n; ++value_2) {
        n_1 = n_1 + 1;
        m = m - 1;
    }
    for (int64_t step = 0; step < 4; ++step) {
        int64_t step_1 = step;
        step_1 = step_1 * 10;
        total = total + step_1;
    }
    int64_t last = 100;
    for (int64_t last_1 = n_1; last_1 < m; ++last_1) {
        last = last_1;
        total = total + last;
    }
    for (int64_t outer = 0; outer < 3; ++outer) {
        for (int64_t inner = outer; inner < 3; ++inner) {
            if (inner != outer) {
                total = total + inner * outer;
            }
        }
    }
    AscendC::printf("%d %d %d %d %f\n", total, n_1, m, last, weight);
    AscendC::PipeBarrier<PIPE_ALL>();
}
