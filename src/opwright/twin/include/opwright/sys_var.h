// Chapter sys_var: what a core knows about itself.
#pragma once

#include "issue.h"

namespace opwright {

OPWRIGHT_INLINE int64_t block_index(const At& at) { return at.core.block; }

OPWRIGHT_INLINE int64_t block_count(const At& at) { return at.core.launch->grid; }

OPWRIGHT_INLINE void trap(const At& at) { at.fail(Fault::TRAP); }

}  // namespace opwright
