// Chapter sys_var: what a core knows about itself.
#pragma once

#include "issue.h"

namespace opwright {

OPWRIGHT_INLINE int64_t block_index(const At& at) { return at.core.block; }

OPWRIGHT_INLINE int64_t block_count(const At& at) { return at.core.launch->grid; }

OPWRIGHT_INLINE int64_t sub_block_index(const At& at) { return at.core.sub_block; }

// Vector cores of one AI core, as one of them sees it; a matrix core is alone.
OPWRIGHT_INLINE int64_t sub_block_count(const At& at) {
    if (at.core.kind == CoreKind::AIC) return 1;
    const int64_t vector_cores = at.core.launch->group & 255;
    return vector_cores ? vector_cores : 1;
}

OPWRIGHT_INLINE int64_t task_ratio(const At& at) { return sub_block_count(at); }

OPWRIGHT_INLINE int64_t data_block_bytes(const At&) { return 32; }

// Grows with every question; it measures nothing.
OPWRIGHT_INLINE int64_t system_cycle(const At& at) { return static_cast<int64_t>(++at.core.cycle); }

// The line of the text stands for the address of the instruction.
OPWRIGHT_INLINE int64_t program_counter(const At& at) { return at.line; }

OPWRIGHT_INLINE void trap(const At& at) { at.fail(Fault::TRAP); }

}  // namespace opwright

namespace AscendC {

__aicore__ inline void GetArchVersion(uint32_t& core_version) {
    core_version = opwright::current_core().launch->arch == 3510 ? 0x310 : 0x220;
}

}  // namespace AscendC
