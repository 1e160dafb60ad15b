// What calls that the toolchain composes of others share: how far they reach.
#pragma once

#include "repeat.h"

namespace opwright {

// As many elements of a tensor as another one has.
template <typename T, typename U>
OPWRIGHT_INLINE Runs as_many(const AscendC::LocalTensor<T>&, const AscendC::LocalTensor<U>& other) {
    const uint64_t bytes = uint64_t(other.GetSize()) * sizeof(T);
    return {1, bytes, bytes};
}

// What a call may use of a source as it likes: nothing, or all that it reads.
template <bool is_reuse_source, typename T>
OPWRIGHT_INLINE Runs given_away(const AscendC::LocalTensor<T>&, uint64_t count) {
    const uint64_t bytes = is_reuse_source ? count * sizeof(T) : 0;
    return {bytes ? uint64_t(1) : 0, bytes, bytes};
}
template <bool is_reuse_source, typename T>
OPWRIGHT_INLINE Runs given_away(const AscendC::LocalTensor<T>& source) {
    return given_away<is_reuse_source>(source, source.GetSize());
}

// A loop of its own, which all forms of a call share: their functions are long, and kernels would compile for long.
template <typename To, typename Each, typename... From>
__aicore__ __attribute__((noinline)) inline void map_apart(To dst, Each each, From... sources) {
    map(dst, each, sources...);
}

}  // namespace opwright
