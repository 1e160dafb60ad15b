// What is taken for granted of a chip where public texts leave it open. ascendc/assumptions.py has the switches, in the
// order of these bits, and a flag says which are on.
#pragma once

#include <stdint.h>

#ifndef OPWRIGHT_ASSUMED
#define OPWRIGHT_ASSUMED 1
#endif

namespace opwright {

constexpr bool is_assumed(uint32_t place) { return (uint32_t(OPWRIGHT_ASSUMED) >> place & 1) != 0; }

constexpr bool kSaturatesIntegers = is_assumed(0);
constexpr bool kSaturatesCasts = is_assumed(1);
constexpr bool kSaturatesArithmetic = is_assumed(2);
constexpr bool kSaturatesFloat8 = is_assumed(3);
constexpr bool kFlushesSubnormals = is_assumed(4);

}  // namespace opwright
