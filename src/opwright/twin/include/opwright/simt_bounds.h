// How many threads a function may be run by: the number that its __launch_bounds__ says.
//
// An attribute of a function cannot be read back. So the build hands over all numbers of a text, OPWRIGHT_BOUNDS is
// "scale 1024;shift 2048;", and a function is looked up under the name that the compiler has for it.
#pragma once

#include "issue.h"

namespace opwright {

#ifdef OPWRIGHT_BOUNDS

constexpr bool is_name(char letter) {
    const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    return is_letter || (letter >= '0' && letter <= '9') || letter == '_';
}

// The number behind the name at which `wanted` starts; as many as there can be if it is not in the list.
constexpr uint32_t bound_of(const char* wanted) {
    for (const char* entry = OPWRIGHT_BOUNDS; *entry;) {
        const char* name = wanted;
        while (*entry != ' ' && *entry == *name) ++entry, ++name;
        const bool is_it = *entry == ' ' && !is_name(*name);
        while (*entry++ != ' ') {
        }
        uint32_t bound = 0;
        for (; *entry != ';'; ++entry) bound = bound * 10 + static_cast<uint32_t>(*entry - '0');
        ++entry;
        if (is_it) return bound;
    }
    return kBlockThreads;
}

// g++ says "[with auto bounded = scale; ...", clang "[bounded = &scale]".
template <auto bounded>
constexpr uint32_t launch_bound() {
    const char* said = __PRETTY_FUNCTION__;
    while (*said != '[') ++said;
    while (*said != '=') ++said;
    while (!is_name(*said)) ++said;
    return bound_of(said);
}

#else

template <auto>
constexpr uint32_t launch_bound() {
    return kBlockThreads;
}

#endif

}  // namespace opwright
