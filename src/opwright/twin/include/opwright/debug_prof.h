// Chapter debug_prof: printing from a kernel. The library formats and keeps the text per block.
#pragma once

#include "generated/enums.h"
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

#include "sync.h"
#include "sys_var.h"
#include "tensor.h"

namespace opwright {

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
__aicore__ inline void print_row(const At& at, const T* elements, uint64_t count, bool has_more) {
    print(at, "[");
    for (uint64_t i = 0; i < count; ++i) {
        if (i) print(at, ", ");
        print(at, std::is_integral<T>::value ? "%d" : "%g", widen(elements[i]));
    }
    print(at, has_more ? ", ...]\n" : "]\n");
}

// What is printed, as rows of `width` elements, `total` in all; what is beyond follows in a row of its own.
struct Rows {
    uint64_t width;
    uint64_t total;
};

template <typename T>
__aicore__ inline void print_rows(const At& at, const T* elements, uint64_t count, const Rows& rows) {
    const uint64_t end = rows.total < count ? rows.total : count;
    for (uint64_t first = 0; first < end; first += rows.width) {
        const uint64_t left = end - first;
        print_row(at, elements + first, left < rows.width ? left : rows.width, left < rows.width);
    }
    if (end < count || count == 0) print_row(at, elements + end, count - end, false);
}

__aicore__ inline Rows rows_of(const AscendC::ShapeInfo& shape_info, uint64_t count) {
    const Extents& shape = shape_info.shape;
    if (shape.dims == 0) return {count, count};
    return {shape.values[shape.dims - 1], static_cast<uint64_t>(AscendC::GetShapeSize(shape_info))};
}

// The piece of a tensor that is printed.
template <typename T>
OPWRIGHT_INLINE Runs dumped(uint32_t first, uint32_t count) {
    return {1, uint64_t(count) * sizeof(T), uint64_t(count) * sizeof(T), uint64_t(first) * sizeof(T)};
}

// All earlier work of the core ends first, and none starts during it. The body tells that it is done, so that no mode puts
// it off: what is printed comes in the order of the program.
template <typename Tensor>
__aicore__ inline void dump(const At& at, pipe_t pipe, const char* call, const Tensor& tensor, Argument<uint32_t> number,
                            uint32_t first, uint32_t count, Rows rows) {
    using T = typename ElementOf<Tensor>::type;
    note_barrier(at, PIPE_ALL);
    issue(at, pipe, [=](const At& here, auto view) {
        print(here, "%s: core %u, number %u, %u elements of ", call, here.core.block, number.value, count);
        print_type<T>(here);
        print(here, " in ");
        print_place(here, view.footprint.memory, view.footprint.address + first * sizeof(T));
        print(here, "\n");
        print_rows(here, count ? view.data() + first : nullptr, count, rows);
        return true;
    }, reads(tensor, 0, dumped<T>(first, count)));
    note_barrier(at, PIPE_ALL);
}

OPWRIGHT_INLINE void print_time_stamp(const At& at, uint32_t number) {
    print(at, "PrintTimeStamp: core %u, number %u, cycle %u\n", at.core.block, number, system_cycle(at));
}

OPWRIGHT_INLINE void metrics_prof_start(const At&) {}
OPWRIGHT_INLINE void metrics_prof_stop(const At&) {}

// What is printed leaves the core by a copy to global memory, or stands there.
template <typename T>
OPWRIGHT_INLINE constexpr pipe_t dump_pipe(const AscendC::LocalTensor<T>&) {
    return PIPE_MTE3;
}
template <typename T>
OPWRIGHT_INLINE constexpr pipe_t dump_pipe(const AscendC::GlobalTensor<T>&) {
    return PIPE_MTE2;
}

}  // namespace opwright

namespace AscendC {

template <typename Tensor>
__aicore__ inline void DumpTensor(const Tensor& tensor, opwright::Argument<uint32_t> desc,
                                  opwright::Argument<uint32_t> dump_size, int32_t line = __builtin_LINE()) {
    const opwright::At at(line);
    opwright::require_fits(at, 1, desc);
    opwright::require_fits(at, 2, dump_size);
    opwright::dump(at, opwright::dump_pipe(tensor), "DumpTensor", tensor, desc, 0, dump_size, {dump_size, dump_size});
}

template <typename Tensor>
__aicore__ inline void DumpTensor(const Tensor& tensor, opwright::Argument<uint32_t> desc,
                                  opwright::Argument<uint32_t> dump_size, const ShapeInfo& shape_info,
                                  int32_t line = __builtin_LINE()) {
    const opwright::At at(line);
    opwright::require_fits(at, 1, desc);
    opwright::require_fits(at, 2, dump_size);
    const opwright::Rows rows = opwright::rows_of(shape_info, dump_size);
    opwright::dump(at, opwright::dump_pipe(tensor), "DumpTensor", tensor, desc, 0, dump_size, rows);
}

template <typename Tensor>
__aicore__ inline void DumpAccChkPoint(const Tensor& tensor, opwright::Argument<uint32_t> index,
                                       opwright::Argument<uint32_t> count_off, opwright::Argument<uint32_t> dump_size,
                                       int32_t line = __builtin_LINE()) {
    const opwright::At at(line);
    opwright::require_fits(at, 1, index);
    opwright::require_fits(at, 2, count_off);
    opwright::require_fits(at, 3, dump_size);
    opwright::dump(at, opwright::dump_pipe(tensor), "DumpAccChkPoint", tensor, index, count_off, dump_size,
                   {dump_size, dump_size});
}

}  // namespace AscendC
