#include "kernel_operator.h"

__aicore__ inline int64_t floor_div(int64_t a, int64_t b) {
    if (b == -1) {
        return 0 - a;
    }
    int64_t quotient = a / b;
    return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

__aicore__ inline int64_t floor_mod(int64_t a, int64_t b) {
    if (b == -1) {
        return 0;
    }
    int64_t rest = a % b;
    return (rest != 0 && (rest < 0) != (b < 0)) ? rest + b : rest;
}

extern "C" __global__ __aicore__ void turns(int64_t n, float x) {
    AscendC::InitSocState();
    if (!(n > 0)) {
        AscendC::Trap();
    }
    int64_t steps = 0;
    while (n != 1) {
        if (steps >= 200) {
            break;
        }
        steps = steps + 1;
        if (floor_mod(n, 2) == 0) {
            n = floor_div(n, 2);
            continue;
        }
        n = 3 * n + 1;
    }
    while (true) {
        int64_t value = n;
        if (value == 0) {
            AscendC::Trap();
        }
        if (!(floor_div(100, value) > 3 && steps > 0)) {
            break;
        }
        n = n + 1;
    }
    while (true) {
        steps = steps - 1;
        int64_t last;
        if (steps < 0) {
            break;
        } else {
            last = steps;
        }
        n = n + last;
    }
    int64_t value = -floor_div(-n, 4);
    for (int64_t i = 0; i < value; ++i) {
        if (i == 3) {
            continue;
        }
        n = n + i;
    }
    AscendC::printf("64 of %5ld and %.3f at 100%%\n", n, x);
    AscendC::PipeBarrier<PIPE_ALL>();
}
