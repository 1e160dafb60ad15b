// Chapter debug_prof: printing from a kernel. The library formats and keeps the text per block.
#pragma once

#include "enums.h"
#include "issue.h"

namespace opwright {

// A format that brings its line with it, since nothing can follow a parameter pack.
struct Format {
    const char* text;
    int32_t line;
    OPWRIGHT_INLINE Format(const char* format, int32_t text_line = __builtin_LINE()) : text(format), line(text_line) {}
};

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

namespace AscendC {

template <typename... Values>
__aicore__ inline void printf(opwright::Format format, Values... values) {
    const opwright::At at(format.line);
    opwright::issue(at, PIPE_S, [=](const opwright::At& here) {
        const opwright::PrintArgument arguments[] = {opwright::print_argument(values)..., {}};
        here.core.library->print(&here.core, here.line, format.text, arguments, sizeof...(values));
    });
}

}  // namespace AscendC
