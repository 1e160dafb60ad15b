// Chapter adv_math: functions that the toolchain composes of vector calls, on one element, in the type they compute in.
#pragma once

#include "composed.h"
#include "vec_convert.h"

namespace opwright {

OPWRIGHT_INLINE float upward(float value) { return to_integral<RoundMode::CAST_CEIL>(value); }
OPWRIGHT_INLINE float downward(float value) { return to_integral<RoundMode::CAST_FLOOR>(value); }
OPWRIGHT_INLINE float towards_zero(float value) { return to_integral<RoundMode::CAST_TRUNC>(value); }

}  // namespace opwright
