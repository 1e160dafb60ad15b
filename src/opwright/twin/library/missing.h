// Who is missing where cores wait for ever, and barriers that some core can never pass.
//
// In: a core that waits, when nothing can go on. Out: what it waits for, and of a flag one core that should have set it.
#pragma once

#include "cross.h"

namespace opwright {

// In mode 0: the lowest core of the kind that has not set a flag as often as it takes. There is one, or no core would
// wait.
inline uint32_t first_without(const Launch& launch, CoreKind kind, uint32_t id, uint32_t sets) {
    const uint32_t* known = launch.sets[index_of(kind)];
    const uint32_t cores = launch.record->grid * (kind == CoreKind::AIC ? launch.aic : launch.aiv);
    for (uint32_t block = 0; block < cores; ++block) {
        if (!known || known[block * kCrossFlags + id] < sets) return block;
    }
    return 0;
}

// In the other modes: a core of the group that has not; null: all have.
inline const Core* first_without(const Core* core, uint32_t place, uint32_t id, uint32_t sets) {
    const Group& group = *core->group;
    if (place != 1 && core->kind == CoreKind::AIV) return group.aic;
    if (place == kPlaceOf4) return group.aiv[id / kOfAiv1];
    for (const Core* one : group.aiv) {
        if (one && sets_of(one, place, id) < sets) return one;
    }
    return nullptr;
}

OPWRIGHT_COLD Waiter waiter_of(const Slot* slot) {
    const Core& core = slot->core;
    const auto& awaited = slot->awaited;
    Waiter waiter = {};
    waiter.block = core.block;
    waiter.line = slot->line;
    waiter.rank = static_cast<uint32_t>(slot->rank);
    waiter.core_kind = index_of(core.kind);
    waiter.awaited = awaited.what;
    if (awaited.what != Awaited::FLAG) return waiter;
    waiter.mode = mode_of(awaited.place);
    waiter.id = awaited.id;
    waiter.sets = taken(&core, awaited.place, awaited.id) + 1;
    if (awaited.place == 0) {
        waiter.partner = first_without(*slot->launch, core.kind, awaited.id, waiter.sets);
        waiter.partner_kind = waiter.core_kind;
        const uint32_t* sets = slot->launch->sets[waiter.core_kind];
        if (sets) waiter.partner_sets = sets[waiter.partner * kCrossFlags + awaited.id];
        return waiter;
    }
    if (const Core* partner = first_without(&core, awaited.place, awaited.id, waiter.sets)) {
        const Slot* other = slot_of(partner);
        waiter.partner = partner->block;
        waiter.partner_kind = index_of(partner->kind);
        waiter.partner_sets = sets_of(partner, awaited.place, id_for(&core, partner, awaited.place, awaited.id));
        waiter.partner_line = other->state == SlotState::PARKED ? other->line : 0;
    }
    return waiter;
}

// A flag that a core has set and no core has waited for. A counter that is not 0 when a kernel ends disturbs the next
// one.
OPWRIGHT_COLD void report_left(const Core* setter, uint32_t place, uint32_t id, uint32_t left, const Core* counts) {
    Slot* slot = slot_of(setter);
    const int64_t details[] = {id, mode_of(place), left, index_of(counts->kind), counts->block};
    const int32_t line = static_cast<const Crossed*>(setter->crossed)->line[place][id];
    if (setter->order) {
        checker_left_crossed(&slot->core, line, details, 5);
    } else {
        launch_fail(*slot->launch, slot->rank, Fault::CROSS_LEFT, line, details, 5);
    }
}

OPWRIGHT_COLD void check_crossed(const Core* core) {
    if (!core || !core->crossed) return;
    const auto& crossed = *static_cast<const Crossed*>(core->crossed);
    for (uint32_t place = 0; place < kCrossModes; ++place) {
        for (uint32_t id = 0; id < kCrossIds; ++id) {
            if (!crossed.set[place][id]) continue;
            for (const Core* one : counting(const_cast<Core*>(core), place, id).cores) {
                if (!one) continue;
                const uint32_t left = crossed.set[place][id] - taken(one, place, id_for(core, one, place, id));
                if (left) return report_left(core, place, id, left, one);
            }
        }
    }
}

// All cores of a group have ended by themselves. What one has set, each core that counts it should have waited for.
OPWRIGHT_COLD void group_check_crossed(const Group& group) {
    const Core* cores[] = {group.aic, group.aiv[0], group.aiv[1]};
    for (const Core* core : cores) check_crossed(core);
}

// The barrier of the AIVs is none for an AIC; that of all cores leads from the AIVs to the AICs and back.
OPWRIGHT_COLD void cross_refuse_barrier(Core* core, int32_t line, bool aiv_only) {
    const Launch& launch = *slot_of(core)->launch;
    if (aiv_only && core->kind == CoreKind::AIC) {
        cross_refuse(core, line, CrossReason::AIC_AT_AIVS, 0, 0, 0);
    }
    if (!aiv_only && !(launch.aic && launch.aiv)) cross_refuse(core, line, CrossReason::NOT_BOTH, 0, 0, 0);
}

}  // namespace opwright
