// Slices of a tensor that a copy moves: its dimensions, the innermost first, each with where the pieces start and end.
//
// A piece is `burstLen` blocks of 32 bytes of the innermost dimension. In every dimension `stride` elements lie between
// the end of one piece, or row, and the start of the next; `endIndex` is the last index that may belong to one.
#pragma once

#include "places.h"

namespace opwright {

constexpr uint32_t kMaxItems = 8;

// A list that a call was given, copied: what it describes may be needed after the kernel has gone on.
template <typename T>
struct List {
    T items[kMaxItems];
    uint32_t count;
    template <size_t N>
    OPWRIGHT_INLINE List(const T (&given)[N]) : count(N) {
        static_assert(N <= kMaxItems, "a list has at most 8 items");
        for (size_t i = 0; i < N; ++i) items[i] = given[i];
    }
};

template <typename Slice>
struct AtSlices {
    List<Slice> slices;
    uint32_t dims;
    uint32_t element_bytes;

    OPWRIGHT_INLINE uint64_t piece_bytes() const { return uint64_t(slices.items[0].burstLen) * kBlockBytes; }

    // Elements from the start of one piece, or row, of a dimension to that of the next.
    OPWRIGHT_INLINE uint64_t step(uint32_t dim) const {
        const uint64_t taken = dim == 0 ? piece_bytes() / element_bytes : 1;
        return taken + slices.items[dim].stride;
    }

    OPWRIGHT_INLINE uint64_t count(uint32_t dim) const {
        const Slice& slice = slices.items[dim];
        const uint64_t room = uint64_t(slice.endIndex) - slice.startIndex + 1 + slice.stride;
        return piece_bytes() ? room / step(dim) : 0;
    }

    OPWRIGHT_INLINE uint64_t pieces() const {
        uint64_t all = 1;
        for (uint32_t dim = 0; dim < dims; ++dim) all *= count(dim);
        return all;
    }

    // The byte at which a piece starts.
    OPWRIGHT_INLINE uint64_t begin(uint64_t piece) const {
        uint64_t element = 0, row = 1;
        for (uint32_t dim = 0; dim < dims; ++dim) {
            const uint64_t own = count(dim);
            element += row * (slices.items[dim].startIndex + piece % own * step(dim));
            piece /= own;
            row *= slices.items[dim].shapeValue;
        }
        return element * element_bytes;
    }

    OPWRIGHT_INLINE uint64_t hull() const { return pieces() ? begin(pieces() - 1) + piece_bytes() : 0; }

    OPWRIGHT_INLINE uint64_t most(const At&) const { return pieces() + 1; }

    template <typename Place>
    OPWRIGHT_INLINE void each(const At&, Place place) const {
        const uint64_t all = pieces();
        for (uint64_t piece = 0; piece < all; ++piece) place(begin(piece), piece_bytes());
    }

    // Whether all pieces start at whole blocks.
    OPWRIGHT_INLINE bool in_blocks() const {
        uint64_t row = element_bytes;
        bool whole = true;
        for (uint32_t dim = 0; dim < dims; ++dim) {
            whole = whole && row * slices.items[dim].startIndex % kBlockBytes == 0;
            whole = whole && (count(dim) < 2 || row * step(dim) % kBlockBytes == 0);
            row *= slices.items[dim].shapeValue;
        }
        return whole;
    }

    __aicore__ inline void test(const At& at, uint32_t operand, bool on_chip) const {
        const auto require = [&](bool holds, SliceRule rule, uint64_t value) {
            if (OPWRIGHT_UNLIKELY(!holds)) at.fail(Fault::SLICES, rule, operand, value);
        };
        require(dims >= 1 && dims <= slices.count, SliceRule::DIMS, dims);
        uint64_t elements = 1;
        for (uint32_t dim = 0; dim < dims; ++dim) {
            const Slice& slice = slices.items[dim];
            // The last dimension may be longer than what is copied; it is no factor of anything.
            const uint64_t length = dim + 1 == dims ? slice.endIndex + uint64_t(1) : slice.shapeValue;
            require(slice.endIndex >= slice.startIndex, SliceRule::END, slice.endIndex);
            const bool fits = !__builtin_mul_overflow(elements, length, &elements) && elements < uint64_t(1) << 48;
            require(fits && slice.endIndex < length, SliceRule::SHAPE, slice.endIndex);
            require(dim == 0 || slice.burstLen == 1, SliceRule::BURST, slice.burstLen);
        }
        require(!on_chip || in_blocks(), SliceRule::BLOCKS, 0);
    }
};

// What reads() and writes() get in place of a footprint. Both sides are tested before either is used.
template <typename Slice>
struct SlicesOf {
    AtSlices<Slice> own;
};

template <typename T, typename Slice>
OPWRIGHT_INLINE SlicesOf<Slice> sliced(const At& at, uint32_t operand, const List<Slice>& slices, uint32_t dims, bool on_chip) {
    const AtSlices<Slice> own{slices, dims, sizeof(T)};
    own.test(at, operand, on_chip);
    return {own};
}

// As many pieces as another list has, of the same length.
template <typename T, typename Slice>
OPWRIGHT_INLINE SlicesOf<Slice> sliced_as(const At& at, uint32_t operand, const List<Slice>& slices, uint32_t dims,
                                          bool on_chip, const List<Slice>& others) {
    const SlicesOf<Slice> made = sliced<T>(at, operand, slices, dims, on_chip);
    const AtSlices<Slice> other = sliced<T>(at, operand + 1, others, dims, !on_chip).own;
    const bool alike = made.own.pieces() == other.pieces() && made.own.piece_bytes() == other.piece_bytes();
    if (OPWRIGHT_UNLIKELY(!alike)) at.fail(Fault::SLICES, SliceRule::PIECES, operand, made.own.pieces());
    return made;
}

// The hull ends with the last piece. It has two empty runs, so that it does not count as whole; see hull_of.
template <typename T, typename Tensor, typename Slice>
OPWRIGHT_INLINE Operand<T> hull_of_slices(const Tensor& tensor, uint32_t operand, const SlicesOf<Slice>& of, bool written) {
    Operand<T> made = tensor.operand(operand, 0, 1, written);
    made.footprint.bytes = of.own.hull();
    made.footprint.runs = {2, 0, 1};
    return made;
}

template <typename Tensor, typename Slice>
OPWRIGHT_INLINE auto reads(const Tensor& tensor, uint32_t operand, const SlicesOf<Slice>& of) {
    using T = typename ElementOf<Tensor>::type;
    return ReadPlacesOperand<T, AtSlices<Slice>>{{hull_of_slices<T>(tensor, operand, of, false)}, of.own};
}

template <typename Tensor, typename Slice>
OPWRIGHT_INLINE auto writes(const Tensor& tensor, uint32_t operand, const SlicesOf<Slice>& of) {
    using T = typename ElementOf<Tensor>::type;
    const Operand<T> made = hull_of_slices<T>(tensor, operand, of, true);
    return WrittenPlacesOperand<T, AtSlices<Slice>>{{written_operand(tensor, made)}, of.own};
}

}  // namespace opwright
