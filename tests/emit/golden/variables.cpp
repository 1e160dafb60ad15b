#include "kernel_operator.h"

extern "C" __global__ __aicore__ void variables(int64_t n, int64_t m) {
    AscendC::InitSocState();
    int64_t c = m + 1;
    int64_t d = n + 2;
    int64_t first = m * n;
    int64_t kind;
    int64_t low;
    if (m > n) {
        low = n;
        if (n > 3) {
            kind = 1;
        } else {
            kind = 2;
        }
    } else {
        low = m;
        kind = 3;
    }
    int64_t a = m;
    int64_t b = n;
    int64_t first_1 = first;
    for (int64_t i = 0; i < n; ++i) {
        int64_t value = a;
        a = b;
        b = value;
        int64_t value_1 = first_1;
        int64_t value_2 = c;
        c = d + i;
        d = value_1;
        first_1 = value_2;
        low = low + i;
        kind = kind < 50 ? kind * 2 : kind - 50;
    }
    int64_t n_1 = n + 1;
    if (n_1 > 5) {
        n_1 = 5;
        m = m - 1;
    }
    AscendC::printf("%d %d %d %d %d %d %d %d\n", a, b, c, d, 3, first, low, kind);
    AscendC::printf("%d %d\n", n_1, m);
    AscendC::PipeBarrier<PIPE_ALL>();
}
