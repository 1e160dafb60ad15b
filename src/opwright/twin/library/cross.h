// Flags between cores: a core sets one, and others count it.
//
// In: a core, a mode, a flag. Out: a set has been counted, or the core goes on because its counter was above 0, and has
// counted down. Who counts whose sets:
//   mode 0  every core of a kind: when all of that kind have set it
//   mode 1  both AIVs of a group: when both have
//   mode 2  the AIC: when all AIVs of its group have; and each of these: when the AIC has
//   mode 4  one AIV and its AIC, for which flag x of AIV 1 is x + 16; from 3510 on
// Refuses a mode that has no such cores, a pipe that the core has not, a counter above 15, and another mode while an
// earlier set is not counted. What never happens is a deadlock, which the launch finds; missing.h reports
// who is missing.
#pragma once

#include <opwright/generated/enums.h>

#include "scheduler.h"

namespace opwright {

// How often a core has set each flag, and how often it went on because of it, by place of the mode. Mode 4 has counters
// of its own; the others share one for each id.
struct Crossed {
    uint32_t set[kCrossModes][kCrossIds];
    uint32_t taken[kCrossModes][kCrossIds];
    int32_t line[kCrossModes][kCrossIds];  // where it set each flag last
};
constexpr uint32_t kPlaceOf4 = 3;
constexpr uint32_t kOfAiv1 = 16;  // added to the ids of AIV 1 in mode 4, where its AIC counts them

// What cores give each other in checked mode; see check/meetings.h. Under the mutex.
void checker_give(Core* core, uint32_t pipe, uint64_t place, uint64_t round);
void checker_take(Core* core, uint32_t pipe, uint64_t place, uint64_t round);
void checker_record_cross(Core* core, int32_t line, bool is_set, uint32_t mode, uint32_t pipe, uint32_t id);

inline Crossed& crossed_of(Core* core) {
    if (!core->crossed) core->crossed = calloc(1, sizeof(Crossed));
    slot_of(core->group)->has_crossed = true;
    if (!core->crossed) abort();  // the machine is out of memory
    return *static_cast<Crossed*>(core->crossed);
}

inline uint32_t sets_of(const Core* core, uint32_t place, uint32_t id) {
    return core && core->crossed ? static_cast<const Crossed*>(core->crossed)->set[place][id] : 0;
}

inline uint32_t mode_of(uint32_t place) { return place == kPlaceOf4 ? 4 : place; }

// The AIVs of a group, as many as the launch has.
OPWRIGHT_COLD uint32_t sets_of_aivs(const Launch& launch, const Group& group, uint32_t place, uint32_t id) {
    uint32_t least = sets_of(group.aiv[0], place, id);
    if (launch.aiv <= 1) return least;
    const uint32_t other = sets_of(group.aiv[1], place, id);
    return other < least ? other : least;
}

// How often a flag of this mode was counted up for a core.
OPWRIGHT_COLD uint32_t raised(const Launch& launch, const Core* core, uint32_t place, uint32_t id) {
    const Group& group = *core->group;
    const bool is_aic = core->kind == CoreKind::AIC;
    switch (place) {
        case 0: return id < kCrossFlags ? load(launch.crossed[index_of(core->kind)][id]) : 0;
        case 1: return is_aic ? 0 : sets_of_aivs(launch, group, 1, id);
        case 2: return is_aic ? sets_of_aivs(launch, group, 2, id) : sets_of(group.aic, 2, id);
        default:
            if (!is_aic) return id < kOfAiv1 ? sets_of(group.aic, place, id + kOfAiv1 * core->sub_block) : 0;
            return sets_of(group.aiv[id / kOfAiv1], place, id % kOfAiv1);
    }
}

OPWRIGHT_COLD uint32_t taken(const Core* core, uint32_t place, uint32_t id) {
    return core->crossed ? static_cast<const Crossed*>(core->crossed)->taken[place][id] : 0;
}

// The places of modes that share a counter with this one.
struct Shared {
    uint32_t first;
    uint32_t end;
};
inline Shared shared_with(uint32_t place) { return place == kPlaceOf4 ? Shared{place, place + 1} : Shared{0, kPlaceOf4}; }

OPWRIGHT_COLD uint32_t counter(const Launch& launch, const Core* core, uint32_t place, uint32_t id) {
    uint32_t count = 0;
    for (uint32_t p = shared_with(place).first; p < shared_with(place).end; ++p) {
        count += raised(launch, core, p, id) - taken(core, p, id);
    }
    return count;
}

OPWRIGHT_COLD void cross_refuse(Core* core, int32_t line, CrossReason reason, uint32_t mode, uint32_t id, uint32_t pipe,
                                uint32_t before = 0) {
    const int64_t details[] = {static_cast<int64_t>(reason), mode, id, pipe, before};
    core_fail(core, Fault::CROSS_MODE, line, details, 5);
}

// The place of a mode that this core can use.
OPWRIGHT_COLD uint32_t cross_place(Core* core, int32_t line, bool is_set, uint32_t mode, uint32_t pipe, uint32_t id) {
    const Launch& launch = *slot_of(core)->launch;
    const bool is_aic = core->kind == CoreKind::AIC, is_3510 = core->launch->arch >= 3510;
    const auto refuse = [&](CrossReason reason) { cross_refuse(core, line, reason, mode, id, pipe); };
    if (mode > 4 || mode == 3) refuse(CrossReason::NO_SUCH_MODE);
    if (mode == 4 && !is_3510) refuse(CrossReason::ONLY_3510);
    if (mode == 1 && (is_aic || launch.aiv < 2)) refuse(CrossReason::NO_PARTNER);
    if ((mode == 2 || mode == 4) && !(launch.aic && launch.aiv)) refuse(CrossReason::NO_PARTNER);
    const bool of_aiv_1 = mode == 4 && is_aic && launch.aiv > 1;
    if (id >= kCrossFlags && !(of_aiv_1 && id < kCrossIds)) refuse(CrossReason::ID);
    // Up to 2201 the pipe of a wait says nothing; 3510 passes over a wait of a pipe that it has not.
    if ((is_set || is_3510) && !has_pipe(core->kind, core->launch->arch, pipe)) {
        const int64_t details[] = {pipe, index_of(core->kind), core->launch->arch};
        core_fail(core, Fault::ABSENT_PIPE, line, details, 3);
    }
    if (is_set && pipe == PIPE_S && mode != 4) refuse(CrossReason::PIPE);
    return mode == 4 ? kPlaceOf4 : mode;
}

// Where what a set gives is kept: the same for all whose sets are counted together.
inline uint64_t cross_key(const Core* core, uint32_t place, uint32_t id, bool is_set) {
    const uint64_t from_aic = place != 1 && (core->kind == CoreKind::AIC) == is_set;
    const uint64_t group = slot_of(core)->rank / kRanks;
    uint64_t flag = id;
    if (place == kPlaceOf4 && core->kind == CoreKind::AIV) flag += kOfAiv1 * core->sub_block;
    if (place == 0) return index_of(core->kind) << 8 | flag;
    return uint64_t(place) << 56 | from_aic << 48 | group << 8 | flag;
}

// The cores whose counters this set may raise; null where there is none.
struct Counting {
    Core* cores[2];
};
OPWRIGHT_COLD Counting counting(Core* core, uint32_t place, uint32_t id) {
    const Group& group = *core->group;
    if (place == 0) return {{core, nullptr}};
    if (core->kind == CoreKind::AIV) return place == 1 ? Counting{{group.aiv[0], group.aiv[1]}} : Counting{{group.aic, nullptr}};
    if (place == kPlaceOf4) return {{group.aiv[id / kOfAiv1], nullptr}};
    return {{group.aiv[0], group.aiv[1]}};
}

// The id of a flag of this core, as another one counts it.
inline uint32_t id_for(const Core* core, const Core* other, uint32_t place, uint32_t id) {
    if (place != kPlaceOf4 || core->kind == other->kind) return id;
    return core->kind == CoreKind::AIV ? id + kOfAiv1 * core->sub_block : id % kOfAiv1;
}

// Mode 0, under the mutex: the last core of its kind to set a flag raises it.
OPWRIGHT_COLD void cross_all(Launch& launch, Core* core, uint32_t id, uint32_t round) {
    const uint32_t kind = index_of(core->kind);
    const uint32_t cores = launch.record->grid * (core->kind == CoreKind::AIC ? launch.aic : launch.aiv);
    uint32_t*& sets = launch.sets[kind];
    if (!sets) sets = static_cast<uint32_t*>(calloc(uint64_t{cores} * kCrossFlags, sizeof(uint32_t)));
    if (sets) sets[core->block * kCrossFlags + id] = round + 1;
    uint32_t& reached = launch.crossing[kind][id][round % kCrossCounts];
    if (++reached != cores) return;
    reached = 0;
    store(launch.crossed[kind][id], round + 1);
}

OPWRIGHT_COLD void cross_set(Core* core, int32_t line, uint32_t mode, uint32_t pipe, uint32_t id) {
    Launch& launch = *slot_of(core)->launch;
    const uint32_t place = cross_place(core, line, true, mode, pipe, id);
    if (place == 0) core_require_together(core, line);
    copy_fence();
    Crossed& crossed = crossed_of(core);
    const Counting all = counting(core, place, id);
    for (const Core* one : all.cores) {
        if (!one) continue;
        const uint32_t theirs = id_for(core, one, place, id);
        for (uint32_t p = shared_with(place).first; p < shared_with(place).end; ++p) {
            const bool is_open = raised(launch, one, p, theirs) != taken(one, p, theirs);
            if (p != place && is_open) cross_refuse(core, line, CrossReason::OTHER_MODE, mode, id, pipe, mode_of(p));
        }
    }
    const uint32_t round = crossed.set[place][id]++;
    crossed.line[place][id] = line;
    for (const Core* one : all.cores) {
        if (!one) continue;
        // In mode 0 a core's own sets are as many as it will count at least.
        const uint32_t theirs = id_for(core, one, place, id);
        const uint32_t count = place == 0 ? round + 1 - taken(core, 0, id) : counter(launch, one, place, theirs);
        if (count < kCrossCounts) continue;
        const int64_t details[] = {id, index_of(one->kind), one->block};
        core_fail(core, Fault::CROSS_COUNT, line, details, 3);
    }
    Locked locked(launch);
    if (core->launch->mode == kChecked) checker_give(core, pipe, cross_key(core, place, id, true), round);
    if (place == 0) cross_all(launch, core, id, round);
    launch_signal(launch);
}

// Up to 2201 the mode and the pipe of a wait say nothing: it holds the whole core.
OPWRIGHT_COLD void cross_wait(Core* core, int32_t line, uint32_t mode, uint32_t pipe, uint32_t id) {
    Slot* slot = slot_of(core);
    Launch& launch = *slot->launch;
    const uint32_t place = cross_place(core, line, false, mode, pipe, id);
    copy_fence();
    Crossed& crossed = crossed_of(core);
    slot->awaited = {Awaited::FLAG, place, id};
    core_await(slot, line, [&] {
        Locked locked(launch);
        for (uint32_t p = shared_with(place).first; p < shared_with(place).end; ++p) {
            if (raised(launch, core, p, id) == crossed.taken[p][id]) continue;
            const uint32_t round = crossed.taken[p][id]++;
            const uint32_t held = core->launch->arch >= 3510 ? pipe : uint32_t(PIPE_S);
            if (core->launch->mode == kChecked) checker_take(core, held, cross_key(core, p, id, false), round);
            return true;
        }
        return false;
    });
    slot->awaited = {};
}

OPWRIGHT_COLD void core_cross(Core* core, int32_t line, bool is_set, uint32_t mode, uint32_t pipe, uint32_t id) {
    if (core->launch->mode == kChecked) checker_record_cross(core, line, is_set, mode, pipe, id);
    if (is_set) {
        cross_set(core, line, mode, pipe, id);
    } else {
        cross_wait(core, line, mode, pipe, id);
    }
}

}  // namespace opwright
