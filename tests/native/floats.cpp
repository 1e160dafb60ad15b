// Compares the loops of every instruction set of this CPU with conversions of one float and with exp of double, and those
// with fused products with each other; prints what is wrong.
#include "opwright/floats.h"

#include <cstdio>
#include <vector>

using namespace opwright;

static long wrong = 0;
static const char* path = "";  // that is compared now

static void expect(bool holds, const char* what, uint32_t bits) {
    if (!holds && wrong++ < 10) std::printf("%s: %s of %08x\n", path, what, bits);
}

static const auto same = [](auto, auto x) { return x; };
static const auto exponential = [](auto math, auto x) { return math.exp(x); };
static const auto add_square = [](auto math, auto sum, auto x) { return math.fma(x, x, sum); };

template <typename T>
void compare_widened(const char* what) {
    constexpr int64_t kCount = 65536 + 3;
    std::vector<T> from(2 * kCount);
    std::vector<float> to(kCount), taken(kCount);
    for (int64_t step : {1, 2}) {
        for (int64_t i = 0; i < kCount; ++i) from[static_cast<size_t>(i * step)].bits = static_cast<uint16_t>(i);
        for (int64_t start : {0, 1, 3}) {  // unaligned, and with a rest
            const int64_t count = kCount - start;
            const Run<const T> row{from.data() + start * step, step};
            map(same, count, Run<float>{to.data()}, row);
            take(row, count, taken.data());
            for (int64_t i = 0; i < count; ++i) {
                const uint32_t got = bit_cast<uint32_t>(to[static_cast<size_t>(i)]);
                expect(bit_cast<uint32_t>(taken[static_cast<size_t>(i)]) == got, "taken", static_cast<uint32_t>(i));
                const uint32_t wanted = bit_cast<uint32_t>(widen(T{static_cast<uint16_t>(i + start)}));
                const bool are_nan = (got & 0x7fffffffu) > 0x7f800000u && (wanted & 0x7fffffffu) > 0x7f800000u;
                expect(got == wanted || are_nan, what, static_cast<uint32_t>(i));
            }
        }
    }
}

// Every 251st float, and the neighbours of every number of the narrow type and of the middles between them.
template <typename T>
std::vector<float> floats_for() {
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
    return from;
}

template <typename T>
void compare_narrowed(const char* what) {
    static const std::vector<float> from = floats_for<T>();
    const auto count = static_cast<int64_t>(from.size());
    std::vector<T> to(from.size()), apart(2 * from.size());
    map(same, count, Run<T>{to.data()}, Run<const float>{from.data()});
    put(from.data(), count, Run<T>{apart.data(), 2});
    for (size_t i = 0; i < from.size(); ++i) {
        expect(apart[2 * i].bits == to[i].bits, "put", bit_cast<uint32_t>(from[i]));
        expect(to[i].bits == narrow<T>(from[i]).bits, what, bit_cast<uint32_t>(from[i]));
    }
}

const std::vector<float>& arguments() {
    static const std::vector<float> all = [] {
        std::vector<float> made;
        for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 1009) made.push_back(bit_cast<float>(static_cast<uint32_t>(bits)));
        return made;
    }();
    return all;
}

std::vector<float> exponentials() {
    std::vector<float> to(arguments().size());
    map(exponential, static_cast<int64_t>(to.size()), Run<float>{to.data()}, Run<const float>{arguments().data()});
    return to;
}

// At most 1 unit in the last place off.
void compare_exp() {
    const std::vector<float> made = exponentials();
    for (size_t i = 0; i < made.size(); ++i) {
        const float x = arguments()[i], got = made[i];
        const uint32_t bits = bit_cast<uint32_t>(x);
        const double exact = std::exp(static_cast<double>(x));
        const float rounded = static_cast<float>(exact);
        if (x != x || rounded == 0 || rounded > 0x1.fffffep127f) {
            expect(x != x ? got != got : got == rounded, "exp", bits);
            continue;
        }
        int exponent = 0;
        std::frexp(exact, &exponent);
        const double unit = std::ldexp(1.0, exponent - 24 < -149 ? -149 : exponent - 24);
        expect(std::fabs(got - exact) <= unit, "exp", bits);
    }
}

// At most 2 units in the last place off, of doubles.
void compare_exp_of_doubles() {
    std::vector<double> from{-1e300, -800, -745.5, 0.0, -0.0, 709.7, 710.5, 1e300, INFINITY, -INFINITY, NAN};
    for (double x = -750; x < 712; x += 0.0037) from.push_back(x);
    for (double x = 1e-300; x < 1; x *= 1.7) from.insert(from.end(), {x, -x});
    std::vector<double> to(from.size());
    map(exponential, static_cast<int64_t>(to.size()), Run<double>{to.data()}, Run<const double>{from.data()});
    for (size_t i = 0; i < from.size(); ++i) {
        const double exact = std::exp(from[i]), got = to[i];
        const double unit = std::nextafter(exact, INFINITY) - exact;
        const bool is_near = exact != exact ? got != got : got == exact || std::fabs(got - exact) <= 2 * unit;
        expect(is_near, "exp of a double", static_cast<uint32_t>(i));
    }
}

// A sum of squares, dense and with gaps, beside that of doubles.
float compare_fold() {
    constexpr int64_t kCount = 1000;
    std::vector<float> from(3 * kCount);
    double exact = 0;
    for (int64_t i = 0; i < kCount; ++i) {
        const float x = static_cast<float>(i % 37) / 7 - 2;
        from[static_cast<size_t>(i)] = x;
        exact += static_cast<double>(x) * x;
    }
    const float dense = fold(add_square, kCount, Run<const float>{from.data()});
    for (int64_t i = kCount - 1; i >= 0; --i) from[static_cast<size_t>(3 * i)] = from[static_cast<size_t>(i)];
    const float apart = fold(add_square, kCount, Run<const float>{from.data(), 3});
    expect(std::fabs(dense - exact) <= 1e-5 * exact, "sum", bit_cast<uint32_t>(dense));
    expect(apart == dense, "sum with gaps", bit_cast<uint32_t>(apart));
    return dense;
}

void compare(FloatPath chosen, const char* name) {
    float_path = chosen;
    path = name;
    compare_widened<Half>("widened half");
    compare_widened<BFloat16>("widened bfloat16");
    compare_narrowed<Half>("narrowed half");
    compare_narrowed<BFloat16>("narrowed bfloat16");
    compare_exp();
    compare_exp_of_doubles();
    compare_fold();
}

int main() {
    const FloatPath widest = float_path;
    compare(FloatPath::kBaseline, "baseline");
    if (widest != FloatPath::kBaseline) compare(FloatPath::kAvx2, "avx2");
    if (widest == FloatPath::kAvx512) {
        const std::vector<float> narrow = exponentials();
        const float narrow_sum = compare_fold();
        compare(FloatPath::kAvx512, "avx512");
        const std::vector<float> wide = exponentials();
        path = "both";
        for (size_t i = 0; i < wide.size(); ++i) {
            const bool are_equal = bit_cast<uint32_t>(narrow[i]) == bit_cast<uint32_t>(wide[i]);
            expect(are_equal || wide[i] != wide[i], "exp", bit_cast<uint32_t>(arguments()[i]));
        }
        expect(compare_fold() == narrow_sum, "sum", 0);
    }
    std::printf("%ld wrong\n", wrong);
    return wrong != 0;
}
