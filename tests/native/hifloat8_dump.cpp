// Writes what all kernels of one path make of fixed inputs, as bytes, so that machines can be compared.
#include <cstdio>
#include <cstring>
#include <vector>

#include "opwright/hifloat8.h"

using namespace opwright::hifloat8;

namespace {

void write(const void* data, size_t bytes) { std::fwrite(data, 1, bytes, stdout); }

// Bits of any kind, but every other number of ordinary size.
std::vector<uint32_t> inputs(Type type, int64_t n) {
    std::vector<uint32_t> words(size_t(n), 0);
    uint64_t state = 1;
    for (int64_t i = 0; i < n; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const uint32_t any = uint32_t(state >> 32), sign = any & 0x80000000;
        const float ordinary = float(any & 0xFFFFF) / 65536;
        uint32_t bits;
        std::memcpy(&bits, &ordinary, 4);
        bits = i % 2 ? bits | sign : any;
        if (type == Type::F32) words[size_t(i)] = bits;
        else std::memcpy(reinterpret_cast<char*>(words.data()) + 2 * i, reinterpret_cast<char*>(&bits) + 2, 2);
    }
    return words;
}

void dump(const Path& path, Type type) {
    constexpr int64_t kMany = 4099;
    constexpr float kScales[] = {0.37f, -8, 1e-30f, 1e35f, 1e-40f};
    const size_t size = type == Type::F32 ? 4 : 2;
    const std::vector<uint32_t> in = inputs(type, kMany);
    std::vector<uint8_t> codes(kMany);
    std::vector<uint32_t> out(kMany);
    std::vector<float> scales(kMany), maxima(kMany, 0.5f);
    for (size_t i = 0; i < scales.size(); ++i) scales[i] = kScales[i % 5] * float(i + 1);
    for (int rule = 0; rule < 3; ++rule) {
        path.encode(in.data(), type, codes.data(), kMany, Overflow(rule), true);
        write(codes.data(), codes.size());
        path.fake(in.data(), type, out.data(), kMany, Overflow(rule), nullptr, 0, true);
        write(out.data(), kMany * size);
        for (const float& scale : kScales) {
            path.quantize(in.data(), type, codes.data(), kMany, Overflow(rule), &scale, 0, false);
            write(codes.data(), codes.size());
            path.dequantize(codes.data(), out.data(), type, kMany, &scale, 0, false);
            write(out.data(), kMany * size);
            path.fake(in.data(), type, out.data(), kMany, Overflow(rule), &scale, 0, false);
            write(out.data(), kMany * size);
        }
        path.quantize(in.data(), type, codes.data(), kMany, Overflow(rule), scales.data(), 1, false);
        write(codes.data(), codes.size());
        path.dequantize(codes.data(), out.data(), type, kMany, scales.data(), 1, false);
        write(out.data(), kMany * size);
    }
    for (int code = 0; code < 256; ++code) codes[size_t(code)] = uint8_t(code);
    path.decode(codes.data(), out.data(), type, 256, false);
    write(out.data(), 256 * size);
    const float largest = path.largest(in.data(), type, kMany);
    write(&largest, sizeof largest);
    path.raise(in.data(), type, kMany, maxima.data());
    write(maxima.data(), maxima.size() * sizeof(float));
    int64_t counts[kCounts] = {};
    path.count(in.data(), type, kMany, counts);
    write(counts, sizeof counts);
    // Every length, from an odd address to an odd address; what lies behind must not change.
    for (int64_t n = 0; n < 70; ++n) {
        std::vector<char> odd(1 + size_t(n) * size);
        std::memcpy(odd.data() + 1, in.data(), size_t(n) * size);
        std::memset(codes.data(), 0xA5, 100);
        path.encode(odd.data() + 1, type, codes.data() + 1, n, Overflow::INF, true);
        write(codes.data(), 100);
    }
}

}  // namespace

int main(int, char** arguments) {
    const Path* path = find(arguments[1]);
    if (!path) return 1;
    std::vector<uint16_t> patterns(65536);
    for (size_t i = 0; i < patterns.size(); ++i) patterns[i] = uint16_t(i);
    std::vector<uint8_t> codes(65536);
    for (Type type : {Type::F16, Type::BF16})
        for (int rule = 0; rule < 3; ++rule) {
            path->encode(patterns.data(), type, codes.data(), 65536, Overflow(rule), false);
            write(codes.data(), codes.size());
        }
    for (Type type : {Type::F16, Type::BF16, Type::F32}) dump(*path, type);
    return 0;
}
