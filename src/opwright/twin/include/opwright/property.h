// Chapter property: constants of the chip. One text is compiled for all chips here, so they ask the launch.
#pragma once

#include "issue.h"

namespace opwright {

struct ChipConstant {
    int32_t on_2201;
    int32_t on_3510;
    OPWRIGHT_INLINE operator int64_t() const { return current_core().launch->arch == 3510 ? on_3510 : on_2201; }
};

}  // namespace opwright

namespace AscendC {

constexpr opwright::ChipConstant DEFAULT_C0_SIZE{32, 32};
constexpr opwright::ChipConstant ONE_BLK_SIZE{32, 32};
constexpr opwright::ChipConstant TOTAL_L1_SIZE{512 * 1024 - 128, 512 * 1024 - 128};
constexpr opwright::ChipConstant TOTAL_L0C_SIZE{128 * 1024, 256 * 1024};

}  // namespace AscendC
