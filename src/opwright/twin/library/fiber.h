// The context switch between a worker and the cores it runs, and the floating-point control they run under.
//
// In: a place to save the stack pointer and the stack pointer to continue with. Out: nothing; the call returns when
// another fiber switches back. Only callee-saved registers are kept: the compiler saves the others around the call.
// Floating-point control is not switched: every core runs under FloatControl, which a worker holds for a launch.
// Refuses (at compile time) any processor but x86-64 and aarch64.
#pragma once

#include <cstdint>

extern "C" {
void opwright_switch(void** save, void* resume) __attribute__((visibility("hidden")));
void opwright_fiber_start() __attribute__((visibility("hidden")));
}

#if defined(__x86_64__)

// opwright_fiber_start is where a new fiber begins: it calls r13(r12), which must not return. Its return address is
// marked undefined so that a debugger's backtrace ends there.
asm(R"(
    .pushsection .text
    .p2align 4
    .globl opwright_switch
    .hidden opwright_switch
    .type opwright_switch, @function
opwright_switch:
    .cfi_startproc
    endbr64
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    retq
    .cfi_endproc
    .size opwright_switch, .-opwright_switch

    .p2align 4
    .globl opwright_fiber_start
    .hidden opwright_fiber_start
    .type opwright_fiber_start, @function
opwright_fiber_start:
    .cfi_startproc
    .cfi_undefined rip
    endbr64
    movq %r12, %rdi
    callq *%r13
    ud2
    .cfi_endproc
    .size opwright_fiber_start, .-opwright_fiber_start
    .popsection
)");

namespace opwright {

// Lays out a stack so that the first switch to the result calls function(argument).
inline void* fiber_prepare(uint8_t* top, void (*function)(void*), void* argument) {
    auto words = reinterpret_cast<uint64_t*>(top - 16);  // 16: the call in opwright_fiber_start finds sp aligned
    *--words = reinterpret_cast<uint64_t>(&opwright_fiber_start);
    *--words = 0;                                      // rbp: ends a walk over frame pointers
    *--words = 0;                                      // rbx
    *--words = reinterpret_cast<uint64_t>(argument);   // r12
    *--words = reinterpret_cast<uint64_t>(function);   // r13
    *--words = 0;                                      // r14
    *--words = 0;                                      // r15
    return words;
}

inline void pause_briefly() { __builtin_ia32_pause(); }

// Round to nearest, denormals kept, every exception masked. The caller's register, sticky exception bits included,
// comes back at the end, whatever the kernels did.
struct FloatControl {
    uint32_t saved = __builtin_ia32_stmxcsr();
    FloatControl() { __builtin_ia32_ldmxcsr(0x1f80); }
    ~FloatControl() { __builtin_ia32_ldmxcsr(saved); }
};

}  // namespace opwright

#elif defined(__aarch64__)

// As above, with x19 the argument and x20 the function. d8-d15 are callee-saved too.
asm(R"(
    .pushsection .text
    .p2align 4
    .globl opwright_switch
    .hidden opwright_switch
    .type opwright_switch, %function
opwright_switch:
    .cfi_startproc
    hint #34
    sub sp, sp, #160
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
    .cfi_endproc
    .size opwright_switch, .-opwright_switch

    .p2align 4
    .globl opwright_fiber_start
    .hidden opwright_fiber_start
    .type opwright_fiber_start, %function
opwright_fiber_start:
    .cfi_startproc
    .cfi_undefined x30
    mov x0, x19
    blr x20
    brk #1
    .cfi_endproc
    .size opwright_fiber_start, .-opwright_fiber_start
    .popsection
)");

namespace opwright {

inline void* fiber_prepare(uint8_t* top, void (*function)(void*), void* argument) {
    auto words = reinterpret_cast<uint64_t*>(top - 16 - 160);
    for (int i = 0; i < 20; ++i) words[i] = 0;
    words[0] = reinterpret_cast<uint64_t>(argument);
    words[1] = reinterpret_cast<uint64_t>(function);
    words[11] = reinterpret_cast<uint64_t>(&opwright_fiber_start);
    return words;
}

inline void pause_briefly() { asm volatile("yield" ::: "memory"); }

// FPCR holds the control, FPSR the sticky exception bits; both come back.
struct FloatControl {
    uint64_t control, status;
    FloatControl() {
        asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(status));
        asm volatile("msr fpcr, %0" ::"r"(uint64_t{0}) : "memory");
    }
    ~FloatControl() { asm volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(control), "r"(status) : "memory"); }
};

}  // namespace opwright

#else
#error "opwright's twin runs on x86-64 and aarch64"
#endif
