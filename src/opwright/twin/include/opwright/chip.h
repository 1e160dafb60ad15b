// What a text may name without calling anything: which kind of core it is compiled for, and constants of the chip.
#pragma once

#include "context.h"

// Compile-time, as on the chip; there the text is compiled once for each kind of core.
#define ASCEND_IS_AIC constexpr(g_coreType == AscendC::AIC)
#define ASCEND_IS_AIV constexpr(g_coreType == AscendC::AIV)

namespace opwright {

// One text is compiled for all chips here, so a constant asks the launch.
struct ChipConstant {
    int32_t on_2201;
    int32_t on_3510;
    OPWRIGHT_INLINE operator int64_t() const { return current_core().launch->arch == 3510 ? on_3510 : on_2201; }
};

}  // namespace opwright

namespace AscendC {

constexpr int32_t AIV = static_cast<int32_t>(opwright::CoreKind::AIV);
constexpr int32_t AIC = static_cast<int32_t>(opwright::CoreKind::AIC);

constexpr opwright::ChipConstant DEFAULT_C0_SIZE{32, 32};
constexpr opwright::ChipConstant ONE_BLK_SIZE{32, 32};
constexpr opwright::ChipConstant TOTAL_L1_SIZE{512 * 1024 - 128, 512 * 1024};
constexpr opwright::ChipConstant TOTAL_L0C_SIZE{128 * 1024, 256 * 1024};

}  // namespace AscendC

#ifdef OPWRIGHT_AIC
constexpr int32_t g_coreType = AscendC::AIC;
#else
constexpr int32_t g_coreType = AscendC::AIV;
#endif
