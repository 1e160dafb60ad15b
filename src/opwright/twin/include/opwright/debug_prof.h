// Chapter debug_prof: printing from a kernel. The library formats and keeps the text per block.
#pragma once

#include "enums.h"
#include "print_argument.h"
#include "sync.h"
#include "sys_var.h"
#include "tensor.h"

namespace opwright {

// A format that brings its line with it, since nothing can follow a parameter pack.
struct Format {
    const char* text;
    int32_t line;
    OPWRIGHT_INLINE Format(const char* format, int32_t text_line = __builtin_LINE()) : text(format), line(text_line) {}
};

template <typename... Values>
__aicore__ inline void print(const At& at, const char* format, Values... values) {
    const PrintArgument arguments[] = {print_argument(values)..., {}};
    at.core.library->print(&at.core, at.line, format, arguments, sizeof...(values));
}

// The name of an element type in Python.
template <typename T>
__aicore__ inline void print_type(const At& at) {
    if constexpr (std::is_integral<T>::value) {
        print(at, std::is_signed<T>::value ? "int%d" : "uint%d", int32_t(8 * sizeof(T)));
    } else {
        print(at, std::is_same<T, bfloat16_t>::value ? "bfloat16" : std::is_same<T, half>::value ? "float16" : "float32");
    }
}

// Where elements lie: not their address in global memory, which differs from run to run.
__aicore__ inline void print_place(const At& at, Memory memory, uint64_t address) {
    if (memory != Memory::GM) {
        print(at, "UB at byte %u", address);
        return;
    }
    const LaunchRecord& launch = *at.core.launch;
    for (uint32_t i = 0; i < launch.ranges; ++i) {
        const uint64_t offset = address - launch.gm()[i].base;
        if (offset <= launch.gm()[i].bytes) {
            print(at, "argument %u at byte %u", launch.gm()[i].slot, offset);
            return;
        }
    }
    print(at, "nothing");  // no elements, and nowhere
}

template <typename T>
__aicore__ inline void print_row(const At& at, const T* elements, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
        const auto element = widen(elements[i]);
        print(at, i ? ", " : "[");
        print(at, std::is_integral<T>::value ? "%d" : "%g", element);
    }
    print(at, count ? "]\n" : "[]\n");
}

template <typename T>
__aicore__ inline void print_elements(const At& at, const char* call, uint32_t number, Read<T> tensor, uint64_t first, int64_t count) {
    print(at, "%s: core %u, number %u, %d elements of ", call, at.core.block, number, count);
    print_type<T>(at);
    print(at, " in ");
    print_place(at, tensor.footprint.memory, tensor.footprint.address + first * sizeof(T));
    print(at, "\n");
    print_row(at, count ? tensor.data() + first : nullptr, count);
}

// Pieces of a tensor that a check point prints.
template <typename T>
OPWRIGHT_INLINE Runs dumped(uint32_t first, uint32_t count) {
    return {1, uint64_t(count) * sizeof(T), uint64_t(count) * sizeof(T), uint64_t(first) * sizeof(T)};
}

// They tell that they are done, so that no mode puts them off: what is printed comes in the order of the program.
template <typename T>
OPWRIGHT_INLINE bool dump_tensor(const At& at, Read<T> tensor, uint32_t number) {
    print_elements(at, "DumpTensor", number, tensor, 0, tensor.size());
    return true;
}

template <typename T>
OPWRIGHT_INLINE bool dump_point(const At& at, Read<T> tensor, uint32_t number, uint32_t first, uint32_t count) {
    print_elements(at, "DumpAccChkPoint", number, tensor, first, count);
    return true;
}

OPWRIGHT_INLINE void print_time_stamp(const At& at, uint32_t number) {
    print(at, "PrintTimeStamp: core %u, number %u, cycle %u\n", at.core.block, number, system_cycle(at));
}

OPWRIGHT_INLINE void metrics_prof_start(const At&) {}
OPWRIGHT_INLINE void metrics_prof_stop(const At&) {}

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
