// Chapter adv_tiling: where texts look for the structs; what they hold is generated.
#pragma once

namespace AscendC {

struct SoftMaxTiling;
struct RmsNormTiling;

namespace tiling {
using AscendC::RmsNormTiling;
using AscendC::SoftMaxTiling;
}  // namespace tiling

}  // namespace AscendC
