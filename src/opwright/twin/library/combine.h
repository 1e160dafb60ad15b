// Atomic copies to global memory: what is brought is added to what is there, or the greater or smaller of both stays.
//
// In: a destination, a source, bytes and the atomic state of the copy. Out: the destination. One copy of a launch at a
// time, so that none is lost; which of two cores comes first is as undefined as on the chip.
#pragma once

#include <opwright/atomic.h>

#include "launch.h"

namespace opwright {

template <typename T>
OPWRIGHT_COLD void combine_elements(uint8_t* to, const uint8_t* from, uint64_t bytes, AtomicKind operation) {
    for (uint64_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
        T there, brought;
        memcpy(&there, to + at, sizeof(T));
        memcpy(&brought, from + at, sizeof(T));
        const auto a = widen(there), b = widen(brought);
        T result = brought;
        switch (operation) {
            case AtomicKind::SUM:
                if constexpr (std::is_integral<T>::value) {
                    result = static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
                } else {
                    result = narrow<T>(a + b);
                }
                break;
            case AtomicKind::MAX: result = a > b ? there : brought; break;
            case AtomicKind::MIN: result = a < b ? there : brought; break;
        }
        memcpy(to + at, &result, sizeof(T));
    }
}

OPWRIGHT_COLD void core_combine(Core* core, void* destination, const void* source, uint64_t bytes, AtomicState atomic) {
    using AscendC::AtomicDtype;
    const auto to = static_cast<uint8_t*>(destination);
    const auto from = static_cast<const uint8_t*>(source);
    const auto operation = static_cast<AtomicKind>(atomic.operation);
    pthread_mutex_t* mutex = &slot_of(core)->launch->combining;
    pthread_mutex_lock(mutex);
    switch (static_cast<AtomicDtype>(atomic.type)) {
        case AtomicDtype::ATOMIC_F32: combine_elements<float>(to, from, bytes, operation); break;
        case AtomicDtype::ATOMIC_F16: combine_elements<half>(to, from, bytes, operation); break;
        case AtomicDtype::ATOMIC_S16: combine_elements<int16_t>(to, from, bytes, operation); break;
        case AtomicDtype::ATOMIC_S32: combine_elements<int32_t>(to, from, bytes, operation); break;
        case AtomicDtype::ATOMIC_S8: combine_elements<int8_t>(to, from, bytes, operation); break;
        case AtomicDtype::ATOMIC_BF16: combine_elements<bfloat16_t>(to, from, bytes, operation); break;
        case AtomicDtype::ATOMIC_NONE: break;
    }
    pthread_mutex_unlock(mutex);
}

}  // namespace opwright
