// What was found, told once for each place: how often and on how many cores is counted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../../include/opwright/context.h"

namespace opwright {

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
            if (entry.found.fault == found.fault && entry.found.line == found.line && entry.identity == identity &&
                std::equal(found.details, found.details + identity, entry.found.details)) {
                return &entry.found;
            }
        }
        return nullptr;
    }

    std::vector<Entry> entries_;  // few: one for each place
};

}  // namespace opwright
