// Chapter cache_ctrl: the data cache of the scalar unit. The twin has none, so there is nothing to write back; the checked
// mode notes each call, and reports where one is missing. Instructions are fetched by the CPU itself.
#pragma once

#include "generated/enums.h"
#include "tensor.h"

namespace opwright {

OPWRIGHT_INLINE void note_cache(const At& at, bool is_one, uint64_t address) {
#ifdef OPWRIGHT_CHECKED
    at.core.library->note_cache(&at.core, is_one, address);
#else
    (void)at, (void)is_one, (void)address;
#endif
}

OPWRIGHT_INLINE void icache_preload(const At&, int64_t) {}

OPWRIGHT_INLINE int64_t icache_preload_status(const At&) { return 0; }

}  // namespace opwright

namespace AscendC {

template <typename T, CacheLine entire_type, DcciDst dcci_dst = DcciDst::CACHELINE_ALL>
__aicore__ inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& dst, int32_t line = __builtin_LINE()) {
    const opwright::At at(line);
    constexpr bool is_one = entire_type == CacheLine::SINGLE_CACHE_LINE;
    constexpr bool is_global = dcci_dst == DcciDst::CACHELINE_ALL || dcci_dst == DcciDst::CACHELINE_OUT;
    const auto start = dst.operand(opwright::kNoOperand, 1, 1, false);
    if (is_one) start.check(at);
    const uint64_t address = start.footprint.address;
    opwright::issue(at, PIPE_S, [=](const opwright::At& here) {
        if (is_global) opwright::note_cache(here, is_one, address);
    });
}

}  // namespace AscendC
