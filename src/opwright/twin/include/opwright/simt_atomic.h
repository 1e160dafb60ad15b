// Atomic read-modify-write of one element. Gives the old value back.
//
// Threads of a block alternate on one processor, so that a plain update of UB is atomic already. Cores run on several:
// in global memory a number is changed by the processor's own atomic operations, or tried until no other core came
// between.
#pragma once

#include "simt_pointers.h"
#include "simt_warp.h"

namespace opwright {

template <uint64_t bytes>
struct WordOf;
template <>
struct WordOf<2> {
    using type = uint16_t;
};
template <>
struct WordOf<4> {
    using type = uint32_t;
};
template <>
struct WordOf<8> {
    using type = uint64_t;
};

// A type that follows from another parameter, not from this one.
template <typename T>
struct NotDeduced {
    using type = T;
};

template <Memory memory, typename T, typename Update>
OPWRIGHT_INLINE T exchange(T* at, Update update) {
    if constexpr (memory == Memory::UB) {
        const T old = *at;
        *at = update(old);
        return old;
    } else {
        using Word = typename WordOf<sizeof(T)>::type;
        Word* const word = reinterpret_cast<Word*>(at);
        Word seen = __atomic_load_n(word, __ATOMIC_RELAXED);
        for (;;) {
            T old;
            __builtin_memcpy(&old, &seen, sizeof old);
            const T made = update(old);
            Word wanted;
            __builtin_memcpy(&wanted, &made, sizeof wanted);
            if (__atomic_compare_exchange_n(word, &seen, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
        }
    }
}

// `adds`: of floats the order of such updates shows in the last bits.
template <typename T, Memory memory, typename Update>
OPWRIGHT_INLINE T atomic(const Pointer<T, memory>& address, int32_t line, bool adds, Update update) {
    T* const at = address.at({0, line});
    const bool adds_floats = adds && !std::is_integral<T>::value;
    tell(line, memory, ThreadAccessKind::ATOMIC, address.base(), at, adds_floats ? kThreadAddsFloats : 0);
    return exchange<memory>(at, update);
}

}  // namespace opwright

#define OPWRIGHT_ATOMIC(name, adds, result)                                                                      \
    template <typename T, opwright::Memory memory>                                                              \
    __aicore__ inline T name(const opwright::Pointer<T, memory>& address, typename opwright::NotDeduced<T>::type val, \
                             int32_t line = __builtin_LINE()) {                                                 \
        return opwright::atomic(address, line, adds, [=](T old) -> T { return result; });                       \
    }
OPWRIGHT_ATOMIC(asc_atomic_add, true, opwright::added(old, val))
OPWRIGHT_ATOMIC(asc_atomic_sub, true, opwright::subtracted(old, val))
OPWRIGHT_ATOMIC(asc_atomic_exch, false, ((void)old, val))
OPWRIGHT_ATOMIC(asc_atomic_max, false, opwright::greater(old, val))
OPWRIGHT_ATOMIC(asc_atomic_min, false, opwright::smaller(old, val))
OPWRIGHT_ATOMIC(asc_atomic_inc, false, old >= val ? 0 : old + 1)
OPWRIGHT_ATOMIC(asc_atomic_dec, false, old == 0 || old > val ? val : old - 1)
OPWRIGHT_ATOMIC(asc_atomic_and, false, old & val)
OPWRIGHT_ATOMIC(asc_atomic_or, false, old | val)
OPWRIGHT_ATOMIC(asc_atomic_xor, false, old ^ val)
#undef OPWRIGHT_ATOMIC

// Compares bits: -0.0 is not 0.0, and a NaN is itself.
template <typename T, opwright::Memory memory>
__aicore__ inline T asc_atomic_cas(const opwright::Pointer<T, memory>& address,
                                   typename opwright::NotDeduced<T>::type compare, typename opwright::NotDeduced<T>::type val,
                                   int32_t line = __builtin_LINE()) {
    return opwright::atomic(address, line, false, [=](T old) -> T {
        return __builtin_memcmp(&old, &compare, sizeof old) == 0 ? val : old;
    });
}
