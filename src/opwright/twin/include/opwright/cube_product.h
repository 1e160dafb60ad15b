// The product of the matrix unit, C = start + A x B, over matrices as they lie in L0A, L0B and L0C.
//
// Every element of C is acc = fma(a[i][k], b[k][j], acc) for k = 0, 1, ... in float, from what the start says. Machine,
// compiler and the blocks below change nothing about it; narrow floats are floats first, exactly, and floats may be
// rounded to HF32. Sums of int8_t are exact; with what they start from they saturate in int32_t. A NaN may have any
// bits. (The order of the chip is not published.)
//
// m, n and k need not be whole fractals: padding of A and B does not count, that of C is not written. If one of them is
// 0 nothing is done. Needs about 50 KB of stack.
#pragma once

#include "cube_lanes.h"
#include "cube_layout.h"
#include "halves.h"
#include "small_floats.h"

namespace opwright {

// How A lies: as in L0A of 2201 or of 3510, or, if m is 1, one row.
enum class CubeLeft : uint8_t { ZZ, NZ, ROW };

// What a sum starts from: zero, what is in C, or the element of its column in the bias.
enum class CubeStart : uint8_t { ZERO, KEPT, BIAS };

// To what floats are rounded before they are multiplied: to HF32, to nearest, with ties to even or away from 0.
enum class CubeRounding : uint8_t { NONE, EVEN, AWAY };

struct CubeShape {
    int64_t m, n, k;
    int64_t stored_k = 0;  // of A as Zz: how many columns it lies there with, if more than k
};

template <typename T>
using CubeSum = std::conditional_t<std::is_same<T, int8_t>::value, int32_t, float>;

// Registers hold kTileRows x (16 * kTileFractals) sums at a time. Blocks of A, of whole tiles and whole fractals, and
// panels of B stay in the first caches.
#if defined(__AVX512F__) && !defined(OPWRIGHT_STRICT)
constexpr int64_t kTileRows = 8;
constexpr int64_t kTileFractals = 3;
constexpr int64_t kBlockRows = 128;
#else
constexpr int64_t kTileRows = 6;
constexpr int64_t kTileFractals = 1;
constexpr int64_t kBlockRows = 144;
#endif
constexpr int64_t kTileColumns = kTileFractals * kFractalSide;
constexpr int64_t kBlockDepth = 64;  // along k: a sum of that many products of int8_t is exact in float

// A product of k int8_t is so far from overflowing that one sum with what it starts from is all that may saturate.
constexpr int64_t kMaxOfInt8 = 128 * 128;

OPWRIGHT_INLINE int32_t saturated(int64_t sum) {
    return static_cast<int32_t>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
}

OPWRIGHT_INLINE constexpr int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

template <typename T>
OPWRIGHT_INLINE void to_floats(float* to, const T* from, int64_t count) {
    if constexpr (std::is_same<T, half>::value) {
        widen_halves(to, from, count);
    } else {
        OPWRIGHT_VECTOR_LOOP
        for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
    }
}

// HF32 has the exponent of float and 11 bits of mantissa. What is not finite stays.
OPWRIGHT_INLINE void round_to_hf32(float* values, int64_t count, CubeRounding rounding) {
    OPWRIGHT_VECTOR_LOOP
    for (int64_t i = 0; i < count; ++i) {
        const uint32_t bits = bits_of(values[i]);
        const uint32_t more = rounding == CubeRounding::AWAY ? 0x800u : 0x7ffu + (bits >> 12 & 1u);
        const bool is_finite = (bits & 0x7f800000u) != 0x7f800000u;
        values[i] = float_of(is_finite ? (bits + more) & ~0xfffu : bits);
    }
}

// Sums of a tile: row r of fractal f is 16 elements from `data + f * fractal + r * row` on.
template <typename Pointer>
struct Sums {
    Pointer data;
    int64_t fractal;
    int64_t row;
    OPWRIGHT_INLINE Pointer at(int64_t f, int64_t r) const { return data + f * fractal + r * row; }
};

// One tile over `depth` steps. Rows of A are C0 floats of each chunk of k, chunks are `chunk` apart; each step of B is
// kTileColumns floats. All loops but two have fixed lengths, so that the sums are registers.
template <int64_t kFractals, int64_t c0, bool kIsProductExact>
__aicore__ __attribute__((noinline)) void multiply_tile(Sums<float*> to, Sums<const float*> from, const float* a,
                                                        int64_t chunk, const float* b, int64_t depth) {
    constexpr int64_t kVectors = kFractalSide / kFloatLanes;
    FloatLanes sums[kTileRows][kFractals * kVectors];
#pragma GCC unroll 8
    for (int64_t r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 16
        for (int64_t v = 0; v < kFractals * kVectors; ++v) {
            sums[r][v] = load_lanes(from.at(v / kVectors, r) + v % kVectors * kFloatLanes);
        }
    }
    for (int64_t left = depth; left > 0; left -= c0, a += chunk) {
        const float* step = a;
        for (const float* const end = a + smaller(left, c0); step != end; ++step, b += kTileColumns) {
            FloatLanes row[kFractals * kVectors];
#pragma GCC unroll 16
            for (int64_t v = 0; v < kFractals * kVectors; ++v) row[v] = load_lanes(b + v * kFloatLanes);
#pragma GCC unroll 8
            for (int64_t r = 0; r < kTileRows; ++r) {
                const FloatLanes value = spread(step[r * c0]);
#pragma GCC unroll 16
                for (int64_t v = 0; v < kFractals * kVectors; ++v) {
                    sums[r][v] = fused_lanes<kIsProductExact>(value, row[v], sums[r][v]);
                }
            }
        }
    }
#pragma GCC unroll 8
    for (int64_t r = 0; r < kTileRows; ++r) {
#pragma GCC unroll 16
        for (int64_t v = 0; v < kFractals * kVectors; ++v) {
            store_lanes(to.at(v / kVectors, r) + v % kVectors * kFloatLanes, sums[r][v]);
        }
    }
}

// A product and the memory that it needs. Elements of A and B have the same size.
template <typename T, typename U>
class CubeProduct {
public:
    using Sum = CubeSum<T>;

    OPWRIGHT_INLINE CubeProduct(Sum* to, const T* left, CubeLeft lies, const U* right, CubeShape sides,
                                const Sum* start_of_columns, CubeRounding how)
        : c_(to), a_(left), b_(right), bias_(start_of_columns), shape_(sides), left_lies_(lies), rounding_(how) {}

    OPWRIGHT_INLINE void multiply(CubeStart start) {
        if constexpr (!kIsFloat) {
            if (OPWRIGHT_UNLIKELY(may_saturate(start))) return multiply_saturating(start);
        }
        for (int64_t depth = 0; depth < shape_.k; depth += kBlockDepth, start = CubeStart::KEPT) {
            const int64_t steps = smaller(shape_.k - depth, kBlockDepth);
            for (int64_t row = 0; row < shape_.m; row += kBlockRows) {
                multiply_block(row, smaller(shape_.m - row, kBlockRows), depth, steps, start);
            }
        }
    }

private:
    static constexpr int64_t c0 = kC0<T>;
    static constexpr bool kIsFloat = std::is_same<Sum, float>::value;
    // Those of bfloat16_t have few enough bits, but may be out of the range of float.
    static constexpr bool kIsProductExact = std::is_same<T, half>::value || is_small_float<T> || !kIsFloat;

    // A tile of C: its live rows and columns, and its fractals.
    struct Place {
        int64_t row, rows, fractal, fractals, columns;
    };

    // Whether a start is so near a limit of int32_t that a sum might pass it.
    OPWRIGHT_INLINE bool may_saturate(CubeStart start) const {
        const int64_t room = INT32_MAX - shape_.k * kMaxOfInt8;
        const auto is_near = [&](const int32_t* values, int64_t count) {
            int32_t low = 0, high = 0;
            OPWRIGHT_VECTOR_LOOP
            for (int64_t i = 0; i < count; ++i) {
                low = values[i] < low ? values[i] : low;
                high = values[i] > high ? values[i] : high;
            }
            return high > room || low < -room;
        };
        if (start == CubeStart::ZERO || shape_.k == 0) return false;
        if (start == CubeStart::BIAS) return is_near(bias_, shape_.m ? shape_.n : 0);
        for (int64_t column = 0; column < shape_.n; column += kFractalSide) {
            const int64_t columns = smaller(shape_.n - column, kFractalSide);
            const bool is_whole = columns == kFractalSide;
            for (int64_t row = 0; row < shape_.m; row += is_whole ? shape_.m : 1) {
                const int32_t* const from = c_ + nz_index(row, column, shape_.m, kFractalSide);
                if (is_near(from, is_whole ? shape_.m * kFractalSide : columns)) return true;
            }
        }
        return false;
    }

    // One element after another: blocks of k would saturate on the way.
    OPWRIGHT_INLINE void multiply_saturating(CubeStart start) {
        for (int64_t column = 0; column < shape_.n; ++column) {
            for (int64_t row = 0; row < shape_.m; ++row) {
                Sum& sum = c_[nz_index(row, column, shape_.m, kFractalSide)];
                int64_t total = start == CubeStart::BIAS ? bias_[column] : sum;
                for (int64_t k = 0; k < shape_.k; ++k) {
                    total += a_[left_index(row, k)] * b_[zn_index(k, column, shape_.n, c0)];
                }
                sum = saturated(total);
            }
        }
    }

    OPWRIGHT_INLINE void multiply_block(int64_t row, int64_t rows, int64_t depth, int64_t steps, CubeStart start) {
        const int64_t kept = fractals_of(rows, kTileRows) * kTileRows;
        take_block(row, rows, kept, depth, steps);
        if (rounding_ != CubeRounding::NONE) round_to_hf32(block_, kept * fractals_of(steps, c0) * c0, rounding_);
        const int64_t all = fractals_of(shape_.n, kFractalSide);
        for (int64_t fractal = 0, fractals; fractal < all; fractal += fractals) {
            // Four are two and two: a single fractal makes poor use of the registers.
            fractals = smaller(all - fractal == 4 ? 2 : all - fractal, kTileFractals);
            const int64_t columns = smaller(shape_.n - fractal * kFractalSide, fractals * kFractalSide);
            take_panel(fractal, fractals, depth, steps);
            take_first_row(fractal, columns, start);
            for (int64_t r = 0; r < rows; r += kTileRows) {
                const Place place{row + r, smaller(rows - r, kTileRows), fractal, fractals, columns};
                compute(place, start, block_ + r * c0, kept * c0, steps);
            }
        }
    }

    OPWRIGHT_INLINE int64_t left_index(int64_t row, int64_t k) const {
        if (left_lies_ == CubeLeft::ROW) return k;
        if (left_lies_ == CubeLeft::NZ) return nz_index(row, k, shape_.m, c0);
        return zz_index(row, k, shape_.stored_k ? shape_.stored_k : shape_.k, c0);
    }

    // Rows that the last tile has beyond those of the block are zero.
    OPWRIGHT_INLINE void take_block(int64_t row, int64_t rows, int64_t kept, int64_t depth, int64_t steps) {
        for (int64_t k = 0; k < steps; k += c0) {
            float* const to = block_ + k * kept;
            for (int64_t r = 0; r < rows; r += kFractalSide) {
                const int64_t from = left_index(row + r, depth + k);
                const int64_t live = smaller(rows - r, kFractalSide) * c0;
                to_floats(to + r * c0, a_ + from, left_lies_ == CubeLeft::ROW ? smaller(steps - k, c0) : live);
            }
            for (int64_t i = rows * c0; i < kept * c0; ++i) to[i] = 0;
        }
    }

    // B lies column by column within a fractal; a tile wants it row by row.
    OPWRIGHT_INLINE void take_panel(int64_t fractal, int64_t fractals, int64_t depth, int64_t steps) {
        for (int64_t k = 0; k < steps; k += c0) {
            for (int64_t f = 0; f < fractals; ++f) {
                const U* const from = b_ + zn_index(depth + k, (fractal + f) * kFractalSide, shape_.n, c0);
                const float* columns = widened_;
                if (std::is_same<U, float>::value && rounding_ == CubeRounding::NONE) {
                    columns = reinterpret_cast<const float*>(from);
                } else {
                    to_floats(widened_, from, kFractalSide * c0);
                    if (rounding_ != CubeRounding::NONE) round_to_hf32(widened_, kFractalSide * c0, rounding_);
                }
                transpose_fractal(panel_ + k * kTileColumns + f * kFractalSide, columns);
            }
        }
    }

    OPWRIGHT_INLINE void transpose_fractal(float* to, const float* columns) {
        for (int64_t column = 0; column < kFractalSide; column += 4) {
            for (int64_t i = 0; i < c0; i += 4) {
                transpose_four(to + i * kTileColumns + column, kTileColumns, columns + column * c0 + i, c0);
            }
        }
    }

    // What every row of a tile starts from, unless it starts from C. Integers are added to what they start from.
    OPWRIGHT_INLINE void take_first_row(int64_t fractal, int64_t columns, CubeStart start) {
        for (float& value : first_row_) value = 0;
        if constexpr (kIsFloat) {
            if (start == CubeStart::BIAS) {
                for (int64_t i = 0; i < columns; ++i) first_row_[i] = bias_[fractal * kFractalSide + i];
            }
        }
    }

    OPWRIGHT_INLINE void compute(Place place, CubeStart start, const float* rows, int64_t chunk, int64_t steps) {
        const Sums<Sum*> theirs{c_ + nz_index(place.row, place.fractal * kFractalSide, shape_.m, kFractalSide),
                                fractals_of(shape_.m, kFractalSide) * kFractalSide * kFractalSide, kFractalSide};
        const Sums<float*> own{tile_, kTileRows * kFractalSide, kFractalSide};
        Sums<const float*> from{first_row_, kFractalSide, 0};
        if constexpr (kIsFloat) {
            const bool is_whole = place.rows == kTileRows && place.columns == place.fractals * kFractalSide;
            const Sums<float*>& to = is_whole ? theirs : own;
            if (start == CubeStart::KEPT) {
                if (!is_whole) each_live(place, own, theirs, [](float& sum, float before, int64_t) { sum = before; });
                from = {to.data, to.fractal, to.row};
            }
            run(place.fractals, to, from, rows, chunk, steps);
            if (!is_whole) each_live(place, theirs, own, [](float& sum, float made, int64_t) { sum = made; });
        } else {
            run(place.fractals, own, from, rows, chunk, steps);
            each_live(place, theirs, own, [&](int32_t& sum, float made, int64_t column) {
                const int32_t before = start == CubeStart::ZERO ? 0 : start == CubeStart::KEPT ? sum : bias_[column];
                sum = before + static_cast<int32_t>(made);
            });
        }
    }

    OPWRIGHT_INLINE void run(int64_t fractals, Sums<float*> to, Sums<const float*> from, const float* rows,
                             int64_t chunk, int64_t steps) {
        if constexpr (kTileFractals > 2) {
            if (fractals == 3) return multiply_tile<3, c0, kIsProductExact>(to, from, rows, chunk, panel_, steps);
            if (fractals == 2) return multiply_tile<2, c0, kIsProductExact>(to, from, rows, chunk, panel_, steps);
        }
        multiply_tile<1, c0, kIsProductExact>(to, from, rows, chunk, panel_, steps);
    }

    // Calls each(to, from, column of C) for every element of a tile that is not padding.
    template <typename To, typename From, typename Each>
    OPWRIGHT_INLINE void each_live(Place place, Sums<To*> to, Sums<From*> from, Each each) {
        for (int64_t f = 0; f < place.fractals; ++f) {
            const int64_t columns = smaller(place.columns - f * kFractalSide, kFractalSide);
            for (int64_t r = 0; r < place.rows; ++r) {
                To* const row = to.at(f, r);
                const From* const other = from.at(f, r);
                OPWRIGHT_VECTOR_LOOP
                for (int64_t i = 0; i < columns; ++i) each(row[i], other[i], (place.fractal + f) * kFractalSide + i);
            }
        }
    }

    Sum* c_;
    const T* a_;
    const U* b_;
    const Sum* bias_;
    CubeShape shape_;
    CubeLeft left_lies_;
    CubeRounding rounding_;
    alignas(64) float block_[kBlockDepth * kBlockRows];      // of A, as Nz
    alignas(64) float panel_[kBlockDepth * kTileColumns];    // of B, rows of a tile
    alignas(64) float tile_[kTileRows * kTileColumns] = {};  // of C, fractal by fractal
    alignas(64) float first_row_[kTileColumns];
    alignas(64) float widened_[kFractalSide * c0];  // of B, a fractal
};

// `bias` is of n elements, and read only by a start from it. Only floats are rounded.
template <typename T, typename U>
__aicore__ __attribute__((noinline)) void cube_product(CubeSum<T>* c, const T* a, CubeLeft a_lies, const U* b,
                                                       CubeShape shape, CubeStart start, const CubeSum<T>* bias,
                                                       CubeRounding rounding = CubeRounding::NONE) {
    static_assert(sizeof(CubeProduct<T, U>) <= 64 * 1024, "a quarter of the stack of a core");
    CubeProduct<T, U>(c, a, a_lies, b, shape, bias, rounding).multiply(start);
}

}  // namespace opwright
