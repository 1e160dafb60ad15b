// Tries everything there is. Out: how many are wrong (-1 if the CPU lacks the path), and the first of them.
//
// every_float compares the codes of a range of all float32 with a list of where each code begins: magnitudes as bits in
// rising order with the code from there on. every_scale takes all scales with a range of mantissas, and the numbers whose
// quotients are nearest to the borders between codes; what is right is the code of the quotient that C++ has.
#include <algorithm>
#include <cstring>
#include <vector>

#include "opwright/hifloat8.h"

using namespace opwright::hifloat8;

namespace {

constexpr int64_t kBlock = 16384;  // stays in the caches

// The codes of a block by the list alone. Zero and NaN have no sign.
void fill(uint8_t* codes, int64_t begin, const uint32_t* firsts, const uint8_t* listed, int64_t count) {
    const uint32_t magnitude = uint32_t(begin) & 0x7FFFFFFF;
    const uint8_t sign = begin >> 31 ? 0x80 : 0;
    int64_t place = std::upper_bound(firsts, firsts + count, magnitude) - firsts - 1;
    for (int64_t at = 0; at < kBlock; ++place) {
        const int64_t end = place + 1 < count ? std::min(int64_t(firsts[place + 1]) - magnitude, kBlock) : kBlock;
        const uint8_t code = listed[place];
        std::memset(codes + at, code & 0x7F ? code | sign : code, size_t(end - at));
        at = end;
    }
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int64_t every_float(const char* name, int overflow, const uint32_t* firsts, const uint8_t* listed, int64_t count, int64_t begin,
                           int64_t end, int64_t* first_wrong) {
    const Path* path = find(name);
    if (!path) return -1;
    std::vector<uint32_t> bits(kBlock);
    std::vector<uint8_t> wanted(kBlock), codes(kBlock);
    int64_t wrong = 0;
    for (int64_t block = begin; block < end; block += kBlock) {
        for (int64_t i = 0; i < kBlock; ++i) bits[i] = uint32_t(block + i);
        path->encode(bits.data(), Type::F32, codes.data(), kBlock, Overflow(overflow), false);
        fill(wanted.data(), block, firsts, listed, count);
        if (std::memcmp(codes.data(), wanted.data(), kBlock) == 0) continue;
        for (int64_t i = kBlock - 1; i >= 0; --i)
            if (codes[i] != wanted[i]) {
                if (wrong == 0 || block + i < *first_wrong) *first_wrong = block + i;
                ++wrong;
            }
    }
    return wrong;
}

EXPORT int64_t every_scale(const char* name, int64_t begin, int64_t end, int64_t* first_wrong) {
    const Path* path = find(name);
    if (!path) return -1;
    // A border is 16 to 31 times a power of two. Where it is one depends on how many bits of the mantissa codes keep there;
    // elsewhere the same mantissas have the same remainders.
    constexpr float kBorders[] = {0x1p-23f, 17 / 16.f, 18, 19 / 16.f, 20 * 16, 21 / 16.f, 22, 23 / 16.f,
                                  0x3p-17f, 25 / 16.f, 26, 27 / 16.f, 28 * 16, 29 / 16.f, 30, 31 / 16.f};
    constexpr int kSteps = 7, kNumbers = 16 * kSteps;
    int64_t wrong = 0;
    for (int64_t mantissa = begin; mantissa < end; ++mantissa) {
        const float scale = float(mantissa);
        float numbers[kNumbers], quotients[kNumbers];
        for (int i = 0; i < kNumbers; ++i) {
            const float product = kBorders[i % 16] * scale;
            uint32_t bits;
            std::memcpy(&bits, &product, sizeof bits);
            bits += uint32_t(i / 16 - kSteps / 2);
            std::memcpy(&numbers[i], &bits, sizeof bits);
            quotients[i] = numbers[i] / scale;
        }
        uint8_t codes[kNumbers], wanted[kNumbers];
        path->quantize(numbers, Type::F32, codes, kNumbers, Overflow::INF, &scale, 0, false);
        path->encode(quotients, Type::F32, wanted, kNumbers, Overflow::INF, false);
        if (std::memcmp(codes, wanted, kNumbers) != 0 && wrong++ == 0) *first_wrong = mantissa;
    }
    return wrong;
}
