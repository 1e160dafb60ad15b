// Work of one core that is held back as long as a schedule likes and the flags allow.
//
// In: what a core issues, in program order, with a function that carries an access out. Out: every access is carried out
// once, in an order that the chip could take. A set, a wait or a barrier is served as soon as it can be: to serve it
// later allows nothing that holding accesses back does not. So a schedule is an order of accesses.
//
// The scalar unit runs on. It stands still while a flag that it waits for is not set, at a barrier of all pipes, before an
// access that the toolchain orders after others, while a queue is full and at the end. Only then accesses of other pipes
// are carried out. Program order is always one of the legal orders, so there is always something to carry out.
#pragma once

#include <stdlib.h>
#include <string.h>

#include <deque>
#include <vector>

#include "../../include/opwright/issue.h"
#include "checker.h"
#include "schedule.h"

namespace opwright {

class HeldWork {
public:
    HeldWork(const Schedule& schedule, const OrderRules& rules) : schedule_(schedule), rules_(rules) {}
    HeldWork(const HeldWork&) = delete;
    HeldWork& operator=(const HeldWork&) = delete;
    ~HeldWork() {
        for (auto& queue : queues_) {
            for (Event& event : queue) free(event.work);
        }
    }

    // An access that is carried out by run(work) some time; `work` is copied.
    void defer(uint32_t pipe, const Footprint* touched, uint32_t count, void (*run)(void*), const void* work,
               uint64_t bytes) {
        before_access(pipe, touched, count);
        push({Kind::ACCESS, pipe, 0, 0, run, kept_of(work, bytes), {touched, touched + count}});
    }

    // An access that the scalar unit carries out itself, when this returns.
    void reach(uint32_t pipe, const Footprint* touched, uint32_t count) {
        before_access(pipe, touched, count);
        if (pipe != PIPE_S) finish();
    }

    void set(uint32_t source, uint32_t destination, uint32_t id) { push({Kind::SET, source, destination, id, {}, {}, {}}); }

    void wait(uint32_t source, uint32_t destination, uint32_t id) {
        push({Kind::WAIT, destination, source, id, {}, {}, {}});
        if (destination == PIPE_S) {
            while (holds(PIPE_S, Kind::WAIT)) step();
        }
    }

    void barrier(uint32_t pipe) {
        if (pipe == PIPE_ALL) return finish();
        push({Kind::BARRIER, pipe, 0, 0, {}, {}, {}});
        if (pipe == PIPE_S) {
            while (holds(PIPE_S, Kind::BARRIER)) step();
        }
    }

    // A flag between cores: run(work) sets it when earlier work of the pipe has ended; `work` is copied.
    void cross(uint32_t pipe, void (*run)(void*), const void* work, uint64_t bytes) {
        push({Kind::CROSS, pipe, 0, 0, run, kept_of(work, bytes), {}});
    }

    // The scalar unit waits for another core, which may wait for flags that this one has yet to set.
    void set_crosses() {
        for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
            while (holds(pipe, Kind::CROSS)) step();
        }
    }

    // Carries out everything.
    void finish() {
        while (!is_empty()) step();
    }

private:
    // An access that has ended before an older one of its pipe stays in the queue: a flag behind it waits for both.
    enum class Kind : uint8_t { ACCESS, ENDED, SET, WAIT, BARRIER, CROSS };

    struct Event {
        Kind kind;
        uint32_t pipe;
        uint32_t other;  // of a set its destination, of a wait its source
        uint32_t id;
        void (*run)(void*);
        void* work;
        std::vector<Footprint> touched;
    };
    using Queue = std::deque<Event>;

    static void* kept_of(const void* work, uint64_t bytes) {
        void* kept = malloc(bytes);
        if (!kept) abort();  // the machine is out of memory: as operator new would do
        memcpy(kept, work, bytes);
        return kept;
    }

    bool in_order(uint32_t pipe) const {
        return pipe == PIPE_S || (pipe == PIPE_V && rules_.vector_in_order);
    }

    bool is_empty() const {
        for (const Queue& queue : queues_) {
            if (!queue.empty()) return false;
        }
        return true;
    }

    bool holds(uint32_t pipe, Kind kind) const {
        for (const Event& event : queues_[pipe]) {
            if (event.kind == kind) return true;
        }
        return false;
    }

    // What the scalar unit waits for before it issues an access: of its own the access before has ended; the toolchain
    // puts a flag between it and another pipe where they touch the same bytes.
    void before_access(uint32_t pipe, const Footprint* touched, uint32_t count) {
        const bool flags = rules_.scalar_in_order;
        if (pipe == PIPE_S || (flags && meets(PIPE_S, touched, count))) {
            while (holds(PIPE_S, Kind::ACCESS)) step();
        }
        if (pipe != PIPE_S || !flags) return;
        for (uint32_t other = 0; other < kPipes; ++other) {
            while (const uint32_t last = meets(other, touched, count)) end_first(other, last);
        }
    }

    // How many events of a queue come up to and with the last one that touches the same bytes, one of the two writing.
    uint32_t meets(uint32_t pipe, const Footprint* touched, uint32_t count) {
        const Queue& queue = queues_[pipe];
        for (size_t place = queue.size(); place > 0; --place) {
            for (const Footprint& one : queue[place - 1].touched) {
                for (const Footprint* other = touched; other != touched + count; ++other) {
                    if (conflict(one, *other)) return static_cast<uint32_t>(place);
                }
            }
        }
        return 0;
    }

    bool conflict(const Footprint& a, const Footprint& b) {
        if (a.memory != b.memory || !(a.written || b.written)) return false;
        if (!overlap(a.address, a.bytes, b.address, b.bytes)) return false;
        ranges_.clear();
        ranges_.add(a);
        const size_t first = ranges_.all().size();
        ranges_.add(b);
        const std::vector<Range>& all = ranges_.all();
        for (size_t i = 0; i < first; ++i) {
            for (size_t j = first; j < all.size(); ++j) {
                if (all[i].begin < all[j].end && all[j].begin < all[i].end) return true;
            }
        }
        return false;
    }

    // As a flag behind the first `count` events would: all accesses among them end.
    void end_first(uint32_t pipe, uint32_t count) {
        std::vector<void*> awaited;
        for (uint32_t i = 0; i < count; ++i) {
            if (queues_[pipe][i].work) awaited.push_back(queues_[pipe][i].work);
        }
        for (void* work : awaited) {
            while (is_held(pipe, work)) step();
        }
    }

    bool is_held(uint32_t pipe, const void* work) const {
        for (const Event& event : queues_[pipe]) {
            if (event.work == work) return true;
        }
        return false;
    }

    void push(Event&& event) {
        const uint32_t pipe = event.pipe;
        queues_[pipe].push_back(std::move(event));
        settle();
        while (!queues_[pipe].empty() && queues_[pipe].size() >= schedule_.depth) step();
    }

    // Serves every set, wait and barrier that can be served.
    void settle() {
        for (bool moved = true; moved;) {
            moved = false;
            for (uint32_t pipe = 0; pipe < kPipes; ++pipe) moved |= settle_pipe(pipe);
        }
        for (Queue& queue : queues_) {
            while (!queue.empty() && queue.front().kind == Kind::ENDED) queue.pop_front();
        }
    }

    bool settle_pipe(uint32_t pipe) {
        Queue& queue = queues_[pipe];
        bool moved = false, busy = false;
        for (size_t place = 0; place < queue.size();) {
            const Event& event = queue[place];
            const bool waits = event.kind == Kind::WAIT && flag(event.other, pipe, event.id) == 0;
            if (waits || (event.kind == Kind::BARRIER && busy)) return moved;
            const bool sets = event.kind == Kind::SET || event.kind == Kind::CROSS;
            if (event.kind == Kind::ACCESS || event.kind == Kind::ENDED || (sets && busy)) {
                busy = busy || event.kind != Kind::ENDED;
                ++place;
                continue;
            }
            if (event.kind == Kind::SET) ++flag(pipe, event.other, event.id);
            if (event.kind == Kind::WAIT) --flag(event.other, pipe, event.id);
            void (*const run)(void*) = event.kind == Kind::CROSS ? event.run : nullptr;
            void* const work = event.work;
            queue.erase(queue.begin() + static_cast<ptrdiff_t>(place));
            if (run) run(work);
            free(work);
            moved = true;
        }
        return moved;
    }

    // Carries out one access of those that may be next.
    void step() {
        uint32_t order[kPipes];
        uint32_t pipes = 0;
        for (const uint32_t pipe : schedule_.rank) {
            if (accesses(pipe)) order[pipes++] = pipe;
        }
        const uint32_t pipe = order[schedule_.ranked ? 0 : schedule_.chance.below(pipes)];
        uint32_t place = 0;
        const uint32_t count = in_order(pipe) ? 1 : accesses(pipe);
        switch (schedule_.pick[pipe]) {
            case Pick::OLDEST: break;
            case Pick::NEWEST: place = count - 1; break;
            case Pick::ANY: place = schedule_.chance.below(count); break;
        }
        carry_out(pipe, place);
        settle();
    }

    // The accesses of a pipe that stand before its first wait or barrier, and before one that the chip itself puts behind
    // another of them.
    uint32_t accesses(uint32_t pipe) {
        const Queue& queue = queues_[pipe];
        uint32_t count = 0;
        for (size_t place = 0; place < queue.size(); ++place) {
            const Event& event = queue[place];
            if (event.kind == Kind::WAIT || event.kind == Kind::BARRIER) break;
            if (pipe == PIPE_M && event.kind == Kind::ACCESS && follows_long_product(queue, place)) break;
            count += event.kind == Kind::ACCESS;
        }
        return count;
    }

    // Whether a product works on sums of an earlier one that is long enough for the chip to keep both in order.
    bool follows_long_product(const Queue& queue, size_t place) {
        for (size_t earlier = 0; earlier < place; ++earlier) {
            if (queue[earlier].kind != Kind::ACCESS) continue;
            for (const Footprint& one : queue[earlier].touched) {
                if (one.memory != Memory::L0C || !one.written || one.bytes < kLongBytes) continue;
                for (const Footprint& other : queue[place].touched) {
                    if (conflict(one, other)) return true;
                }
            }
        }
        return false;
    }

    void carry_out(uint32_t pipe, uint32_t number) {
        Queue& queue = queues_[pipe];
        auto event = queue.begin();
        while (event->kind != Kind::ACCESS || number-- > 0) ++event;
        // It stays in the queue until it has ended: if it fails, it does not return, and the code that ends the core
        // frees it.
        event->run(event->work);
        free(event->work);
        event->work = nullptr;
        event->kind = Kind::ENDED;
    }

    // How many sets of a flag have not been waited for: the k-th wait takes the k-th set.
    uint32_t& flag(uint32_t source, uint32_t destination, uint32_t id) { return flags_[source][destination][id]; }

    Schedule schedule_;
    OrderRules rules_;
    Queue queues_[kPipes];
    uint32_t flags_[kPipes][kPipes][kEventIds] = {};
    Ranges ranges_;
};

}  // namespace opwright
