// What is taken for granted of a chip where public texts leave it open. ascendc/assumptions.py has the switches, in the
// order of these bits, and a flag says which are on.
#pragma once

#include <stdint.h>

#include "generated/enumerations.h"

#ifndef OPWRIGHT_ASSUMED
#define OPWRIGHT_ASSUMED 1
#endif

namespace opwright {

constexpr bool is_assumed(Switch which) { return (uint32_t(OPWRIGHT_ASSUMED) >> uint32_t(which) & 1) != 0; }

constexpr bool kSaturatesArithmetic = is_assumed(Switch::SATURATE_ARITHMETIC);
constexpr bool kFlushesSubnormals = is_assumed(Switch::FLUSH_SUBNORMALS);
constexpr bool kFoldsSums = is_assumed(Switch::FOLD_SUMS);

// The checked mode tells results that a switch decides.
#ifdef OPWRIGHT_CHECKED
constexpr bool kTellsAssumed = true;
#else
constexpr bool kTellsAssumed = false;
#endif

// A result, and what it is with a switch the other way. Only in the checked mode.
template <typename T, Switch W>
struct Either {
    static constexpr Switch kSwitch = W;
    T taken;
    T other;
};
template <typename T>
constexpr bool is_either = false;
template <typename T, Switch W>
constexpr bool is_either<Either<T, W>> = true;

}  // namespace opwright
