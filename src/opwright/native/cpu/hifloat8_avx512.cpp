// The path of AVX-512 without VBMI.
#if defined(__x86_64__)
#define OPWRIGHT_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#include "hifloat8_avx512.h"
#include "hifloat8_paths.h"

namespace opwright::hifloat8 {

constexpr Path kAvx512Path = Loops<Vector<Avx512>>::path("avx512");

}  // namespace opwright::hifloat8
#endif
