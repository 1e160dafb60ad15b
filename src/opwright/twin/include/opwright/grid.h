// Operands of which a call touches pieces at up to three strides: rows of matrices, fractals of a grid.
//
// In: where the first piece starts, its bytes, and how often and how far it goes on in each direction. Out: operands
// that test the hull and tell every byte that is touched. Directions that follow one another become one piece.
#pragma once

#include "tensor.h"

namespace opwright {

struct Direction {
    uint64_t count;
    uint64_t stride;  // in bytes, from start to start; 0: the same place again
};

struct Grid {
    uint64_t first = 0;
    uint64_t bytes = 0;
    Direction directions[3] = {{1, 0}, {1, 0}, {1, 0}};  // the innermost first
    uint64_t wrapped = 0;  // bytes from the start of the memory that are touched, too

    Grid() = default;
    OPWRIGHT_INLINE Grid(uint64_t start, uint64_t piece, Direction a, Direction b = {1, 0}, Direction c = {1, 0}) {
        if (!piece || !a.count || !b.count || !c.count) return;
        first = start;
        bytes = piece;
        uint32_t used = 0;
        const Direction given[] = {a, b, c};
        for (const Direction& one : given) {
            if (one.count == 1 || one.stride == 0) continue;
            if (used == 0 && one.stride == bytes) {
                bytes *= one.count;
            } else {
                directions[used++] = one;
            }
        }
    }

    OPWRIGHT_INLINE uint64_t hull() const {
        if (!bytes) return 0;
        uint64_t last = first;
        for (const Direction& one : directions) last += (one.count - 1) * one.stride;
        return last + bytes;
    }
};

template <typename Base>
struct GridOperand : Base {
    static constexpr bool kHasPlaces = true;
    Grid grid;

    __aicore__ inline uint64_t most_places(const At&) const {
        return grid.directions[1].count * grid.directions[2].count + 1;
    }

    // One footprint for each row of pieces; returns how many there are.
    __aicore__ inline uint32_t note_places(const At&, Footprint* noted) const {
        Footprint one = this->footprint;
        uint32_t count = 0;
        const Direction &inner = grid.directions[0], &middle = grid.directions[1], &outer = grid.directions[2];
        if (!grid.bytes) {
            one.runs = {0, 0, 0};
            noted[count++] = one;
            return count;
        }
        for (uint64_t i = 0; i < outer.count; ++i) {
            for (uint64_t k = 0; k < middle.count; ++k) {
                one.runs = {inner.count, grid.bytes, inner.stride, grid.first + i * outer.stride + k * middle.stride};
                noted[count++] = one;
            }
        }
        if (grid.wrapped) {
            one.address = 0;
            one.runs = {1, grid.wrapped, grid.wrapped};
            noted[count++] = one;
        }
        return count;
    }
};

// The hull has two empty runs, so that it does not count as whole; see hull_of.
template <typename Tensor>
OPWRIGHT_INLINE auto hull_of_grid(const Tensor& tensor, uint32_t operand, const Grid& grid, bool written) {
    auto made = tensor.operand(operand, 0, 1, written);
    made.footprint.bytes = grid.hull();
    made.footprint.runs = {2, 0, 1};
    return made;
}

template <typename Tensor>
OPWRIGHT_INLINE auto reads(const Tensor& tensor, uint32_t operand, const Grid& grid) {
    using T = typename ElementOf<Tensor>::type;
    return GridOperand<ReadOperand<T>>{{hull_of_grid(tensor, operand, grid, false)}, grid};
}

template <typename Tensor>
OPWRIGHT_INLINE auto writes(const Tensor& tensor, uint32_t operand, const Grid& grid) {
    using T = typename ElementOf<Tensor>::type;
    return GridOperand<WrittenOperand<T>>{written_operand(tensor, hull_of_grid(tensor, operand, grid, true)), grid};
}

}  // namespace opwright
