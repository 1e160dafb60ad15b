// Chapter vec_gather_scatter: elements or blocks from places that offsets name, elements to such places, and elements
// that a pattern of bits chooses.
#pragma once

#include "generated/calls/params.h"
#include "places.h"

namespace opwright {

// What a mask chooses in a call whose repeats have as many lanes as 256 bytes hold elements of T.
template <typename T, typename Mask>
OPWRIGHT_INLINE Steps lanes_of_repeats(const Mask& mask, uint32_t repeats, uint32_t repeat_stride) {
    return {8 * kBlockBytes / sizeof(T), repeats, 1, repeat_stride, chosen_lanes(mask)};
}

// Offsets lie one after the other, those of a repeat behind those of the one before.
template <typename T, typename Mask>
OPWRIGHT_INLINE Steps offsets_of_repeats(const Mask& mask, uint32_t repeats) {
    return lanes_of_repeats<T>(mask, repeats, 8 * sizeof(uint32_t) / sizeof(T));
}

// Eight for every repeat.
OPWRIGHT_INLINE Runs offsets_of_blocks(uint64_t repeats) {
    const uint64_t bytes = repeats * 8 * sizeof(uint32_t);
    return {1, bytes, bytes};
}

// Sources are taken before destinations; see issue.h.
template <typename T, typename... Scalars>
OPWRIGHT_INLINE void gather(const At& at, Written<T> dst, Read<uint32_t>, ReadPlaces<T, AtOffsets> src, const Scalars&...) {
    const T* from = src.data();
    T* to = dst.data();
    src.where.each_lane(at, [=](uint64_t begin, uint32_t, uint32_t, uint32_t i) { to[i] = from[begin / sizeof(T)]; });
}

template <typename T, typename... Scalars>
OPWRIGHT_INLINE void gather_lanes(const At& at, WrittenRepeats<T> dst, ReadRepeats<uint32_t>,
                                  ReadPlaces<T, AtOffsets> src, const Scalars&...) {
    const T* from = src.data();
    const Stepped<T> to{dst.data(), &dst.footprint};
    src.where.each_lane(at, [=](uint64_t begin, uint32_t, uint32_t repeat, uint32_t lane) {
        *to.at(repeat, lane) = from[begin / sizeof(T)];
    });
}

template <typename T, typename... Scalars>
OPWRIGHT_INLINE void gather_blocks(const At& at, WrittenRepeats<T> dst, Read<uint32_t>, ReadPlaces<T, AtOffsets> src,
                                   const Scalars&...) {
    const T* from = src.data();
    const Stepped<T> to{dst.data(), &dst.footprint};
    constexpr uint32_t in_block = kBlockBytes / sizeof(T);
    src.where.each_lane(at, [=](uint64_t begin, uint32_t, uint32_t, uint32_t i) {
        __builtin_memcpy(to.at(i / 8, i % 8 * in_block), from + begin / sizeof(T), kBlockBytes);
    });
}

// Where two offsets are the same, the later element stays.
template <typename T, typename... Scalars>
OPWRIGHT_INLINE void scatter(const At& at, Read<T> src, Read<uint32_t>, WrittenPlaces<T, AtOffsets> dst, const Scalars&...) {
    const T* from = src.data();
    T* to = dst.data();
    dst.where.each_lane(at, [=](uint64_t begin, uint32_t, uint32_t, uint32_t i) { to[begin / sizeof(T)] = from[i]; });
}

template <typename T, typename... Scalars>
OPWRIGHT_INLINE void scatter_lanes(const At& at, ReadRepeats<T> src, ReadRepeats<uint32_t>,
                                   WrittenPlaces<T, AtOffsets> dst, const Scalars&...) {
    const Stepped<const T> from{src.data(), &src.footprint};
    T* to = dst.data();
    dst.where.each_lane(at, [=](uint64_t begin, uint32_t, uint32_t repeat, uint32_t lane) {
        to[begin / sizeof(T)] = *from.at(repeat, lane);
    });
}

// The source of GatherMask: `repeats` of `elements` elements, through blocks that lie apart.
struct Blocks {
    uint64_t repeats;
    uint64_t elements;
    uint32_t element_bytes;
    uint64_t block_stride;  // in bytes, like the next
    uint64_t repeat_stride;

    OPWRIGHT_INLINE uint64_t place(uint64_t repeat, uint64_t element) const {
        const uint64_t byte = element * element_bytes;
        return repeat * repeat_stride + byte / kBlockBytes * block_stride + byte % kBlockBytes;
    }
    OPWRIGHT_INLINE uint64_t hull() const {
        return repeats && elements ? place(repeats - 1, elements - 1) + element_bytes : 0;
    }
    OPWRIGHT_INLINE uint64_t most(const At&) const {
        return repeats * (elements * element_bytes / kBlockBytes + 1) + 1;
    }
    template <typename Place>
    OPWRIGHT_INLINE void each(const At&, Place piece) const {
        const uint64_t in_block = kBlockBytes / element_bytes;
        for (uint64_t repeat = 0; repeat < repeats; ++repeat) {
            for (uint64_t first = 0; first < elements; first += in_block) {
                const uint64_t count = elements - first < in_block ? elements - first : in_block;
                piece(place(repeat, first), count * element_bytes);
            }
        }
    }
};

template <typename T>
OPWRIGHT_INLINE Blocks gathered_blocks(bool reduce, uint64_t mask, const AscendC::GatherMaskParams& params) {
    const uint64_t elements = reduce ? mask : 8 * kBlockBytes / sizeof(T);
    return {params.repeatTimes, elements, sizeof(T), params.src0BlockStride * 32ull, params.src0RepeatStride * 32ull};
}

template <typename T>
OPWRIGHT_INLINE auto reads(const AscendC::LocalTensor<T>& tensor, uint32_t operand, const Blocks& blocks) {
    Operand<T> hull = hull_of(tensor, operand, false);
    hull.footprint.bytes = blocks.hull();
    return ReadPlacesOperand<T, Blocks>{{hull}, blocks};
}

// The bits of each repeat, the element's own first.
template <typename T>
OPWRIGHT_INLINE Runs pattern_of(bool reduce, uint64_t mask, const AscendC::GatherMaskParams& params) {
    const uint64_t elements = reduce ? mask : 8 * kBlockBytes / sizeof(T);
    return {params.repeatTimes, (elements + 7) / 8, params.src1RepeatStride * 32ull};
}

OPWRIGHT_INLINE bool fixed_pattern(uint32_t pattern, uint64_t i) {
    if (pattern == 7) return true;
    return pattern <= 2 ? i % 2 == pattern - 1 : i % 4 == pattern - 3;
}

// Calls `take(place)` for each element that the pattern chooses: bits of a tensor, or a fixed one. Returns how many.
template <typename Chosen, typename Take>
OPWRIGHT_INLINE uint64_t each_chosen(const Blocks& from, Chosen chosen, Take take) {
    uint64_t count = 0;
    for (uint64_t repeat = 0; repeat < from.repeats; ++repeat) {
        for (uint64_t i = 0; i < from.elements; ++i) {
            if (!chosen(repeat, i)) continue;
            take(from.place(repeat, i));
            ++count;
        }
    }
    return count;
}

template <typename U>
OPWRIGHT_INLINE auto bits_chosen(const At& at, const Footprint& pattern) {
    const uint8_t* bits = read_pointer(at.core, pattern);
    const uint64_t stride = pattern.runs.stride;
    return [=](uint64_t repeat, uint64_t i) { return bits[repeat * stride + i / 8] >> (i % 8) & 1; };
}

// What GatherMask writes: as many elements as the pattern chooses. Patterns are read when the call is issued; in the
// perturbed mode they may not be there yet, and any element may be chosen.
template <typename Source, typename Pattern>
__aicore__ inline Runs gathered_bytes(const At& at, const Source& source, const Pattern& pattern) {
    const Blocks& from = source.where;
    uint64_t count = from.repeats * from.elements;
    if constexpr (std::is_same<Pattern, Argument<uint8_t>>::value) {
        const uint32_t fixed = pattern.value;
        count = each_chosen(from, [=](uint64_t, uint64_t i) { return fixed_pattern(fixed, i); }, [](uint64_t) {});
    } else if (at.core.launch->mode != kPerturbed) {
        source.check(at);
        pattern.check(at);
        count = each_chosen(from, bits_chosen<uint8_t>(at, pattern.footprint), [](uint64_t) {});
    }
    return {1, count * from.element_bytes, count * from.element_bytes};
}

template <typename T, typename Chosen>
OPWRIGHT_INLINE uint64_t gather_chosen(const At& at, const ReadPlaces<T, Blocks>& src, const Written<T>& dst, Chosen chosen) {
    const T* from = src.data();
    T* to = dst.data();
    at.core.gathered = each_chosen(src.where, chosen, [&](uint64_t place) { *to++ = from[place / sizeof(T)]; });
    return at.core.gathered;
}

template <typename T, typename U, typename... Scalars>
OPWRIGHT_INLINE uint64_t gather_mask(const At& at, ReadPlaces<T, Blocks> src0, Read<U> pattern, Written<T> dst,
                                     const Scalars&...) {
    return gather_chosen(at, src0, dst, bits_chosen<U>(at, pattern.footprint));
}

template <typename T, typename... Scalars>
OPWRIGHT_INLINE uint64_t gather_fixed(const At& at, ReadPlaces<T, Blocks> src0, Written<T> dst, uint32_t fixed,
                                      const Scalars&...) {
    return gather_chosen(at, src0, dst, [=](uint64_t, uint64_t i) { return fixed_pattern(fixed, i); });
}

OPWRIGHT_INLINE int64_t gathered_count(const At& at) { return static_cast<int64_t>(at.core.gathered); }

}  // namespace opwright
