// What threads print, and where they stop.
#pragma once

#include "print_argument.h"
#include "simt_element.h"

namespace opwright {

// A format that brings its line with it, since nothing can follow a parameter pack.
struct ThreadFormat {
    const char* text;
    int32_t line;
    OPWRIGHT_INLINE ThreadFormat(const char* format, int32_t text_line = __builtin_LINE())
        : text(format), line(text_line) {}
};

}  // namespace opwright

template <typename... Values>
__aicore__ inline void printf(opwright::ThreadFormat format, const Values&... values) {
    const opwright::PrintArgument arguments[] = {opwright::print_argument(opwright::plain(values))..., {}};
    opwright::Core& core = opwright::current_core();
    core.library->print(&core, format.line, format.text, arguments, sizeof...(values));
}

#undef assert
#define assert(condition) \
    (OPWRIGHT_UNLIKELY(!(condition)) ? opwright::fail_thread(__LINE__, opwright::Fault::THREAD_STOP) : (void)0)
