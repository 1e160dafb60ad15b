// The twin's library: runs the cores of a kernel on operating-system threads.
//
// In: a LaunchRecord and the entries of a compiled kernel. Out: an Outcome. Refuses with -1 a record of another ABI,
// groups that no chip has and cores without an entry.
// Compiled once per machine, as one translation unit from small parts:
//   fiber.h      context switch and floating-point control
//   slot.h       the stack and the memories of a core
//   launch.h     groups left, barrier, faults of one launch
//   scheduler.h  a thread that runs groups of cores, each core a fiber
//   pool.h       threads that help
//   interrupt.h  Ctrl-C
//   print.h      printf
//   printed.h    the text of a launch
//   copy.h       copies to and from global memory
//   combine.h    atomic copies to it
//   meet.h       cores that wait for words of global memory
//   cross.h      flags between cores
//   missing.h    who is missing in a deadlock
//   threads.h    the threads of a block
//   check/       the order of a core's work; only in the library of the checked mode, which takes longer to compile
// The threads it makes are never joined, so it must stay loaded once a launch has run.

#ifdef OPWRIGHT_CHECKS
#include "check/loads.h"
#include "check/meetings.h"
#include "check/perturb.h"
#include "check/replay.h"
#include "check/thread_trace.h"
#include "check/threads.h"
#include "check/trace.h"
#else
#include "check/none.h"
#endif
#include "check/event.h"
#include "combine.h"
#include "interrupt.h"
#include "meet.h"
#include "missing.h"
#include "pool.h"
#include "threads.h"

#define OPWRIGHT_EXPORT extern "C" __attribute__((visibility("default")))

namespace opwright {

static constexpr Library kLibrary = {core_fail, core_sync_all, core_print, copy_streaming,
                                     copy_prefetching, note_access, note_flag, note_barrier, note_cache, note, nullptr,
                                     core_combine, core_exchange, core_meet, core_cross, threads_run,
                                     threads_barrier, threads_meet, note_thread, note_unit, note_load};

static int32_t out_of_memory(Outcome* outcome, uint64_t bytes) {
    outcome->fault = static_cast<uint32_t>(Fault::NO_MEMORY);
    outcome->details[0] = static_cast<int64_t>(bytes);
    return static_cast<int32_t>(outcome->fault);
}

}  // namespace opwright

OPWRIGHT_EXPORT uint32_t opwright_abi() { return opwright::kAbi; }

// Sizes by which the other side of the ABI checks its own; 0 for an unknown one.
OPWRIGHT_EXPORT uint64_t opwright_layout(uint32_t which) {
    constexpr uint64_t sizes[] = {sizeof(opwright::LaunchRecord), sizeof(opwright::GmRange), sizeof(opwright::Outcome),
                                  sizeof(opwright::Core), sizeof(opwright::Found), sizeof(opwright::TraceEvent)};
    return which < sizeof sizes / sizeof sizes[0] ? sizes[which] : 0;
}

namespace opwright {

// One copy for all ways to launch: it takes long to compile. Runs the groups [begin, end).
__attribute__((noinline)) static int32_t run_launch(const LaunchRecord* record, Entry entry_aiv, Entry entry_aic,
                                                    Outcome* outcome, bool is_interruptible, uint32_t begin,
                                                    uint32_t end) {
    memset(outcome, 0, sizeof *outcome);
    if (record->abi != kAbi) return -1;
    uint32_t aiv = record->group & 255, aic = record->group >> 8;
    if (aiv > 2 || aic > 1 || aiv + aic == 0 || (aiv && !entry_aiv) || (aic && !entry_aic)) return -1;
    Pool* pool = pool_get();
    if (!pool) return out_of_memory(outcome, sizeof(Pool));
    Worker* worker = pool_worker_of_caller(pool);
    if (!worker) return out_of_memory(outcome, sizeof(Worker));

    Launch launch = {};
    launch.record = record;
    launch.combining = PTHREAD_MUTEX_INITIALIZER;
    launch.entry[index_of(CoreKind::AIV)] = entry_aiv;
    launch.entry[index_of(CoreKind::AIC)] = entry_aic;
    launch.aic = aic;
    launch.aiv = aiv;
    launch.members = aic + aiv;
    launch.library = record->mode == kPerturbed ? &kPerturbedLibrary : &kLibrary;
    launch.outcome = outcome;
    launch.next = begin;
    launch.limit = end;
    launch.active = 1;
    launch.failed = UINT64_MAX;
    if (record->mode == kPerturbed) launch_order(launch);
    if (is_interruptible) interrupt_watch(launch);
    uint32_t threads = record->threads < record->grid ? record->threads : record->grid;
    if (threads > 1) {
        launch.mutex = &pool->mutex;
        pthread_cond_init(&launch.changed, nullptr);
        launch.spins = pool->spins;
        launch.wanted = threads - 1;
        pool_post(pool, launch);
        worker_run(worker, launch);
        pool_finish(pool, launch);
    } else {
        worker_run(worker, launch);
    }
    const bool is_interrupted = is_interruptible && interrupt_end();
    if (launch.ended || (record->flags & kDoubts)) checker_conclude(launch);
    if (launch.met) checker_forget_meetings(launch);
    for (uint32_t* sets : launch.sets) free(sets);
    if (outcome->waiters || launch.printed) launch_conclude(launch);
    return is_interrupted ? kInterrupted : static_cast<int32_t>(outcome->fault);
}

}  // namespace opwright

// The entry of a kind of core that the launch does not have may be null.
OPWRIGHT_EXPORT int32_t opwright_launch(const opwright::LaunchRecord* record, opwright::Entry entry_aiv,
                                        opwright::Entry entry_aic, opwright::Outcome* outcome) {
    return opwright::run_launch(record, entry_aiv, entry_aic, outcome, false, 0, record->grid);
}

// As opwright_launch, for the main thread: SIGINT ends it, and it returns -2.
OPWRIGHT_EXPORT int32_t opwright_launch_interruptible(const opwright::LaunchRecord* record, opwright::Entry entry_aiv,
                                                      opwright::Entry entry_aic, opwright::Outcome* outcome) {
    return opwright::run_launch(record, entry_aiv, entry_aic, outcome, true, 0, record->grid);
}

OPWRIGHT_EXPORT void opwright_release(opwright::Outcome* outcome) {
    free(outcome->printed);
    free(outcome->findings);
    free(outcome->events);
    outcome->printed = nullptr;
    outcome->findings = nullptr;
    outcome->events = nullptr;
    outcome->printed_bytes = outcome->finding_count = outcome->event_count = 0;
}

#ifdef OPWRIGHT_CHECKS
// Judges a trace without a kernel. `rules`: bit 0, vector work is in order; bit 1, scalar work is. Fills `findings` as
// far as `most` goes, and returns how many there are.
OPWRIGHT_EXPORT uint64_t opwright_judge(const opwright::TraceEvent* events, uint64_t count, uint32_t rules,
                                        opwright::Finding* findings, uint64_t most) {
    const auto found = opwright::judge(events, count, {(rules & 1) != 0, (rules & 2) != 0});
    for (uint64_t i = 0; i < found.size() && i < most; ++i) findings[i] = found[i];
    return found.size();
}

// Replays a trace of one core without a kernel. Fills `lines` with those of the accesses in the order of the seed's
// choice, as far as `most` goes, and returns how many there are.
OPWRIGHT_EXPORT uint64_t opwright_replay(const opwright::TraceEvent* events, uint64_t count, uint32_t rules,
                                         uint64_t seed, int32_t* lines, uint64_t most) {
    const auto order = opwright::replay(events, count, {(rules & 1) != 0, (rules & 2) != 0}, seed);
    for (uint64_t i = 0; i < order.size() && i < most; ++i) lines[i] = order[i];
    return order.size();
}

// Judges what the threads of one vector function did. Fills `findings` as far as `most` goes, and returns how many there
// are.
OPWRIGHT_EXPORT uint64_t opwright_judge_threads(const opwright::ThreadEvent* events, uint64_t count,
                                                opwright::ThreadFinding* findings, uint64_t most) {
    const auto found = opwright::judge_threads(events, count);
    for (uint64_t i = 0; i < found.size() && i < most; ++i) findings[i] = found[i];
    return found.size();
}
#endif
