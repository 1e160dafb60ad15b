// Compares conversions of many floats with those of one, and exp with that of double; prints what is wrong.
#include "opwright/floats.h"

#include <cstdio>
#include <vector>

using namespace opwright;

static long wrong = 0;

static void expect(bool holds, const char* what, uint32_t bits) {
    if (!holds && wrong++ < 10) std::printf("%s of %08x\n", what, bits);
}

template <typename T>
void compare_widened(const char* what) {
    std::vector<T> from(65536 + 3);
    std::vector<float> to(from.size());
    for (size_t i = 0; i < from.size(); ++i) from[i].bits = static_cast<uint16_t>(i);
    for (int64_t start : {0, 1, 3}) {  // unaligned, and with a rest
        widen_all(from.data() + start, to.data(), 65536);
        for (uint32_t i = 0; i < 65536; ++i) {
            const uint32_t got = bit_cast<uint32_t>(to[i]), wanted = bit_cast<uint32_t>(widen(from[i + static_cast<size_t>(start)]));
            const bool are_nan = (got & 0x7fffffffu) > 0x7f800000u && (wanted & 0x7fffffffu) > 0x7f800000u;
            expect(got == wanted || are_nan, what, i);
        }
    }
}

// Every 251st float, and the neighbours of every number of the narrow type and of the middles between them.
template <typename T>
void compare_narrowed(const char* what) {
    std::vector<float> from;
    for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 251 * 64) {
        for (uint32_t k = 0; k < 64; ++k) from.push_back(bit_cast<float>(static_cast<uint32_t>(bits) + 251 * k));
    }
    for (uint32_t i = 0; i < 65536; ++i) {
        const uint32_t bits = bit_cast<uint32_t>(widen(T{static_cast<uint16_t>(i)}));
        for (uint32_t middle : {0u, 0x1000u, 0x8000u}) {
            for (uint32_t near : {uint32_t(-1), 0u, 1u}) from.push_back(bit_cast<float>(bits + middle + near));
        }
    }
    std::vector<T> to(from.size());
    narrow_all(from.data(), to.data(), static_cast<int64_t>(from.size()));
    for (size_t i = 0; i < from.size(); ++i) {
        expect(to[i].bits == narrow<T>(from[i]).bits, what, bit_cast<uint32_t>(from[i]));
    }
}

// At most 1 unit in the last place off.
void compare_exp() {
    for (uint64_t step = 0; step < (uint64_t(1) << 32); step += 1009) {
        const float x = bit_cast<float>(static_cast<uint32_t>(step)), got = opwright::exp(x);
        const double exact = std::exp(static_cast<double>(x));
        const float rounded = static_cast<float>(exact);
        if (x != x || rounded == 0 || rounded > 0x1.fffffep127f) {
            expect(x != x ? got != got : got == rounded, "exp", static_cast<uint32_t>(step));
            continue;
        }
        int exponent = 0;
        std::frexp(exact, &exponent);
        const double unit = std::ldexp(1.0, exponent - 24 < -149 ? -149 : exponent - 24);
        expect(std::fabs(got - exact) <= unit, "exp", static_cast<uint32_t>(step));
    }
}

int main() {
    compare_widened<Half>("widened half");
    compare_widened<BFloat16>("widened bfloat16");
    compare_narrowed<Half>("narrowed half");
    compare_narrowed<BFloat16>("narrowed bfloat16");
    compare_exp();
    std::printf("%ld wrong\n", wrong);
    return wrong != 0;
}
