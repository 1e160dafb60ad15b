// Chapter debug_prof: printing from a kernel. The library formats and keeps the text per block.
#pragma once

#include "print_argument.h"

namespace opwright {

// A format that brings its line with it, since nothing can follow a parameter pack.
struct Format {
    const char* text;
    int32_t line;
    OPWRIGHT_INLINE Format(const char* format, int32_t text_line = __builtin_LINE()) : text(format), line(text_line) {}
};

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
