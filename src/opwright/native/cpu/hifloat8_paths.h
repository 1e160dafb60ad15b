// The paths of this build, one per source file.
#pragma once

#include "opwright/hifloat8.h"

namespace opwright::hifloat8 {

extern const Path kTablePath;
#if defined(__x86_64__)
extern const Path kAvx2Path, kAvx512Path, kVbmiPath;
#elif defined(__aarch64__)
extern const Path kNeonPath;
#endif

}  // namespace opwright::hifloat8
