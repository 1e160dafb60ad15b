// What is computed from bytes that nothing has written.
//
// In: elements of sources and results of calls that compute element k of a result from elements k of their sources. Out:
// which bytes hold such results, and the call that first read what nothing had written. Such bytes count as never written:
// whether anything comes of them is for who reads them to judge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "../../include/opwright/issue.h"
#include "intervals.h"

namespace opwright {

// A call that read what nothing had written, at its first such element, and where that was reported as an error.
struct Origin {
    Found found;
    uint32_t iteration;      // the last in which it did
    int32_t reported_line;  // 0: nowhere yet
};

constexpr uint32_t kNoOrigin = ~uint32_t(0);

// What is known of a byte that counts as never written.
struct Held {
    uint32_t origin = kNoOrigin;  // none: no call has read it
    bool is_result = false;       // of a call, rather than what was there before
};

class Garbage {
public:
    Held at(uint64_t byte) const {
        Held held;
        places_.overlapping(byte, byte + 1, [&](uint64_t, uint64_t, const Held& here) { held = here; });
        return held;
    }

    Origin& operator[](uint32_t origin) { return origins_[origin]; }
    const std::vector<Origin>& origins() const { return origins_; }

    // The number of the origin at a line and operand, kNoOrigin if there is none.
    uint32_t find(int32_t line, uint32_t operand) const {
        for (uint32_t i = 0; i < origins_.size(); ++i) {
            if (origins_[i].found.line == line && origins_[i].found.details[0] == operand) return i;
        }
        return kNoOrigin;
    }

    uint32_t add(const Found& found) {
        origins_.push_back({found, ~uint32_t(0), 0});
        return static_cast<uint32_t>(origins_.size() - 1);
    }

    void put(uint64_t begin, uint64_t end, uint32_t origin, bool is_result) {
        places_.put(begin, end, {origin, is_result});
    }

    // An error at a line reports these bytes.
    void tell(uint64_t begin, uint64_t end, int32_t line) {
        places_.overlapping(begin, end, [&](uint64_t, uint64_t, const Held& here) {
            int32_t& reported = origins_[here.origin].reported_line;
            if (!reported) reported = line;
        });
    }

private:
    std::vector<Origin> origins_;
    LastMark<Held> places_;
};

// The addresses of the elements of an operand, in the order in which a call takes them.
inline std::vector<uint64_t> elements_of(const Footprint& touched) {
    std::vector<uint64_t> all;
    if (!touched.repeats) {
        const Runs runs = touched.runs.count ? touched.runs : Runs{1, touched.bytes, touched.bytes};
        for (uint64_t run = 0; run < runs.count; ++run) {
            const uint64_t begin = touched.address + runs.first + run * runs.stride;
            for (uint64_t at = 0; at < runs.bytes; at += touched.element_bytes) all.push_back(begin + at);
        }
        return all;
    }
    const uint32_t in_block = kBlockBytes / touched.element_bytes;
    for (uint32_t repeat = 0; repeat < touched.repeats; ++repeat) {
        const Lanes lanes = touched.lanes_of(repeat);
        for (uint32_t lane = 0; lane < touched.blocks * in_block; ++lane) {
            if (!lanes.part(lane, 1)) continue;
            const uint64_t block = touched.start_of(repeat) + uint64_t(lane / in_block) * touched.block_stride * kBlockBytes;
            all.push_back(block + lane % in_block * touched.element_bytes);
        }
    }
    return all;
}

// Results of one call, in its order: neighbours of one kind are put down at once.
class Results {
public:
    Results(WrittenBytes& written, Garbage& garbage) : written_(written), garbage_(garbage) {}
    ~Results() { flush(); }

    // `origin`: kNoOrigin if all of its sources were written.
    void add(uint64_t begin, uint64_t bytes, uint32_t origin) {
        if (begin != end_ || origin != origin_) {
            flush();
            begin_ = begin;
            origin_ = origin;
        }
        end_ = begin + bytes;
    }

    // A repeat may read what an earlier one wrote.
    void before_read(uint64_t begin, uint64_t bytes) {
        if (overlap(begin, bytes, begin_, end_ - begin_)) flush();
    }

private:
    void flush() {
        if (begin_ != end_ && origin_ != kNoOrigin) {
            written_.remove(begin_, end_);
            garbage_.put(begin_, end_, origin_, true);
        } else if (begin_ != end_) {
            written_.add(begin_, end_);
        }
        begin_ = end_;
    }

    WrittenBytes& written_;
    Garbage& garbage_;
    uint64_t begin_ = 0;
    uint64_t end_ = 0;
    uint32_t origin_ = kNoOrigin;
};

}  // namespace opwright
