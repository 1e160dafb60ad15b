// Checked mode only: tells of results that are other numbers with a switch the other way.
#pragma once

#include "context.h"
#include "small_floats.h"

namespace opwright {

// A number as the detail of a fault: an integer, or the bits of a double.
template <typename T>
OPWRIGHT_INLINE int64_t noted_number(T number) {
    if constexpr (std::is_integral<T>::value) return static_cast<int64_t>(number);
    else return static_cast<int64_t>(bits_of(static_cast<double>(widen(number))));
}

// `values`: what the result comes of.
template <Switch which, typename T, typename... Values>
__aicore__ __attribute__((cold, noinline)) inline void note_assumed(T taken, T other, Values... values) {
    Core& core = current_core();
    if (!(core.launch->flags & kDoubts)) return;
    constexpr bool are_integers = (std::is_integral<Values>::value || ...);
    const int64_t details[] = {static_cast<int64_t>(which),
                               is_assumed(which),
                               std::is_integral<T>::value,
                               noted_number(taken),
                               noted_number(other),
                               are_integers,
                               sizeof...(values),
                               noted_number(values)...};
    core.library->note(&core, Fault::ASSUMED, core.issued_line, details, 7 + sizeof...(values), 1);
}

template <Switch which, typename T, typename... Values>
OPWRIGHT_INLINE void note_if_other(T taken, T other, Values... values) {
    if (__builtin_memcmp(&taken, &other, sizeof taken) != 0) note_assumed<which>(taken, other, values...);
}

template <typename T>
__aicore__ __attribute__((cold, noinline)) void note_not_finite(const T* results, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        const T off = results[i], on = saturated(off);
        note_if_other<Switch::SATURATE_ARITHMETIC>(kSaturatesArithmetic ? on : off, kSaturatesArithmetic ? off : on);
    }
}

}  // namespace opwright
