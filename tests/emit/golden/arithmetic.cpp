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

extern "C" __global__ __aicore__ void arithmetic(int64_t n, int64_t m, float x) {
    AscendC::InitSocState();
    int64_t core = AscendC::GetBlockIdx();
    int64_t by_constant = floor_div(n, 4) + floor_mod(n, 4);
    int64_t by_negative = floor_div(n, -4) + floor_mod(n, -4);
    if (m == 0) {
        AscendC::Trap();
    }
    if (m == 0) {
        AscendC::Trap();
    }
    int64_t by_value = floor_div(n, m) + floor_mod(n, m);
    int64_t plain = core / 4 * 4 + core % 4;
    int64_t bits = (n & 255) | ((m << 3) ^ (n >> 2));
    int64_t inverted = ~n - -m + n;
    int64_t value = m < n ? m : n;
    int64_t least = 5 < value ? 5 : value;
    int64_t value_1 = n + m;
    int64_t value_2 = n - m;
    int64_t most = value_2 > value_1 ? value_2 : value_1;
    int64_t value_3 = n * m;
    int64_t size = (n < 0 ? -n : n) + (value_3 < 0 ? -value_3 : value_3);
    if (m == 0) {
        AscendC::Trap();
    }
    float ratio = static_cast<float>(n) / static_cast<float>(m);
    float scaled = x * 0.1f + static_cast<float>(n) - static_cast<float>(m) / 4.0f;
    float magnitude = (x < 0 ? -x : x + 0.0f) + (0.25f < x ? 0.25f : x);
    if (!(scaled >= -9.223372e+18f && scaled < 9.223372e+18f)) {
        AscendC::Trap();
    }
    int64_t whole = static_cast<int64_t>(scaled) + static_cast<int64_t>(n > m) + 1;
    float broad = static_cast<float>(n) + 10000000000.0f - 3e-45f;
    bool truth = ((n != 0) & (m > 2)) | (x != 0.0f);
    int64_t huge = 9223372036854775807 - n;
    int64_t least_of_all = -9223372036854775807 - 1 + m;
    AscendC::printf("%d %d %d %d %d %d\n", by_constant, by_negative, by_value, plain, bits, inverted);
    AscendC::printf("%d %d %d %d %d %d\n", least, most, size, whole, huge, least_of_all);
    AscendC::printf("%f %f %f %f %d\n", ratio, scaled, magnitude, broad, static_cast<int64_t>(truth));
    AscendC::printf("%d\n", static_cast<int64_t>(n < m) + static_cast<int64_t>(n < 0) * 2);
    AscendC::printf("%f %d\n", -x, static_cast<int64_t>(!(n != 0)));
    AscendC::PipeBarrier<PIPE_ALL>();
}
