// A slot: what one core needs to run. Its stack, its on-chip memories, its Core.
//
// In: a launch and a block. Out: a slot whose core is ready to start. Refuses by returning the number of bytes that
// the system did not give. Contents of the memories are whatever the last block left: so it is on the chip.
//
// Layout of the stack, kStackBytes aligned to kStackBytes:
//   page 0      this struct; its first word is the Core, where current_core() looks
//   page 1      no access: a stack that grows too far stops here instead of destroying page 0
//   the rest    the stack, growing down
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>

#include <opwright/context.h>

#include "cold.h"

namespace opwright {

struct Launch;
struct Worker;
struct PrintBuffer;

enum class SlotState : uint32_t { RUNNING, PARKED, ENDED };

struct Slot {
    Core* self;  // first: read by current_core()
    Core core;
    Group group;
    void* stack_pointer;  // of the fiber, while it does not run
    Worker* worker;
    Launch* launch;
    Slot* next;  // in the list of parked or of free slots
    PrintBuffer* printed;
    SlotState state;
    uint32_t generation;  // of the barrier that a parked core waits for
    int32_t line;         // where it waits
    uint64_t capacity[kMemories];
};
static_assert(sizeof(Slot) <= 4096, "a slot lives in the lowest page of its stack");
static_assert(offsetof(Slot, self) == 0, "current_core() reads the first word");

// Core pointers handed to kernels always point into a slot, which starts where its stack does.
inline Slot* slot_of(Core* core) {
    return reinterpret_cast<Slot*>(reinterpret_cast<uintptr_t>(core) & ~(kStackBytes - 1));
}

inline uint8_t* map_bytes(uint64_t bytes) {
    void* got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return got == MAP_FAILED ? nullptr : static_cast<uint8_t*>(got);
}

inline uint64_t page_bytes() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

inline uint64_t round_to_page(uint64_t bytes) {
    uint64_t page = page_bytes();
    return (bytes + page - 1) / page * page;
}

OPWRIGHT_COLD Slot* slot_create() {
    // mmap promises page alignment only: take twice as much and give back both ends.
    uint8_t* mapped = map_bytes(2 * kStackBytes);
    if (!mapped) return nullptr;
    auto start = reinterpret_cast<uintptr_t>(mapped);
    auto base = (start + kStackBytes - 1) & ~(kStackBytes - 1);
    auto stack = reinterpret_cast<uint8_t*>(base);
    if (base > start) munmap(mapped, base - start);
    if (base < start + kStackBytes) munmap(stack + kStackBytes, start + kStackBytes - base);
    if (mprotect(stack + page_bytes(), page_bytes(), PROT_NONE) != 0) {
        munmap(stack, kStackBytes);
        return nullptr;
    }
    auto slot = reinterpret_cast<Slot*>(stack);  // fresh pages are zero
    slot->self = &slot->core;
    slot->core.group = &slot->group;
    slot->group.aiv[0] = &slot->core;
    return slot;
}

OPWRIGHT_COLD void slot_destroy(Slot* slot) {
    for (uint32_t m = 0; m < kMemories; ++m) {
        if (slot->capacity[m]) munmap(slot->core.memory[m].base, slot->capacity[m]);
    }
    munmap(slot, kStackBytes);
}

inline bool belongs(uint32_t memory, CoreKind kind) {
    return (memory == static_cast<uint32_t>(Memory::UB)) == (kind == CoreKind::AIV);
}

// A larger arena; false when there is none to be had.
OPWRIGHT_COLD bool slot_grow(Slot* slot, uint32_t memory, uint64_t wanted) {
    uint64_t bytes = round_to_page(wanted);
    uint8_t* mapped = bytes >= wanted ? map_bytes(bytes) : nullptr;
    if (!mapped) return false;
    Arena& arena = slot->core.memory[memory];
    if (slot->capacity[memory]) munmap(arena.base, slot->capacity[memory]);
    arena.base = mapped;
    slot->capacity[memory] = bytes;
    return true;
}

// Gives the core its memories. 0, or how many bytes could not be had. Pages are aligned to far more than 512 bytes.
inline uint64_t slot_memories(Slot* slot, const LaunchRecord* record) {
    Core& core = slot->core;
    for (uint32_t m = 0; m < kMemories; ++m) {
        uint64_t wanted = belongs(m, core.kind) ? record->memory_bytes[m] : 0;
        if (wanted > slot->capacity[m] && !slot_grow(slot, m, wanted)) return wanted;
        core.memory[m].bytes = wanted;  // a larger arena of an earlier launch stays, but the core does not see it
    }
    return 0;
}

}  // namespace opwright
