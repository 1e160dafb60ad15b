// Checked mode only, before the text of a kernel: scalar integers that overflow. The language says that they wrap, and so
// they do here; but kernels hardly ever mean it, so it is reported.
//
// The compiler tests the arithmetic of the text and calls these functions, which are the kernel's own: nothing of the
// compiler's is linked. What the headers compute wraps on purpose. g++ leaves it out, since it was read under -fwrapv;
// clang tests it too, and what it reports of other files is passed over.
#pragma once

#include "kernel_operator.h"
#ifdef OPWRIGHT_SIMT
#include "simt_api/asc_bf16.h"
#endif

namespace opwright {

// Laid out as the compilers agree: a place with the type of the operands.
struct Arithmetic {
    const char* file;
    uint32_t line;
    uint32_t column;
    const uint16_t* type;  // kind, then twice the logarithm of the bits, plus 1 if signed; a name follows
};

inline bool is_text(const char* file) {
    const char name[] = "kernel.cpp";
    const uint64_t length = __builtin_strlen(file), ours = sizeof name - 1;
    return length >= ours && __builtin_memcmp(file + length - ours, name, ours) == 0;
}

__attribute__((cold, noinline)) inline void note_overflow(const Arithmetic& at, char operation, uint64_t a, uint64_t b) {
    if (!is_text(at.file)) return;
    const uint32_t bits = 1u << (at.type[1] >> 1), unused = bits < 64 ? 64 - bits : 0;
    const int64_t details[] = {operation, static_cast<int64_t>(a << unused) >> unused,
                               static_cast<int64_t>(b << unused) >> unused, bits};
    Core& core = current_core();
    core.library->note(&core, Fault::SCALAR_OVERFLOW, static_cast<int32_t>(at.line), details, 4, 1);
}

}  // namespace opwright

#define OPWRIGHT_HANDLER extern "C" __attribute__((visibility("hidden"), cold, noinline, used)) void

OPWRIGHT_HANDLER __ubsan_handle_add_overflow(const opwright::Arithmetic* at, uint64_t a, uint64_t b) {
    opwright::note_overflow(*at, '+', a, b);
}
OPWRIGHT_HANDLER __ubsan_handle_sub_overflow(const opwright::Arithmetic* at, uint64_t a, uint64_t b) {
    opwright::note_overflow(*at, '-', a, b);
}
OPWRIGHT_HANDLER __ubsan_handle_mul_overflow(const opwright::Arithmetic* at, uint64_t a, uint64_t b) {
    opwright::note_overflow(*at, '*', a, b);
}
OPWRIGHT_HANDLER __ubsan_handle_divrem_overflow(const opwright::Arithmetic* at, uint64_t a, uint64_t b) {
    opwright::note_overflow(*at, '/', a, b);
}
OPWRIGHT_HANDLER __ubsan_handle_negate_overflow(const opwright::Arithmetic* at, uint64_t a) {
    opwright::note_overflow(*at, '-', 0, a);
}

#ifndef __clang__
#pragma GCC optimize("no-wrapv")
#endif
