// Hand-written entries for the tests of the library, using nothing but context.h. Each unpacks its own slots.
#include <opwright/context.h>

using namespace opwright;

#define EXPORT extern "C" __attribute__((visibility("default")))

template <class T> static T* pointer(uint64_t slot) { return reinterpret_cast<T*>(slot); }

EXPORT void empty(const uint64_t*) {}

// slots: int32 count[grid], out: how often each block ran; flags and memories must be as promised.
EXPORT void count(const uint64_t* slots) {
    Core& core = current_core();
    bool right = core.group->aiv[0] == &core && core.kind == CoreKind::AIV && core.alias_count == 0;
    for (auto& row : core.flags) {
        for (uint8_t flag : row) right = right && flag == 0;
    }
    Arena& ub = core.memory[static_cast<uint32_t>(Memory::UB)];
    right = right && ub.bytes == core.launch->memory_bytes[0] && reinterpret_cast<uintptr_t>(ub.base) % 512 == 0;
    right = right && core.memory[static_cast<uint32_t>(Memory::L1)].bytes == 0;
    for (uint64_t i = 0; i < ub.bytes; i += 1024) ub.base[i] = static_cast<uint8_t>(core.block);
    if (ub.bytes) ub.base[ub.bytes - 1] = 1;
    memset(core.flags, 255, sizeof core.flags);  // the next block must not see this
    core.alias_count = 3;
    pointer<int32_t>(slots[0])[core.block] += right ? 1 : 1000;
}

// slots: int32 stage[grid], int32 wrong[grid], rounds. After each barrier every block must have done the round before.
EXPORT void barriers(const uint64_t* slots) {
    Core& core = current_core();
    auto stage = pointer<volatile int32_t>(slots[0]);
    int32_t wrong = 0;
    auto rounds = static_cast<int32_t>(slots[2]);
    for (int32_t round = 1; round <= rounds; ++round) {
        stage[core.block] = round;
        core.library->sync_all(&core, 10 + round);
        for (uint32_t i = 0; i < core.launch->grid; ++i) wrong += stage[i] < round || stage[i] > round + 1;
    }
    pointer<int32_t>(slots[1])[core.block] = wrong;
}

// slots: the blocks from slots[0] on end without coming to the second barrier.
EXPORT void missing(const uint64_t* slots) {
    Core& core = current_core();
    core.library->sync_all(&core, 20);
    if (core.block < slots[0]) core.library->sync_all(&core, 30 + static_cast<int32_t>(core.block % 3));
}

// slots: two blocks that fail, whether the others wait at a barrier.
EXPORT void failing(const uint64_t* slots) {
    Core& core = current_core();
    if (core.block == slots[0] || core.block == slots[1]) {
        int64_t details[] = {7, -8, core.block};
        core.library->fail(&core, Fault::RULE, 100 + static_cast<int32_t>(core.block), details, 3);
    }
    if (slots[2]) core.library->sync_all(&core, 9);
}

EXPORT void printing(const uint64_t* slots) {
    Core& core = current_core();
    PrintArgument block{PrintKind::UNSIGNED, 0, core.block};
    core.library->print(&core, 1, "block %u, ", &block, 1);
    if (slots[0]) core.library->sync_all(&core, 2);
    if (core.block == slots[1]) core.library->fail(&core, Fault::TRAP, 3, nullptr, 0);
    core.library->print(&core, 4, "again %3d\n", &block, 1);
}

// slots: format, PrintArgument array, count, repetitions.
EXPORT void format(const uint64_t* slots) {
    Core& core = current_core();
    for (uint64_t i = 0; i < slots[3]; ++i) {
        core.library->print(&core, 1, pointer<const char>(slots[0]), pointer<const PrintArgument>(slots[1]),
                            static_cast<uint32_t>(slots[2]));
    }
}

// slots: float in[grid], float out[grid]. Halves each number: a denormal unless the processor flushes them.
EXPORT void halve(const uint64_t* slots) {
    Core& core = current_core();
    volatile float half = 0.5f;
    pointer<volatile float>(slots[1])[core.block] = pointer<volatile float>(slots[0])[core.block] * half;
    core.library->sync_all(&core, 1);
    pointer<volatile float>(slots[1])[core.block] = pointer<volatile float>(slots[1])[core.block] * 1.0f;
}

// slots: int32 sum[grid]. 200 KB of stack, across a barrier.
EXPORT void deep(const uint64_t* slots) {
    Core& core = current_core();
    volatile uint8_t data[200 * 1024];
    for (uint32_t i = 0; i < sizeof data; ++i) data[i] = static_cast<uint8_t>(core.block + i);
    core.library->sync_all(&core, 1);
    int32_t sum = 0;
    for (uint32_t i = 0; i < sizeof data; ++i) sum += data[i] == static_cast<uint8_t>(core.block + i);
    pointer<int32_t>(slots[0])[core.block] = sum;
}

// slots: destination, source, bytes, 0 streaming or 1 prefetching.
EXPORT void copy(const uint64_t* slots) {
    Core& core = current_core();
    auto function = slots[3] ? core.library->copy_prefetching : core.library->copy_streaming;
    function(pointer<void>(slots[0]), pointer<const void>(slots[1]), slots[2]);
}

#if defined(__x86_64__)
EXPORT uint64_t float_control() { return __builtin_ia32_stmxcsr(); }
EXPORT void set_float_control(uint64_t value) { __builtin_ia32_ldmxcsr(static_cast<uint32_t>(value)); }
EXPORT uint64_t flushing_control() { return 0x1f80 | 0x8040 | 0x6000; }  // FTZ, DAZ, toward zero
#elif defined(__aarch64__)
EXPORT uint64_t float_control() {
    uint64_t value;
    asm volatile("mrs %0, fpcr" : "=r"(value));
    return value;
}
EXPORT void set_float_control(uint64_t value) { asm volatile("msr fpcr, %0" ::"r"(value)); }
EXPORT uint64_t flushing_control() { return (1u << 24) | (3u << 22); }  // FZ, toward zero
#endif

// Sets the register, launches and tells what it holds after: in C, because Python may run on another thread between.
EXPORT uint64_t launch_flushing(const LaunchRecord* record, Entry entry, Outcome* outcome,
                                int32_t (*launch)(const LaunchRecord*, Entry, Outcome*), uint64_t control) {
    uint64_t before = float_control();
    set_float_control(control);
    launch(record, entry, outcome);
    uint64_t after = float_control();
    set_float_control(before);
    return after;
}
