// Checked mode: what each core of a launch tells about its work, judged as it comes.
//
// In: accesses with their footprints, flags, barriers. Out: what was found, in the order of cores; with kRecord also all
// that was told. A kernel runs in program order here too; whether the chip could run it in another order is what is
// judged. A core goes on after a race: only what it cannot survive ends it, as in fast mode.
#pragma once

#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <vector>

#include "../scheduler.h"
#include "data_cache.h"
#include "event.h"
#include "found.h"
#include "global.h"
#include "ranges.h"

namespace opwright {

constexpr size_t kMostEvents = size_t(1) << 18;  // of one launch are kept, shared out among its cores

// What outlives a core.
struct Told {
    uint64_t rank;
    uint32_t block;
    CoreGlobal global;
    CoreCache cache;
    FoundList found;
    std::vector<TraceEvent> events;
    uint64_t lost;
};

// What is known about one core.
struct Checker {
    CoreOrder order;
    std::vector<uint32_t> turns;  // how often each line has run
    Ranges ranges;
    WrittenBytes written;  // of UB
    bool records;
    size_t most_events;
    Told told;
};

// What nothing has written is NaN in every float, and no small number in any integer.
inline void poison(Core* core) {
    for (const Arena& arena : core->memory) {
        if (arena.base) memset(arena.base, 0xFF, arena.bytes);
    }
}

inline OrderRules rules_of(const LaunchRecord& launch) {
    const bool auto_sync = launch.flags & kAutoSync;
    // From 3510 on the chip itself keeps vector work in order; before, the toolchain does if it may.
    return {auto_sync || launch.arch >= 3510, auto_sync};
}

inline Checker& checker_of(Core* core) {
    if (!core->order) {
        const LaunchRecord& launch = *core->launch;
        const bool records = launch.flags & kRecord;
        const size_t most = std::max(kMostEvents / launch.grid, size_t(64));
        const Told told = {slot_of(core)->rank, core->block, {}, {}, {}, {}, 0};
        core->order = new Checker{CoreOrder(rules_of(launch)), {}, {}, {}, records, most, told};
        poison(core);
    }
    return *static_cast<Checker*>(core->order);
}

// A core has ended. What it told is looked at when all have.
inline void checker_forget(Core* core) {
    auto checker = static_cast<Checker*>(core->order);
    core->order = nullptr;
    Launch& launch = *slot_of(core)->launch;
    {
        Locked locked(launch);
        if (!launch.ended) launch.ended = new std::vector<Told>();
        static_cast<std::vector<Told>*>(launch.ended)->push_back(std::move(checker->told));
    }
    delete checker;
}

inline void record(Checker& checker, const TraceEvent& event) {
    if (checker.told.events.size() < checker.most_events) {
        checker.told.events.push_back(event);
    } else {
        ++checker.told.lost;
    }
}

inline void checker_next_phase(Core* core, int32_t line) {
    Checker& checker = checker_of(core);
    checker.told.global.next_phase();
    checker.told.cache.next_phase();
    if (checker.records) record(checker, {core->block, TraceKind::SYNC_ALL, PIPE_ALL, 0, 0, line, 0, 0, 0, 0, 0, 0});
}

inline Found found_of(Fault fault, int32_t line, uint32_t block, const int64_t* details, uint32_t count) {
    Found found = {static_cast<uint32_t>(fault), line, block, index_of(CoreKind::AIV), 1, 1, {}};
    std::copy(details, details + count, found.details);
    return found;
}

inline void note(Core* core, Fault fault, int32_t line, const int64_t* details, uint32_t count, uint32_t identity) {
    checker_of(core).told.found.add(found_of(fault, line, core->block, details, count), identity);
}

inline void checker_left_set(Core* core, uint32_t event, int32_t event_id, int32_t line) {
    const int64_t details[] = {event, event_id};
    note(core, Fault::LEFT_SET, line, details, 2, 2);
}

// What a kernel leaves in the mask register, or atomic copies that it leaves on, disturb the next one.
inline void checker_left_on(Core* core) {
    const MaskRegister& mask = core->mask;
    const int64_t counts = mask.counts;
    if (mask.is_changed && mask.line) note(core, Fault::MASK_LEFT, mask.line, &counts, 1, 1);
    if (core->atomic.type) note(core, Fault::ATOMIC_LEFT, core->atomic.line, nullptr, 0, 0);
}

// A byte of global memory as an argument's slot and an offset there, which are the same in every process.
struct InArgument {
    int64_t slot;
    uint64_t base;
};

inline InArgument argument_of(const LaunchRecord& launch, uint32_t memory, uint64_t byte) {
    for (uint32_t i = 0; memory == static_cast<uint32_t>(Memory::GM) && i < launch.ranges; ++i) {
        const GmRange& range = launch.gm()[i];
        if (byte - range.base < range.bytes) return {range.slot, range.base};
    }
    return {-1, 0};
}

// A byte of global memory as the cache sees it: a chip gives every argument to whole lines, which NumPy does not.
constexpr uint32_t kOffsetBits = 48;

inline uint64_t place_of(const LaunchRecord& launch, uint64_t byte) {
    const InArgument in = argument_of(launch, static_cast<uint32_t>(Memory::GM), byte);
    return (static_cast<uint64_t>(in.slot + 1) << kOffsetBits) + (byte - in.base);
}

// The details of a race as `faults.py` names them; the core of the first access stands last, which only races between
// cores have.
constexpr uint32_t kRaceIdentity = 6;
constexpr uint32_t kRaceDetails = 13;

struct RaceDetails {
    int64_t values[kRaceDetails];

    RaceDetails(const Finding& f, const InArgument& in, int64_t element)
        : values{f.first_line,
                 f.first_pipe,
                 f.second_pipe,
                 f.memory,
                 f.first_written,
                 f.second_written,
                 f.first_turn,
                 f.second_turn,
                 static_cast<int64_t>(f.begin - in.base),
                 static_cast<int64_t>(f.end - in.base),
                 in.slot,
                 element,
                 f.first_core} {}
};

// All cores have ended. What a core above the one that failed told is left out: it may not even have started.
inline void checker_conclude(Launch& launch) {
    auto all = static_cast<std::vector<Told>*>(launch.ended);
    launch.ended = nullptr;
    std::sort(all->begin(), all->end(), [](const Told& a, const Told& b) { return a.rank < b.rank; });
    FoundList found;
    std::vector<GlobalOrder> phases;
    CacheOrder caches;
    std::vector<TraceEvent> events;
    Outcome& outcome = *launch.outcome;
    for (const Told& told : *all) {
        if (told.rank > launch.failed) break;
        found.add_core(told.found);
        told.global.give(told.block, phases);
        caches.add(told.block, &told.cache);
        const size_t kept = std::min(told.events.size(), kMostEvents - events.size());
        events.insert(events.end(), told.events.begin(), told.events.begin() + static_cast<ptrdiff_t>(kept));
        outcome.events_lost += told.lost + (told.events.size() - kept);
    }
    FoundBetween between;
    const auto tell = [&](Fault fault, const Finding& f, uint32_t phase, const InArgument& in) {
        const auto begin = static_cast<int64_t>(f.begin - in.base);
        const RaceDetails details(f, in, begin / static_cast<int64_t>(f.element_bytes));
        between.add(found_of(fault, f.second_line, f.core, details.values, kRaceDetails), kRaceIdentity, phase, in.slot,
                    begin, f.first_core);
    };
    const uint32_t gm = static_cast<uint32_t>(Memory::GM);
    std::map<uint32_t, const CoreGlobal*> cores;
    for (const Told& told : *all) cores[told.block] = &told.global;
    const auto is_before = [&](uint32_t first, uint32_t segment, uint32_t second, uint32_t later) {
        return cores[second]->knows(later, first, segment);
    };
    for (uint32_t phase = 0; phase < phases.size(); ++phase) {
        const auto race = [&](const Finding& f) {
            const Fault fault = f.kind == FindingKind::FLOAT_ATOMIC ? Fault::FLOAT_ATOMIC : Fault::RACE_BETWEEN_CORES;
            tell(fault, f, phase, argument_of(*launch.record, f.memory, f.begin));
        };
        phases[phase].finish(gm, race, is_before);
    }
    const auto place = [&](uint64_t byte) { return place_of(*launch.record, byte); };
    caches.finish(gm, place, [&](Fault fault, const Finding& f) {
        const uint64_t slot = f.begin >> kOffsetBits;
        tell(fault, f, ~0u, {static_cast<int64_t>(slot) - 1, slot << kOffsetBits});
    });
    delete all;
    const std::vector<Found> of_cores = between.all();
    outcome.finding_count = found.size() + of_cores.size();
    outcome.findings = static_cast<Found*>(calloc(outcome.finding_count + 1, sizeof(Found)));
    outcome.event_count = events.size();
    outcome.events = static_cast<TraceEvent*>(malloc((events.size() + 1) * sizeof(TraceEvent)));
    if (!outcome.findings || !outcome.events) {
        outcome.finding_count = outcome.event_count = 0;
        const auto bytes = static_cast<int64_t>(events.size() * sizeof(TraceEvent));
        launch_fail(launch, 0, Fault::NO_MEMORY, 0, &bytes, 1);
        return;
    }
    for (size_t i = 0; i < found.size(); ++i) outcome.findings[i] = found[i];
    std::copy(of_cores.begin(), of_cores.end(), outcome.findings + found.size());
    std::copy(events.begin(), events.end(), outcome.events);
}

// Tells a conflict, with the element of the later access's operand.
struct Report {
    Core* core;
    const Footprint* touched;
    uint32_t count;

    void operator()(const Conflict& c) const {
        const InArgument in = argument_of(*core->launch, c.memory, c.begin);
        const RaceDetails details(finding_of(c, core->block, 1), in, element(c, in));
        note(core, Fault::RACE, c.second.line, details.values, kRaceDetails - 1, kRaceIdentity);
    }

    int64_t element(const Conflict& c, const InArgument& in) const {
        for (const Footprint* one = touched; one != touched + count; ++one) {
            const uint64_t offset = c.begin - one->address;
            if (static_cast<uint32_t>(one->memory) != c.memory || one->written != c.second_written) continue;
            if (offset < one->bytes) return static_cast<int64_t>((in.base ? c.begin - in.base : offset) / one->element_bytes);
        }
        return -1;
    }
};

// Bytes of UB that a call reads although nothing has written them are told, and count as written from then on.
inline void check_written(Core* core, Checker& checker, int32_t line, uint32_t pipe, uint32_t turn,
                          const Footprint& touched, const Range& range) {
    const uint64_t byte = checker.written.first_missing(range.begin, range.end);
    if (byte == range.end) return;
    const int64_t details[] = {touched.operand,
                               range.memory,
                               pipe,
                               turn,
                               static_cast<int64_t>(byte),
                               static_cast<int64_t>(range.end),
                               static_cast<int64_t>((byte - touched.address) / touched.element_bytes)};
    // What the scalar unit reads decides where the kernel goes: with a number that is not there it may never end.
    if (pipe == PIPE_S) core_fail(core, Fault::UNINITIALISED, line, details, 7);
    note(core, Fault::UNINITIALISED, line, details, 7, 1);
    checker.written.add(range.begin, range.end);
}

// The tensor of a buffer is used only while the kernel holds the buffer, and not after the pipe was reset.
inline void check_buffer(Core* core, int32_t line, const Footprint& touched) {
    const uint32_t number = (touched.buffer & 255) - 1;
    const bool is_void = touched.buffer != buffer_of(number, core->stamps[number]);
    const BufferState state = core->buffers[number].state;
    if (!is_void && (state == BufferState::OCCUPIED || state == BufferState::DEQUEUED)) return;
    const int64_t details[] = {touched.operand, is_void ? -1 : static_cast<int64_t>(state)};
    note(core, Fault::BUFFER_STATE, line, details, 2, 2);
}

// Accesses to what the kernel said it watches. The operand of an access to one element is no name of its call's.
inline void check_watches(Core* core, int32_t line, uint32_t pipe, uint32_t turn, const Footprint& touched, const Range& range) {
    const uint32_t unit = pipe == PIPE_S ? 0 : pipe == PIPE_V ? 1 : 2;
    const uint32_t kind = 1u << (2 * unit + (touched.written ? 1 : 0));
    for (uint32_t i = 0; i < kWatches; ++i) {
        const Watch& watch = core->watches[i];
        if (!(watch.kinds & kind) || range.begin >= watch.end || range.end <= watch.begin) continue;
        const int64_t details[] = {touched.operand,
                                   i,
                                   static_cast<int64_t>(std::max(range.begin, uint64_t(watch.begin))),
                                   static_cast<int64_t>(std::min(range.end, uint64_t(watch.end))),
                                   range.memory,
                                   pipe,
                                   turn};
        note(core, Fault::WATCHED, line, details, 7, 2);
    }
}

inline void record_access(Core* core, Checker& checker, int32_t line, uint32_t pipe, uint32_t turn) {
    const std::vector<Range>& ranges = checker.ranges.all();
    for (size_t i = 0; i < ranges.size(); ++i) {
        record(checker, {core->block, TraceKind::ACCESS, pipe, 0, 0, line, ranges[i].memory, ranges[i].written,
                         ranges[i].begin, ranges[i].end, static_cast<uint32_t>(ranges.size() - 1 - i), turn});
    }
}

// How often a line has run before; it runs now.
inline uint32_t next_turn(Checker& checker, int32_t line) {
    const auto place = static_cast<size_t>(line);
    if (checker.turns.size() <= place) checker.turns.resize(place + 1);
    return checker.turns[place]++;
}

inline void note_access(Core* core, int32_t line, uint32_t pipe, const Footprint* touched, uint32_t count) {
    Checker& checker = checker_of(core);
    const uint32_t turn = next_turn(checker, line);
    checker.ranges.clear();
    // What is read first: that a value is not there yet is what people understand best.
    for (const bool written : {false, true}) {
        for (uint32_t i = 0; i < count; ++i) {
            if (touched[i].written != written) continue;
            if (touched[i].buffer) check_buffer(core, line, touched[i]);
            const size_t before = checker.ranges.all().size();
            checker.ranges.add(touched[i]);
            if (touched[i].memory != Memory::UB) continue;
            for (size_t r = before; r < checker.ranges.all().size(); ++r) {
                const Range& range = checker.ranges.all()[r];
                if (core->is_watching) check_watches(core, line, pipe, turn, touched[i], range);
                if (written) {
                    checker.written.add(range.begin, range.end);
                } else {
                    check_written(core, checker, line, pipe, turn, touched[i], range);
                }
            }
        }
    }
    const std::vector<Range>& ranges = checker.ranges.all();
    for (const Range& range : ranges) {
        if (range.memory != static_cast<uint32_t>(Memory::GM)) continue;
        checker.told.global.access(pipe, line, turn, range);
        checker.told.cache.access(pipe, line, turn, range, pipe == PIPE_S ? Cached::SCALAR : Cached::NONE);
    }
    if (checker.records) record_access(core, checker, line, pipe, turn);
    checker.order.access(pipe, line, turn, ranges.data(), static_cast<uint32_t>(ranges.size()),
                         Report{core, touched, count});
}

inline void note_cache(Core* core, bool is_one, uint64_t address) {
    CoreCache& cache = checker_of(core).told.cache;
    if (is_one) {
        cache.clean_line(address, Cached::SCALAR);
    } else {
        cache.clean_all(Cached::SCALAR);
    }
}

inline void note_flag(Core* core, int32_t line, bool is_set, uint32_t source, uint32_t destination, uint32_t id) {
    Checker& checker = checker_of(core);
    const Report report = {core, nullptr, 0};
    if (is_set) {
        if (checker.records) record(checker, {core->block, TraceKind::SET, source, destination, id, line, 0, 0, 0, 0, 0, 0});
        checker.order.set(source, destination, id, line, report);
    } else {
        if (checker.records) record(checker, {core->block, TraceKind::WAIT, destination, source, id, line, 0, 0, 0, 0, 0, 0});
        checker.order.wait(source, destination, id, line, report);
    }
}

inline void note_barrier(Core* core, int32_t line, uint32_t pipe) {
    Checker& checker = checker_of(core);
    if (checker.records) record(checker, {core->block, TraceKind::BARRIER, pipe, 0, 0, line, 0, 0, 0, 0, 0, 0});
    checker.order.barrier(pipe, line, Report{core, nullptr, 0});
}

}  // namespace opwright
