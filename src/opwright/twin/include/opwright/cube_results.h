// Results of the matrix unit as they leave L0C: where they come from and go to, and what they become.
//
// In L0C a result lies in columns of fractals of 16 x 16. It leaves as rows (ROW_MAJOR), as columns (COLUMN_MAJOR) or in
// columns of fractals again (NZ), there 16 wide, for 8 bits 32, and 8 if float is split.
#pragma once

#include "atomic.h"
#include "cube_layout.h"
#include "places.h"

namespace opwright {

using AscendC::CO2Layout;

// All but `columns` and `rows` counts elements: from one column of fractals, row or matrix of L0C to the next, and from
// one row, column or column of fractals of the destination, and one matrix, to the next.
struct ResultWay {
    CO2Layout layout;
    uint64_t columns;
    uint64_t rows;
    uint64_t matrices;
    uint64_t from_fractal;
    uint64_t from_row;
    uint64_t from_matrix;
    uint64_t to_step;
    uint64_t to_matrix;
    uint64_t width;  // of fractals of the destination
    QuantMode_t quant;
    uint64_t word;  // of all columns
    bool is_relu;

    OPWRIGHT_INLINE bool is_nothing() const { return columns == 0 || rows == 0 || matrices == 0; }
    OPWRIGHT_INLINE uint64_t from(uint64_t matrix, uint64_t row, uint64_t column) const {
        return matrix * from_matrix + column / 16 * from_fractal + row * from_row + column % 16;
    }
    OPWRIGHT_INLINE uint64_t to(uint64_t matrix, uint64_t row, uint64_t column) const {
        if (layout == CO2Layout::ROW_MAJOR) return matrix * to_matrix + row * to_step + column;
        if (layout == CO2Layout::COLUMN_MAJOR) return matrix * to_matrix + column * to_step + row;
        return column / width * to_step + row * width_at(column) + column % width;
    }
    // The last fractals may be half as wide as the others.
    OPWRIGHT_INLINE uint64_t width_at(uint64_t column) const {
        const uint64_t left = columns - column / width * width;
        return left < width ? left : width;
    }
};

// Places that a way reads in L0C: the rows of each column of fractals.
struct ResultsFrom {
    ResultWay way;
    OPWRIGHT_INLINE uint64_t most(const At&) const {
        const uint64_t rows = way.from_row == 16 ? 1 : way.rows;
        return way.matrices * fractals_of(static_cast<int64_t>(way.columns), 16) * rows + 1;
    }
    template <typename Place>
    OPWRIGHT_INLINE void each(const At&, Place place) const {
        each(place);
    }
    template <typename Place>
    OPWRIGHT_INLINE void each(Place place) const {
        if (way.is_nothing()) return;
        const uint64_t rows = way.from_row == 16 ? way.rows : 1;
        for (uint64_t matrix = 0; matrix < way.matrices; ++matrix) {
            for (uint64_t column = 0; column < way.columns; column += 16) {
                for (uint64_t row = 0; row < way.rows; row += rows) {
                    place(way.from(matrix, row, column) * sizeof(float), rows * 16 * sizeof(float));
                }
            }
        }
    }
};

// Places that it writes: rows, columns, or the rows of each column of fractals.
struct ResultsTo {
    ResultWay way;
    uint32_t element_bytes;
    OPWRIGHT_INLINE uint64_t most(const At&) const {
        const bool is_rows = way.layout == CO2Layout::ROW_MAJOR;
        return way.matrices * (is_rows ? way.rows : way.columns) + 1;
    }
    template <typename Place>
    OPWRIGHT_INLINE void each(const At&, Place place) const {
        each(place);
    }
    template <typename Place>
    OPWRIGHT_INLINE void each(Place place) const {
        if (way.is_nothing()) return;
        const bool is_rows = way.layout == CO2Layout::ROW_MAJOR, is_nz = way.layout == CO2Layout::NZ;
        const uint64_t steps = is_rows ? way.rows : way.columns, step = is_nz ? way.width : 1;
        for (uint64_t matrix = 0; matrix < way.matrices; ++matrix) {
            for (uint64_t i = 0; i < steps; i += step) {
                const uint64_t begin = is_rows ? way.to(matrix, i, 0) : way.to(matrix, 0, i);
                const uint64_t elements = is_rows ? way.columns : way.rows * (is_nz ? way.width_at(i) : 1);
                place(begin * element_bytes, elements * element_bytes);
            }
        }
    }
};

// The hull ends with the last place. It has two empty runs, so that it does not count as whole; see
// Footprint::is_whole.
template <typename T, typename Tensor, typename Where>
OPWRIGHT_INLINE Operand<T> hull_of_results(const Tensor& tensor, uint32_t operand, const Where& where, bool written) {
    Operand<T> made = tensor.operand(operand, 0, 1, written);
    made.footprint.bytes = 0;
    where.each([&](uint64_t begin, uint64_t bytes) {
        if (begin + bytes > made.footprint.bytes) made.footprint.bytes = begin + bytes;
    });
    made.footprint.runs = {2, 0, 1};
    return made;
}

template <typename T>
OPWRIGHT_INLINE auto reads(const AscendC::LocalTensor<T>& tensor, uint32_t operand, const ResultsFrom& where) {
    return ReadPlacesOperand<T, ResultsFrom>{{hull_of_results<T>(tensor, operand, where, false)}, where};
}

template <typename Tensor>
OPWRIGHT_INLINE auto writes(const Tensor& tensor, uint32_t operand, const ResultsTo& where) {
    using T = typename ElementOf<Tensor>::type;
    const auto hull = written_operand(tensor, hull_of_results<T>(tensor, operand, where, true));
    return WrittenPlacesOperand<T, ResultsTo>{hull, where};
}

// The modes that take a word for each column.
OPWRIGHT_INLINE bool takes_words(QuantMode_t mode) {
    switch (mode) {
        case QuantMode_t::VDEQF16:
        case QuantMode_t::VQF322B8_PRE:
        case QuantMode_t::VREQ8:
        case QuantMode_t::VQF322HIF8_PRE:
        case QuantMode_t::VQF322FP8_PRE:
        case QuantMode_t::VQF322F32_PRE:
        case QuantMode_t::VQF322F16_PRE:
        case QuantMode_t::VQF322BF16_PRE:
        case QuantMode_t::VQS322BF16_PRE: return true;
        default: return false;
    }
}

// The modes that take one word for all columns.
OPWRIGHT_INLINE bool takes_word(QuantMode_t mode) {
    return !takes_words(mode) && mode != QuantMode_t::NoQuant && mode != QuantMode_t::F322F16 &&
           mode != QuantMode_t::F322BF16;
}

// Whether the scale of a word is one that the chip takes: zero, or a normal number.
OPWRIGHT_INLINE bool is_scale(uint64_t word) {
    const uint32_t exponent = static_cast<uint32_t>(word) >> 23 & 0xff;
    return exponent != 0xff && (exponent != 0 || (static_cast<uint32_t>(word) & 0x7fffff) == 0);
}

// Whether a mode makes T of U. The first SoCs know fewer of them.
template <typename T, typename U>
OPWRIGHT_INLINE bool makes_of(QuantMode_t mode, bool is_3510) {
    using Q = QuantMode_t;
    const auto is = [&](Q one, Q other) { return mode == one || mode == other; };
    constexpr bool of_float = std::is_same<U, float>::value;
    if (std::is_same<T, U>::value) {
        return mode == Q::NoQuant || (of_float && is_3510 && is(Q::QF322F32_PRE, Q::VQF322F32_PRE));
    }
    if (std::is_same<T, half>::value) {
        if (!of_float) return is(Q::DEQF16, Q::VDEQF16);
        return mode == Q::F322F16 || (is_3510 && is(Q::QF322F16_PRE, Q::VQF322F16_PRE));
    }
    if (std::is_same<T, bfloat16_t>::value) {
        if (!of_float) return is(Q::QS322BF16_PRE, Q::VQS322BF16_PRE);
        return mode == Q::F322BF16 || (is_3510 && is(Q::QF322BF16_PRE, Q::VQF322BF16_PRE));
    }
    if (std::is_same<T, fp8_e4m3fn_t>::value) return is(Q::QF322FP8_PRE, Q::VQF322FP8_PRE);
    if (std::is_same<T, hifloat8_t>::value) return is(Q::QF322HIF8_PRE, Q::VQF322HIF8_PRE);
    return of_float ? is(Q::QF322B8_PRE, Q::VQF322B8_PRE) : is(Q::REQ8, Q::VREQ8);
}

// Of a word: bits 0 to 31 a scale, of whose mantissa 10 bits count; 32 to 35 a shift less 1; 36 whether integers are
// shifted; 37 to 45 an offset; 46 whether the result has a sign.
OPWRIGHT_INLINE float scale_of(uint64_t word) { return float_of(static_cast<uint32_t>(word) & 0xffffe000u); }

OPWRIGHT_INLINE float before_scaling(float value, uint64_t) { return value; }
OPWRIGHT_INLINE float before_scaling(int32_t value, uint64_t word) {
    if (!(word >> 36 & 1)) return static_cast<float>(value);
    const int32_t shifted = value >> ((word >> 32 & 15) + 1);
    return static_cast<float>(shifted > 32767 ? 32767 : shifted < -32768 ? -32768 : shifted);
}

// To nearest even in 9 bits, then the offset, then 8 bits. NaN is 0.
OPWRIGHT_INLINE uint8_t to_byte(float scaled, uint64_t word) {
    const float inside = scaled > -256.0f ? (scaled < 255.0f ? scaled : 255.0f) : scaled == scaled ? -256.0f : 0.0f;
    const auto nearest = static_cast<int32_t>((inside + 0x1.8p23f) - 0x1.8p23f);
    const auto offset = static_cast<int32_t>(word >> 37 & 0x1ff);
    const int32_t sum = nearest + offset - (offset & 0x100) * 2;
    const bool is_signed = word >> 46 & 1;
    const int32_t low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
    return static_cast<uint8_t>(sum < low ? low : sum > high ? high : sum);
}

// Integers that become half stay finite.
template <typename T, typename U>
OPWRIGHT_INLINE T to_result(float scaled, uint64_t word) {
    if constexpr (std::is_integral<T>::value) {
        return static_cast<T>(to_byte(scaled, word));
    } else if constexpr (std::is_same<T, float>::value) {
        return scaled;
    } else if constexpr (std::is_same<T, half>::value && std::is_same<U, int32_t>::value) {
        return T(scaled > 65504.0f ? 65504.0f : scaled < -65504.0f ? -65504.0f : scaled);
    } else {
        return T(scaled);
    }
}

template <typename U>
OPWRIGHT_INLINE U relu_of(U value, bool is_relu) {
    return is_relu && value < U(0) ? U(0) : value;
}

typedef uint32_t SixteenWords __attribute__((vector_size(64)));
typedef uint16_t SixteenHalves __attribute__((vector_size(32)));

// As bfloat16_bits; compilers make no vectors of so short a loop.
OPWRIGHT_INLINE void narrow_sixteen(bfloat16_t* to, const float* from) {
    SixteenWords bits;
    __builtin_memcpy(&bits, from, sizeof bits);
    const SixteenWords rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16, quiet = bits >> 16 | 0x40u;
    const auto is_nan = (SixteenWords)((bits & 0x7fffffffu) > 0x7f800000u);
    const SixteenHalves narrow = __builtin_convertvector((quiet & is_nan) | (rounded & ~is_nan), SixteenHalves);
    __builtin_memcpy(to, &narrow, sizeof narrow);
}

// Up to 16 elements of a row.
template <typename T, typename U>
OPWRIGHT_INLINE void convert_results(T* to, const U* from, int64_t count, const ResultWay& way, const uint64_t* words) {
    constexpr bool may_be_plain = std::is_same<T, U>::value || (std::is_same<U, float>::value && sizeof(T) == 2);
    if constexpr (may_be_plain) {
        const bool is_plain = way.quant == QuantMode_t::NoQuant || way.quant == QuantMode_t::F322F16 ||
                              way.quant == QuantMode_t::F322BF16;
        if (is_plain) {
            U kept[16];
            for (int64_t i = 0; i < count; ++i) kept[i] = relu_of(from[i], way.is_relu);
            if constexpr (std::is_same<T, U>::value) __builtin_memcpy(to, kept, static_cast<size_t>(count) * sizeof(T));
            else if constexpr (std::is_same<T, half>::value) rounded_halves(to, kept, count);
            else if (count == 16) narrow_sixteen(to, kept);
            else for (int64_t i = 0; i < count; ++i) to[i] = T(kept[i]);
            return;
        }
    }
    for (int64_t i = 0; i < count; ++i) {
        const uint64_t word = words ? words[i] : way.word;
        to[i] = to_result<T, U>(before_scaling(relu_of(from[i], way.is_relu), word) * scale_of(word), word);
    }
}

// All of a way. `put(place, begin, elements, words)` makes a piece of a row of what is in L0C.
template <typename T, typename U, typename Put>
OPWRIGHT_INLINE void each_piece(T* to, const U* from, const ResultWay& way, const uint64_t* words, Put put) {
    const uint64_t wide = way.layout == CO2Layout::NZ && way.width < 16 ? way.width : 16;
    const auto piece = [&](uint64_t matrix, uint64_t row, uint64_t column) {
        const uint64_t left = way.columns - column;
        put(to + way.to(matrix, row, column), from + way.from(matrix, row, column),
            static_cast<int64_t>(left < wide ? left : wide), words ? words + column : nullptr);
    };
    for (uint64_t matrix = 0; matrix < way.matrices; ++matrix) {
        if (way.layout == CO2Layout::ROW_MAJOR) {
            for (uint64_t row = 0; row < way.rows; ++row) {
                for (uint64_t column = 0; column < way.columns; column += wide) piece(matrix, row, column);
            }
        } else {
            for (uint64_t column = 0; column < way.columns; column += wide) {
                for (uint64_t row = 0; row < way.rows; ++row) piece(matrix, row, column);
            }
        }
    }
}

// `words` has one for each column, if the mode takes words.
template <typename T, typename U>
__aicore__ __attribute__((noinline)) void move_results(const At& at, T* to, const U* from, ResultWay way,
                                                       const uint64_t* words, AtomicState atomic) {
    const bool is_column = way.layout == CO2Layout::COLUMN_MAJOR;
    if (OPWRIGHT_UNLIKELY(atomic.type || is_column)) {
        each_piece(to, from, way, words, [&](T* place, const U* begin, int64_t count, const uint64_t* own) {
            T made[16];
            convert_results(made, begin, count, way, own);
            const int64_t pieces = is_column ? count : 1, bytes = static_cast<int64_t>(sizeof(T)) * count / pieces;
            for (int64_t i = 0; i < pieces; ++i) {
                T* const one = place + static_cast<uint64_t>(i) * way.to_step;
                if (!atomic.type) *one = made[i];
                else at.core.library->combine(&at.core, one, made + i, static_cast<uint64_t>(bytes), atomic);
            }
        });
        return;
    }
    each_piece(to, from, way, words, [&](T* place, const U* begin, int64_t count, const uint64_t* own) {
        // A length that the compiler knows makes vectors of the loops.
        if (count == 16) convert_results(place, begin, 16, way, own);
        else convert_results(place, begin, count, way, own);
    });
}

}  // namespace opwright
