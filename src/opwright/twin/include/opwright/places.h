// Operands of which a call touches many places that no stride describes: each byte offset of another operand leads to
// one, or a call skips through its source by blocks.
//
// `Where` has `each(at, place)`, which calls place(begin, bytes) in order, and `most(at)`, as many places as there can
// be. Offsets are read when the call is issued: they are data of another operand. Only in the perturbed mode they may
// not be there yet; then all of the tensor counts as touched, and places are tested when the body runs.
#pragma once

#include "repeat.h"

namespace opwright {

// Pieces of `bytes`, a power of two, each at a multiple of it: `base` and a byte offset that the operand `offsets` holds.
struct AtOffsets {
    Footprint offsets;
    uint64_t base;
    uint32_t bytes;
    uint32_t operand;  // the one that they lead into
    uint64_t left;     // its bytes

    OPWRIGHT_INLINE uint64_t most(const At&) const { return offsets.bytes / sizeof(uint32_t) + 1; }

    // place(begin, bytes, repeat, lane); a count of offsets is one long repeat.
    template <typename Place>
    OPWRIGHT_INLINE void each_lane(const At& at, Place place) const {
        const auto values = reinterpret_cast<const uint32_t*>(read_pointer(at.core, offsets));
        if (offsets.repeats == 0) {
            for (uint32_t i = 0; i < offsets.bytes / sizeof(uint32_t); ++i) test(at, values[i], i, place, 0, i);
            return;
        }
        const Stepped<const uint32_t> steps{values, &offsets};
        const uint32_t lanes = offsets.blocks * (kBlockBytes / sizeof(uint32_t));
        for (uint32_t repeat = 0; repeat < offsets.repeats; ++repeat) {
            for (uint32_t lane = 0; lane < lanes; ++lane) {
                if (!offsets.lanes.part(lane, 1)) continue;
                const uint32_t* value = steps.at(repeat, lane);
                test(at, *value, static_cast<uint32_t>(value - values), place, repeat, lane);
            }
        }
    }

    template <typename Place>
    OPWRIGHT_INLINE void each(const At& at, Place place) const {
        each_lane(at, [&](uint64_t begin, uint32_t size, uint32_t, uint32_t) { place(begin, size); });
    }

private:
    template <typename Place>
    OPWRIGHT_INLINE void test(const At& at, uint32_t offset, uint32_t position, Place place, uint32_t repeat,
                              uint32_t lane) const {
        const uint64_t begin = base + offset;
        if (OPWRIGHT_UNLIKELY(begin + bytes > left)) {
            at.fail(Fault::PLACE_RANGE, operand, offsets.operand, position, begin, bytes, left);
        }
        if (OPWRIGHT_UNLIKELY((begin & (bytes - 1)) != 0)) {
            at.fail(Fault::PLACE_ALIGN, operand, offsets.operand, position, begin, bytes);
        }
        place(begin, bytes, repeat, lane);
    }
};

// What reads() and writes() get in place of a footprint: where the offsets are.
struct OffsetsOf {
    Footprint offsets;
    uint64_t base;
    uint32_t bytes;
};

template <typename Offsets>
OPWRIGHT_INLINE OffsetsOf at_offsets(const At& at, const Offsets& offsets, uint64_t base, uint32_t bytes) {
    offsets.check(at);  // they are read before the call is issued
    return {offsets.footprint, base, bytes};
}

template <typename View, typename Where>
struct WithPlaces : View {
    Where where;
};

template <typename Base, typename View, typename Where>
struct PlacesOperand : Base {
    static constexpr bool kHasPlaces = true;
    Where where;

    OPWRIGHT_INLINE WithPlaces<View, Where> view(const At& at) const { return {{at, this->footprint}, where}; }

    __aicore__ inline uint64_t most_places(const At& at) const {
        return at.core.launch->mode == kPerturbed ? 1 : where.most(at);
    }

    // One footprint for each run of bytes that follow one another; returns how many there are.
    __aicore__ inline uint32_t note_places(const At& at, Footprint* noted) const {
        Footprint one = this->footprint;
        one.runs = {0, 0, 0};
        if (at.core.launch->mode == kPerturbed) {
            *noted = one;
            return 1;
        }
        uint32_t count = 0;
        where.each(at, [&](uint64_t begin, uint64_t bytes) {
            if (count != 0 && noted[count - 1].runs.first + noted[count - 1].runs.bytes == begin) {
                noted[count - 1].runs.bytes += bytes;
                return;
            }
            one.runs = {1, bytes, bytes, begin};
            noted[count++] = one;
        });
        return count;
    }

    // Whether it touches a byte of another operand.
    __aicore__ inline bool meets(const At& at, const Footprint& other) const {
        const Footprint& own = this->footprint;
        if (!overlap(own.address, own.bytes, other.address, other.bytes) || at.core.launch->mode == kPerturbed) return false;
        bool met = false;
        where.each(at, [&](uint64_t begin, uint64_t bytes) {
            Footprint one = own;
            one.runs = {1, bytes, bytes, begin};
            met = met || touch_in_common(one, other);
        });
        return met;
    }
};

template <typename T, typename Where>
using ReadPlaces = WithPlaces<Read<T>, Where>;
template <typename T, typename Where>
using WrittenPlaces = WithPlaces<Written<T>, Where>;
template <typename T, typename Where>
using ReadPlacesOperand = PlacesOperand<ReadOperand<T>, Read<T>, Where>;
template <typename T, typename Where>
using WrittenPlacesOperand = PlacesOperand<WrittenOperand<T>, Written<T>, Where>;

// The hull is all of the tensor. It has two empty runs, so that it does not count as whole; see Footprint::is_whole.
template <typename T>
OPWRIGHT_INLINE Operand<T> hull_of(const AscendC::LocalTensor<T>& tensor, uint32_t operand, bool written) {
    Operand<T> made = tensor.operand(operand, 0, 1, written);
    made.footprint.bytes = made.left;
    made.footprint.runs = {2, 0, 1};
    return made;
}

template <typename T>
OPWRIGHT_INLINE auto reads(const AscendC::LocalTensor<T>& tensor, uint32_t operand, const OffsetsOf& of) {
    const Operand<T> hull = hull_of(tensor, operand, false);
    return ReadPlacesOperand<T, AtOffsets>{{hull}, {of.offsets, of.base, of.bytes, operand, hull.left}};
}

template <typename T>
OPWRIGHT_INLINE auto writes(const AscendC::LocalTensor<T>& tensor, uint32_t operand, const OffsetsOf& of) {
    const Operand<T> hull = hull_of(tensor, operand, true);
    return WrittenPlacesOperand<T, AtOffsets>{{hull}, {of.offsets, of.base, of.bytes, operand, hull.left}};
}

template <typename A, typename Base, typename View, typename Where>
OPWRIGHT_INLINE void require_apart(const At& at, const Operand<A>& written, const PlacesOperand<Base, View, Where>& read) {
    if (OPWRIGHT_UNLIKELY(read.meets(at, written.footprint))) fail_overlap(at, written, read);
}

template <typename Base, typename View, typename Where, typename B>
OPWRIGHT_INLINE void require_apart(const At& at, const PlacesOperand<Base, View, Where>& written, const Operand<B>& read) {
    if (OPWRIGHT_UNLIKELY(written.meets(at, read.footprint))) fail_overlap(at, written, read);
}

}  // namespace opwright
