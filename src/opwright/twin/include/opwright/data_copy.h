// Chapter data_copy: copies between global and local memory.
#pragma once

#include "issue.h"

namespace opwright {

template <typename T>
OPWRIGHT_INLINE void copy_in(const At& at, Written<T> dst, Read<T> src) {
    if (try_alias(at.core, dst.footprint, src.footprint)) return;
    at.core.library->copy_prefetching(dst.data(), src.data(), src.footprint.bytes);
}

template <typename T>
OPWRIGHT_INLINE void copy_out(const At& at, Written<T> dst, Read<T> src) {
    const void* from = src.data();
    if (at.core.launch->flags & kStream) {
        at.core.library->copy_streaming(dst.data(), from, src.footprint.bytes);
    } else {
        __builtin_memcpy(dst.data(), from, src.footprint.bytes);
    }
}

template <typename T>
OPWRIGHT_INLINE void copy_local(const At&, Written<T> dst, Read<T> src) {
    const void* from = src.data();
    __builtin_memmove(dst.data(), from, src.footprint.bytes);
}

}  // namespace opwright
