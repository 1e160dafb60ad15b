// One launch: which groups of cores are left, the barrier, its faults and what it printed.
//
// In: a record and an entry for each kind of core. Out: an Outcome. It lives on the caller's stack; helpers touch it
// only while they are counted in `helpers`. A launch has `grid` groups; each has up to 1 AIC and up to 2 AIV, which
// start together. Rules that make the outcome the same every time:
//   - groups are taken in ascending order, so when one fails all cores of every lower one have started and will end;
//   - `limit` falls to the lowest failing group and no group at or above it is started any more. That keeps lower
//     groups from nothing: an AIV that failed never comes to the barrier, so no core passes it. An AIC that failed is
//     not waited for at that of the AIVs, so `limit` stays as long as there can be one, and all groups start;
//   - in a group the fault of the lowest rank counts, and its other cores go on;
//   - cores that can never go on are abandoned, and that is a deadlock only when no core failed.
#pragma once

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cold.h"
#include "fiber.h"
#include "print.h"
#include "slot.h"

namespace opwright {

template <class T> inline T load(const T& place) { return __atomic_load_n(&place, __ATOMIC_ACQUIRE); }
template <class T> inline void store(T& place, T value) { __atomic_store_n(&place, value, __ATOMIC_RELEASE); }

constexpr uint32_t kNoGroup = ~0u;
constexpr uint32_t kKinds = 2;

inline uint32_t index_of(CoreKind kind) { return static_cast<uint32_t>(kind); }

// The rank of a core orders the cores of a launch: by group, and in a group AIC, AIV 0, AIV 1.
constexpr uint32_t kRanks = 3;
inline uint64_t rank_of(uint32_t group, uint32_t place) { return uint64_t{group} * kRanks + place; }

// Watches `ready` for some 30 us before the caller goes to sleep: a wake-up through the kernel takes longer than
// most waits. With one processor no other thread can make progress meanwhile, so it does not spin at all.
template <class Ready> inline bool spin(bool enabled, Ready ready) {
    if (ready()) return true;
    if (!enabled) return false;
    timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        for (int i = 0; i < 16; ++i) {
            if (ready()) return true;
            pause_briefly();
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000000000L + (now.tv_nsec - start.tv_nsec) < 30000);
    return false;
}

struct Launch {
    const LaunchRecord* record;
    Entry entry[kKinds];
    uint32_t aic, aiv, members;  // cores in a group: of each kind, and of both
    const Library* library;
    Outcome* outcome;
    pthread_mutex_t* mutex;  // the pool's; null in a launch that only its caller works on
    pthread_cond_t changed;  // the barrier opened, nothing can go on, or the last helper left
    bool spins;
    uint32_t first, step;  // in perturbed mode: group number i to start is (first + i * step) % grid; else step is 0
    bool backwards;        // the cores of a group start in the opposite order

    pthread_mutex_t combining;  // of copies that combine

    // Atomic.
    uint32_t next;        // group to start
    uint32_t limit;       // groups from here on are not started
    uint32_t arrived[2];  // cores at the barrier of all cores, and at that of the AIVs alone
    uint32_t opened[2];   // how often each of them has opened
    uint32_t generation;  // changes whenever something has happened that a parked core may wait for
    uint32_t stuck;       // nothing can go on: abandon parked cores
    uint32_t helpers;     // pool threads inside

    // Under the mutex.
    uint32_t wanted;    // helpers that may still join
    uint32_t active;    // workers inside that are not waiting for the barrier
    uint32_t waiting;   // workers inside that are
    uint32_t sleepers;  // of those who wait for `changed`
    uint64_t failed;    // rank of the core whose fault counts
    PrintBuffer* printed;
    void* ended;  // in checked mode: what is known of the cores that have ended
    void* met;    // and what cores that met some others have reported there
    uint32_t crossed[kKinds][kCrossFlags];                 // how often all cores of a kind have set a flag of mode 0
    uint32_t crossing[kKinds][kCrossFlags][kCrossCounts];  // by flag and round: how many of them have set it
    uint32_t* sets[kKinds];                                // by core and flag: how often it has; null: none has
    Launch* following;  // in the pool's queue
};

struct Locked {
    pthread_mutex_t* mutex;
    explicit Locked(Launch& launch) : mutex(launch.mutex) {
        if (mutex) pthread_mutex_lock(mutex);
    }
    ~Locked() {
        if (mutex) pthread_mutex_unlock(mutex);
    }
};

inline bool launch_has_groups(const Launch& launch) { return load(launch.next) < load(launch.limit); }

inline uint32_t launch_take(Launch& launch) {
    if (!launch_has_groups(launch)) return kNoGroup;  // also keeps `next` from running over
    uint32_t group;
    if (launch.mutex) {
        group = __atomic_fetch_add(&launch.next, 1, __ATOMIC_ACQ_REL);
    } else {
        group = launch.next++;
    }
    if (group >= load(launch.limit)) return kNoGroup;
    if (launch.step) group = static_cast<uint32_t>((launch.first + uint64_t{group} * launch.step) % launch.record->grid);
    return group;
}

inline CoreKind kind_of(uint64_t rank) { return rank % kRanks == 0 ? CoreKind::AIC : CoreKind::AIV; }

// What GetBlockIdx says: an AIC counts groups, an AIV counts the AIVs of all groups.
inline uint32_t block_of(const Launch& launch, uint32_t group, uint32_t place) {
    return place ? group * launch.aiv + (place - 1) : group;
}
inline uint32_t block_of(const Launch& launch, uint64_t rank) {
    return block_of(launch, static_cast<uint32_t>(rank / kRanks), static_cast<uint32_t>(rank % kRanks));
}

// Cores that run at once if all do: AIVs if there are any, else AICs.
inline uint64_t launch_cores(const Launch& launch) {
    return uint64_t{launch.record->grid} * (launch.aiv ? launch.aiv : launch.aic);
}

// Whether there is a barrier to pass: on the chip the cores of a second wave start only when the first has ended.
inline bool launch_can_meet(const Launch& launch) {
    return launch_cores(launch) <= launch.record->cores;
}

// `block`: which one the core is, where a core is several of them one after the other; see simt_launch.
constexpr uint32_t kOwnBlock = ~0u;

OPWRIGHT_COLD void launch_fail(Launch& launch, uint64_t rank, Fault fault, int32_t line, const int64_t* details,
                               uint32_t count, uint32_t block = kOwnBlock) {
    Locked locked(launch);
    if (rank >= launch.failed) return;
    launch.failed = rank;
    if (kind_of(rank) == CoreKind::AIV || !launch.aiv || !launch_can_meet(launch)) {
        store(launch.limit, static_cast<uint32_t>(rank / kRanks));
    }
    Outcome& outcome = *launch.outcome;
    outcome.fault = static_cast<uint32_t>(fault);
    outcome.line = line;
    outcome.block = block == kOwnBlock ? block_of(launch, rank) : block;
    outcome.core_kind = index_of(kind_of(rank));
    for (uint32_t i = 0; i < kDetails; ++i) outcome.details[i] = i < count ? details[i] : 0;
}

// Under the mutex: parked cores look again at what they wait for.
inline void launch_signal(Launch& launch) {
    // Waiting workers count as active from here, though they have yet to wake up: otherwise the last one still
    // awake would take them for stuck.
    launch.active += launch.waiting;
    launch.waiting = 0;
    store(launch.generation, launch.generation + 1);
    if (launch.sleepers) pthread_cond_broadcast(&launch.changed);
}

// A core comes to a barrier. True: it was the last one and goes on; otherwise it waits until that opens.
inline bool launch_arrive(Launch& launch, bool aiv_only) {
    const uint32_t cores = launch.record->grid * (aiv_only ? launch.aiv : launch.members);
    if (__atomic_add_fetch(&launch.arrived[aiv_only], 1, __ATOMIC_ACQ_REL) != cores) return false;
    Locked locked(launch);
    store(launch.arrived[aiv_only], 0u);
    store(launch.opened[aiv_only], launch.opened[aiv_only] + 1);
    launch_signal(launch);
    return true;
}

// Under the mutex: a worker stops being active. When it was the last one, those that wait wait for ever: no group
// is left to start (each of them tried) and no core is left to come to the barrier.
inline void launch_rest(Launch& launch) {
    if (--launch.active == 0 && launch.waiting) {
        store(launch.stuck, 1u);
        if (launch.sleepers) pthread_cond_broadcast(&launch.changed);
    }
}

// A worker has nothing but parked cores. True: the barrier that they wait for has opened. False: it never will.
OPWRIGHT_COLD bool launch_wait(Launch& launch, uint32_t generation) {
    auto opened = [&] { return load(launch.generation) != generation; };
    if (!launch.mutex) return opened();
    {
        Locked locked(launch);
        if (opened()) return true;
        ++launch.waiting;
        launch_rest(launch);
    }
    auto ready = [&] { return opened() || load(launch.stuck); };
    if (!spin(launch.spins, ready)) {
        Locked locked(launch);
        ++launch.sleepers;
        while (!ready()) pthread_cond_wait(&launch.changed, launch.mutex);
        --launch.sleepers;
    }
    return opened();
}

// Notes a core that is abandoned. Named are the lowest ones, in the order of their ranks.
OPWRIGHT_COLD void launch_abandon(Launch& launch, const Waiter& waiter) {
    Locked locked(launch);
    Outcome& outcome = *launch.outcome;
    uint32_t place = outcome.waiters < kWaiters ? outcome.waiters : kWaiters;
    ++outcome.waiters;
    while (place > 0 && outcome.waiting[place - 1].rank > waiter.rank) {
        if (place < kWaiters) outcome.waiting[place] = outcome.waiting[place - 1];
        --place;
    }
    if (place < kWaiters) outcome.waiting[place] = waiter;
}

OPWRIGHT_COLD void launch_keep_print(Launch& launch, PrintBuffer* buffer) {
    Locked locked(launch);
    buffer->next = launch.printed;
    launch.printed = buffer;
}

// After the last worker left, when cores were abandoned or something was printed.
OPWRIGHT_COLD void launch_conclude(Launch& launch) {
    Outcome& outcome = *launch.outcome;
    if (outcome.waiters && outcome.fault == 0) {
        outcome.fault = static_cast<uint32_t>(Fault::DEADLOCK);
        outcome.block = outcome.waiting[0].block;
        outcome.line = outcome.waiting[0].line;
        outcome.core_kind = outcome.waiting[0].core_kind;
        outcome.details[0] = outcome.waiters;
        outcome.details[1] = int64_t{launch.record->grid} * launch.members;
    } else if (outcome.waiters) {
        // They waited for a core that failed: that fault is the story.
        memset(outcome.waiting, 0, sizeof outcome.waiting);
        outcome.waiters = 0;
    }
    if (launch.printed) outcome.printed = print_join(launch.printed, &outcome.printed_bytes);
}

}  // namespace opwright
