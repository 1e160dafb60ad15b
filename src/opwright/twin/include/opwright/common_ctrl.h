// Chapter common_ctrl: the state of a core that later calls depend on. Calls take it when they are issued, as on the
// chip, which keeps such settings in order with every pipe.
#pragma once

#include "generated/calls/params.h"

namespace opwright {

OPWRIGHT_INLINE void set_vector_mask(const At& at, int32_t length, AscendC::MaskMode mode) {
    const bool counts = mode == AscendC::MaskMode::COUNTER;
    const Lanes lanes = counts ? Lanes{{static_cast<uint64_t>(length), 0, 0, 0}} : Lanes::first(static_cast<uint64_t>(length));
    for (uint32_t i = 0; i < 4; ++i) at.core.mask.words[i] = lanes.words[i];
    at.core.sets(SetState::MASK);
    at.core.mask.note(at.line);
}

// Bits beyond the two words do not exist: with all of them set, every lane of every type takes part.
OPWRIGHT_INLINE void set_mask_words(const At& at, uint64_t high, uint64_t low, AscendC::MaskMode) {
    const uint64_t beyond = (high & low) == ~uint64_t(0) ? ~uint64_t(0) : 0;
    const uint64_t words[] = {low, high, beyond, beyond};
    for (uint32_t i = 0; i < 4; ++i) at.core.mask.words[i] = words[i];
    at.core.sets(SetState::MASK);
    at.core.mask.note(at.line);
}

OPWRIGHT_INLINE void set_mask_mode(const At& at, bool counts) {
    at.core.mask.counts = counts;
    at.core.sets(SetState::MASK_MODE);
    at.core.mask.note(at.line);
}

OPWRIGHT_INLINE void set_mask_count(const At& at) { set_mask_mode(at, true); }
OPWRIGHT_INLINE void set_mask_norm(const At& at) { set_mask_mode(at, false); }

OPWRIGHT_INLINE void reset_mask(const At& at) {
    at.core.mask.fill();
    at.core.sets(SetState::MASK);
    at.core.mask.note(at.line);
}

OPWRIGHT_INLINE void init_soc_state(const At& at) { at.core.initialise(); }

// The byte that a fetch into the data cache is about.
OPWRIGHT_INLINE Runs preloaded(int64_t offset) { return {1, 1, 1, static_cast<uint64_t>(offset)}; }

// There is nothing to fetch: that it was read is all that the checked mode needs to know.
OPWRIGHT_INLINE void data_cache_preload(const At&, Read<uint64_t>, int64_t) {}

OPWRIGHT_INLINE void check_local_memory_ia(const At& at, const AscendC::CheckLocalMemoryIAParam& params) {
#ifdef OPWRIGHT_CHECKED
    const bool chosen[] = {params.isScalarRead,  params.isScalarWrite, params.isVectorRead,
                           params.isVectorWrite, params.isMteRead,     params.isMteWrite};
    uint32_t kinds = 0;
    for (uint32_t i = 0; i < 6; ++i) kinds |= uint32_t(chosen[i] && params.isEnable) << i;
    at.core.watches[params.enableBit] = {params.startAddr * kBlockBytes, params.endAddr * kBlockBytes, kinds};
    at.core.is_watching = true;
#else
    (void)at, (void)params;
#endif
}

OPWRIGHT_INLINE void set_hf32_mode(const At& at, bool on) { at.core.product_mode.is_hf32 = on; }
OPWRIGHT_INLINE void set_hf32_trans_mode(const At& at, bool ties_away) { at.core.product_mode.ties_away = ties_away; }
// The order in which results appear is not visible.
OPWRIGHT_INLINE void set_mm_layout_transform(const At&, bool) {}

}  // namespace opwright

// Ascend C has it outside its namespace.
__aicore__ inline GM_ADDR GetSysWorkSpacePtr() { return (GM_ADDR)opwright::current_core().workspace; }

namespace AscendC {

__aicore__ inline void SetSysWorkspace(GM_ADDR workspace) { opwright::current_core().workspace = (uint64_t)workspace; }

template <uint32_t index>
__aicore__ inline void SetHcclContext(GM_ADDR context) {
    opwright::current_core().contexts[index] = (uint64_t)context;
}
template <uint32_t index>
__aicore__ inline GM_ADDR GetHcclContext() {
    return (GM_ADDR)opwright::current_core().contexts[index];
}

template <AtomicDtype type, AtomicOp>
__aicore__ inline void SetStoreAtomicConfig(int32_t line = __builtin_LINE()) {
    constexpr uint8_t sum = static_cast<uint8_t>(opwright::AtomicKind::SUM);
    opwright::Core& core = opwright::current_core();
    core.atomic = {static_cast<uint8_t>(type), sum, type == AtomicDtype::ATOMIC_NONE ? 0 : line};
    core.sets(opwright::SetState::ATOMIC);
}

__aicore__ inline void GetStoreAtomicConfig(uint16_t& type, uint16_t& operation) {
    const opwright::AtomicState atomic = opwright::current_core().atomic;
    type = atomic.type;
    operation = atomic.operation;
}

}  // namespace AscendC
