// A slot: what one core needs to run. Its stack, its on-chip memories, its Core.
//
// In: the kind of the core, which a slot keeps for good, and a launch. Out: a slot with the memories of that kind.
// Refuses by returning the number of bytes that the system did not give. Contents of the memories are whatever the
// last block left: so it is on the chip.
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
    Group group;          // in the slot of a group's first core: what Core::group of all of them points to
    uint32_t living;      // there too: how many of them have not ended
    bool is_broken;       // there too: one of them did not end by itself
    bool has_crossed;     // there too: one of them has set a flag between cores, or waited for one
    uint32_t generation;  // of the launch when a parked core looked last
    uint64_t rank;        // of the core in its launch
    void* stack_pointer;  // of the fiber, while it does not run
    Worker* worker;
    Launch* launch;
    Slot* next;  // in the list of free, ready or parked slots
    PrintBuffer* printed;
    SlotState state;
    int32_t line;  // where a parked core waits
    struct {
        Awaited what;
        uint32_t place;  // of a flag: that of its mode, see cross.h
        uint32_t id;
    } awaited;  // and what for
    Arena arena[kMemories];  // what it has; the core sees as much of it as its launch gives it
};
static_assert(sizeof(Slot) <= 4096, "a slot lives in the lowest page of its stack");
static_assert(offsetof(Slot, self) == 0, "current_core() reads the first word");

// Every Core and every Group lies in a slot, which starts where its stack does.
inline Slot* slot_of(const void* part) {
    return reinterpret_cast<Slot*>(reinterpret_cast<uintptr_t>(part) & ~(kStackBytes - 1));
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

// As many bytes, aligned to kStackBytes; null when there are none to be had.
OPWRIGHT_COLD uint8_t* map_aligned(uint64_t bytes) {
    // mmap promises page alignment only: take more and give back both ends.
    uint8_t* mapped = map_bytes(bytes + kStackBytes);
    if (!mapped) return nullptr;
    auto start = reinterpret_cast<uintptr_t>(mapped);
    auto base = (start + kStackBytes - 1) & ~(kStackBytes - 1);
    auto aligned = reinterpret_cast<uint8_t*>(base);
    if (base > start) munmap(mapped, base - start);
    if (base < start + kStackBytes) munmap(aligned + bytes, start + kStackBytes - base);
    return aligned;
}

OPWRIGHT_COLD Slot* slot_create(CoreKind kind) {
    uint8_t* stack = map_aligned(kStackBytes);
    if (!stack) return nullptr;
    if (mprotect(stack + page_bytes(), page_bytes(), PROT_NONE) != 0) {
        munmap(stack, kStackBytes);
        return nullptr;
    }
    auto slot = reinterpret_cast<Slot*>(stack);  // fresh pages are zero
    slot->self = &slot->core;
    slot->core.kind = kind;
    return slot;
}

OPWRIGHT_COLD void slot_destroy(Slot* slot) {
    for (Arena& arena : slot->arena) {
        if (arena.base) munmap(arena.base, arena.bytes);
    }
    munmap(slot, kStackBytes);
}

// A larger arena; false when there is none to be had.
OPWRIGHT_COLD bool arena_grow(Arena& arena, uint64_t wanted) {
    uint64_t bytes = round_to_page(wanted);
    uint8_t* mapped = bytes >= wanted ? map_bytes(bytes) : nullptr;
    if (!mapped) return false;
    if (arena.base) munmap(arena.base, arena.bytes);
    arena = {mapped, bytes};
    return true;
}

// Gives the core one memory; false when it could not be had. Pages are aligned to far more than 512 bytes. Behind L0B
// lie the indices of sparse matrices, which have no address of their own: see cube_sparse.h.
inline bool slot_memory(Slot* slot, uint32_t memory, uint64_t wanted) {
    Arena& arena = slot->arena[memory];
    const uint64_t indices = memory == static_cast<uint32_t>(Memory::L0B) ? wanted / 4 : 0;
    if (wanted + indices > arena.bytes && !arena_grow(arena, wanted + indices)) return false;
    slot->core.memory[memory] = {wanted ? arena.base : nullptr, wanted};
    return true;
}

// Gives the core its memories: UB to an AIV, the others to an AIC. Those of the other kind stay null, as they came.
// 0, or how many bytes could not be had.
inline uint64_t slot_memories(Slot* slot, CoreKind kind, const uint64_t* wanted) {
    constexpr auto ub = static_cast<uint32_t>(Memory::UB);
    if (kind == CoreKind::AIV) return slot_memory(slot, ub, wanted[ub]) ? 0 : wanted[ub];
    for (uint32_t m = 0; m < kMemories; ++m) {
        if (m != ub && !slot_memory(slot, m, wanted[m])) return wanted[m];
    }
    return 0;
}

}  // namespace opwright
