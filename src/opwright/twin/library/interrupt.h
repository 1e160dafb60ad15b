// Ctrl-C: a launch of the program's main thread ends within milliseconds, whatever its kernel does.
//
// In: a launch that Python wants to be interrupted. Out: when SIGINT comes, whether it was. Kernels pay nothing for it:
// there is no test in their loops. Instead the pages of their code lose the permission to be run, so that every core
// stops at its next instruction there, with a SIGSEGV on its own stack, and leaves it as a core that failed does. Code of
// this library is never stopped halfway. The pages are as before when the launch has ended. A launch of the same kernel
// by another thread waits until then.
#pragma once

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <ucontext.h>

#include "scheduler.h"

namespace opwright {

constexpr int32_t kInterrupted = -2;  // what a launch returns then

struct Code {
    uintptr_t start, end;
};

// Static, not inline: two builds of the library in one process must not come to share it. Only the main thread writes it.
static struct {
    pthread_t thread;
    Launch* launch;     // that of the main thread; null: none
    Code code[kKinds];  // what cannot be run now, or could not be before
    bool is_closed;     // it cannot be run
    struct sigaction before, before_fault;
} the_interrupt;

// The pages of a kernel's code, by the program headers of its file.
OPWRIGHT_COLD Code code_of(Entry entry) {
    Dl_info info;
    if (!entry || !dladdr(reinterpret_cast<void*>(entry), &info)) return {};
    const auto base = reinterpret_cast<uintptr_t>(info.dli_fbase), at = reinterpret_cast<uintptr_t>(entry);
    const auto header = reinterpret_cast<const ElfW(Ehdr)*>(base);
    const auto segments = reinterpret_cast<const ElfW(Phdr)*>(base + header->e_phoff);
    const uint64_t page = page_bytes();
    for (uint32_t i = 0; i < header->e_phnum; ++i) {
        const ElfW(Phdr)& segment = segments[i];
        const uintptr_t start = base + segment.p_vaddr, end = start + segment.p_memsz;
        const bool is_code = segment.p_type == PT_LOAD && (segment.p_flags & PF_X) && !(segment.p_flags & PF_W);
        if (is_code && start <= at && at < end) return {start / page * page, (end + page - 1) / page * page};
    }
    return {};
}

OPWRIGHT_COLD bool code_protect(int protection) {
    bool done = true;
    for (const Code& code : the_interrupt.code) {
        if (code.start) done &= mprotect(reinterpret_cast<void*>(code.start), code.end - code.start, protection) == 0;
    }
    return done;
}

// Runs on the stack of a core, or of one of its threads, in place of the kernel's next instruction.
OPWRIGHT_COLD void interrupted_core(Core* core) { core_fail(core, Fault::NO_MEMORY, 0, nullptr, 0); }

OPWRIGHT_COLD void on_fault(int number, siginfo_t* info, void* context) {
    const auto at = reinterpret_cast<uintptr_t>(info->si_addr);
    bool is_ours = false;
    for (const Code& code : the_interrupt.code) is_ours |= code.start <= at && at < code.end;
    if (!is_ours) {
        sigaction(number, &the_interrupt.before_fault, nullptr);  // the instruction faults again, for them
        the_interrupt.before_fault = {};  // who hands it back to us gets the system's own
        return;
    }
    if (!load(the_interrupt.is_closed)) return;  // it can be run again
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    auto stack = static_cast<uintptr_t>(registers.gregs[REG_RSP]);
#else
    auto stack = static_cast<uintptr_t>(registers.sp);
#endif
    Core* core = *reinterpret_cast<Core**>(stack & ~(kStackBytes - 1));  // as current_core() finds it
    if (slot_of(core)->launch != the_interrupt.launch) {
        const timespec moment = {0, 1000000};
        nanosleep(&moment, nullptr);
        return;
    }
    stack = (stack - 256) & ~uintptr_t{15};  // below what a function may use without moving the pointer
#if defined(__x86_64__)
    registers.gregs[REG_RSP] = static_cast<greg_t>(stack - 8);  // as after a call
    registers.gregs[REG_RDI] = reinterpret_cast<greg_t>(core);
    registers.gregs[REG_RIP] = reinterpret_cast<greg_t>(&interrupted_core);
#else
    registers.sp = stack;
    registers.regs[0] = reinterpret_cast<uintptr_t>(core);
    registers.pc = reinterpret_cast<uintptr_t>(&interrupted_core);
#endif
}

OPWRIGHT_COLD void launch_interrupt(Launch& launch) {
    for (uint32_t kind = 0; kind < kKinds; ++kind) the_interrupt.code[kind] = code_of(launch.entry[kind]);
    // It stays, as a fault may be on its way when pages are opened; another may have come in its place since.
    struct sigaction now;
    sigaction(SIGSEGV, nullptr, &now);
    if (now.sa_sigaction != on_fault) {
        struct sigaction action = {};
        action.sa_sigaction = on_fault;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigaction(SIGSEGV, &action, &the_interrupt.before_fault);
    }
    store(launch.limit, 0u);
    store(the_interrupt.is_closed, true);
    code_protect(PROT_READ);
}

OPWRIGHT_COLD void on_interrupt(int number, siginfo_t* info, void* context) {
    if (!pthread_equal(pthread_self(), the_interrupt.thread)) {
        pthread_kill(the_interrupt.thread, number);
        return;
    }
    const int kept = errno;
    const struct sigaction before = the_interrupt.before;
    if (the_interrupt.launch && !the_interrupt.is_closed) launch_interrupt(*the_interrupt.launch);
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);  // Python's: it notes that the signal came
    }
    errno = kept;
}

OPWRIGHT_COLD void interrupt_open() {
    if (!code_protect(PROT_READ | PROT_EXEC)) abort();  // a system that forbids it: the kernel could never run again
    store(the_interrupt.is_closed, false);
}

// From here on SIGINT ends the launch. For the main thread only.
inline void interrupt_watch(Launch& launch) {
    the_interrupt.thread = pthread_self();
    the_interrupt.launch = &launch;
    struct sigaction action = {};
    action.sa_sigaction = on_interrupt;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigaction(SIGINT, &action, &the_interrupt.before);
}

// No worker is inside the launch any more. Whether it was interrupted.
inline bool interrupt_end() {
    sigaction(SIGINT, &the_interrupt.before, nullptr);
    the_interrupt.launch = nullptr;
    const bool was = the_interrupt.is_closed;
    if (was) interrupt_open();
    return was;
}

}  // namespace opwright
