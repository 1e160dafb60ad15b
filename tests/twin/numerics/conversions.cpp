// Prints a hash of what conversions, functions and fused sums make of pseudo-random numbers: the same on every machine.
#include <cstdio>

#include "kernel_operator.h"

namespace {

uint64_t hash = 0xcbf29ce484222325u;

template <typename T>
void add(T value) {
    unsigned char bytes[sizeof(T)];
    __builtin_memcpy(bytes, &value, sizeof(T));
    for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
}

// The bits of a NaN are nobody's promise.
template <typename T>
void add_number(T value) {
    if (value == value) add(value);
}

template <typename T, typename S>
void convert_all(S value) {
    using opwright::RoundMode;
    add(opwright::convert<RoundMode::CAST_NONE, T>(value));
    add(opwright::convert<RoundMode::CAST_RINT, T>(value));
    add(opwright::convert<RoundMode::CAST_FLOOR, T>(value));
    add(opwright::convert<RoundMode::CAST_CEIL, T>(value));
    add(opwright::convert<RoundMode::CAST_ROUND, T>(value));
    add(opwright::convert<RoundMode::CAST_TRUNC, T>(value));
    add(opwright::convert<RoundMode::CAST_ODD, T>(value));
}

}  // namespace

int main() {
    uint64_t state = 88172645463325252u;
    for (int i = 0; i < 100000; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const float value = opwright::float_of(static_cast<uint32_t>(state >> 16));
        const float other = opwright::float_of(static_cast<uint32_t>(state) & 0x7f7fffffu);
        if (value != value) continue;
        convert_all<half>(value);
        convert_all<bfloat16_t>(value);
        convert_all<int8_t>(value);
        convert_all<uint8_t>(value);
        convert_all<int16_t>(value);
        convert_all<int32_t>(value);
        convert_all<int64_t>(value);
        convert_all<float>(value);
        convert_all<float>(static_cast<int64_t>(state));
        convert_all<float>(static_cast<int32_t>(state));
        convert_all<half>(static_cast<int16_t>(state));
        add_number(opwright::exponential(value));
        add_number(opwright::logarithm(value));
        add_number(opwright::reciprocal_root(value));
        const opwright::Fused sum = opwright::fused(value, other, 1.5f);
        add_number(opwright::narrow<float>(sum));
        add(opwright::narrow<half>(sum));
        add(opwright::narrow<bfloat16_t>(sum));
    }
    std::printf("%016llx\n", static_cast<unsigned long long>(hash));
}
