// Compares the codes of a range of all float32 with a list of where each code begins.
//
// In: magnitudes as bits in rising order with the code from there on, and the first and last bit patterns to try. Out: the
// number of patterns whose code is wrong, and the first of them.
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

extern "C" __attribute__((visibility("default"))) int64_t every_float(const char* name, int overflow, const uint32_t* firsts,
                                                                      const uint8_t* listed, int64_t count, int64_t begin, int64_t end,
                                                                      int64_t* first_wrong) {
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
