// The order of work on one core: which accesses have certainly ended when another one starts.
//
// In: what a core issues, in program order: accesses of a pipe, flags, barriers. Out: conflicts, that is pairs of
// accesses to the same bytes, at least one of them a write, of which the chip may do either first; and waits that
// nothing can serve.
//
// The scalar unit issues in program order into one queue per pipe. A pipe starts its instructions in order, but an
// instruction may start before an earlier one of the same pipe has ended. What is known is therefore counted per pair
// of pipes: `ended[q][p] = n` says that whatever starts on pipe q from now on starts after the first n accesses of pipe
// p have ended. A set flag takes what its pipe knows, with all its own accesses ended, and gives it to the waiting pipe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <tuple>
#include <vector>

#include "../../include/opwright/generated/enums.h"
#include "intervals.h"

namespace opwright {

constexpr uint32_t kPipes = 16;  // more than pipe_t has: a clock is one cache line, and joining two is one instruction
static_assert(PIPE_FIX < kPipes, "every pipe has its place in a clock");

// A pipe that has waited for another core knows more than a clock counts. How often it has waited is counted where no
// pipe has its place: who knows of that wait knows what it gave.
constexpr uint32_t kWaits = 7;
constexpr uint32_t kWaiting[kWaits] = {PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX};
constexpr uint32_t kWaitPlace[kWaits] = {6, 7, 8, 9, 11, 12, 13};
constexpr uint32_t kWaitPlaces = 1u << 6 | 1u << 7 | 1u << 8 | 1u << 9 | 1u << 11 | 1u << 12 | 1u << 13;

// The number of a pipe among those that wait.
inline uint32_t wait_of(uint32_t pipe) {
    uint32_t number = 0;
    while (number + 1 < kWaits && kWaiting[number] != pipe) ++number;
    return number;
}

// Bits of a stamp. Unit: it and what it meets wait for each other's unit flags. Long: the next matrix product starts
// after it has written. Above them a copy out with unit flags has how many products were begun before it.
constexpr uint32_t kUnit = 1;
constexpr uint32_t kLong = 2;
constexpr uint32_t kProductsShift = 2;
// From this number of bytes of results on, the chip puts a product after the one before; below, a barrier of its pipe
// must.
constexpr uint64_t kLongBytes = 10 * 16 * 16 * 4;

// How bytes are touched; from SUM on atomically. Two atomic writes of one operation never race: whichever comes first,
// both count. A sum and a maximum do. Of threads the operation is not known: they race with no other atomic write.
enum class Touched : uint8_t { READ, WRITTEN, SUM, MAX, MIN, OF_THREADS };
constexpr uint32_t kTouched = 6;

inline bool changes_places(Touched one, Touched other) {
    return one >= Touched::SUM && other >= Touched::SUM &&
           (one == other || one == Touched::OF_THREADS || other == Touched::OF_THREADS);
}

struct Range {
    uint32_t memory;
    bool written;
    uint8_t element_bytes;
    uint64_t begin;
    uint64_t end;
    Touched atomic = Touched::READ;  // SUM or above, if it is an atomic write
    bool adds_floats = false;  // atomic additions whose order shows in the last bits

    bool is_atomic() const { return atomic != Touched::READ; }
    Touched how() const { return is_atomic() ? atomic : written ? Touched::WRITTEN : Touched::READ; }
};

// Two accesses of one core that nothing orders.
struct Conflict {
    uint32_t memory;
    uint32_t first_pipe;
    uint32_t second_pipe;
    bool first_written;
    bool second_written;
    uint64_t begin;
    uint64_t end;
    Stamp first;
    Stamp second;
};

// A flag that is set again although nothing says that it was waited for: on the chip one of the sets may be lost.
struct SetAgain {
    uint32_t source;
    uint32_t destination;
    uint32_t id;
    int32_t line;
    int32_t wait_line;
    int32_t set_line;  // of the set that the wait is for

    bool operator==(const SetAgain& other) const {
        return std::tie(source, destination, id, line, wait_line) ==
               std::tie(other.source, other.destination, other.id, other.line, other.wait_line);
    }
};

struct alignas(64) Clock {
    uint32_t ended[kPipes] = {};

    void join(const Clock& other) {
        for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
            ended[pipe] = other.ended[pipe] > ended[pipe] ? other.ended[pipe] : ended[pipe];
        }
    }

    // The pipes of which less than this many accesses have certainly ended, one bit each.
    uint32_t behind(const Clock& counts) const {
        uint32_t pipes = 0;
        for (uint32_t pipe = 0; pipe < kPipes; ++pipe) pipes |= uint32_t(ended[pipe] < counts.ended[pipe]) << pipe;
        return pipes & ~kWaitPlaces;
    }
};

// What the toolchain and the chip order by themselves.
struct OrderRules {
    bool vector_in_order;  // consecutive vector accesses wait for each other
    bool scalar_in_order;  // accesses of the scalar unit and of the other pipes wait for each other
};

class CoreOrder {
public:
    explicit CoreOrder(const OrderRules& rules) : rules_(rules) {}

    template <typename Found>
    void access(uint32_t pipe, int32_t line, uint32_t iteration, const Range* ranges, uint32_t count, const Found& found) {
        if (is_free(pipe) && !(pipe == PIPE_S && awaits_queued(ranges, count))) {
            Clock& clock = clocks_[pipe];
            clock.join(clocks_[PIPE_S]);
            touch(pipe, line, iteration, ranges, count, clock, found);
            return;
        }
        push({Kind::ACCESS, pipe, 0, 0, line, iteration, {ranges, ranges + count}, {}}, found);
    }

    template <typename Found>
    void set(uint32_t source, uint32_t destination, uint32_t id, int32_t line, const Found& found) {
        if (is_free(source) && (waiting_ == 0 || queues_[destination].empty())) {
            clocks_[source].join(clocks_[PIPE_S]);
            raise(source, destination, id, line);
            return;
        }
        push({Kind::SET, source, destination, id, line, 0, {}, {}}, found);
    }

    template <typename Found>
    void wait(uint32_t source, uint32_t destination, uint32_t id, int32_t line, const Found& found) {
        if (is_free(destination) && flag(source, destination, id).is_set()) {
            clocks_[destination].join(clocks_[PIPE_S]);
            lower(source, destination, id, line);
            return;
        }
        push({Kind::WAIT, destination, source, id, line, 0, {}, {}}, found);
    }

    template <typename Found>
    void barrier(uint32_t pipe, int32_t line, const Found& found) {
        push({Kind::BARRIER, pipe, 0, 0, line, 0, {}, {}}, found);
    }

    // What a pipe knows, with all its own accesses so far ended: what a flag between cores that it sets gives.
    Clock given(uint32_t pipe) const {
        Clock known = clocks_[pipe];
        known.join(clocks_[PIPE_S]);
        known.ended[pipe] = counts_.ended[pipe];
        return known;
    }

    // The same of a call before which all work of the core ends.
    const Clock& all() const { return counts_; }

    // A pipe has waited for another core.
    void waited(uint32_t pipe) {
        const uint32_t place = kWaitPlace[wait_of(pipe)];
        clocks_[pipe].ended[place] = ++counts_.ended[place];
    }

    // It has learnt there that `count` accesses of a pipe of its own core have ended.
    void learn(uint32_t pipe, uint32_t of, uint32_t count) {
        uint32_t& known = clocks_[pipe].ended[of];
        known = count > known ? count : known;
    }

    // What the access that a pipe began last knew when it began, and its number.
    const Clock& known(uint32_t pipe) const { return clocks_[pipe]; }
    uint32_t count(uint32_t pipe) const { return counts_.ended[pipe]; }

    // The next access of a pipe waits for unit flags.
    void next_is_unit(uint32_t pipe) { unit_ |= 1u << pipe; }
    bool is_unit_next(uint32_t pipe) const { return unit_ >> pipe & 1; }

    // Waits that are not served although nothing more will be issued; each is reported with its pipe, source, id and
    // line.
    template <typename Stalled>
    void finish(Stalled stalled) const {
        for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
            if (!queues_[pipe].empty()) {
                const Event& event = queues_[pipe].front();
                stalled(pipe, event.other, event.id, event.line);
            }
        }
    }

    // What was written of some bytes: for each pipe its newest writes.
    template <typename Each>
    void each_written(const Range& range, const Each& each) const {
        for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
            const size_t index = index_of(range.memory, pipe, Touched::WRITTEN);
            if (index < touched_.size()) touched_[index].overlapping(range.begin, range.end, each);
        }
    }

    // Flags that were set again too early, each pair of lines once.
    const std::vector<SetAgain>& again() const { return again_; }

    // Whether everything that was issued has been carried out.
    bool is_drained() const {
        auto empty = [](const std::deque<Event>& queue) { return queue.empty(); };
        return held_.empty() && std::all_of(std::begin(queues_), std::end(queues_), empty);
    }

    // Whether an access, known by its iteration, has yet to be carried out.
    bool is_held(uint32_t iteration) const {
        auto is_it = [iteration](const Event& event) { return event.kind == Kind::ACCESS && event.iteration == iteration; };
        auto holds = [&](const std::deque<Event>& queue) { return std::any_of(queue.begin(), queue.end(), is_it); };
        return holds(held_) || std::any_of(std::begin(queues_), std::end(queues_), holds);
    }

private:
    static constexpr auto kL0C = static_cast<uint32_t>(Memory::L0C);
    enum class Kind : uint8_t { ACCESS, SET, WAIT, BARRIER };

    struct Event {
        Kind kind;
        uint32_t pipe;
        uint32_t other;  // of a set its destination, of a wait its source
        uint32_t id;
        int32_t line;
        uint32_t iteration;
        std::vector<Range> ranges;
        Clock issued;  // what the scalar unit knew when it issued this
    };

    // A flag's sets that are not waited for, oldest first: the k-th wait of a flag takes its k-th set. Almost always
    // there is one at most.
    class Flag {
    public:
        uint32_t waited = 0;  // the number of its last wait
        int32_t wait_line = 0;
        int32_t set_line = 0;  // of its last set

        bool is_set() const { return count_ != 0; }
        // Written in place: a clock that is put together and then copied costs more than all the rest.
        void push(const Clock& known, uint32_t source, uint32_t ended) {
            if (count_++ != 0) later_.emplace_back();
            Clock& given = count_ == 1 ? oldest_ : later_.back();
            given = known;
            given.ended[source] = ended;
        }
        void pop(Clock& into) {
            into.join(oldest_);
            if (--count_ != 0) {
                oldest_ = later_.front();
                later_.erase(later_.begin());
            }
        }

    private:
        uint32_t count_ = 0;
        Clock oldest_;
        std::vector<Clock> later_;
    };

    // Whether what is issued to a pipe now is carried out at once.
    bool is_free(uint32_t pipe) const {
        // Almost always nothing waits at all.
        return waiting_ == 0 || (held_.empty() && queues_[PIPE_S].empty() && queues_[pipe].empty());
    }

    void raise(uint32_t source, uint32_t destination, uint32_t id, int32_t line) {
        Flag& raised = flag(source, destination, id);
        if (clocks_[source].ended[destination] < raised.waited) {
            set_again({source, destination, id, line, raised.wait_line, raised.set_line});
        }
        raised.set_line = line;
        raised.push(clocks_[source], source, counts_.ended[source]);
    }

    // A wait has a number among the accesses of its pipe: who knows that it has ended may set the flag again. That of the
    // scalar unit is over when anything behind it is issued; what it sets itself the toolchain may order.
    void lower(uint32_t source, uint32_t destination, uint32_t id, int32_t line) {
        Flag& lowered = flag(source, destination, id);
        lowered.pop(clocks_[destination]);
        if (destination == PIPE_S || source == PIPE_S) return;
        lowered.waited = ++counts_.ended[destination];
        lowered.wait_line = line;
    }

    __attribute__((cold, noinline)) void set_again(const SetAgain& again) {
        if (std::find(again_.begin(), again_.end(), again) == again_.end()) again_.push_back(again);
    }

    template <typename Found>
    void push(Event&& event, const Found& found) {
        held_.push_back(std::move(event));
        ++waiting_;
        advance(found);
    }

    // The scalar unit issues what is held while its own queue is empty; every pipe carries out what it can.
    template <typename Found>
    void advance(const Found& found) {
        for (bool moved = true; moved;) {
            moved = false;
            for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
                while (!queues_[pipe].empty() && step(queues_[pipe].front(), found)) {
                    queues_[pipe].pop_front();
                    --waiting_;
                    moved = true;
                }
            }
            if (queues_[PIPE_S].empty() && !held_.empty()) {
                Event next = std::move(held_.front());
                held_.pop_front();
                next.issued = clocks_[PIPE_S];
                // A barrier of all pipes holds the scalar unit until every queue has drained.
                const uint32_t pipe = next.pipe == PIPE_ALL ? uint32_t(PIPE_S) : next.pipe;
                queues_[pipe].push_back(std::move(next));
                moved = true;
            }
        }
    }

    // Carries out the first event of a queue; false if it has to wait.
    template <typename Found>
    bool step(Event& event, const Found& found) {
        if (event.pipe == PIPE_ALL) {
            for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
                if (pipe != PIPE_S && !queues_[pipe].empty()) return false;
            }
            for (Clock& clock : clocks_) clock = counts_;
            return true;
        }
        const auto count = static_cast<uint32_t>(event.ranges.size());
        if (event.kind == Kind::ACCESS && event.pipe == PIPE_S && awaits_queued(event.ranges.data(), count)) {
            return false;
        }
        Clock& clock = clocks_[event.pipe];
        clock.join(event.issued);
        switch (event.kind) {
            case Kind::ACCESS:
                touch(event.pipe, event.line, event.iteration, event.ranges.data(), count, clock, found);
                break;
            case Kind::SET:
                raise(event.pipe, event.other, event.id, event.line);
                break;
            case Kind::WAIT:
                if (!flag(event.other, event.pipe, event.id).is_set()) return false;
                lower(event.other, event.pipe, event.id, event.line);
                break;
            case Kind::BARRIER:
                clock.ended[event.pipe] = counts_.ended[event.pipe];
                break;
        }
        return true;
    }

    template <typename Found>
    void touch(uint32_t own, int32_t line, uint32_t iteration, const Range* ranges, uint32_t count, Clock& clock,
               const Found& found) {
        if (in_order(own)) clock.ended[own] = counts_.ended[own];
        if (rules_.scalar_in_order && (own == PIPE_S || counts_.ended[PIPE_S])) {
            wait_for_scalar(own, ranges, count, clock);
        }
        const uint32_t behind = clock.behind(counts_);
        const Stamp stamp = {++counts_.ended[own], line, iteration, own == PIPE_M || own == PIPE_FIX ? bits(own, ranges, count) : 0};
        for (const Range* range = ranges; range != ranges + count; ++range) {
            each_met(*range, behind, [&](uint32_t pipe, Touched how, const LastTouch& last) {
                look(*range, pipe, own, how, last, clock, stamp, found);
            });
        }
        for (const Range* range = ranges; range != ranges + count; ++range) {
            touched(range->memory, own, range->how()).put(range->begin, range->end, stamp);
        }
    }

    uint32_t bits(uint32_t own, const Range* ranges, uint32_t count) {
        uint64_t results = 0;
        for (const Range* range = ranges; range != ranges + count; ++range) {
            if (range->memory == kL0C && range->written) results += range->end - range->begin;
        }
        const uint32_t found = (unit_ >> own & 1 ? kUnit : 0) | (own == PIPE_M && results >= kLongBytes ? kLong : 0);
        unit_ &= ~(1u << own);
        return own == PIPE_FIX ? found | counts_.ended[PIPE_M] << kProductsShift : found;
    }

    // Whether a copy out between two products has emptied all of these bytes: it waited for the first one's unit flag, and
    // the second one for its own.
    bool is_emptied(uint64_t begin, uint64_t end, const Stamp& first, const Stamp& second) const {
        const size_t index = index_of(kL0C, PIPE_FIX, Touched::READ);
        if (!(first.bits & second.bits & kUnit) || index >= touched_.size()) return false;
        uint64_t emptied = 0;
        touched_[index].overlapping(begin, end, [&](uint64_t from, uint64_t to, const Stamp& copy) {
            if ((copy.bits & kUnit) && copy.bits >> kProductsShift >= first.number) emptied += to - from;
        });
        return emptied == end - begin;
    }

    // Whether the chip orders two accesses to L0C by itself.
    static bool in_order_on_l0c(uint32_t pipe, uint32_t own, const Stamp& first, const Stamp& second) {
        if (pipe == PIPE_M && own == PIPE_M) return (first.bits & kLong) != 0;
        return (first.bits & second.bits & kUnit) != 0 && pipe != own;
    }

    // Whether the toolchain lets the scalar unit wait for an access that has not even begun.
    bool awaits_queued(const Range* ranges, uint32_t count) const {
        if (!rules_.scalar_in_order || waiting_ == 0) return false;
        for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
            if (pipe == PIPE_S) continue;
            for (const Event& event : queues_[pipe]) {
                for (const Range& other : event.ranges) {
                    for (const Range* range = ranges; range != ranges + count; ++range) {
                        const bool meet = range->begin < other.end && other.begin < range->end;
                        if (range->memory == other.memory && meet && (range->written || other.written)) return true;
                    }
                }
            }
        }
        return false;
    }

    // Whether each access of a pipe waits for the one before.
    bool in_order(uint32_t pipe) const {
        return pipe == PIPE_S || (pipe == PIPE_V && rules_.vector_in_order);
    }

    // The toolchain puts a flag between accesses of the scalar unit and those of other pipes to the same bytes. As any
    // flag, it comes after all earlier work of its pipe.
    void wait_for_scalar(uint32_t own, const Range* ranges, uint32_t count, Clock& clock) {
        constexpr uint32_t kScalar = 1u << PIPE_S;
        const uint32_t pipes = clock.behind(counts_) & (own == PIPE_S ? ~kScalar : kScalar);
        if (!pipes) return;
        for (const Range* range = ranges; range != ranges + count; ++range) {
            each_met(*range, pipes, [&](uint32_t pipe, Touched, const LastTouch& last) {
                last.overlapping(range->begin, range->end, [&](uint64_t, uint64_t, const Stamp& first) {
                    if (first.number > clock.ended[pipe]) clock.ended[pipe] = first.number;
                });
            });
        }
    }

    // The last touches of some pipes that must not change places with an access to a range.
    template <typename Each>
    void each_met(const Range& range, uint32_t pipes, const Each& each) {
        for (uint32_t left = pipes; left; left &= left - 1) {
            const auto pipe = static_cast<uint32_t>(__builtin_ctz(left));
            for (uint32_t kind = kinds_; kind--;) {
                const auto how = static_cast<Touched>(kind);
                if (how == Touched::READ ? !range.written : changes_places(how, range.how())) continue;
                const size_t index = index_of(range.memory, pipe, how);
                if (index < touched_.size() && !touched_[index].empty()) each(pipe, how, touched_[index]);
            }
        }
    }

    static size_t index_of(uint32_t memory, uint32_t pipe, Touched how) {
        return (memory * kPipes + pipe) * kTouched + static_cast<size_t>(how);
    }

    template <typename Found>
    void look(const Range& range, uint32_t pipe, uint32_t own, Touched how, const LastTouch& last, const Clock& clock,
              const Stamp& stamp, const Found& found) {
        const bool written = how != Touched::READ;
        last.overlapping(range.begin, range.end, [&](uint64_t begin, uint64_t end, const Stamp& first) {
            if (first.number > clock.ended[pipe]) {
                if (range.memory == kL0C && in_order_on_l0c(pipe, own, first, stamp)) return;
                if (range.memory == kL0C && pipe == PIPE_M && own == PIPE_M && is_emptied(begin, end, first, stamp)) return;
                found(Conflict{range.memory, pipe, own, written, range.written, begin, end, first, stamp});
            }
        });
    }

    LastTouch& touched(uint32_t memory, uint32_t pipe, Touched how) {
        if (how >= Touched::SUM) kinds_ = kTouched;
        const size_t index = index_of(memory, pipe, how);
        if (index >= touched_.size()) touched_.resize(index + 1);
        return touched_[index];
    }

    Flag& flag(uint32_t source, uint32_t destination, uint32_t id) {
        const size_t index = (source * kPipes + destination) * kEventIds + id;
        if (index >= flags_.size()) flags_.resize(index + 1);
        return flags_[index];
    }

    OrderRules rules_;
    Clock clocks_[kPipes];
    Clock counts_;  // how many accesses each pipe has begun
    std::deque<Event> queues_[kPipes];
    std::deque<Event> held_;
    uint32_t unit_ = 0;     // pipes whose next access waits for unit flags, one bit each
    uint32_t waiting_ = 0;  // events that are held or in a queue
    std::vector<LastTouch> touched_;  // by memory, pipe and how
    uint32_t kinds_ = static_cast<uint32_t>(Touched::SUM);  // of `Touched` that there may be: most kernels have no atomics
    std::vector<Flag> flags_;         // by source, destination and id
    std::vector<SetAgain> again_;
};

}  // namespace opwright
