// Which loops of floats.h this CPU runs.
#include "opwright/floats.h"

namespace opwright {

namespace {

FloatPath widest() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    // F16C comes with AVX2 on every CPU, and clang has no name for it.
    const bool has_products = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (has_products) return has_avx512 ? FloatPath::kAvx512 : FloatPath::kAvx2;
#endif
    return FloatPath::kBaseline;
}

}  // namespace

FloatPath float_path = widest();

}  // namespace opwright
