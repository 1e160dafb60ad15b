// Conversions of halves and bfloat16, by the widest instructions of the CPU: see floats.h.
#include "opwright/floats.h"

#define OPWRIGHT_PATH baseline
#define OPWRIGHT_TARGET
#include "float_conversions.h"
#undef OPWRIGHT_PATH
#undef OPWRIGHT_TARGET

#if defined(__x86_64__)
#define OPWRIGHT_PATH avx2
#define OPWRIGHT_TARGET OPWRIGHT_AVX2
#include "float_conversions.h"
#undef OPWRIGHT_PATH
#undef OPWRIGHT_TARGET

#define OPWRIGHT_PATH avx512
#define OPWRIGHT_TARGET OPWRIGHT_AVX512
#include "float_conversions.h"
#undef OPWRIGHT_PATH
#undef OPWRIGHT_TARGET
#endif

namespace opwright {
namespace {

template <typename From, typename To>
void convert_all(const From* from, int64_t count, To* to) {
#if defined(__x86_64__)
    if (float_path == FloatPath::kAvx512) return avx512::convert(from, count, to);
    if (float_path == FloatPath::kAvx2) return avx2::convert(from, count, to);
#endif
    baseline::convert(from, count, to);
}

}  // namespace

void widen_all(const Half* from, int64_t count, float* to) { convert_all(from, count, to); }
void widen_all(const BFloat16* from, int64_t count, float* to) { convert_all(from, count, to); }
void narrow_all(const float* from, int64_t count, Half* to) { convert_all(from, count, to); }
void narrow_all(const float* from, int64_t count, BFloat16* to) { convert_all(from, count, to); }

}  // namespace opwright
