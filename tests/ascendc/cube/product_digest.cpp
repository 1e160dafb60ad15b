// For test_aarch64_product.py: a line for each of many products of random numbers, with a digest of the bits of C.
#include <stdio.h>

#include <initializer_list>

#include "opwright/cube_product.h"

using namespace opwright;

static uint32_t random_bits() {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 32);
}

template <typename T>
static void fill(T* to, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        const uint32_t bits = random_bits();
        if constexpr (std::is_integral<T>::value) to[i] = static_cast<T>(bits);
        else to[i] = static_cast<T>(static_cast<float>(static_cast<int32_t>(bits)) * power_of_two(bits % 61 - 60));
    }
}

template <typename T>
static void digest(const char* name, CubeLeft left, CubeStart start, CubeShape shape) {
    constexpr int64_t kRoom = 1 << 14;
    static T a[kRoom], b[kRoom];
    static CubeSum<T> c[kRoom], bias[kRoom];
    fill(a, kRoom);
    fill(b, kRoom);
    fill(c, kRoom);
    fill(bias, shape.n);
    cube_product(c, a, left, b, shape, start, bias);
    uint64_t hash = 14695981039346656037u;
    for (const CubeSum<T>& sum : c) {
        uint32_t bits;
        __builtin_memcpy(&bits, &sum, sizeof bits);
        hash = (hash ^ (sum == sum ? bits : ~0u)) * 1099511628211u;
    }
    printf("%s %d %d %d: %016llx\n", name, static_cast<int>(left), static_cast<int>(start), static_cast<int>(shape.m),
           static_cast<unsigned long long>(hash));
}

template <typename T>
static void digests(const char* name) {
    for (const CubeStart start : {CubeStart::ZERO, CubeStart::KEPT, CubeStart::BIAS}) {
        for (const CubeLeft left : {CubeLeft::ZZ, CubeLeft::NZ}) {
            digest<T>(name, left, start, {48, 64, 64});
            digest<T>(name, left, start, {151, 37, 71});
        }
        digest<T>(name, CubeLeft::ROW, start, {1, 100, 120});
    }
}

int main() {
    digests<float>("float32");
    digests<half>("float16");
    digests<bfloat16_t>("bfloat16");
    digests<int8_t>("int8");
}
