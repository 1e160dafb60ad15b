// What was found, reported once for each place: how often and on how many cores is counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "../../include/opwright/context.h"

namespace opwright {

// Whether two are reported as one: the same fault at the same line, and of the details those that distinguish places.
inline bool is_same(const Found& a, const Found& b, uint32_t identity) {
    return a.fault == b.fault && a.line == b.line && std::equal(a.details, a.details + identity, b.details);
}

class FoundList {
public:
    // The first `identity` details tell this from others of the same fault and line.
    void add(const Found& found, uint32_t identity) {
        if (Found* known = find(found, identity)) {
            known->count += found.count;
        } else {
            entries_.push_back({found, identity});
        }
    }

    // Takes what another core has found.
    void add_core(const FoundList& other) {
        for (const Entry& entry : other.entries_) {
            if (Found* known = find(entry.found, entry.identity)) ++known->cores;
            add(entry.found, entry.identity);
        }
    }

    size_t size() const { return entries_.size(); }
    const Found& operator[](size_t i) const { return entries_[i].found; }

private:
    struct Entry {
        Found found;
        uint32_t identity;
    };
    Found* find(const Found& found, uint32_t identity) {
        for (Entry& entry : entries_) {
            if (entry.identity == identity && is_same(entry.found, found, identity)) return &entry.found;
        }
        return nullptr;
    }

    std::vector<Entry> entries_;  // few: one for each place
};

// What was found between cores. Of one pair of lines the first is reported, by phase, bytes and cores: addresses, which
// are others in every process, decide nothing.
class FoundBetween {
public:
    void add(const Found& found, uint32_t identity, uint32_t phase, int64_t slot, int64_t begin, uint32_t first_core,
             uint32_t core) {
        const Order order = {phase, slot, begin, first_core, core};
        Entry* known = nullptr;
        for (Entry& entry : entries_) {
            if (is_same(entry.found, found, identity)) known = &entry;
        }
        if (!known) {
            known = &entries_.emplace_back(Entry{found, order, 0, {}});
        } else if (order < known->order) {
            known->found = found;
            known->order = order;
        }
        ++known->count;
        known->cores.insert(first_core);
        known->cores.insert(core);
    }

    std::vector<Found> all() {
        std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
            return std::tie(a.order, a.found.line, a.found.fault) < std::tie(b.order, b.found.line, b.found.fault);
        });
        std::vector<Found> found;
        for (const Entry& entry : entries_) {
            found.push_back(entry.found);
            found.back().count = entry.count;
            found.back().cores = static_cast<uint32_t>(entry.cores.size());
        }
        return found;
    }

private:
    using Order = std::tuple<uint32_t, int64_t, int64_t, uint32_t, uint32_t>;

    struct Entry {
        Found found;
        Order order;
        uint32_t count;
        std::set<uint32_t> cores;
    };
    std::vector<Entry> entries_;
};

}  // namespace opwright
