// Chapter vec_cmp_sel: comparisons to bits, and selection by bits. Bit i % 8 of byte i / 8 belongs to element i. The
// register of comparisons has 128 bits; only work of the vector pipe touches it, so its order is the order of the pipe.
#pragma once

#include "repeat.h"

namespace opwright {

OPWRIGHT_INLINE Runs one_run(uint64_t bytes) { return {1, bytes, bytes}; }

OPWRIGHT_INLINE Runs bit_runs(uint64_t count) { return one_run((count + 7) / 8); }

template <typename T>
OPWRIGHT_INLINE Runs bit_runs_of_repeats(uint64_t repeats) {
    return bit_runs(repeats * (8 * kBlockBytes / sizeof(T)));
}

// All lanes of repeats, of the last one perhaps fewer.
OPWRIGHT_INLINE uint64_t elements_of(const Chosen& chosen, uint32_t lane_count) {
    return uint64_t(chosen.repeats) * lane_count - (chosen.tail ? lane_count - chosen.tail : 0);
}

OPWRIGHT_INLINE Runs bit_runs_of(const Chosen& chosen, uint32_t lane_count) {
    return bit_runs(elements_of(chosen, lane_count));
}

OPWRIGHT_INLINE Runs compared_bytes() { return one_run(sizeof(Core::compared)); }

// A mode that uses the same bits in every repeat reads those of one.
template <typename T>
OPWRIGHT_INLINE Runs selecting_bits(AscendC::SELMODE mode, uint64_t count) {
    constexpr uint64_t lanes = 8 * kBlockBytes / sizeof(T);
    return bit_runs(mode == AscendC::SELMODE::VSEL_CMPMASK_SPR && count > lanes ? lanes : count);
}

template <typename V>
OPWRIGHT_INLINE bool compares(AscendC::CMPMODE mode, V a, V b) {
    switch (mode) {
        case AscendC::CMPMODE::LT: return a < b;
        case AscendC::CMPMODE::GT: return a > b;
        case AscendC::CMPMODE::EQ: return a == b;
        case AscendC::CMPMODE::LE: return a <= b;
        case AscendC::CMPMODE::GE: return a >= b;
        default: return a != b;
    }
}

// One bit for each element; `holds(i)` says which.
template <typename Holds>
OPWRIGHT_INLINE void write_bits(uint8_t* bytes, uint64_t count, Holds holds) {
    for (uint64_t i = 0; i < count; ++i) {
        uint32_t bits = 0;
        for (uint32_t k = 0; k < 8; ++k) bits |= static_cast<uint32_t>(holds(8 * i + k)) << k;
        bytes[i] = static_cast<uint8_t>(bits);
    }
}

template <typename U, typename Holds>
OPWRIGHT_INLINE void write_bits(Written<U> dst, Holds holds) {
    write_bits(reinterpret_cast<uint8_t*>(dst.data()), dst.footprint.bytes, holds);
}

OPWRIGHT_INLINE bool bit_of(const uint8_t* bits, uint64_t i) { return bits[i / 8] >> (i % 8) & 1; }

template <typename U, typename T>
OPWRIGHT_INLINE void compare(const At&, Written<U> dst, Read<T> src0, Read<T> src1, AscendC::CMPMODE mode) {
    const T *a = src0.data(), *b = src1.data();
    write_bits(dst, [=](uint64_t i) { return compares(mode, widen(a[i]), widen(b[i])); });
}

template <typename U, typename T>
OPWRIGHT_INLINE void compare_scalar(const At&, Written<U> dst, Read<T> src0, const T& scalar, AscendC::CMPMODE mode) {
    const T* a = src0.data();
    write_bits(dst, [=](uint64_t i) { return compares(mode, widen(a[i]), widen(scalar)); });
}

// Element i of all repeats, one after the other; without strides always the same number.
template <typename T>
struct InRepeats {
    static constexpr uint64_t kLanes = 8 * kBlockBytes / sizeof(T);
    Stepped<const T> steps;
    T number;
    OPWRIGHT_INLINE explicit InRepeats(const ReadRepeats<T>& src) : steps{src.data(), &src.footprint}, number() {}
    OPWRIGHT_INLINE explicit InRepeats(const T& value) : steps{nullptr, nullptr}, number(value) {}
    OPWRIGHT_INLINE T operator[](uint64_t i) const {
        if (!steps.shape) return number;
        return *steps.at(static_cast<uint32_t>(i / kLanes), static_cast<uint32_t>(i % kLanes));
    }
    // All lanes of a repeat of which all take part: where they lie, or in a buffer.
    OPWRIGHT_INLINE const T* whole(uint32_t repeat, T (&buffer)[kLanes]) const {
        if (!steps.shape) {
            for (T& lane : buffer) lane = number;
            return buffer;
        }
        if (steps.has_dense_repeats()) return steps.repeat(repeat);
        pack(buffer, steps.repeat(repeat), steps.shape->blocks, steps.shape->block_stride, Lanes::first(kLanes));
        return buffer;
    }
    // All lanes of all repeats, of the last one perhaps fewer.
    OPWRIGHT_INLINE uint64_t count() const {
        const uint32_t tail = steps.shape->tail;
        return steps.shape->repeats * kLanes - (tail ? kLanes - tail : 0);
    }
};

// Not inlined, as what steps through repeats is: one copy serves all comparisons of a type.
template <typename U, typename T>
__aicore__ __attribute__((noinline)) void write_compared(Written<U> dst, const InRepeats<T>& a, const InRepeats<T>& b,
                                                         AscendC::CMPMODE mode) {
    constexpr uint64_t lanes = InRepeats<T>::kLanes;
    const uint64_t count = a.count(), whole = count / lanes, done = whole * lanes / 8;
    const auto bytes = reinterpret_cast<uint8_t*>(dst.data());
    T buffers[2][lanes];
    for (uint32_t repeat = 0; repeat < whole; ++repeat) {
        const T *left = a.whole(repeat, buffers[0]), *right = b.whole(repeat, buffers[1]);
        write_bits(bytes + repeat * lanes / 8, lanes / 8,
                   [=](uint64_t i) { return compares(mode, widen(left[i]), widen(right[i])); });
    }
    write_bits(bytes + done, dst.footprint.bytes - done, [&](uint64_t i) {
        const uint64_t element = whole * lanes + i;
        return element < count && compares(mode, widen(a[element]), widen(b[element]));
    });
}

template <typename U, typename T>
OPWRIGHT_INLINE void compare_repeats(const At&, Written<U> dst, ReadRepeats<T> src0, ReadRepeats<T> src1,
                                     AscendC::CMPMODE mode) {
    write_compared(dst, InRepeats<T>(src0), InRepeats<T>(src1), mode);
}

template <typename U, typename T>
OPWRIGHT_INLINE void compare_scalar_repeats(const At&, Written<U> dst, ReadRepeats<T> src0, const T& scalar,
                                            AscendC::CMPMODE mode) {
    write_compared(dst, InRepeats<T>(src0), InRepeats<T>(scalar), mode);
}

template <typename T>
OPWRIGHT_INLINE void compare_to_register(const At& at, ReadRepeats<T> src0, ReadRepeats<T> src1, AscendC::CMPMODE mode) {
    const InRepeats<T> a(src0), b(src1);
    const uint32_t repeats = src0.footprint.repeats, last = repeats ? repeats - 1 : 0;
    const Lanes lanes = src0.footprint.lanes_of(last);
    uint64_t bits[4] = {};
    for (uint32_t i = 0; i < InRepeats<T>::kLanes; ++i) {
        const uint64_t element = last * InRepeats<T>::kLanes + i;
        const bool holds = lanes.part(i, 1) && compares(mode, widen(a[element]), widen(b[element]));
        bits[i / 64] |= static_cast<uint64_t>(holds) << (i % 64);
    }
    __builtin_memcpy(at.core.compared, bits, sizeof at.core.compared);
}

template <typename T>
OPWRIGHT_INLINE void get_compared(const At& at, Written<T> dst) {
    __builtin_memcpy(dst.data(), at.core.compared, sizeof at.core.compared);
}

template <typename T>
OPWRIGHT_INLINE void set_compared(const At& at, Read<T> src) {
    __builtin_memcpy(at.core.compared, src.data(), sizeof at.core.compared);
}

// Where the bit of element i lies: a mode that uses the same bits in every repeat starts again with each.
template <typename T>
OPWRIGHT_INLINE uint64_t bit_of_element(AscendC::SELMODE mode, uint64_t i) {
    return mode == AscendC::SELMODE::VSEL_CMPMASK_SPR ? i % (8 * kBlockBytes / sizeof(T)) : i;
}

// Sources are taken before dst: it may be one of them. Elements are moved, not computed with.
template <typename T, typename U, typename Second>
OPWRIGHT_INLINE void select_elements(Written<T> dst, Read<U> sel_mask, const T* first, Second second,
                                     AscendC::SELMODE mode) {
    const auto bits = reinterpret_cast<const uint8_t*>(sel_mask.data());
    T* to = dst.data();
    for (int64_t i = 0; i < dst.size(); ++i) to[i] = bit_of(bits, bit_of_element<T>(mode, i)) ? first[i] : second(i);
}

template <typename T, typename U>
OPWRIGHT_INLINE void select_scalar(const At&, Written<T> dst, Read<U> sel_mask, Read<T> src0, const T& scalar,
                                   AscendC::SELMODE mode) {
    select_elements(dst, sel_mask, src0.data(), [=](int64_t) { return scalar; }, mode);
}

template <typename T, typename U>
OPWRIGHT_INLINE void select_tensor(const At&, Written<T> dst, Read<U> sel_mask, Read<T> src0, Read<T> src1,
                                   AscendC::SELMODE mode) {
    const T* other = src1.data();
    select_elements(dst, sel_mask, src0.data(), [=](int64_t i) { return other[i]; }, mode);
}

template <typename T>
__aicore__ __attribute__((noinline)) void select_lanes(const WrittenRepeats<T>& dst, const void* selecting,
                                                       const InRepeats<T>& first, const InRepeats<T>& second,
                                                       AscendC::SELMODE mode) {
    const auto bits = static_cast<const uint8_t*>(selecting);
    const Footprint& shape = dst.footprint;
    const Stepped<T> to{dst.data(), &shape};
    T buffers[2][InRepeats<T>::kLanes];
    for (uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
        const Lanes lanes = shape.lanes_of(repeat);
        if (lanes.has_first(InRepeats<T>::kLanes) && to.has_dense_repeats()) {
            const T *left = first.whole(repeat, buffers[0]), *right = second.whole(repeat, buffers[1]);
            const uint64_t start = bit_of_element<T>(mode, repeat * InRepeats<T>::kLanes);
            T* results = to.repeat(repeat);
            for (uint32_t i = 0; i < InRepeats<T>::kLanes; ++i) results[i] = bit_of(bits, start + i) ? left[i] : right[i];
            continue;
        }
        for (uint32_t lane = 0; lane < InRepeats<T>::kLanes; ++lane) {
            if (!lanes.part(lane, 1)) continue;
            const uint64_t i = repeat * InRepeats<T>::kLanes + lane;
            *to.at(repeat, lane) = bit_of(bits, bit_of_element<T>(mode, i)) ? first[i] : second[i];
        }
    }
}

template <typename T, typename U>
OPWRIGHT_INLINE void select_scalar_repeats(const At&, WrittenRepeats<T> dst, Read<U> sel_mask, ReadRepeats<T> src0,
                                           const T& scalar, AscendC::SELMODE mode) {
    select_lanes(dst, sel_mask.data(), InRepeats<T>(src0), InRepeats<T>(scalar), mode);
}

template <typename T, typename U>
OPWRIGHT_INLINE void select_tensor_repeats(const At&, WrittenRepeats<T> dst, Read<U> sel_mask, ReadRepeats<T> src0,
                                           ReadRepeats<T> src1, AscendC::SELMODE mode) {
    select_lanes(dst, sel_mask.data(), InRepeats<T>(src0), InRepeats<T>(src1), mode);
}

template <typename T, typename U, typename... Repeats>
OPWRIGHT_INLINE void select_number_of_register(const At& at, WrittenRepeats<T> dst, Read<U> sel_mask,
                                               ReadRepeats<T> src0, const Repeats&...) {
    T number;
    __builtin_memcpy(&number, at.core.compared, sizeof number);
    const auto mode = AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE;
    select_lanes(dst, sel_mask.data(), InRepeats<T>(src0), InRepeats<T>(number), mode);
}

template <typename T, typename... Repeats>
OPWRIGHT_INLINE void select_by_register(const At& at, WrittenRepeats<T> dst, ReadRepeats<T> src0, ReadRepeats<T> src1,
                                        const Repeats&...) {
    uint8_t bits[32] = {};  // those of the register; of 8-bit types a repeat has more lanes, which are 0
    __builtin_memcpy(bits, at.core.compared, sizeof at.core.compared);
    select_lanes(dst, bits, InRepeats<T>(src0), InRepeats<T>(src1), AscendC::SELMODE::VSEL_CMPMASK_SPR);
}

}  // namespace opwright
