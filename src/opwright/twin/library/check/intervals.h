// Sets of bytes as intervals: who touched each byte last, and which bytes were ever written.
//
// In: ranges of bytes in the order in which they are touched. Out: for a range, the newest touch of each byte in it.
// Kernels touch the same few ranges again and again, so a sorted vector is short and faster than a word per byte.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace opwright {

// One access: its number on its pipe, the line of the text, and how often that line had run before.
struct Stamp {
    uint32_t number;
    int32_t line;
    uint32_t turn;
};

struct Piece {
    uint64_t begin;
    uint64_t end;
    Stamp stamp;
};

// Disjoint pieces in order; a new one takes the bytes it covers away from older ones.
class LastTouch {
public:
    template <typename Each>
    void overlapping(uint64_t begin, uint64_t end, Each each) const {
        for (size_t i = first_after(begin); i < pieces_.size() && pieces_[i].begin < end; ++i) {
            const Piece& piece = pieces_[i];
            each(piece.begin > begin ? piece.begin : begin, piece.end < end ? piece.end : end, piece.stamp);
        }
    }

    void put(uint64_t begin, uint64_t end, const Stamp& stamp) {
        size_t i = first_after(begin);
        // What every loop does: the same range again.
        if (i < pieces_.size() && pieces_[i].begin == begin && pieces_[i].end == end) {
            pieces_[i].stamp = stamp;
            return;
        }
        size_t last = i;
        while (last < pieces_.size() && pieces_[last].begin < end) ++last;
        Piece rest[3];
        size_t count = 0;
        if (i < last && pieces_[i].begin < begin) rest[count++] = {pieces_[i].begin, begin, pieces_[i].stamp};
        rest[count++] = {begin, end, stamp};
        if (i < last && pieces_[last - 1].end > end) rest[count++] = {end, pieces_[last - 1].end, pieces_[last - 1].stamp};
        pieces_.erase(pieces_.begin() + static_cast<ptrdiff_t>(i), pieces_.begin() + static_cast<ptrdiff_t>(last));
        pieces_.insert(pieces_.begin() + static_cast<ptrdiff_t>(i), rest, rest + count);
    }

    size_t size() const { return pieces_.size(); }

private:
    // The first piece that ends after a byte.
    size_t first_after(uint64_t byte) const {
        size_t low = 0, high = pieces_.size();
        while (low < high) {
            const size_t middle = (low + high) / 2;
            if (pieces_[middle].end <= byte) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    std::vector<Piece> pieces_;
};

// Bytes that were written at some time.
class WrittenBytes {
public:
    void add(uint64_t begin, uint64_t end) {
        size_t i = 0;
        while (i < spans_.size() && spans_[i].end < begin) ++i;
        if (i < spans_.size() && spans_[i].begin <= begin && end <= spans_[i].end) return;  // what every loop does
        size_t last = i;
        while (last < spans_.size() && spans_[last].begin <= end) {
            begin = std::min(begin, spans_[last].begin);
            end = std::max(end, spans_[last].end);
            ++last;
        }
        const auto at = spans_.begin() + static_cast<ptrdiff_t>(i);
        spans_.insert(spans_.erase(at, spans_.begin() + static_cast<ptrdiff_t>(last)), Span{begin, end});
    }

    // The first byte of a range that was never written; the end of the range if all were.
    uint64_t first_missing(uint64_t begin, uint64_t end) const {
        for (const Span& span : spans_) {
            if (span.end <= begin) continue;
            if (span.begin > begin) return begin;
            if (span.end >= end) return end;
            begin = span.end;
        }
        return begin;
    }

private:
    struct Span {
        uint64_t begin;
        uint64_t end;
    };
    std::vector<Span> spans_;  // apart from each other, in order
};

}  // namespace opwright
