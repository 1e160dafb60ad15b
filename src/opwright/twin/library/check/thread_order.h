// The order of the threads of one vector function: who races with whom.
//
// In: accesses of threads in the order in which they come, block barriers and meetings of warps. Out: races, that is pairs
// of accesses to a byte by different threads, at least one of them a write, that nothing orders; additions of floats in no
// order; the first read of bytes of UB that the function has not written; and at the end what it touched.
//
// Every access that races with an earlier one is reported, with one such access of each kind: see thread_touches.h.
#pragma once

#include "thread_pages.h"

namespace opwright {

// One access, as the engine takes it.
struct ThreadTouch {
    uint32_t thread;
    int32_t line;
    Memory memory;  // UB or GM
    ThreadKind kind;
    uint64_t address;
    uint32_t bytes;
};

class ThreadOrder {
public:
    void begin() {
        // Far less than what 32 bits count is left over for the vector function: start again.
        if (clock_.now >> 31) *this = ThreadOrder();
        clock_.begin();
        records_.clear();
        for (ThreadPages& pages : memories_) pages.begin();
    }

    void meet_block() { clock_.meet_block(); }
    void meet_warp(uint32_t warp) { clock_.meet_warp(warp); }

    // `observer` gets race(earlier, its kind, begin, end), with the bytes that both touch, and first_read(begin, end).
    template <typename Observer>
    void access(const ThreadTouch& touch, Observer&& observer) {
        const ThreadStamp mine(clock_.now, touch.thread, touch.line);
        ThreadPages& pages = memories_[touch.memory == Memory::GM];
        const uint64_t end = touch.address + touch.bytes;
        for (uint64_t address = touch.address; address < end;) {
            const uint64_t next = std::min(end, (address | (kPageBytes - 1)) + 1);
            ThreadPage& page = pages.page(address, next - address, clock_, records_);
            const uint32_t cell_bytes = page.cell_bytes();
            page.kinds |= 1u << static_cast<uint32_t>(touch.kind);
            ThreadCell* cell = &page.cells[(address & (kPageBytes - 1)) >> page.shift];
            for (; address < next; address += cell_bytes) visit(*cell++, touch, mine, address, address + cell_bytes, observer);
        }
    }

    // What the vector function touched, by memory, kind and address: each(access, end). The line of the access is that of a
    // thread that touched its bytes so, its bytes are those of an element.
    template <typename Each>
    void touched(Each each) const {
        for (const Memory memory : {Memory::UB, Memory::GM}) {
            const std::vector<ThreadPage*> pages = memories_[memory == Memory::GM].touched();
            for (uint32_t kind = 0; kind < kThreadKinds; ++kind) {
                ThreadTouch touch = {0, 0, memory, static_cast<ThreadKind>(kind), 0, 0};
                uint64_t end = 0;
                for (const ThreadPage* page : pages) {
                    if (!(page->kinds >> kind & 1)) continue;
                    const uint32_t bytes = page->cell_bytes();
                    for (uint32_t i = 0; i < page->count(); ++i) {
                        const ThreadStamp last = page->cells[i].last[kind];
                        if (last.time() < clock_.begun) continue;
                        const uint64_t at = page->base() + uint64_t(i) * bytes;
                        const int32_t line = records_.line_of(last);
                        if (at != end || line != touch.line || bytes != touch.bytes) {
                            if (end) each(touch, end);
                            touch.line = line;
                            touch.address = at;
                            touch.bytes = bytes;
                        }
                        end = at + bytes;
                    }
                }
                if (end) each(touch, end);
            }
        }
    }

private:
    template <typename Observer>
    void visit(ThreadCell& cell, const ThreadTouch& touch, ThreadStamp mine, uint64_t begin, uint64_t end,
               Observer& observer) {
        const uint32_t newest = cell.newest();
        if (touch.memory == Memory::UB && newest < clock_.begun && touch.kind != ThreadKind::WRITTEN) {
            observer.first_read(begin, end);
        }
        // Mostly a thread is the first that comes to some bytes, and the only one.
        if (newest >= clock_.block) look(cell, touch, begin, end, observer);
        keep_access(clock_, records_, cell.of(touch.kind), mine);
    }

    template <typename Observer>
    __attribute__((noinline)) void look(ThreadCell& cell, const ThreadTouch& touch, uint64_t begin, uint64_t end,
                                        Observer& observer) {
        const auto look_at = [&](ThreadKind kind) {
            const ThreadStamp other = open_access(clock_, records_, cell.of(kind), touch.thread);
            if (other.time() != 0) observer.race(other, kind, begin, end);
        };
        look_at(ThreadKind::WRITTEN);
        if (touch.kind != ThreadKind::READ) look_at(ThreadKind::READ);
        if (touch.kind == ThreadKind::READ || touch.kind == ThreadKind::WRITTEN) look_at(ThreadKind::ATOMIC);
        if (touch.kind != ThreadKind::ATOMIC) look_at(ThreadKind::ADDS_FLOATS);
    }

    ThreadClock clock_;
    ThreadRecords records_;
    ThreadPages memories_[2];  // UB, GM
};

}  // namespace opwright
