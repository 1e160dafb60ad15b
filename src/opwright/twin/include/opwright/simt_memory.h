// Loads and stores of global memory that say which caches they use. The twin has none: they differ in what is
// reported to the checked mode.
#pragma once

#include "simt_atomic.h"

namespace opwright {

template <typename T>
using GlobalPointer = Pointer<T, Memory::GM>;

}  // namespace opwright

// From the second cache, so that it is what other cores have written.
template <typename T>
__aicore__ inline T asc_ldcg(const opwright::GlobalPointer<T>& address, int32_t line = __builtin_LINE()) {
#ifdef OPWRIGHT_CHECKED
    T* const at = address.at({0, line});
    opwright::tell(line, opwright::Memory::GM, opwright::ThreadAccessKind::READ, address.base(), at,
                   opwright::kThreadVolatile);
    return *at;
#else
    return address[{0, line}];
#endif
}

template <typename T>
__aicore__ inline T asc_ldca(const opwright::GlobalPointer<T>& address, int32_t line = __builtin_LINE()) {
    return address[{0, line}];
}

// Every store goes through to global memory.
template <typename T>
__aicore__ inline void asc_stcg(const opwright::GlobalPointer<T>& address, typename opwright::NotDeduced<T>::type value,
                                int32_t line = __builtin_LINE()) {
    address[{0, line}] = value;
}

template <typename T>
__aicore__ inline void asc_stwt(const opwright::GlobalPointer<T>& address, typename opwright::NotDeduced<T>::type value,
                                int32_t line = __builtin_LINE()) {
    address[{0, line}] = value;
}

namespace opwright {

// The data cache of the threads forgets a line, or all of them. What was read before must be read again.
template <typename T>
OPWRIGHT_INLINE void forget(const GlobalPointer<T>& address, bool is_one, int32_t line) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
#ifdef OPWRIGHT_CHECKED
    Core& core = current_core();
    const ThreadAccess access = {Memory::GM, ThreadAccessKind::FORGET, (uint64_t)(address.base() + address.offset()),
                                 is_one ? 1u : 0u, 0, 0};
    core.library->note_thread(&core, line, thread_number(), &access);
#else
    (void)address, (void)is_one, (void)line;
#endif
}

}  // namespace opwright

template <typename T>
__aicore__ inline void asc_dcci_single(const opwright::GlobalPointer<T>& address, int32_t line = __builtin_LINE()) {
    opwright::forget(address, true, line);
}

template <typename T>
__aicore__ inline void asc_dcci_entire(const opwright::GlobalPointer<T>& address, int32_t line = __builtin_LINE()) {
    opwright::forget(address, false, line);
}
