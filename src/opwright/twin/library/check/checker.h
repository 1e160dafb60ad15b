// Checked mode: what each core of a launch reports about its work, judged as it comes.
//
// In: accesses with their footprints, flags, barriers. Out: what was found, in the order of cores; with kRecord also all
// that was reported. A kernel runs in program order here too; whether the chip could run it in another order is what is
// judged. A core goes on after a race: only what it cannot survive ends it, as in fast mode.
#pragma once

#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "../scheduler.h"
#include "data_cache.h"
#include "event.h"
#include "found.h"
#include "garbage.h"
#include "global.h"
#include "outputs.h"
#include "ranges.h"

namespace opwright {

constexpr size_t kMaxEvents = size_t(1) << 18;  // of one launch are kept, shared out among its cores

// What outlives a core.
struct CoreReport {
    uint64_t rank;
    uint32_t block;
    uint32_t kind;
    CoreGlobal global;
    CoreCache cache;
    FoundList found;
    std::vector<TraceEvent> events;
    uint64_t lost;
};

// How often a line has run, and which of the core's accesses its last one was.
struct LineRuns {
    uint32_t count = 0;
    uint64_t last = 0;
};

// Where bytes come from that a load brought although nothing had written them: its line, the first of those bytes in L1,
// and from where to where it read.
struct Brought {
    int32_t line;
    uint64_t from;
    uint64_t begin;
    uint64_t end;
};

// What is known about one core.
struct Checker {
    CoreOrder order;
    std::vector<LineRuns> runs;  // by line
    uint64_t accesses;
    Ranges ranges;
    WrittenBytes written[kMemories];
    Garbage garbage;         // in UB
    std::vector<bool> full;  // the unit flags of L0C: of each 512 bytes whether a product has filled them
    uint64_t barriers;       // of the AIVs alone that it has come to
    bool records;
    bool shares;  // others of its group reach its UB or its L1
    size_t most_events;
    CoreReport report;
    LastMark<Brought> brought[kMemories] = {};  // of bytes that are not written: see loads.h
};
constexpr uint64_t kUnitBytes = 512;

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
        const size_t most = std::max(kMaxEvents / launch.grid, size_t(64));
        const uint32_t aiv = launch.group & 255, aic = launch.group >> 8;
        const bool crosses = launch.flags & kCrosses, shares = launch.arch >= 3510 && aiv && aic;
        const uint32_t kind = index_of(core->kind);
        const CoreReport report = {slot_of(core)->rank, core->block, kind, CoreGlobal(crosses), {}, {}, {}, 0};
        core->order = new Checker{CoreOrder(rules_of(launch)), {}, 0, {}, {}, {}, {}, 0, records, shares, most, report};
        poison(core);
    }
    return *static_cast<Checker*>(core->order);
}

inline Found found_of(Fault fault, int32_t line, uint32_t block, uint32_t kind, const int64_t* details, uint32_t count) {
    Found found = {static_cast<uint32_t>(fault), line, block, kind, 1, 1, {}};
    std::copy(details, details + count, found.details);
    return found;
}

// A core has ended. Its report is looked at when all have.
inline void checker_forget(Core* core) {
    auto checker = static_cast<Checker*>(core->order);
    for (const SetAgain& one : checker->order.again()) {
        if (!(core->launch->flags & kDoubts)) break;
        const int64_t details[] = {one.wait_line, one.source, one.destination, one.id, one.set_line};
        const uint32_t kind = index_of(core->kind);
        checker->report.found.add(found_of(Fault::SET_AGAIN, one.line, core->block, kind, details, 5), 4);
    }
    for (const Origin& origin : checker->garbage.origins()) {
        if ((core->launch->flags & kDoubts) && !origin.reported_line) checker->report.found.add(origin.found, 1);
    }
    core->order = nullptr;
    Launch& launch = *slot_of(core)->launch;
    {
        Locked locked(launch);
        if (!launch.ended) launch.ended = new std::vector<CoreReport>();
        static_cast<std::vector<CoreReport>*>(launch.ended)->push_back(std::move(checker->report));
    }
    delete checker;
}

inline void record(Checker& checker, const TraceEvent& event) {
    if (checker.report.events.size() < checker.most_events) {
        checker.report.events.push_back(event);
    } else {
        ++checker.report.lost;
    }
}

inline TraceEvent event_of(const Core* core, TraceKind kind, uint32_t pipe, int32_t line) {
    TraceEvent event = {};
    event.core = core->block;
    event.core_kind = index_of(core->kind);
    event.group = static_cast<uint32_t>(slot_of(core)->rank / kRanks);
    event.kind = kind;
    event.pipe = pipe;
    event.line = line;
    return event;
}

inline void note(Core* core, Fault fault, int32_t line, const int64_t* details, uint32_t count, uint32_t identity) {
    const Found found = found_of(fault, line, core->block, index_of(core->kind), details, count);
    checker_of(core).report.found.add(found, identity);
}

inline void checker_left_set(Core* core, uint32_t event, int32_t event_id, int32_t line) {
    const int64_t details[] = {event, event_id};
    note(core, Fault::LEFT_SET, line, details, 2, 2);
}

inline void checker_left_crossed(Core* core, int32_t line, const int64_t* details, uint32_t count) {
    note(core, Fault::CROSS_LEFT, line, details, count, 2);
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

// Where a core reaches memory of another one of its group, those bytes are distinguished from its own, and between the
// two cores they are like bytes of global memory: at addresses that no argument has.
constexpr uint32_t kForeign = static_cast<uint32_t>(Memory::GM) + 1;
constexpr uint64_t kShared = uint64_t(1) << 63;

inline uint32_t foreign(Owner owner) { return kForeign + static_cast<uint32_t>(owner); }
inline uint64_t shared_address(const Core* core, uint32_t memory, uint64_t address) {
    return kShared | slot_of(core)->rank << 40 | uint64_t(memory) << 32 | address;
}
inline uint32_t memory_of(uint32_t memory) {
    if (memory < kForeign) return memory;
    return static_cast<uint32_t>(memory == foreign(Owner::AIC) ? Memory::L1 : Memory::UB);
}

// The details of a race as `faults.py` names them; the core of the first access stands last, which only races between
// cores have.
constexpr uint32_t kRaceIdentity = 6;
constexpr uint32_t kCoreDetails = 2;
constexpr uint32_t kRaceDetails = 12 + kCoreDetails;

struct RaceDetails {
    int64_t values[kRaceDetails];

    RaceDetails(const Finding& f, const InArgument& in, int64_t element, int64_t first_block = 0, int64_t first_kind = 0)
        : values{f.first_line,
                 f.first_pipe,
                 f.second_pipe,
                 memory_of(f.memory),
                 f.first_written,
                 f.second_written,
                 f.first_iteration,
                 f.second_iteration,
                 static_cast<int64_t>(f.begin - in.base),
                 static_cast<int64_t>(f.end - in.base),
                 in.slot,
                 element,
                 first_block,
                 first_kind} {}
};

// What no core wrote of the arguments that the kernel writes. A kernel that failed did not come to its end.
inline void report_unwritten(const Launch& launch, const std::vector<CoreReport>& all, std::vector<Found>& found) {
    const bool ends = !launch.outcome->fault && !launch.outcome->waiters;
    if (!(launch.record->flags & kDoubts) || !ends) return;
    WrittenOutputs outputs;
    for (const CoreReport& report : all) {
        report.global.each_written([&](int32_t line, uint64_t begin, uint64_t end) {
            outputs.add({begin, end, line, report.block, report.kind});
        });
    }
    outputs.finish(*launch.record, [&](const GmRange& range, uint64_t missing, uint64_t first, const WrittenPart& next) {
        const int64_t details[] = {range.slot, static_cast<int64_t>(missing), static_cast<int64_t>(first),
                                   static_cast<int64_t>(range.bytes)};
        found.push_back(found_of(Fault::UNWRITTEN, next.line, next.block, next.kind, details, 4));
    });
}

// What set_value wrote of an argument and its core never cleaned: the first element of each line, on its lowest core.
template <typename Caches>
inline void report_uncleaned(const Launch& launch, const Caches& caches,
                             const std::map<uint32_t, const CoreReport*>& cores, std::vector<Found>& found) {
    if (!(launch.record->flags & kDoubts) || launch.outcome->fault || launch.outcome->waiters) return;
    std::map<std::pair<int32_t, int64_t>, std::set<std::pair<uint32_t, int64_t>>> sets;  // by line and slot: core and byte
    caches.each_uncleaned([&](uint32_t core, int32_t line, uint64_t byte) {
        const auto slot = static_cast<int64_t>(byte >> kOffsetBits) - 1;
        if (slot >= 0) sets[{line, slot}].insert({core, static_cast<int64_t>(byte & ((uint64_t(1) << kOffsetBits) - 1))});
    });
    for (const auto& [where, all] : sets) {
        const CoreReport& report = *cores.at(all.begin()->first);
        const int64_t details[] = {where.second, all.begin()->second};
        Found one = found_of(Fault::UNCLEANED, where.first, report.block, report.kind, details, 2);
        std::set<uint32_t> by;
        for (const auto& place : all) by.insert(place.first);
        one.count = one.cores = static_cast<uint32_t>(by.size());
        found.push_back(one);
    }
}

// All cores have ended. The report of a core above the one that failed is left out: it may not even have started.
inline void checker_conclude(Launch& launch) {
    auto all = static_cast<std::vector<CoreReport>*>(launch.ended);
    if (!all) all = new std::vector<CoreReport>();
    launch.ended = nullptr;
    std::sort(all->begin(), all->end(), [](const CoreReport& a, const CoreReport& b) { return a.rank < b.rank; });
    FoundList found;
    std::vector<GlobalOrder> phases;
    std::vector<TraceEvent> events;
    Outcome& outcome = *launch.outcome;
    for (const CoreReport& report : *all) {
        if (report.rank > launch.failed) break;
        found.add_core(report.found);
        report.global.give(static_cast<uint32_t>(report.rank), phases);
        const size_t kept = std::min(report.events.size(), kMaxEvents - events.size());
        events.insert(events.end(), report.events.begin(), report.events.begin() + static_cast<ptrdiff_t>(kept));
        outcome.events_lost += report.lost + (report.events.size() - kept);
    }
    FoundBetween between;
    std::map<uint32_t, const CoreReport*> cores;  // by rank
    for (const CoreReport& report : *all) cores[static_cast<uint32_t>(report.rank)] = &report;
    const auto tell = [&](Fault fault, Finding f, uint32_t phase, InArgument in) {
        if (f.begin & kShared) {
            f.memory = static_cast<uint32_t>(f.begin >> 32) & 255;
            in = {-1, f.begin & ~uint64_t(0xFFFFFFFF)};
        }
        const auto begin = static_cast<int64_t>(f.begin - in.base);
        const CoreReport &first = *cores[f.first_core], &second = *cores[f.core];
        const RaceDetails details(f, in, begin / static_cast<int64_t>(f.element_bytes), first.block, first.kind);
        const Found one = found_of(fault, f.second_line, second.block, second.kind, details.values, kRaceDetails);
        between.add(one, kRaceIdentity, phase, in.slot, begin, f.first_core, f.core);
    };
    const uint32_t gm = static_cast<uint32_t>(Memory::GM);
    const auto is_before = [&](uint32_t first, uint32_t segment, uint32_t second, uint32_t later) {
        return cores[second]->global.knows(later, first, cores[first]->global, segment);
    };
    CacheOrder caches(is_before);
    for (const CoreReport& report : *all) {
        if (report.rank <= launch.failed) caches.add(static_cast<uint32_t>(report.rank), &report.cache);
    }
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
    std::vector<Found> of_cores = between.all();
    report_unwritten(launch, *all, of_cores);
    report_uncleaned(launch, caches, cores, of_cores);
    delete all;
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
        note(core, Fault::RACE, c.second.line, details.values, kRaceDetails - kCoreDetails, kRaceIdentity);
    }

    int64_t element(const Conflict& c, const InArgument& in) const {
        for (const Footprint* one = touched; one != touched + count; ++one) {
            const uint64_t offset = c.begin - one->address;
            if (static_cast<uint32_t>(one->memory) != memory_of(c.memory) || one->written != c.second_written) continue;
            if (offset < one->bytes) return static_cast<int64_t>((in.base ? c.begin - in.base : offset) / one->element_bytes);
        }
        return -1;
    }
};

// A write that left a byte out.
struct Beside {
    int32_t line = 0;  // 0: there was none
    uint64_t begin = 0;
    uint64_t end = 0;
};

// Of what was written of an operand, that next to a byte which nothing has written: the bytes before it if both are next,
// and the newest write of them.
inline Beside written_beside(const Checker& checker, const Range& operand, uint64_t byte) {
    std::vector<Piece> pieces;
    checker.order.each_written(operand, [&](uint64_t begin, uint64_t end, const Stamp& stamp) {
        pieces.push_back({begin, end, stamp});
    });
    const auto rank = [&](const Piece& piece) {
        const bool is_before = piece.end <= byte;
        const uint64_t newest = checker.runs[static_cast<size_t>(piece.stamp.line)].last;
        return std::make_tuple(is_before ? byte - piece.end : piece.begin - byte, !is_before, ~newest);
    };
    const auto nearest = std::min_element(pieces.begin(), pieces.end(), [&](const Piece& a, const Piece& b) {
        return rank(a) < rank(b);
    });
    if (nearest == pieces.end()) return {};
    Beside found = {nearest->stamp.line, nearest->begin, nearest->end};
    for (bool grows = true; grows;) {
        grows = false;
        for (const Piece& piece : pieces) {
            const bool is_same = piece.stamp.line == found.line && piece.stamp.iteration == nearest->stamp.iteration;
            if (!is_same || (piece.end != found.begin && piece.begin != found.end)) continue;
            found.begin = std::min(found.begin, piece.begin);
            found.end = std::max(found.end, piece.end);
            grows = true;
        }
    }
    return found;
}

// The details of a read of what nothing has written, as `faults.py` names them.
constexpr uint32_t kUnwrittenDetails = 14;

struct UnwrittenDetails {
    int64_t values[kUnwrittenDetails];

    UnwrittenDetails(uint32_t pipe, uint32_t iteration, const Footprint& touched, uint64_t begin, uint64_t end, const Beside& beside)
        : values{touched.operand,
                 static_cast<int64_t>(touched.memory),
                 pipe,
                 iteration,
                 static_cast<int64_t>(begin),
                 static_cast<int64_t>(end),
                 static_cast<int64_t>((begin - touched.address) / touched.element_bytes),
                 beside.line,
                 static_cast<int64_t>(beside.begin),
                 static_cast<int64_t>(beside.end),
                 0,
                 0,
                 0,
                 0} {}

    void brought_by(const Brought& load) {
        values[10] = load.line;
        values[11] = static_cast<int64_t>(load.from);
    }

    // The writer that left something out is the one beside what the origin read.
    void computed_by(const Found& origin) {
        std::copy(origin.details + 7, origin.details + 10, values + 7);
        values[12] = origin.line;
        values[13] = origin.details[4];
    }
};

inline Range hull_of(const Footprint& touched) {
    return {static_cast<uint32_t>(touched.memory), touched.written, 1, touched.address, touched.address + touched.bytes};
}

// Bytes on the chip that a call reads although nothing has written them are reported, and count as written from then
// on. What follows from one origin is reported at one line.
inline void check_written(Core* core, Checker& checker, int32_t line, uint32_t pipe, uint32_t iteration,
                          const Footprint& touched, const Range& range) {
    WrittenBytes& written = checker.written[range.memory];
    const uint64_t byte = written.first_missing(range.begin, range.end);
    if (byte == range.end) return;
    const Held held = touched.memory == Memory::UB ? checker.garbage.at(byte) : Held{};
    Range operand = hull_of(touched);
    Brought brought = {0, byte, 0, 0};
    checker.brought[range.memory].overlapping(byte, byte + 1, [&](uint64_t, uint64_t, const Brought& load) {
        brought = load;
        operand.memory = static_cast<uint32_t>(Memory::L1);
        operand.begin = load.begin;
        operand.end = load.end;
    });
    const Beside beside = held.is_result ? Beside{} : written_beside(checker, operand, brought.from);
    UnwrittenDetails details(pipe, iteration, touched, byte, range.end, beside);
    details.brought_by(brought);
    if (held.is_result) details.computed_by(checker.garbage[held.origin].found);
    // What the scalar unit reads decides where the kernel goes: with a number that is not there it may never end.
    if (pipe == PIPE_S) core_fail(core, Fault::UNINITIALISED, line, details.values, kUnwrittenDetails);
    const int32_t reported_line = held.origin == kNoOrigin ? 0 : checker.garbage[held.origin].reported_line;
    if (!reported_line || reported_line == line) {
        note(core, Fault::UNINITIALISED, line, details.values, kUnwrittenDetails, 1);
    }
    if (touched.memory == Memory::UB) checker.garbage.tell(range.begin, range.end, line);
    written.add(range.begin, range.end);
}

// The origin of an element that was not written in full: that of who read these bytes first, which may be this call.
inline uint32_t origin_of(Core* core, Checker& checker, int32_t line, uint32_t pipe, uint32_t iteration, const Footprint& source,
                          const std::vector<uint64_t>& elements, size_t k) {
    const WrittenBytes& written = checker.written[static_cast<uint32_t>(Memory::UB)];
    Garbage& garbage = checker.garbage;
    const uint64_t bytes = source.element_bytes, begin = written.first_missing(elements[k], elements[k] + bytes);
    uint32_t origin = garbage.at(begin).origin;
    if (origin != kNoOrigin) {
        Origin& known = garbage[origin];
        if (known.found.line == line && known.iteration != iteration) ++known.found.count;
        if (known.found.line == line) known.iteration = iteration;
        return origin;
    }
    uint64_t end = elements[k] + bytes;
    const auto is_alike = [&](uint64_t byte) {
        return written.first_missing(byte, byte + bytes) == byte && garbage.at(byte).origin == kNoOrigin;
    };
    for (size_t next = k + 1; next < elements.size() && elements[next] == end && is_alike(end); ++next) end += bytes;
    origin = garbage.find(line, source.operand);
    if (origin == kNoOrigin) {
        const Beside beside = written_beside(checker, hull_of(source), begin);
        const UnwrittenDetails details(pipe, iteration, source, begin, end, beside);
        const uint32_t kind = index_of(core->kind);
        origin = garbage.add(found_of(Fault::GARBAGE, line, core->block, kind, details.values, kUnwrittenDetails));
        garbage[origin].iteration = iteration;
    }
    garbage.put(begin, end, origin, false);
    return origin;
}

// What nothing has written passes from the sources of a call to its results, element by element. False if what belongs to
// what is not certain.
inline bool pass_on(Core* core, Checker& checker, int32_t line, uint32_t pipe, uint32_t iteration, const Footprint* touched,
                    uint32_t count) {
    const Footprint& result = touched[0];
    const std::vector<uint64_t> to = elements_of(result);
    std::vector<const Footprint*> sources;
    std::vector<std::vector<uint64_t>> from;
    for (const Footprint* one = touched; one != touched + count; ++one) {
        if (one->memory != Memory::UB || one->owner != Owner::SELF) return false;
        if (one->written || one->bytes == 0) continue;
        sources.push_back(one);
        from.push_back(elements_of(*one));
        if (from.back().size() != to.size()) return false;
    }
    WrittenBytes& written = checker.written[static_cast<uint32_t>(Memory::UB)];
    Results results(written, checker.garbage);
    for (size_t k = 0; k < to.size(); ++k) {
        uint32_t origin = kNoOrigin;
        for (size_t i = 0; i < sources.size(); ++i) {
            const uint64_t begin = from[i][k], bytes = sources[i]->element_bytes;
            results.before_read(begin, bytes);
            if (written.first_missing(begin, begin + bytes) == begin + bytes) continue;
            const uint32_t one = origin_of(core, checker, line, pipe, iteration, *sources[i], from[i], k);
            if (origin == kNoOrigin) origin = one;
        }
        results.add(to[k], result.element_bytes, origin);
    }
    return true;
}

// Whole fractals are loaded from L1, of which a copy may have filled some rows only: a product that leaves out the others
// is right, one that does not is reported, see loads.h. A load is reported only if nothing at all was written.
inline bool may_have_gaps(const Checker& checker, uint32_t pipe, const Footprint& touched, size_t first) {
    if (pipe != PIPE_MTE1 || touched.memory != Memory::L1) return false;
    const WrittenBytes& written = checker.written[static_cast<uint32_t>(Memory::L1)];
    const std::vector<Range>& ranges = checker.ranges.all();
    return std::any_of(ranges.begin() + static_cast<ptrdiff_t>(first), ranges.end(),
                       [&](const Range& range) { return written.touches(range.begin, range.end); });
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
inline void check_watches(Core* core, int32_t line, uint32_t pipe, uint32_t iteration, const Footprint& touched, const Range& range) {
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
                                   iteration};
        note(core, Fault::WATCHED, line, details, 7, 2);
    }
}

inline void record_access(Core* core, Checker& checker, int32_t line, uint32_t pipe, uint32_t iteration) {
    const std::vector<Range>& ranges = checker.ranges.all();
    for (size_t i = 0; i < ranges.size(); ++i) {
        TraceEvent event = event_of(core, TraceKind::ACCESS, pipe, line);
        event.memory = ranges[i].memory;
        event.written = ranges[i].is_atomic() ? kTraceAtomic : ranges[i].written;
        event.begin = ranges[i].begin;
        event.end = ranges[i].end;
        event.more = static_cast<uint32_t>(ranges.size() - 1 - i);
        event.iteration = iteration;
        event.other = checker.order.is_unit_next(pipe);
        record(checker, event);
    }
}

// How often a line has run before; it runs now.
inline uint32_t next_iteration(Checker& checker, int32_t line) {
    const auto place = static_cast<size_t>(line);
    if (checker.runs.size() <= place) checker.runs.resize(place + 1);
    checker.runs[place].last = ++checker.accesses;
    return checker.runs[place].count++;
}

// What becomes of the bytes of operands on the chip. Of calls that compute by element reads are only looked at: whether one
// lacks something; results may have been put down before.
struct OnChip {
    bool by_element;
    bool lacks = false;
    bool passed_on = false;
};

// The bytes of one operand that lies on the chip. `first`: its ranges are those of the checker from there on.
inline void note_on_chip(Core* core, Checker& checker, int32_t line, uint32_t pipe, uint32_t iteration, const Footprint& touched,
                         size_t first, OnChip& how) {
    Core& owner = owner_of(*core, touched.owner);
    Checker& owners = touched.owner == Owner::SELF ? checker : checker_of(&owner);
    const bool has_gaps = !touched.written && may_have_gaps(checker, pipe, touched, first);
    for (size_t r = first; r < checker.ranges.all().size(); ++r) {
        const Range range = checker.ranges.all()[r];
        if (core->is_watching && touched.memory == Memory::UB) check_watches(core, line, pipe, iteration, touched, range);
        if (touched.written) {
            const bool is_done = how.passed_on && touched.by_element;
            if (!is_done) owners.written[range.memory].add(range.begin, range.end);
        } else if (touched.owner == Owner::SELF && !has_gaps && how.by_element) {
            how.lacks = how.lacks || checker.written[range.memory].first_missing(range.begin, range.end) != range.end;
        } else if (touched.owner == Owner::SELF && !has_gaps) {
            check_written(core, checker, line, pipe, iteration, touched, range);
        }
        if (touched.owner != Owner::SELF) checker.ranges.move(r, foreign(touched.owner));
    }
}

// A call that computes by element reads what nothing has written.
__attribute__((noinline)) inline bool note_lacking(Core* core, Checker& checker, int32_t line, uint32_t pipe, uint32_t iteration,
                                                   const Footprint* touched, uint32_t count) {
    if (pass_on(core, checker, line, pipe, iteration, touched, count)) return true;
    for (const Footprint* one = touched; one != touched + count; ++one) {
        if (one->written || one->memory == Memory::GM || one->owner != Owner::SELF) continue;
        Ranges ranges;
        ranges.add(*one);
        for (const Range& range : ranges.all()) check_written(core, checker, line, pipe, iteration, *one, range);
    }
    return false;
}

// What other cores may touch too: global memory, and memories of the group that another core of it reaches.
inline void note_shared(Core* core, Checker& checker, int32_t line, uint32_t pipe, uint32_t iteration, Range range) {
    const uint32_t number = checker.order.count(pipe);
    const Clock& clock = checker.order.known(pipe);
    if (range.memory == static_cast<uint32_t>(Memory::GM)) {
        const uint32_t segment = checker.report.global.access(pipe, line, iteration, range, number, clock);
        const Cached cache = pipe == PIPE_S ? Cached::SCALAR : Cached::NONE;
        checker.report.cache.access(pipe, line, iteration, range, cache, segment);
        return;
    }
    const uint32_t memory = memory_of(range.memory);
    const bool is_reached = memory == static_cast<uint32_t>(core->kind == CoreKind::AIV ? Memory::UB : Memory::L1);
    if (range.memory < kForeign && !(checker.shares && is_reached)) return;
    const Core& owner = owner_of(*core, range.memory < kForeign ? Owner::SELF : static_cast<Owner>(range.memory - kForeign));
    const uint64_t bytes = range.end - range.begin;
    range.begin = shared_address(&owner, memory, range.begin);
    range.end = range.begin + bytes;
    checker.report.global.access(pipe, line, iteration, range, number, clock);
}

inline void note_access(Core* core, int32_t line, uint32_t pipe, const Footprint* touched, uint32_t count) {
    Checker& checker = checker_of(core);
    const uint32_t iteration = next_iteration(checker, line);
    checker.ranges.clear();
    OnChip on_chip = {count != 0 && touched->by_element};
    // What is read first: that a value is not there yet is what people understand best.
    for (const bool written : {false, true}) {
        for (uint32_t i = 0; i < count; ++i) {
            if (touched[i].written != written) continue;
            if (touched[i].buffer) check_buffer(core, line, touched[i]);
            const size_t before = checker.ranges.all().size();
            checker.ranges.add(touched[i]);
            if (touched[i].memory != Memory::GM) note_on_chip(core, checker, line, pipe, iteration, touched[i], before, on_chip);
        }
        if (!written && on_chip.lacks) on_chip.passed_on = note_lacking(core, checker, line, pipe, iteration, touched, count);
    }
    const std::vector<Range>& ranges = checker.ranges.all();
    if (checker.records) record_access(core, checker, line, pipe, iteration);
    checker.order.access(pipe, line, iteration, ranges.data(), static_cast<uint32_t>(ranges.size()),
                         Report{core, touched, count});
    for (const Range& range : ranges) {
        if (checker.shares || range.memory >= static_cast<uint32_t>(Memory::GM)) {
            note_shared(core, checker, line, pipe, iteration, range);
        }
    }
}

// Unit flags. A product that finds one set, or a copy that finds one not set, waits for what comes later, if anything.
inline void note_unit(Core* core, int32_t line, uint32_t pipe, bool ends, uint64_t address, uint64_t bytes) {
    Checker& checker = checker_of(core);
    const size_t end = static_cast<size_t>((address + bytes + kUnitBytes - 1) / kUnitBytes);
    if (checker.full.size() < end) checker.full.resize(end);
    const bool fills = pipe == PIPE_M;
    for (size_t unit = address / kUnitBytes; unit < end; ++unit) {
        if (ends) {
            checker.full[unit] = fills;
        } else if (checker.full[unit] == fills) {
            const int64_t details[] = {pipe, static_cast<int64_t>(address), static_cast<int64_t>(address + bytes)};
            core_fail(core, Fault::UNIT_FLAG, line, details, 3);
        }
    }
    if (!ends) checker.order.next_is_unit(pipe);
}

inline void note_cache(Core* core, bool is_one, uint64_t address) {
    Checker& checker = checker_of(core);
    // It counts as work of its pipe, so that others know whether it is done.
    checker.order.access(PIPE_S, 0, 0, nullptr, 0, Report{core, nullptr, 0});
    const uint32_t number = checker.order.count(PIPE_S);
    const uint32_t segment = checker.report.global.passes(PIPE_S, number, checker.order.known(PIPE_S));
    if (is_one) {
        checker.report.cache.clean_line(address, Cached::SCALAR, segment);
    } else {
        checker.report.cache.clean_all(Cached::SCALAR, segment);
    }
}

inline void record_flag(Core* core, Checker& checker, TraceKind kind, uint32_t pipe, uint32_t other, uint32_t id,
                        int32_t line) {
    TraceEvent event = event_of(core, kind, pipe, line);
    event.other = other;
    event.id = id;
    record(checker, event);
}

inline void note_flag(Core* core, int32_t line, bool is_set, uint32_t source, uint32_t destination, uint32_t id) {
    Checker& checker = checker_of(core);
    const Report report = {core, nullptr, 0};
    if (is_set) {
        if (checker.records) record_flag(core, checker, TraceKind::SET, source, destination, id, line);
        checker.order.set(source, destination, id, line, report);
    } else {
        if (checker.records) record_flag(core, checker, TraceKind::WAIT, destination, source, id, line);
        checker.order.wait(source, destination, id, line, report);
    }
}

inline void note_barrier(Core* core, int32_t line, uint32_t pipe) {
    Checker& checker = checker_of(core);
    if (checker.records) record(checker, event_of(core, TraceKind::BARRIER, pipe, line));
    checker.order.barrier(pipe, line, Report{core, nullptr, 0});
}

}  // namespace opwright
