// The qualifiers of Ascend C. On the twin most mean nothing. With OPWRIGHT_STRICT, clang in CUDA device mode gives
// them back their meaning, so that a lost __gm__ or __aicore__ is an error there as it is in the NPU's compiler. Where
// threads read a half there is OPWRIGHT_STRICT_FLAT: ours is a class, whose methods clang finds in one memory only.
#pragma once

#include <cstdint>

#ifdef OPWRIGHT_STRICT
#define __global__ __attribute__((device))
#define __aicore__ __attribute__((device))
#ifdef OPWRIGHT_STRICT_FLAT
#define __gm__
#else
#define __gm__ __attribute__((address_space(1)))
#endif
#define __vector__ __aicore__
#define __cube__ __aicore__
#define __mix__(aic, aiv) __aicore__
#define __simt_vf__ __aicore__
#define __simt_callee__ __aicore__
#define __callee__ __aicore__
#define __launch_bounds__(threads)
#else
// Not exported: a kernel called getpid must not become everybody's, nor everybody's the kernel.
#define __global__
#define __aicore__
#define __gm__
#define __vector__
#define __cube__
#define __mix__(aic, aiv)
#define __simt_vf__ __attribute__((always_inline))
#define __simt_callee__
#define __callee__
#define __launch_bounds__(threads)
// An array in UB only says how long it is: ub_pointer gives it a place in the UB of the block.
#define __ubuf__ static
#endif

#define GM_ADDR __gm__ uint8_t*

// The twin's own functions: part of the kernel, and always inlined so that a call costs what its loop costs. At level 0
// they are not: nothing is fast there, and a kernel of many calls compiles in a third of the time.
#ifdef __OPTIMIZE__
#define OPWRIGHT_INLINE __aicore__ inline __attribute__((always_inline))
#else
#define OPWRIGHT_INLINE __aicore__ inline
#endif
#define OPWRIGHT_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

// The operands of one call are equal or disjoint (a rule checks it), so the loop carries nothing from turn to turn.
// One that may be as short as a block must not be unrolled before it is vectorised: it would stay scalar.
#ifdef __clang__
#define OPWRIGHT_VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety)")
#define OPWRIGHT_SHORT_VECTOR_LOOP _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define OPWRIGHT_VECTOR_LOOP _Pragma("GCC ivdep")
#define OPWRIGHT_SHORT_VECTOR_LOOP _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
#endif
