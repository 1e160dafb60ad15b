// A worker: one operating-system thread running groups of cores of a launch, each core in its own fiber.
//
// In: a launch. Out: every core that this worker started has ended, failed or been abandoned. A fiber stays on the
// thread that started it, and so does a group. A core that waits is parked, and the worker goes on with another one,
// so all cores of a launch can be alive on one thread. The slots of a group are given back when all its cores have
// ended: until then they see each other and each other's memories.
#pragma once

#include <utility>

#include "copy.h"
#include "launch.h"
#include "thread_stacks.h"

namespace opwright {

// Free slots of each kind that a worker keeps for its next launch: as many as one thread needs when all cores of a
// chip meet at a barrier. A slot costs the pages it has touched: some 200 KB for an AIV, up to 1 MB for an AIC.
constexpr uint32_t kKeptSlots[kKinds] = {48, 24};

struct Worker {
    void* stack_pointer;  // of the thread, while a fiber runs
    Slot* free[kKinds];
    uint32_t free_count[kKinds];
    Slot* ready;   // have yet to begin
    Slot* parked;  // oldest first, hence also lowest generation first
    Slot** parked_end;
    ThreadRun* threads;  // made for the first block that has threads
    void* checked;       // in checked mode: what is known about them
};

void checker_forget_threads(void* checked);  // check/threads.h

OPWRIGHT_COLD void worker_destroy(Worker* worker) {
    for (Slot*& first : worker->free) {
        while (Slot* slot = first) {
            first = slot->next;
            slot_destroy(slot);
        }
    }
    thread_run_destroy(worker->threads);
    if (worker->checked) checker_forget_threads(worker->checked);
    free(worker);
}

// Back to the thread. Returns when the worker resumes this fiber.
inline void fiber_leave(Slot* slot, SlotState state) {
    copy_fence();
    slot->state = state;
    opwright_switch(&slot->stack_pointer, slot->worker->stack_pointer);
}

void checker_forget(Core* core);  // check/checker.h
void checker_barrier(Core* core, int32_t line, bool aiv_only, bool comes);
void checker_left_set(Core* core, uint32_t event, int32_t event_id, int32_t line);
void checker_left_on(Core* core);
void checker_left_crossed(Core* core, int32_t line, const int64_t* details, uint32_t count);
void perturb_begin(Core* core);  // check/perturb.h
void perturb_finish(Core* core);
void perturb_forget(Core* core);

// A flag that is still set when a kernel ends would disturb the next kernel on the chip.
inline void core_check_flags(Slot* slot) {
    Core& core = slot->core;
    for (uint32_t event = 0; event < kEvents; ++event) {
        if (__builtin_expect(core.flags[event] == 0, 1)) continue;
        if (core.order) {
            for (uint32_t id = 0; id < kEventIds; ++id) {
                const auto event_id = static_cast<int32_t>(id);
                if (core.flags[event] >> id & 1) checker_left_set(&core, event, event_id, core.flag_lines[event][id]);
            }
            continue;
        }
        int event_id = __builtin_ctz(core.flags[event]);
        int64_t details[] = {event, event_id};
        launch_fail(*slot->launch, slot->rank, Fault::LEFT_SET, core.flag_lines[event][event_id], details, 2);
        return;
    }
}

inline void fiber_main(void* argument) {
    auto slot = static_cast<Slot*>(argument);
    if (slot->core.launch->mode == kPerturbed) perturb_begin(&slot->core);
    slot->launch->entry[index_of(slot->core.kind)](slot->launch->record->slot_values());
    if (slot->core.held) perturb_finish(&slot->core);
    core_check_flags(slot);
    if (slot->core.launch->mode == kChecked) checker_left_on(&slot->core);
    fiber_leave(slot, SlotState::ENDED);
}

OPWRIGHT_COLD void core_free_shapes(Core* core) {
    while (void* shape = core->shapes) {
        memcpy(&core->shapes, shape, sizeof shape);
        free(shape);
    }
}

inline void worker_give_back(Worker* worker, Slot* slot) {
    if (slot->core.shapes) core_free_shapes(&slot->core);
    free(slot->core.crossed);
    if (slot->core.order) checker_forget(&slot->core);
    if (slot->core.held) perturb_forget(&slot->core);
    if (slot->printed) {
        launch_keep_print(*slot->launch, slot->printed);
        slot->printed = nullptr;
    }
    uint32_t kind = index_of(slot->core.kind);
    if (worker->free_count[kind] >= kKeptSlots[kind]) {
        slot_destroy(slot);
        return;
    }
    slot->next = worker->free[kind];
    worker->free[kind] = slot;
    ++worker->free_count[kind];
}

// A slot with its memories; null when there is no memory, which is then the core's fault.
inline Slot* worker_slot(Worker* worker, Launch& launch, CoreKind kind, uint64_t rank) {
    uint64_t missing = kStackBytes;
    Slot* slot = worker->free[index_of(kind)];
    if (slot) {
        worker->free[index_of(kind)] = slot->next;
        --worker->free_count[index_of(kind)];
    } else {
        slot = slot_create(kind);
    }
    if (slot) {
        missing = slot_memories(slot, kind, launch.record->memory_bytes);
        if (!missing) return slot;
        slot_destroy(slot);
    }
    auto detail = static_cast<int64_t>(missing);
    launch_fail(launch, rank, Fault::NO_MEMORY, 0, &detail, 1);
    return nullptr;
}

// A core of a group, ready to be switched to; null when there is no memory for it. Out of line: two copies of it take the
// compiler longer than its call costs.
__attribute__((noinline)) static Slot* worker_core(Worker* worker, Launch& launch, uint32_t group, uint32_t place, Slot* first) {
    Slot* slot = worker_slot(worker, launch, place ? CoreKind::AIV : CoreKind::AIC, rank_of(group, place));
    if (!slot) return nullptr;
    if (!first) {
        first = slot;
        first->group = {};
        first->living = launch.members;
        first->is_broken = first->has_crossed = false;
    }
    Core& core = slot->core;
    (place ? first->group.aiv[place - 1] : first->group.aic) = &core;
    core.library = launch.library;
    core.launch = launch.record;
    core.group = &first->group;
    core.block = block_of(launch, group, place);
    core.sub_block = place ? place - 1 : 0;
    core.alias_count = 0;
    memset(core.flags, 0, sizeof core.flags);
    memset(core.event_ids, 0, sizeof core.event_ids);
    core.dequant = {};
    core.pad_value = {};
    core.product_mode = {};
    core.results = {};
    core.load_settings = {};
    core.pipe = nullptr;
    core.newest_stamp = 0;
    memset(core.stamps, 0, sizeof core.stamps);
    core.shapes = nullptr;
    core.order = nullptr;
    core.held = nullptr;
    core.cycle = 0;
    core.gathered = 0;
    core.workspace = 0;
    memset(core.contexts, 0, sizeof core.contexts);
    memset(core.watches, 0, sizeof core.watches);
    core.is_watching = false;
    memset(core.merged, 0, sizeof core.merged);
    memset(core.compared, 0, sizeof core.compared);
    core.mask.reset();
    core.atomic = {};
    core.unset = launch.record->mode == kChecked ? kEveryState : 0;
    core.crossed = nullptr;
    core.has_waited = false;
    slot->rank = rank_of(group, place);
    slot->worker = worker;
    slot->launch = &launch;
    slot->state = SlotState::RUNNING;
    slot->awaited = {};
    slot->stack_pointer = fiber_prepare(reinterpret_cast<uint8_t*>(slot) + kStackBytes, fiber_main, slot);
    return slot;
}

__attribute__((noinline)) static void worker_give_back_group(Worker* worker, Group group) {
    Core* cores[] = {group.aic, group.aiv[0], group.aiv[1]};
    for (Core* core : cores) {
        if (core) worker_give_back(worker, slot_of(core));
    }
}

__attribute__((noinline)) static Slot* worker_start_group(Worker* worker, Launch& launch, uint32_t group) {
    Slot* cores[kRanks];
    uint32_t count = 0;
    for (uint32_t place = launch.aic ? 0 : 1; place <= launch.aiv; ++place) {
        cores[count] = worker_core(worker, launch, group, place, count ? cores[0] : nullptr);
        if (!cores[count]) {
            if (count) worker_give_back_group(worker, cores[0]->group);
            return nullptr;
        }
        ++count;
    }
    // At most three: what lies in between stays.
    if (launch.backwards) std::swap(cores[0], cores[count - 1]);
    for (uint32_t i = count; i-- > 1;) {
        cores[i]->next = worker->ready;
        worker->ready = cores[i];
    }
    return cores[0];
}

// Starts a group: returns its first core and makes the others ready. Null when there is no memory for all of them.
inline Slot* worker_start(Worker* worker, Launch& launch, uint32_t group) {
    // Out of line what an AIV on its own does not need: it must not pay for larger groups.
    if (launch.aic || launch.members > 1) return worker_start_group(worker, launch, group);
    return worker_core(worker, launch, group, 1, nullptr);
}

OPWRIGHT_COLD void group_check_crossed(const Group& group);  // missing.h

// A core has ended or been abandoned. Flags between cores that are left are reported for groups whose cores ended by
// themselves.
inline void worker_end(Worker* worker, Slot* slot) {
    Slot* first = slot_of(slot->core.group);
    if (slot->state != SlotState::ENDED) first->is_broken = true;
    if (--first->living) return;
    if (__builtin_expect(first->has_crossed, 0) && !first->is_broken) {
        group_check_crossed(first->group);
    }
    if (slot->launch->members == 1) {
        worker_give_back(worker, slot);
    } else {
        worker_give_back_group(worker, first->group);
    }
}

inline Slot* worker_unpark(Worker* worker) {
    Slot* slot = worker->parked;
    worker->parked = slot->next;
    if (!worker->parked) worker->parked_end = &worker->parked;
    return slot;
}

OPWRIGHT_COLD Waiter waiter_of(const Slot* slot);  // missing.h

__attribute__((noinline)) static void worker_run(Worker* worker, Launch& launch) {
    FloatControl control;
    worker->ready = worker->parked = nullptr;
    worker->parked_end = &worker->parked;
    for (;;) {
        Slot* slot;
        uint32_t group;
        if (worker->ready) {
            slot = worker->ready;
            worker->ready = slot->next;
        } else if (worker->parked && worker->parked->generation != load(launch.generation)) {
            slot = worker_unpark(worker);
        } else if ((group = launch_take(launch)) != kNoGroup) {
            slot = worker_start(worker, launch, group);
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
            worker_end(worker, slot);
        }
    }
    // Stuck. The stacks of these cores are simply used again: kernel objects have no destructors that matter. All are
    // looked at first: a core that is reported is looked for in its group.
    for (Slot* slot = worker->parked; slot; slot = slot->next) launch_abandon(launch, waiter_of(slot));
    while (worker->parked) worker_end(worker, worker_unpark(worker));
}

// The functions of the Library table that act on a fiber. They run on its stack.

OPWRIGHT_COLD void core_fail(Core* core, Fault fault, int32_t line, const int64_t* details, uint32_t count) {
    Slot* slot = slot_of(core);
    launch_fail(*slot->launch, slot->rank, fault, line, details, count, core->block);
    slot_of(core->group)->is_broken = true;
    fiber_leave(slot, SlotState::ENDED);
    __builtin_unreachable();
}

// Cores that wait for each other must all run at once.
inline void core_require_together(Core* core, int32_t line) {
    const Launch& launch = *slot_of(core)->launch;
    if (launch_can_meet(launch)) return;
    int64_t details[] = {static_cast<int64_t>(launch_cores(launch)), launch.record->cores};
    core_fail(core, Fault::SYNC_GRID, line, details, 2);
}

// Parks the core until `ready` says true; it is asked whenever the launch signals.
template <class Ready> inline void core_await(Slot* slot, int32_t line, Ready ready) {
    for (;;) {
        slot->generation = load(slot->launch->generation);
        if (ready()) return;
        slot->line = line;
        fiber_leave(slot, SlotState::PARKED);
    }
}

OPWRIGHT_COLD void cross_refuse_barrier(Core* core, int32_t line, bool aiv_only);  // missing.h

inline void core_sync_all(Core* core, int32_t line, bool aiv_only) {
    Slot* slot = slot_of(core);
    Launch& launch = *slot->launch;
    cross_refuse_barrier(core, line, aiv_only);
    core_require_together(core, line);
    copy_fence();
    if (core->order) checker_barrier(core, line, aiv_only, true);
    const uint32_t opened = load(launch.opened[aiv_only]);  // before arriving: it cannot open without this core
    if (!launch_arrive(launch, aiv_only)) {
        core_await(slot, line, [&] { return load(launch.opened[aiv_only]) != opened; });
    }
    if (core->order) checker_barrier(core, line, aiv_only, false);
}

OPWRIGHT_COLD void core_print(Core* core, int32_t, const char* format, const PrintArgument* arguments, uint32_t count) {
    Slot* slot = slot_of(core);
    if (!slot->printed) slot->printed = print_create(slot->rank);
    if (slot->printed) print_format(*slot->printed, format, arguments, count);
}

}  // namespace opwright
