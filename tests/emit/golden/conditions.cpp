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

extern "C" __global__ __aicore__ void conditions(int64_t n, int64_t m, int64_t k) {
    AscendC::InitSocState();
    bool inside = 0 <= n && n < 10;
    bool both = n > 1 && m > 1 && k > 1;
    bool mixed = (n > 1 || m > 2) && !(k == 3);
    bool safe = n != 0;
    if (safe) {
        if (n == 0) {
            AscendC::Trap();
        }
        safe = floor_div(m, n) > 1;
    }
    bool other = n == 0;
    if (!other) {
        if (n == 0) {
            AscendC::Trap();
        }
        other = floor_mod(m, n) == 1;
    }
    bool same = (n < m) == (m < k);
    if (n == 0) {
        AscendC::Trap();
    }
    int64_t value = floor_div(m, n);
    bool chained = 0 < value && value < k;
    int64_t picked;
    if (n != 0) {
        if (n == 0) {
            AscendC::Trap();
        }
        picked = floor_div(m, n);
    } else {
        picked = -1;
    }
    int64_t plain = n > 0 ? m : k;
    int64_t nested = n > 0 ? 1 : (m > 0 ? 2 : 3);
    int64_t wide = static_cast<int64_t>(n > 0 ? 1 : 2) << 40;
    if (inside && both) {
        AscendC::printf("%d %d %d %d\n", static_cast<int64_t>(mixed), static_cast<int64_t>(safe), static_cast<int64_t>(other), static_cast<int64_t>(same));
    }
    if (n != 0) {
        AscendC::printf("%d %d %d %d\n", static_cast<int64_t>(chained), picked, plain, nested);
    } else if (m > 3) {
        AscendC::printf("%d\n", wide);
    } else if (k > 4) {
        AscendC::Trap();
    }
    AscendC::PipeBarrier<PIPE_ALL>();
}
