// Chapter atomic: whether copies to global memory combine what they bring with what is there. A copy takes this state
// when it is issued, as on the chip, which keeps such settings in order with every pipe.
#pragma once

#include "generated/enums.h"
#include "issue.h"

namespace opwright {

// Numbered as in AtomicDtype; 0 for a type that cannot be combined.
template <typename T>
constexpr uint8_t atomic_type() {
    using AscendC::AtomicDtype;
    AtomicDtype type = AtomicDtype::ATOMIC_NONE;
    if (std::is_same<T, float>::value) type = AtomicDtype::ATOMIC_F32;
    if (std::is_same<T, half>::value) type = AtomicDtype::ATOMIC_F16;
    if (std::is_same<T, int16_t>::value) type = AtomicDtype::ATOMIC_S16;
    if (std::is_same<T, int32_t>::value) type = AtomicDtype::ATOMIC_S32;
    if (std::is_same<T, int8_t>::value) type = AtomicDtype::ATOMIC_S8;
    if (std::is_same<T, bfloat16_t>::value) type = AtomicDtype::ATOMIC_BF16;
    return static_cast<uint8_t>(type);
}

template <typename T>
OPWRIGHT_INLINE void set_atomic(const At& at, AtomicKind operation) {
    at.core.atomic = {atomic_type<T>(), static_cast<uint8_t>(operation), at.line};
    at.core.sets(SetState::ATOMIC);
}

template <typename T>
OPWRIGHT_INLINE void set_atomic_add(const At& at) {
    set_atomic<T>(at, AtomicKind::SUM);
}
template <typename T>
OPWRIGHT_INLINE void set_atomic_max(const At& at) {
    set_atomic<T>(at, AtomicKind::MAX);
}
template <typename T>
OPWRIGHT_INLINE void set_atomic_min(const At& at) {
    set_atomic<T>(at, AtomicKind::MIN);
}

// The operation stays what it was; at first it is the sum.
template <typename T>
OPWRIGHT_INLINE void set_atomic_type(const At& at) {
    needs_state(at, SetState::ATOMIC);
    set_atomic<T>(at, static_cast<AtomicKind>(at.core.atomic.operation));
}

OPWRIGHT_INLINE void set_atomic_none(const At& at) {
    at.core.atomic = {};
    at.core.sets(SetState::ATOMIC);
}

// Whether a copy to global memory combines what it brings with what is there.
template <typename T>
OPWRIGHT_INLINE bool is_atomic(const At& at, const Written<T>& dst) {
    if (dst.footprint.memory == Memory::GM) needs_state(at, SetState::ATOMIC);
    const uint8_t type = dst.footprint.atomic.type;
    if (OPWRIGHT_UNLIKELY(type && type != atomic_type<T>())) at.fail(Fault::ATOMIC_TYPE, type);
    return type;
}

}  // namespace opwright
