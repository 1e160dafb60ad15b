// Where the accesses of threads to UB and to global memory are kept: cells in pages.
//
// In: addresses. Out: cells, each for as many bytes as all accesses to its page so far had in common: elements of 4 bytes
// have one cell, and only where a thread touches a byte of them there are four. A page of an earlier vector function is
// as good as an empty one, because all its stamps are old, so nothing is ever cleared. Pages are found by a table, and the
// newest by their place in an array in front of it, which holds all of UB.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "thread_touches.h"

namespace opwright {

constexpr uint32_t kPageBits = 10;
constexpr uint64_t kPageBytes = uint64_t(1) << kPageBits;
constexpr uint32_t kMaxShift = 3;  // a cell has 8 bytes at most

// The size of the largest cells, as a shift, of which an access touches whole ones only.
inline uint32_t shift_of(uint64_t address, uint64_t bytes) {
    return static_cast<uint32_t>(__builtin_ctzll(address | bytes | uint64_t(1) << kMaxShift));
}

struct ThreadPage {
    uint64_t number = 0;  // of its first byte: the address without the lowest bits
    uint32_t begun = 0;   // the vector function that used it last, by its time
    uint32_t shift = 0;
    uint32_t kinds = 0;   // bit i: it was touched as ThreadKind i says
    std::vector<ThreadCell> cells;

    uint64_t base() const { return number << kPageBits; }
    uint32_t cell_bytes() const { return 1u << shift; }
    uint32_t count() const { return static_cast<uint32_t>(kPageBytes >> shift); }

    // A vector function touches the page for the first time.
    void begin(uint64_t its_number, uint32_t its_begin, uint32_t its_shift) {
        number = its_number;
        begun = its_begin;
        shift = its_shift;
        kinds = 0;
        if (cells.size() < count()) cells.resize(count());
    }

    // Makes the cells smaller. Each part has seen what the whole has.
    void split(uint32_t wanted, const ThreadClock& clock, ThreadRecords& records) {
        const uint32_t parts = shift - wanted;
        shift = wanted;
        if (cells.size() < count()) cells.resize(count());
        // From the last on, so that no cell is overwritten before it has been copied.
        for (uint32_t i = count(); i-- > 0;) {
            cells[i] = cells[i >> parts];
            if ((i & ((1u << parts) - 1)) == 0) continue;
            for (ThreadStamp& stamp : cells[i].last) {
                if (!stamp.is_several()) continue;
                if (stamp.time() >= clock.block) {
                    stamp = records.copy(stamp);
                } else if (stamp.time() >= clock.begun) {
                    stamp = ThreadStamp(stamp.time(), 0, records.line_of(stamp));
                } else {
                    stamp = {};
                }
            }
        }
    }
};

// The pages of one memory that the vector function has touched, in the order of their first touch.
class ThreadPages {
public:
    // The page of an address, whose cells an access to that many bytes touches as wholes.
    ThreadPage& page(uint64_t address, uint64_t bytes, const ThreadClock& clock, ThreadRecords& records) {
        const uint64_t number = address >> kPageBits;
        ThreadPage*& near = near_[number % kNear];
        if (__builtin_expect(!near || near->number != number || near->begun != clock.begun, 0)) {
            near = &far(number, shift_of(address, bytes), clock.begun);
        }
        const uint64_t part = (uint64_t(1) << near->shift) - 1;
        if (__builtin_expect(((address | bytes) & part) != 0, 0)) near->split(shift_of(address, bytes), clock, records);
        return *near;
    }

    void begin() {
        // Pages that one huge vector function needed are not kept for ever.
        if (pages_.size() > kKept && used_ < kKept / 2) {
            std::fill(std::begin(near_), std::end(near_), nullptr);
            table_.clear();
            pages_.resize(kKept);
        }
        used_ = 0;
    }

    // The pages by address.
    std::vector<ThreadPage*> touched() const {
        std::vector<ThreadPage*> all;
        for (size_t i = 0; i < used_; ++i) all.push_back(pages_[i].get());
        std::sort(all.begin(), all.end(), [](const ThreadPage* a, const ThreadPage* b) { return a->number < b->number; });
        return all;
    }

private:
    static constexpr size_t kNear = 1024;
    static constexpr size_t kKept = 4096;

    struct Entry {
        uint64_t number;
        uint32_t begun;  // 0: never used
        ThreadPage* page;
    };

    __attribute__((noinline)) ThreadPage& far(uint64_t number, uint32_t shift, uint32_t begun) {
        if (table_.size() < 2 * (used_ + 1)) grow(begun);
        Entry& entry = find(number, begun);
        if (entry.begun == begun) return *entry.page;
        if (used_ == pages_.size()) pages_.push_back(std::make_unique<ThreadPage>());
        ThreadPage& page = *pages_[used_++];
        page.begin(number, begun, shift);
        entry = {number, begun, &page};
        return page;
    }

    // The entry of a page, or that in which it is to be put: one of an earlier vector function counts as empty.
    Entry& find(uint64_t number, uint32_t begun) {
        size_t i = static_cast<size_t>(number * 0x9e3779b97f4a7c15u >> 20) & (table_.size() - 1);
        while (table_[i].begun == begun && table_[i].number != number) i = (i + 1) & (table_.size() - 1);
        return table_[i];
    }

    void grow(uint32_t begun) {
        const std::vector<Entry> old = std::move(table_);
        table_.assign(std::max(size_t(1024), 2 * old.size()), Entry{});
        for (const Entry& entry : old) {
            if (entry.begun == begun) find(entry.number, begun) = entry;
        }
    }

    ThreadPage* near_[kNear] = {};
    std::vector<Entry> table_;  // a power of two of them, more than half of them empty
    std::vector<std::unique_ptr<ThreadPage>> pages_;
    size_t used_ = 0;
};

}  // namespace opwright
