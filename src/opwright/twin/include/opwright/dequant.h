// Conversions that scale: int16 to 8 bits with an offset, int32 to half.
//
// Of int16 each block of 16 elements becomes half a block of 32 bytes; the other half keeps what it held.
#pragma once

#include "places.h"

namespace opwright {

constexpr uint32_t kDequantGroups = 16;

// Where the results of int16 lie: as 16-bit elements would, but each block in one of its halves.
struct AtHalves {
    Footprint lanes;  // of 16-bit elements from address 0
    uint32_t first;   // byte of each block

    OPWRIGHT_INLINE uint64_t most(const At&) const { return uint64_t(lanes.repeats) * 8 * kDequantGroups + 1; }

    // place(begin, repeat, lane) of the lanes that take part.
    template <typename Place>
    OPWRIGHT_INLINE void each_lane(uint32_t from, Place place) const {
        for (uint32_t repeat = from; repeat < lanes.repeats; ++repeat) {
            const Lanes chosen = lanes.lanes_of(repeat);
            for (uint32_t lane = 0; lane < 8 * kDequantGroups; ++lane) {
                const uint64_t block = uint64_t(lane / kDequantGroups) * lanes.block_stride * kBlockBytes;
                if (chosen.part(lane, 1)) place(lanes.start_of(repeat) + block + first + lane % kDequantGroups, repeat, lane);
            }
        }
    }

    template <typename Place>
    OPWRIGHT_INLINE void each(const At&, Place place) const {
        each_lane(0, [&](uint64_t begin, uint32_t, uint32_t) { place(begin, uint64_t(1)); });
    }

    // The end of the last two repeats: the last one may have fewer lanes.
    OPWRIGHT_INLINE uint64_t hull() const {
        uint64_t end = 0;
        const uint32_t from = lanes.repeats > 2 ? lanes.repeats - 2 : 0;
        each_lane(from, [&](uint64_t begin, uint32_t, uint32_t) { end = begin + 1 > end ? begin + 1 : end; });
        return end;
    }
};

template <typename T>
OPWRIGHT_INLINE auto writes(const AscendC::LocalTensor<T>& tensor, uint32_t operand, const AtHalves& where) {
    Operand<T> made = tensor.operand(operand, 0, 1, true);
    made.footprint.bytes = where.hull();
    made.footprint.runs = {2, 0, 1};  // so that it does not count as whole
    return WrittenPlacesOperand<T, AtHalves>{{made}, where};
}

// The repeats of a call with a count, which leaves the mask register as a kernel finds it.
template <typename U>
OPWRIGHT_INLINE Chosen dequantised_count(const At& at, uint32_t count) {
    constexpr uint32_t lanes = 8 * kBlockBytes / sizeof(U);
    leave_full_mask(at);
    return {Lanes::first(lanes), (count + lanes - 1) / lanes, count % lanes};
}

template <typename U>
OPWRIGHT_INLINE Steps dequantised_from(const At& at, uint32_t count) {
    const Chosen chosen = dequantised_count<U>(at, count);
    return {8 * kBlockBytes / sizeof(U), chosen.repeats, 1, 8, chosen.lanes, chosen.tail};
}

template <typename T, typename U, bool half_block>
OPWRIGHT_INLINE auto dequantised(const Chosen& chosen, uint32_t block_stride, uint32_t repeat_stride) {
    const Steps steps{8 * kBlockBytes / sizeof(U), chosen.repeats, block_stride, repeat_stride, chosen.lanes, chosen.tail};
    if constexpr (sizeof(U) == 4) {
        return steps;
    } else {
        const Footprint none{Memory::UB, 0, sizeof(U), true, 0, 0};
        return AtHalves{with_steps(none, steps), half_block ? kBlockBytes / 2 : 0};
    }
}

// What follows one another: half as many blocks of half as of int32, as many half-filled ones as of int16.
template <typename T, typename U, bool half_block>
OPWRIGHT_INLINE auto dequantised_to(const At& at, uint32_t count) {
    return dequantised<T, U, half_block>(dequantised_count<U>(at, count), 1, sizeof(U) == 4 ? 4 : 8);
}

// The tensor of scales; nothing of it where one scale is for all, or none is for int8.
template <typename U, bool is_vec_deq>
OPWRIGHT_INLINE ReadOperand<uint64_t> dequant_scales(const At& at, const Dequant& set) {
    constexpr bool of_tensor = is_vec_deq && sizeof(U) == 2;
    const Dequant::Kind wanted = of_tensor ? Dequant::VECTOR : Dequant::SCALAR;
    if (OPWRIGHT_UNLIKELY(sizeof(U) == 2 && set.kind != wanted)) at.fail(Fault::DEQUANT, of_tensor);
    const uint64_t bytes = of_tensor ? kDequantGroups * sizeof(uint64_t) : 0;
    ReadOperand<uint64_t> made{{{Memory::UB, kNoOperand, sizeof(uint64_t), false, set.address, bytes}, bytes}};
    made.footprint.buffer = set.buffer;
    return made;
}

// How a tensor holds the scale of a group: bits 0 to 31 the scale, 37 to 45 the offset, 46 whether it is signed.
OPWRIGHT_INLINE uint64_t dequant_word(float scale, int16_t offset, bool is_signed) {
    return bits_of(scale) | (uint64_t(offset) & 0x1ff) << 37 | uint64_t(is_signed) << 46;
}

// The product and the sum are exact in double; rounded to nearest even once, then saturated.
OPWRIGHT_INLINE uint8_t dequantise(int16_t value, uint64_t word) {
    const auto offset = static_cast<int32_t>(word >> 37 & 0x1ff);
    const double exact = static_cast<double>(value) * float_of(static_cast<uint32_t>(word)) + (offset - (offset & 0x100) * 2);
    const bool is_signed = word >> 46 & 1;
    const double low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
    const double inside = exact > low ? (exact < high ? exact : high) : exact == exact ? low : 0.0;
    const double shifter = inside < 0 ? -0x1p52 : 0x1p52;
    return static_cast<uint8_t>(static_cast<int32_t>((inside + shifter) - shifter));
}

}  // namespace opwright
