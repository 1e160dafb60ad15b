// A worker: one operating-system thread running the blocks of a launch, each in its own fiber.
//
// In: a launch. Out: every block that this worker started has ended, failed or been abandoned. A fiber stays on the
// thread that started it. A core that waits is parked, and the worker goes on with another block, so all blocks of
// a grid can be alive on one thread.
#pragma once

#include "copy.h"
#include "launch.h"

namespace opwright {

// Free slots that a worker keeps for its next launch: as many as one thread needs when all 48 vector cores of a
// chip meet at a barrier. A slot costs the pages it has touched, some 200 KB.
constexpr uint32_t kKeptSlots = 48;

struct Worker {
    void* stack_pointer;  // of the thread, while a fiber runs
    Slot* free;
    uint32_t free_count;
    Slot* parked;  // oldest first, hence also lowest generation first
    Slot** parked_end;
};

OPWRIGHT_COLD void worker_destroy(Worker* worker) {
    while (Slot* slot = worker->free) {
        worker->free = slot->next;
        slot_destroy(slot);
    }
    free(worker);
}

// Back to the thread. Returns when the worker resumes this fiber.
inline void fiber_leave(Slot* slot, SlotState state) {
    copy_fence();
    slot->state = state;
    opwright_switch(&slot->stack_pointer, slot->worker->stack_pointer);
}

inline void fiber_main(void* argument) {
    auto slot = static_cast<Slot*>(argument);
    slot->launch->entry(slot->launch->record->slot_values());
    fiber_leave(slot, SlotState::ENDED);
}

inline void worker_give_back(Worker* worker, Slot* slot) {
    if (slot->printed) {
        launch_keep_print(*slot->launch, slot->printed);
        slot->printed = nullptr;
    }
    if (worker->free_count >= kKeptSlots) {
        slot_destroy(slot);
        return;
    }
    slot->next = worker->free;
    worker->free = slot;
    ++worker->free_count;
}

// A slot for a block, ready to be switched to; null when there is no memory, which is then the block's fault.
inline Slot* worker_start(Worker* worker, Launch& launch, uint32_t block) {
    uint64_t missing = kStackBytes;
    Slot* slot = worker->free;
    if (slot) {
        worker->free = slot->next;
        --worker->free_count;
    } else {
        slot = slot_create();
    }
    if (slot) {
        Core& core = slot->core;
        core.kind = CoreKind::AIV;
        missing = slot_memories(slot, launch.record);
        if (!missing) {
            core.library = launch.library;
            core.launch = launch.record;
            core.block = block;
            core.sub_block = 0;
            core.alias_count = 0;
            memset(core.flags, 0, sizeof core.flags);
            slot->worker = worker;
            slot->launch = &launch;
            slot->state = SlotState::RUNNING;
            slot->stack_pointer = fiber_prepare(reinterpret_cast<uint8_t*>(slot) + kStackBytes, fiber_main, slot);
            return slot;
        }
        slot_destroy(slot);
    }
    auto detail = static_cast<int64_t>(missing);
    launch_fail(launch, block, CoreKind::AIV, Fault::NO_MEMORY, 0, &detail, 1);
    return nullptr;
}

inline Slot* worker_unpark(Worker* worker) {
    Slot* slot = worker->parked;
    worker->parked = slot->next;
    if (!worker->parked) worker->parked_end = &worker->parked;
    return slot;
}

__attribute__((noinline)) static void worker_run(Worker* worker, Launch& launch) {
    FloatControl control;
    worker->parked = nullptr;
    worker->parked_end = &worker->parked;
    for (;;) {
        Slot* slot;
        uint32_t block;
        if (worker->parked && worker->parked->generation != load(launch.generation)) {
            slot = worker_unpark(worker);
        } else if ((block = launch_take(launch)) != kNoBlock) {
            slot = worker_start(worker, launch, block);
            if (!slot) continue;
        } else if (!worker->parked) {
            return;
        } else if (launch_wait(launch, worker->parked->generation)) {
            continue;
        } else {
            break;
        }
        opwright_switch(&worker->stack_pointer, slot->stack_pointer);
        if (slot->state == SlotState::PARKED) {
            slot->next = nullptr;
            *worker->parked_end = slot;
            worker->parked_end = &slot->next;
        } else {
            worker_give_back(worker, slot);
        }
    }
    // Stuck. The stacks of these cores are simply used again: kernel objects have no destructors that matter.
    while (worker->parked) {
        Slot* slot = worker_unpark(worker);
        launch_abandon(launch, slot->core.block, slot->line);
        worker_give_back(worker, slot);
    }
}

// The functions of the Library table that act on a fiber. They run on its stack.

OPWRIGHT_COLD void core_fail(Core* core, Fault fault, int32_t line, const int64_t* details, uint32_t count) {
    Slot* slot = slot_of(core);
    launch_fail(*slot->launch, core->block, core->kind, fault, line, details, count);
    fiber_leave(slot, SlotState::ENDED);
    __builtin_unreachable();
}

inline void core_sync_all(Core* core, int32_t line) {
    Slot* slot = slot_of(core);
    Launch& launch = *slot->launch;
    if (launch.record->grid > launch.record->cores) {
        // On the chip the cores of the second wave start only when the first has ended: nobody would ever pass.
        int64_t details[] = {launch.record->grid, launch.record->cores};
        core_fail(core, Fault::SYNC_GRID, line, details, 2);
    }
    copy_fence();
    slot->generation = load(launch.generation);  // before arriving: the barrier cannot open without this core
    slot->line = line;
    if (!launch_arrive(launch)) fiber_leave(slot, SlotState::PARKED);
}

OPWRIGHT_COLD void core_print(Core* core, int32_t, const char* format, const PrintArgument* arguments, uint32_t count) {
    Slot* slot = slot_of(core);
    if (!slot->printed) slot->printed = print_create(core->block);
    if (slot->printed) print_format(*slot->printed, format, arguments, count);
}

}  // namespace opwright
