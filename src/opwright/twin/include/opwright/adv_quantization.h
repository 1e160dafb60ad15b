// Chapter adv_quantization: floats to 8-bit integers, computed in half.
#pragma once

#include "composed.h"
#include "vec_convert.h"

namespace opwright {

template <typename To, typename From>
OPWRIGHT_INLINE void quantise(const At&, To dst, From src, float scale, float offset, bool) {
    const float by = widen(half(scale)), plus = widen(half(offset));
    map(dst, [=](float value) {
        const float product = widen(half(widen(half(value)) * by));
        const float sum = widen(half(product + plus));
        return convert<RoundMode::CAST_RINT, typename To::Element>(sum);
    }, src);
}

}  // namespace opwright
