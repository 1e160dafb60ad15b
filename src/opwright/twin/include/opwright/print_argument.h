// Values as the library prints them.
#pragma once

#include "generated/enums.h"
#include "issue.h"

namespace opwright {

template <typename V>
OPWRIGHT_INLINE PrintArgument print_argument(V value) {
    if constexpr (std::is_same<V, const char*>::value) {
        return {PrintKind::TEXT, 0, (uint64_t)value};
    } else if constexpr (std::is_pointer<V>::value) {
        return {PrintKind::POINTER, 0, (uint64_t)value};
    } else if constexpr (std::is_integral<V>::value) {
        const PrintKind kind = std::is_signed<V>::value ? PrintKind::INTEGER : PrintKind::UNSIGNED;
        return {kind, 0, static_cast<uint64_t>(value)};
    } else {
        const double wide = static_cast<float>(value);
        uint64_t bits;
        __builtin_memcpy(&bits, &wide, sizeof bits);
        return {PrintKind::FLOAT, 0, bits};
    }
}

}  // namespace opwright
