// Every float through the functions of chapter vec_unary, against the C library in a wider type.
// Prints, for each function: its name, how many results are not the nearest float, the greatest error in steps of the
// last place. With an argument n, only every n-th float.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "opwright/vec_unary.h"

namespace {

// Where the float lies, counted in floats from 0.
int64_t place(float value) {
    const uint32_t bits = opwright::bits_of(value);
    return bits >> 31 ? -static_cast<int64_t>(bits & 0x7fffffffu) : static_cast<int64_t>(bits);
}

// `quick` errs by less than 2^-50 of its result; where that could decide, `slow` does, which errs by less than 2^-60.
template <typename Function, typename Quick, typename Slow>
void test(const char* name, uint64_t step, Function function, Quick quick, Slow slow) {
    std::atomic<uint64_t> wrong{0}, worst{0};
    auto part = [&](uint64_t begin, uint64_t end) {
        uint64_t own_wrong = 0, own_worst = 0;
        for (uint64_t i = (begin + step - 1) / step * step; i < end; i += step) {
            const float value = opwright::float_of(static_cast<uint32_t>(i));
            const float got = function(value);
            const double near = quick(static_cast<double>(value));
            float nearest = static_cast<float>(near * (1 - 0x1p-49));
            if (near == near && nearest != static_cast<float>(near * (1 + 0x1p-49))) {
                nearest = static_cast<float>(slow(static_cast<long double>(value)));
            }
            if (nearest != nearest ? got != got : opwright::bits_of(got) == opwright::bits_of(nearest)) continue;
            ++own_wrong;
            const bool numbers = got == got && nearest == nearest;
            const uint64_t error = numbers ? std::llabs(place(got) - place(nearest)) : ~uint64_t(0);
            if (error > own_worst) own_worst = error;
        }
        wrong += own_wrong;
        for (uint64_t seen = worst; own_worst > seen && !worst.compare_exchange_weak(seen, own_worst);) {}
    };
    const uint64_t half = uint64_t(1) << 31;
    std::thread other(part, 0, half);
    part(half, 2 * half);
    other.join();
    std::printf("%s %llu %llu\n", name, static_cast<unsigned long long>(wrong.load()),
                static_cast<unsigned long long>(worst.load()));
}

}  // namespace

int main(int count, char** arguments) {
    const uint64_t step = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 1;
    test("exponential", step, [](float x) { return opwright::exponential(x); },
         [](double x) { return std::exp(x); }, [](long double x) { return std::exp(x); });
    test("logarithm", step, [](float x) { return opwright::logarithm(x); },
         [](double x) { return std::log(x); }, [](long double x) { return std::log(x); });
    test("reciprocal", step, [](float x) { return opwright::reciprocal(x); },
         [](double x) { return 1.0 / x; }, [](long double x) { return 1.0L / x; });
    test("reciprocal_root", step, [](float x) { return opwright::reciprocal_root(x); },
         [](double x) { return 1.0 / std::sqrt(x); }, [](long double x) { return 1.0L / std::sqrt(x); });
}
