// Sets of bytes as intervals: who touched each byte last, and which bytes were written.
//
// In: ranges of bytes in the order in which they are touched. Out: for a range, the newest touch of each byte in it.
// Kernels touch the same few ranges again and again, so a sorted vector is short and faster than a word per byte.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace opwright {

// One access: its number on its pipe, the line of the text, and how often that line had run before. What it is ordered
// by beside flags is known by its bits, see clocks.h.
struct Stamp {
    uint32_t number;
    int32_t line;
    uint32_t iteration;
    uint32_t bits = 0;
};

template <typename Mark>
struct Marked {
    uint64_t begin;
    uint64_t end;
    Mark stamp;
};
using Piece = Marked<Stamp>;

// Disjoint pieces in order; a new one takes the bytes it covers away from older ones. They lie in chunks, so that a
// kernel that streams through global memory does not move all pieces of one array for each of another.
template <typename Mark>
class LastMark {
public:
    bool empty() const { return chunks_.empty(); }

    template <typename Each>
    void overlapping(uint64_t begin, uint64_t end, Each each) const {
        size_t c = chunk_of(begin);
        if (c == chunks_.size()) return;
        for (size_t i = first_after(chunks_[c], begin); c < chunks_.size(); ++c, i = 0) {
            for (; i < chunks_[c].size(); ++i) {
                const Marked<Mark>& piece = chunks_[c][i];
                if (piece.begin >= end) return;
                each(piece.begin > begin ? piece.begin : begin, piece.end < end ? piece.end : end, piece.stamp);
            }
        }
    }

    void put(uint64_t begin, uint64_t end, const Mark& stamp) {
        const size_t c = chunk_of(begin);
        if (c == chunks_.size()) {
            if (chunks_.empty() || chunks_.back().size() == kMax) chunks_.emplace_back();
            chunks_.back().push_back({begin, end, stamp});
            return;
        }
        Chunk& chunk = chunks_[c];
        const size_t i = first_after(chunk, begin);
        // What every loop does: the same range again.
        if (chunk[i].begin == begin && chunk[i].end == end) {
            chunk[i].stamp = stamp;
            return;
        }
        Marked<Mark> rest[3];
        size_t count = 0;
        if (chunk[i].begin < begin) rest[count++] = {chunk[i].begin, begin, chunk[i].stamp};
        rest[count++] = {begin, end, stamp};
        if (const Marked<Mark> last = take(c, i, end); last.end > end) rest[count++] = {end, last.end, last.stamp};
        chunk.insert(chunk.begin() + static_cast<ptrdiff_t>(i), rest, rest + count);
        if (chunk.size() > kMax) split(c);
    }

private:
    using Chunk = std::vector<Marked<Mark>>;
    static constexpr size_t kMax = 256;  // pieces of a chunk

    // Takes away the pieces from one on that start before `end`; the last of them is returned, or one of no bytes.
    Marked<Mark> take(size_t c, size_t i, uint64_t end) {
        Marked<Mark> last = {0, 0, {}};
        for (size_t at = c; at < chunks_.size(); ++at, i = 0) {
            Chunk& chunk = chunks_[at];
            size_t stop = i;
            while (stop < chunk.size() && chunk[stop].begin < end) ++stop;
            if (stop > i) last = chunk[stop - 1];
            const bool more = stop == chunk.size();
            chunk.erase(chunk.begin() + static_cast<ptrdiff_t>(i), chunk.begin() + static_cast<ptrdiff_t>(stop));
            if (!more) break;
        }
        // Chunks behind the first that have lost everything go; the first gets what is put in their place.
        size_t stop = c + 1;
        while (stop < chunks_.size() && chunks_[stop].empty()) ++stop;
        chunks_.erase(chunks_.begin() + static_cast<ptrdiff_t>(c) + 1, chunks_.begin() + static_cast<ptrdiff_t>(stop));
        return last;
    }

    void split(size_t c) {
        const auto middle = static_cast<ptrdiff_t>(chunks_[c].size() / 2);
        Chunk upper(chunks_[c].begin() + middle, chunks_[c].end());
        chunks_[c].resize(static_cast<size_t>(middle));
        chunks_.insert(chunks_.begin() + static_cast<ptrdiff_t>(c) + 1, std::move(upper));
    }

    // The first chunk with a piece that ends after a byte.
    size_t chunk_of(uint64_t byte) const {
        return search(chunks_.size(), [&](size_t i) { return chunks_[i].back().end <= byte; });
    }

    // The first such piece of a chunk.
    static size_t first_after(const Chunk& chunk, uint64_t byte) {
        return search(chunk.size(), [&](size_t i) { return chunk[i].end <= byte; });
    }

    // The first number for which a condition that holds for the lower ones does not.
    template <typename Holds>
    static size_t search(size_t count, Holds holds) {
        size_t low = 0, high = count;
        while (low < high) {
            const size_t middle = (low + high) / 2;
            if (holds(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    std::vector<Chunk> chunks_;  // none of them empty
};

using LastTouch = LastMark<Stamp>;

// Bytes that were written at some time, and not overwritten since with unwritten ones.
class WrittenBytes {
public:
    void add(uint64_t begin, uint64_t end) {
        size_t i = first_from(begin);
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

    // From now on they count as never written.
    void remove(uint64_t begin, uint64_t end) {
        const size_t i = first_from(begin + 1);
        size_t last = i;
        Span rest[2];
        size_t count = 0;
        for (; last < spans_.size() && spans_[last].begin < end; ++last) {
            if (spans_[last].begin < begin) rest[count++] = {spans_[last].begin, begin};
            if (spans_[last].end > end) rest[count++] = {end, spans_[last].end};
        }
        const auto at = spans_.erase(spans_.begin() + static_cast<ptrdiff_t>(i), spans_.begin() + static_cast<ptrdiff_t>(last));
        spans_.insert(at, rest, rest + count);
    }

    // each(begin, end) of the parts of a range that were never written.
    template <typename Each>
    void each_missing(uint64_t begin, uint64_t end, Each each) const {
        for (size_t i = first_from(begin + 1); begin < end; ++i) {
            const uint64_t stop = i < spans_.size() ? std::min(spans_[i].begin, end) : end;
            if (begin < stop) each(begin, stop);
            if (stop == end) return;
            begin = spans_[i].end;
        }
    }

    // The first byte of a range that was never written; the end of the range if all were.
    uint64_t first_missing(uint64_t begin, uint64_t end) const {
        for (size_t i = first_from(begin); i < spans_.size(); ++i) {
            const Span& span = spans_[i];
            if (span.end <= begin) continue;
            if (span.begin > begin) return begin;
            if (span.end >= end) return end;
            begin = span.end;
        }
        return begin;
    }

    // Whether any byte of a range was written.
    bool touches(uint64_t begin, uint64_t end) const {
        const size_t i = first_from(begin + 1);
        return i < spans_.size() && spans_[i].begin < end;
    }

private:
    struct Span {
        uint64_t begin;
        uint64_t end;
    };

    // The first span that ends at a byte or after it. Calls leave few of them, threads can leave thousands.
    size_t first_from(uint64_t byte) const {
        const auto ends_before = [](const Span& span, uint64_t at) { return span.end < at; };
        return static_cast<size_t>(std::lower_bound(spans_.begin(), spans_.end(), byte, ends_before) - spans_.begin());
    }

    std::vector<Span> spans_;  // apart from each other, in order
};

}  // namespace opwright
