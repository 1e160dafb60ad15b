// Where an element of a matrix lies in the memories of the matrix unit: indices of the layouts Nz, Zz and Zn.
//
// All of them are made of fractals of 16 x C0 elements, where C0 elements have 32 bytes; in L0C C0 is 16 whatever the
// element. A matrix whose sides are no multiples of that has whole fractals all the same; its padding means nothing.
#pragma once

#include "qualifiers.h"

namespace opwright {

constexpr int64_t kFractalSide = 16;
constexpr uint64_t kFractalBytes = 512;

// Columns of a fractal of elements of type T.
template <typename T>
constexpr int64_t kC0 = 32 / static_cast<int64_t>(sizeof(T));

// How many fractals of `side` hold `size`.
OPWRIGHT_INLINE constexpr int64_t fractals_of(int64_t size, int64_t side) { return (size + side - 1) / side; }

// Nz: columns of fractals; rows within them. So every column of fractals is a matrix of rows of C0.
OPWRIGHT_INLINE constexpr int64_t nz_index(int64_t row, int64_t column, int64_t rows, int64_t c0) {
    return (column / c0 * fractals_of(rows, kFractalSide) * kFractalSide + row) * c0 + column % c0;
}

// Zz: rows of fractals; rows within them.
OPWRIGHT_INLINE constexpr int64_t zz_index(int64_t row, int64_t column, int64_t columns, int64_t c0) {
    const int64_t fractal = row / kFractalSide * fractals_of(columns, c0) + column / c0;
    return (fractal * kFractalSide + row % kFractalSide) * c0 + column % c0;
}

// Zn: rows of fractals, each C0 x 16; columns within them.
OPWRIGHT_INLINE constexpr int64_t zn_index(int64_t row, int64_t column, int64_t columns, int64_t c0) {
    const int64_t fractal = row / c0 * fractals_of(columns, kFractalSide) + column / kFractalSide;
    return (fractal * kFractalSide + column % kFractalSide) * c0 + row % c0;
}

}  // namespace opwright
