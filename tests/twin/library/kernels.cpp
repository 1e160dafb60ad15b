// Hand-written entries for the tests of the library, using nothing but context.h. Each unpacks its own slots.
#include <opwright/context.h>

using namespace opwright;

#define EXPORT extern "C" __attribute__((visibility("default")))

template <class T> static T* pointer(uint64_t slot) { return reinterpret_cast<T*>(slot); }

EXPORT void empty(const uint64_t*) {}

static uint32_t aiv_of_group(const Core& core) { return core.launch->group & 255; }

// slots: int32 count[grid], out: how often each block ran; flags and memories must be as promised.
EXPORT void count(const uint64_t* slots) {
    Core& core = current_core();
    bool right = core.group->aiv[0] == &core && core.kind == CoreKind::AIV && core.alias_count == 0;
    right = right && !core.group->aic && !core.group->aiv[1] && core.sub_block == 0;
    for (uint8_t flag : core.flags) right = right && flag == 0;
    for (uint8_t given : core.event_ids) right = right && given == 0;
    right = right && !core.pipe && core.newest_stamp == 0 && !core.shapes;
    for (uint32_t stamp : core.stamps) right = right && stamp == 0;
    Arena& ub = core.memory[static_cast<uint32_t>(Memory::UB)];
    right = right && ub.bytes == core.launch->memory_bytes[0] && reinterpret_cast<uintptr_t>(ub.base) % 512 == 0;
    for (uint32_t m = 1; m < kMemories; ++m) right = right && !core.memory[m].base && !core.memory[m].bytes;
    for (uint64_t i = 0; i < ub.bytes; i += 1024) ub.base[i] = static_cast<uint8_t>(core.block);
    if (ub.bytes) ub.base[ub.bytes - 1] = 1;
    // The next block must not see this.
    memset(core.event_ids, 255, sizeof core.event_ids);
    core.pipe = &core;
    core.newest_stamp = core.stamps[5] = 7;
    for (int i = 0; i < 2; ++i) {
        void** shape = static_cast<void**>(__builtin_malloc(sizeof(void*)));
        *shape = core.shapes;
        core.shapes = shape;
    }
    core.alias_count = 3;
    pointer<int32_t>(slots[0])[core.block] += right ? 1 : 1000;
}

// slots: the block that leaves two flags set, as a mask of blocks.
EXPORT void leave_flags(const uint64_t* slots) {
    Core& core = current_core();
    if (!(slots[0] >> core.block & 1)) return;
    core.flags[kEvents - 1] = 0x84;
    core.flag_lines[kEvents - 1][2] = 50 + static_cast<int32_t>(core.block);
}

// slots: int32 stage[AIVs], int32 wrong[AIVs], rounds. After each barrier every AIV must have done the round before.
EXPORT void barriers(const uint64_t* slots) {
    Core& core = current_core();
    auto stage = pointer<volatile int32_t>(slots[0]);
    int32_t wrong = 0;
    auto rounds = static_cast<int32_t>(slots[2]);
    uint32_t cores = core.launch->grid * aiv_of_group(core);
    for (int32_t round = 1; round <= rounds; ++round) {
        stage[core.block] = round;
        core.library->sync_all(&core, 10 + round, true);
        for (uint32_t i = 0; i < cores; ++i) wrong += stage[i] < round || stage[i] > round + 1;
    }
    pointer<int32_t>(slots[1])[core.block] = wrong;
}

// slots: the blocks from slots[0] on end without coming to the second barrier.
EXPORT void missing(const uint64_t* slots) {
    Core& core = current_core();
    core.library->sync_all(&core, 20, true);
    if (core.block < slots[0]) core.library->sync_all(&core, 30 + static_cast<int32_t>(core.block % 3), true);
}

// slots: two blocks that fail, whether the others wait at a barrier.
EXPORT void failing(const uint64_t* slots) {
    Core& core = current_core();
    if (core.block == slots[0] || core.block == slots[1]) {
        int64_t details[] = {7, -8, core.block};
        core.library->fail(&core, Fault::RULE, 100 + static_cast<int32_t>(core.block), details, 3);
    }
    if (slots[2]) core.library->sync_all(&core, 9, true);
}

EXPORT void printing(const uint64_t* slots) {
    Core& core = current_core();
    PrintArgument block{PrintKind::UNSIGNED, 0, core.block};
    core.library->print(&core, 1, "block %u, ", &block, 1);
    if (slots[0]) core.library->sync_all(&core, 2, true);
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
    core.library->sync_all(&core, 1, true);
    pointer<volatile float>(slots[1])[core.block] = pointer<volatile float>(slots[1])[core.block] * 1.0f;
}

// slots: int32 sum[grid]. 200 KB of stack, across a barrier.
EXPORT void deep(const uint64_t* slots) {
    Core& core = current_core();
    volatile uint8_t data[200 * 1024];
    for (uint32_t i = 0; i < sizeof data; ++i) data[i] = static_cast<uint8_t>(core.block + i);
    core.library->sync_all(&core, 1, true);
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

// What a core of a group sees. The rows of a launch are ordered by group, and in a group AIC, AIV 0, AIV 1.
struct Seen {
    uint64_t runs, entry, kind, block, sub_block, core, group, aic, aiv[2];
    uint64_t base[kMemories], bytes[kMemories];
};

static void see(const uint64_t* slots, CoreKind entry) {
    Core& core = current_core();
    bool cube = core.kind == CoreKind::AIC;
    uint32_t group = cube ? core.block : core.block / aiv_of_group(core);
    Seen& seen = pointer<Seen>(slots[0])[group * 3 + (cube ? 0 : 1 + core.sub_block)];
    auto address = [](const void* place) { return reinterpret_cast<uint64_t>(place); };
    ++seen.runs;
    seen.entry = static_cast<uint64_t>(entry);
    seen.kind = static_cast<uint64_t>(core.kind);
    seen.block = core.block;
    seen.sub_block = core.sub_block;
    seen.core = address(&core);
    seen.group = address(core.group);
    seen.aic = address(core.group->aic);
    for (int i = 0; i < 2; ++i) seen.aiv[i] = address(core.group->aiv[i]);
    for (uint32_t m = 0; m < kMemories; ++m) {
        Arena& arena = core.memory[m];
        seen.base[m] = address(arena.base);
        seen.bytes[m] = arena.bytes;
        if (arena.bytes) arena.base[0] = arena.base[arena.bytes - 1] = 1;
    }
}

// slots: Seen[3 * grid].
EXPORT void see_aiv(const uint64_t* slots) { see(slots, CoreKind::AIV); }
EXPORT void see_aic(const uint64_t* slots) { see(slots, CoreKind::AIC); }

// slots: int32 wrong[AIVs], barriers. An AIC leaves its number in L1 and ends; its AIVs find it there later.
EXPORT void leave_aic(const uint64_t*) {
    Core& core = current_core();
    *reinterpret_cast<uint32_t*>(core.memory[static_cast<uint32_t>(Memory::L1)].base) = 7 * core.block;
}
EXPORT void leave_aiv(const uint64_t* slots) {
    Core& core = current_core();
    for (uint64_t i = 0; i < slots[1]; ++i) core.library->sync_all(&core, 1, true);
    const Core* aic = core.group->aic;
    uint32_t group = core.block / aiv_of_group(core);
    auto left = reinterpret_cast<const uint32_t*>(aic->memory[static_cast<uint32_t>(Memory::L1)].base);
    bool right = aic->kind == CoreKind::AIC && aic->block == group && aic->group == core.group && *left == 7 * group;
    right = right && core.group->aiv[core.sub_block] == &core;
    pointer<int32_t>(slots[0])[core.block] = right ? 0 : 1;
}

// slots: two cores that fail, each as kind << 32 | block; whether the AIVs wait at a barrier. For both kinds.
EXPORT void fail_mixed(const uint64_t* slots) {
    Core& core = current_core();
    uint64_t me = static_cast<uint64_t>(core.kind) << 32 | core.block;
    PrintArgument arguments[] = {{PrintKind::UNSIGNED, 0, static_cast<uint64_t>(core.kind)},
                                 {PrintKind::UNSIGNED, 0, core.block}};
    core.library->print(&core, 1, "%u.%u ", arguments, 2);
    if (slots[2] && core.kind == CoreKind::AIV) core.library->sync_all(&core, 2, true);
    if (me == slots[0] || me == slots[1]) core.library->fail(&core, Fault::TRAP, 3, nullptr, 0);
    if (slots[2] && core.kind == CoreKind::AIV) core.library->sync_all(&core, 4, true);
}

// Comes to the barrier, whatever its kind.
EXPORT void sync(const uint64_t*) {
    Core& core = current_core();
    core.library->sync_all(&core, 5, true);
}

// Comes to the barrier of both kinds.
EXPORT void sync_both(const uint64_t*) {
    Core& core = current_core();
    core.library->sync_all(&core, 6, false);
}

// As `barriers`, for all cores of both kinds: those of a group stand together, the AIC first.
EXPORT void barriers_both(const uint64_t* slots) {
    Core& core = current_core();
    auto stage = pointer<volatile int32_t>(slots[0]);
    const uint32_t members = aiv_of_group(core) + 1, cores = core.launch->grid * members;
    const bool cube = core.kind == CoreKind::AIC;
    const uint32_t group = cube ? core.block : core.block / aiv_of_group(core);
    const uint32_t own = group * members + (cube ? 0 : 1 + core.sub_block);
    int32_t wrong = 0;
    for (int32_t round = 1; round <= static_cast<int32_t>(slots[2]); ++round) {
        stage[own] = round;
        core.library->sync_all(&core, 10 + round, false);
        for (uint32_t i = 0; i < cores; ++i) wrong += stage[i] < round || stage[i] > round + 1;
    }
    pointer<int32_t>(slots[1])[own] = wrong;
}

// slots: int32 programs of the AIC, of AIV 0 and of AIV 1 of a group. A program has a count of steps, then of each step
// whether it waits, its mode, its pipe and its flag; step i stands in line 1001 + i.
EXPORT void cross(const uint64_t* slots) {
    Core& core = current_core();
    auto step = pointer<const int32_t>(slots[core.kind == CoreKind::AIC ? 0 : 1 + core.sub_block]);
    const int32_t count = *step++;
    for (int32_t i = 0; i < count; ++i, step += 4) {
        core.library->cross(&core, 1001 + i, step[0] == 0, static_cast<uint32_t>(step[1]), static_cast<uint32_t>(step[2]),
                            static_cast<uint32_t>(step[3]));
    }
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
                                int32_t (*launch)(const LaunchRecord*, Entry, Entry, Outcome*), uint64_t control) {
    uint64_t before = float_control();
    set_float_control(control);
    launch(record, entry, nullptr, outcome);
    uint64_t after = float_control();
    set_float_control(before);
    return after;
}
