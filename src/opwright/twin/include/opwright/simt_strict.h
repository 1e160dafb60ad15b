// With OPWRIGHT_STRICT: what a text with threads may say, declared as the NPU's compiler knows it, and nothing more.
// Pointers are plain ones: those of a mixed kernel say their memory, those of a kernel of threads do not.
#pragma once

#include "half.h"
#include "qualifiers.h"

#ifdef OPWRIGHT_STRICT_FLAT
#define __ubuf__
#elif defined(OPWRIGHT_MIXED)
#define __ubuf__ __attribute__((address_space(3)))
#else
#define __ubuf__ __attribute__((shared))
#endif

struct dim3 {
    uint32_t x, y, z;
    __aicore__ inline dim3(uint32_t along_x, uint32_t along_y = 1, uint32_t along_z = 1)
        : x(along_x), y(along_y), z(along_z) {}
};

extern __aicore__ const dim3 threadIdx;
extern __aicore__ const dim3 blockIdx;
extern __aicore__ const dim3 blockDim;
extern __aicore__ const dim3 gridDim;
constexpr int32_t warpSize = 32;

template <auto function, typename... Arguments>
__aicore__ inline void asc_vf_call(dim3, Arguments... arguments) {
    function(arguments...);
}

template <typename... Values>
__aicore__ void printf(const char* format, Values... values);

#define assert(condition) ((condition) ? (void)0 : __builtin_trap())

namespace opwright {

#ifdef OPWRIGHT_MIXED
template <typename T>
using Gm = __gm__ T*;
template <typename T>
using Ub = __ubuf__ T*;
#else
template <typename T>
using Gm = T*;
template <typename T>
using Ub = T*;
#endif

}  // namespace opwright

#include "generated/simt_declared.h"
