// Chapter common_ctrl: the state of a core that later calls depend on. Calls take it when they are issued, as on the
// chip, which keeps such settings in order with every pipe.
#pragma once

#include "enums.h"
#include "issue.h"

namespace opwright {

OPWRIGHT_INLINE void set_vector_mask(const At& at, int32_t length, AscendC::MaskMode mode) {
    const bool counts = mode == AscendC::MaskMode::COUNTER;
    const Lanes lanes = counts ? Lanes{{static_cast<uint64_t>(length), 0, 0, 0}} : Lanes::first(static_cast<uint64_t>(length));
    for (uint32_t i = 0; i < 4; ++i) at.core.mask.words[i] = lanes.words[i];
    at.core.mask.note(at.line);
}

// Bits beyond the two words do not exist: with all of them set, every lane of every type takes part.
OPWRIGHT_INLINE void set_mask_words(const At& at, uint64_t high, uint64_t low, AscendC::MaskMode) {
    const uint64_t beyond = (high & low) == ~uint64_t(0) ? ~uint64_t(0) : 0;
    const uint64_t words[] = {low, high, beyond, beyond};
    for (uint32_t i = 0; i < 4; ++i) at.core.mask.words[i] = words[i];
    at.core.mask.note(at.line);
}

OPWRIGHT_INLINE void set_mask_mode(const At& at, bool counts) {
    at.core.mask.counts = counts;
    at.core.mask.note(at.line);
}

OPWRIGHT_INLINE void set_mask_count(const At& at) { set_mask_mode(at, true); }
OPWRIGHT_INLINE void set_mask_norm(const At& at) { set_mask_mode(at, false); }

OPWRIGHT_INLINE void reset_mask(const At& at) {
    at.core.mask.fill();
    at.core.mask.note(at.line);
}

OPWRIGHT_INLINE void init_soc_state(const At& at) {
    at.core.mask.reset();
    at.core.atomic = {};
}

}  // namespace opwright
