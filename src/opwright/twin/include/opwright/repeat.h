// Calls that step through their operands by repeats: what they touch, whether that may overlap, and the loop.
//
// A repeat has as many lanes as 256 bytes hold elements of the widest operand. Lane i of an operand lies in its block
// i * sizeof(T) / 32; block k of repeat r starts (r * repeat_stride + k * block_stride) * 32 bytes from its start.
// Lanes that the mask leaves out are neither read nor written.
#pragma once

#include "tensor.h"

namespace opwright {

constexpr uint32_t widest(uint32_t bytes) { return bytes; }
template <typename... More>
constexpr uint32_t widest(uint32_t bytes, uint32_t other, More... more) {
    return widest(bytes > other ? bytes : other, more...);
}

// The lanes of a repeat.
template <typename... Tensors>
OPWRIGHT_INLINE constexpr uint32_t lanes_of(const Tensors&...) {
    return 8 * kBlockBytes / widest(sizeof(typename ElementOf<Tensors>::type)...);
}

// The first `count` lanes, or those whose bits are set.
OPWRIGHT_INLINE Lanes chosen_lanes(uint64_t count) { return Lanes::first(count); }

OPWRIGHT_INLINE Lanes chosen_lanes(const uint64_t (&mask)[2]) { return {{mask[0], mask[1], 0, 0}}; }

// What a call does of its repeats: which lanes of each, and how many of the last one; 0: as of the others.
struct Chosen {
    Lanes lanes;
    uint32_t repeats;
    uint32_t tail;
};

// What the mask register says. In counter mode it holds a number of elements, and the call's own repeats mean nothing.
__aicore__ __attribute__((noinline)) inline Chosen chosen_by_register(const At& at, uint32_t lane_count, uint32_t repeats) {
    const MaskRegister& mask = at.core.mask;
    needs_state(at, SetState::MASK_MODE);
    needs_state(at, SetState::MASK);
    if (!mask.counts) return {{{mask.words[0], mask.words[1], mask.words[2], mask.words[3]}}, repeats, 0};
    const uint64_t elements = mask.words[0];
    if (elements > INT32_MAX) at.fail(Fault::MASK_COUNT);
    const auto count = static_cast<uint32_t>(elements);
    return {Lanes::first(lane_count), (count + lane_count - 1) / lane_count, count % lane_count};
}

// A mask that a call sets itself stays in the register.
OPWRIGHT_INLINE void set_own_mask(const At& at, const Lanes& lanes) {
    MaskRegister& mask = at.core.mask;
    needs_state(at, SetState::MASK_MODE);
    at.core.sets(SetState::MASK);
    if (mask.counts) at.fail(Fault::MASK_MODE);
    for (uint32_t i = 0; i < 4; ++i) mask.words[i] = lanes.words[i];
    mask.is_changed = true;
    mask.line = 0;
}

template <bool is_set_mask, typename Mask>
OPWRIGHT_INLINE Chosen chosen_repeats(const At& at, const Mask& mask, uint32_t lane_count, uint32_t repeats) {
    if constexpr (is_set_mask) {
        const Lanes lanes = chosen_lanes(mask);
        set_own_mask(at, lanes);
        return {lanes, repeats, 0};
    } else {
        return chosen_by_register(at, lane_count, repeats);
    }
}

// What one operand touches: blocks and repeats apart, of a call with `count` lanes to a repeat.
struct Steps {
    uint32_t count;
    uint32_t repeats;
    uint32_t block_stride;
    uint32_t repeat_stride;
    Lanes lanes;
    uint32_t tail = 0;                   // lanes of the last repeat, if they are others; see Footprint
    uint32_t repeat_unit = kBlockBytes;  // bytes: results may lie closer together than blocks do
};

// A call with a count works in counter mode and leaves the register as a kernel finds it. If it is to take the register
// as it is, it leaves its count aside: in normal mode it does one repeat.
template <bool is_set_mask>
OPWRIGHT_INLINE auto chosen_count(const At& at, int64_t count, uint32_t lane_count) {
    if constexpr (is_set_mask) {
        leave_full_mask(at);
        return count;
    } else {
        return chosen_by_register(at, lane_count, 1);
    }
}

// The same of one operand: elements, or repeats that follow one another.
template <typename T>
OPWRIGHT_INLINE int64_t extent_of(int64_t count, uint32_t) {
    return count;
}
template <typename T>
OPWRIGHT_INLINE Steps extent_of(const Chosen& chosen, uint32_t lane_count) {
    const auto blocks = static_cast<uint32_t>(lane_count * sizeof(T) / kBlockBytes);
    return {lane_count, chosen.repeats, 1, blocks, chosen.lanes, chosen.tail};
}

template <typename T>
struct ReadRepeats : Read<T> {};
template <typename T>
struct WrittenRepeats : Written<T> {};

template <typename T>
struct ReadStepsOperand : Operand<T> {
    OPWRIGHT_INLINE ReadRepeats<T> view(const At& at) const { return {{at, this->footprint}}; }
};
template <typename T>
struct WrittenStepsOperand : Operand<T> {
    OPWRIGHT_INLINE WrittenRepeats<T> view(const At& at) const { return {{at, this->footprint}}; }
};

// Functions of the lanes fold where a mask is a constant, so they are inlined; those for rare masks are not: kernels with
// many such calls would compile for long.

// How many lanes there are up to the last of `count` that takes part.
OPWRIGHT_INLINE uint32_t end_of_lanes(const Lanes& lanes, uint32_t count) {
    for (uint32_t start = (count - 1) / 64 * 64;; start -= 64) {
        const uint64_t word = lanes.word_of(start, count);
        if (word) return start + 64 - static_cast<uint32_t>(__builtin_clzll(word));
        if (start == 0) return 0;
    }
}

// How far the lanes of a repeat reach from its start if all of its blocks lie on one another.
__aicore__ __attribute__((noinline)) inline uint32_t reach_in_block(Lanes lanes, uint32_t count, uint32_t in_block,
                                                                    uint32_t element_bytes) {
    uint64_t bits = 0;
    for (uint32_t lane = 0; lane < count; lane += in_block) bits |= lanes.part(lane, in_block);
    return bits ? (64 - static_cast<uint32_t>(__builtin_clzll(bits))) * element_bytes : 0;
}

// How far the lanes of a repeat reach from its start; 0 if there are none.
OPWRIGHT_INLINE uint64_t reach_of(const Lanes& lanes, uint32_t blocks, uint32_t block_stride, uint32_t element_bytes) {
    const uint32_t in_block = kBlockBytes / element_bytes;
    if (block_stride == 0) return reach_in_block(lanes, blocks * in_block, in_block, element_bytes);
    const uint32_t end = end_of_lanes(lanes, blocks * in_block);
    if (end == 0) return 0;
    const uint32_t last = end - 1;
    return uint64_t(last / in_block) * block_stride * kBlockBytes + (last % in_block + 1) * element_bytes;
}

// The end of the hull is that of the last repeat, or of the one before a tail.
__aicore__ __attribute__((noinline)) inline uint64_t end_with_tail(Steps steps, uint32_t blocks,
                                                                   uint32_t element_bytes) {
    const uint64_t apart = uint64_t(steps.repeat_stride) * steps.repeat_unit;
    const uint64_t tail = reach_of(Lanes::first(steps.tail), blocks, steps.block_stride, element_bytes);
    const uint64_t end = tail ? (steps.repeats - 1) * apart + tail : 0;
    const uint64_t before = steps.repeats > 1 ? reach_of(steps.lanes, blocks, steps.block_stride, element_bytes) : 0;
    const uint64_t end_before = before ? (steps.repeats - 2) * apart + before : 0;
    return end > end_before ? end : end_before;
}

OPWRIGHT_INLINE Footprint with_steps(Footprint touched, const Steps& steps) {
    const uint32_t in_block = kBlockBytes / touched.element_bytes;
    touched.blocks = (steps.count + in_block - 1) / in_block;
    touched.block_stride = steps.block_stride;
    touched.repeat_stride = steps.repeat_stride;
    touched.repeat_unit = steps.repeat_unit;
    touched.lanes = steps.lanes;
    touched.tail = steps.tail;
    uint64_t end = 0;
    if (OPWRIGHT_UNLIKELY(steps.tail != 0)) {
        if (steps.repeats) end = end_with_tail(steps, touched.blocks, touched.element_bytes);
    } else if (steps.repeats) {
        const uint64_t reach = reach_of(steps.lanes, touched.blocks, steps.block_stride, touched.element_bytes);
        if (reach) end = uint64_t(steps.repeats - 1) * steps.repeat_stride * steps.repeat_unit + reach;
    }
    touched.repeats = end ? steps.repeats : 0;
    touched.bytes = end;
    return touched;
}

// The lanes of bytes in which two elements lie; a call chooses both or none.
__aicore__ __attribute__((noinline)) inline Lanes lanes_of_pairs(const Lanes& lanes) {
    Lanes pairs = {};
    for (uint32_t pair = 0; pair < 128; ++pair) pairs.words[pair / 64] |= lanes.part(2 * pair, 1) << (pair % 64);
    return pairs;
}

// The steps of an operand in pieces that have whole bytes.
template <typename T>
OPWRIGHT_INLINE Steps steps_of_bytes(const Steps& steps) {
    if constexpr (kPerByte<T> == 1) return steps;
    else return {steps.count / 2, steps.repeats, steps.block_stride, steps.repeat_stride, lanes_of_pairs(steps.lanes),
                 steps.tail / 2, steps.repeat_unit};
}

// Where elements share bytes, a call takes both of a byte or none.
template <typename A, typename B>
OPWRIGHT_INLINE void require_pairs(const At& at, int64_t count, const Operand<A>&, const Operand<B>&, uint32_t rule,
                                   uint32_t operand) {
    if constexpr (kPerByte<A> * kPerByte<B> > 1) require(at, count % 2 == 0, rule, operand, count);
}
template <typename A, typename B>
OPWRIGHT_INLINE void require_pairs(const At& at, const Chosen& chosen, const Operand<A>&, const Operand<B>&, uint32_t rule,
                                   uint32_t operand) {
    if constexpr (kPerByte<A> * kPerByte<B> > 1) {
        require(at, chosen.tail % 2 == 0, rule, operand, int64_t(chosen.tail) - 1);
        for (uint32_t lane = 0; lane < 256; lane += 2) {
            const bool first = chosen.lanes.part(lane, 1), second = chosen.lanes.part(lane + 1, 1);
            require(at, first == second, rule, operand, first ? lane : lane + 1);
        }
    }
}

template <typename T>
OPWRIGHT_INLINE auto reads(const AscendC::LocalTensor<T>& tensor, uint32_t operand, const Steps& steps) {
    const Operand<T> start = tensor.operand(operand, 0, 1, false);
    return ReadStepsOperand<T>{{with_steps(start.footprint, steps_of_bytes<T>(steps)), start.left}};
}

template <typename T>
OPWRIGHT_INLINE auto writes(const AscendC::LocalTensor<T>& tensor, uint32_t operand, const Steps& steps) {
    const Operand<T> start = tensor.operand(operand, 0, 1, true);
    return WrittenStepsOperand<T>{{with_steps(start.footprint, steps_of_bytes<T>(steps)), start.left}};
}

// The bytes that one block of a repeat touches: bit i is byte i.
OPWRIGHT_INLINE uint32_t bytes_of_block(const Footprint& access, uint32_t repeat, uint32_t block) {
    const uint32_t in_block = kBlockBytes / access.element_bytes;
    const uint64_t lanes = access.lanes_of(repeat).part(block * in_block, in_block);
    const uint32_t element = static_cast<uint32_t>((uint64_t(1) << access.element_bytes) - 1);
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < in_block; ++i) {
        if (lanes >> i & 1) bytes |= element << (i * access.element_bytes);
    }
    return bytes;
}

// Fails if repeat `i` of what is written touches repeat `j` of what is read, save lane upon lane of one repeat.
// Starts are multiples of 32 bytes, so that blocks are the same or apart.
__aicore__ inline void require_repeat_apart(const At& at, const Footprint& w, uint32_t i, const Footprint& r, uint32_t j) {
    for (uint32_t a = 0; a < w.blocks; ++a) {
        const uint64_t written = w.address + (uint64_t(i) * w.repeat_stride + uint64_t(a) * w.block_stride) * kBlockBytes;
        for (uint32_t b = 0; b < r.blocks; ++b) {
            const uint64_t read = r.address + (uint64_t(j) * r.repeat_stride + uint64_t(b) * r.block_stride) * kBlockBytes;
            if (written != read || (bytes_of_block(w, i, a) & bytes_of_block(r, j, b)) == 0) continue;
            const bool lane_upon_lane = i == j && a == b && w.element_bytes == r.element_bytes;
            if (!lane_upon_lane) at.fail(Fault::OVERLAP, w.operand, r.operand, w.address - r.address);
        }
    }
}

// The steps of a footprint, field by field: one that is copied whole would lie in memory before, in every call.
OPWRIGHT_INLINE Footprint steps_alone(const Footprint& of) {
    return {of.memory,  of.operand, of.element_bytes, of.written,       of.address,     of.bytes,
            of.repeats, of.blocks,  of.block_stride,  of.repeat_stride, of.repeat_unit, of.lanes,
            of.tail};
}

__aicore__ __attribute__((noinline)) inline void require_repeats_apart(const At& at, Footprint w, Footprint r,
                                                                       bool may_feed) {
    for (uint32_t j = 0; j < r.repeats; ++j) {
        for (uint32_t i = may_feed ? j : 0; i <= j; ++i) require_repeat_apart(at, w, i, r, j);
    }
}

// Within a repeat the written operand is the read one lane upon lane, or does not touch it; and no later repeat reads
// what an earlier one wrote. `may_feed`: a call that lets it, if one of the operands stays where it is.
template <typename A, typename B>
OPWRIGHT_INLINE void require_no_feeding(const At& at, const Operand<A>& written, const Operand<B>& read, bool may_feed) {
    const Footprint &w = written.footprint, &r = read.footprint;
    if (!overlap(w.address, w.bytes, r.address, r.bytes)) return;
    const bool is_same = w.address == r.address && w.block_stride == r.block_stride &&
                         w.repeat_stride == r.repeat_stride && w.element_bytes == r.element_bytes;
    constexpr bool type_may = std::is_same<A, half>::value || std::is_same<A, float>::value || std::is_same<A, int32_t>::value;
    const bool stays = w.repeat_stride == 0 || r.repeat_stride == 0, feeds = may_feed && type_may && stays;
    // As most calls in place are, and sums of repeats.
    if (is_same && w.block_stride == 1 && (feeds || w.repeat_stride >= w.blocks)) return;
    require_repeats_apart(at, steps_alone(w), steps_alone(r), feeds);
}

// Calls `piece(begin, bytes)` for what a footprint touches, until it says true.
template <typename Piece>
OPWRIGHT_INLINE bool any_piece(const Footprint& access, Piece piece) {
    if (access.repeats == 0) {
        const Runs runs = access.runs.count ? access.runs : Runs{1, access.bytes, access.bytes};
        for (uint64_t i = 0; i < runs.count; ++i) {
            if (piece(access.address + runs.first + i * runs.stride, runs.bytes)) return true;
        }
        return false;
    }
    const uint32_t in_block = kBlockBytes / access.element_bytes;
    for (uint32_t repeat = 0; repeat < access.repeats; ++repeat) {
        const Lanes chosen = access.lanes_of(repeat);
        for (uint32_t lane = 0; lane < access.blocks * in_block; ++lane) {
            if (!chosen.part(lane, 1)) continue;
            const uint64_t block = uint64_t(lane / in_block) * access.block_stride * kBlockBytes;
            const uint64_t begin = access.start_of(repeat) + block + lane % in_block * access.element_bytes;
            if (piece(begin, access.element_bytes)) return true;
        }
    }
    return false;
}

__aicore__ __attribute__((noinline)) inline bool touch_in_common(const Footprint& a, const Footprint& b) {
    if (a.bytes == 0 || b.bytes == 0) return false;  // a place within another, but nothing of it
    if (a.memory != b.memory || !overlap(a.address, a.bytes, b.address, b.bytes)) return false;
    return any_piece(a, [&b](uint64_t begin, uint64_t bytes) {
        return overlap(begin, bytes, b.address, b.bytes) &&
               any_piece(b, [=](uint64_t other, uint64_t size) { return overlap(begin, bytes, other, size); });
    });
}

// One that reaches too far is reported first: that is why it overlaps another.
template <typename A, typename B>
__aicore__ inline void fail_overlap(const At& at, const Operand<A>& written, const Operand<B>& read) {
    written.check(at);
    read.check(at);
    const Footprint &w = written.footprint, &r = read.footprint;
    at.fail(Fault::OVERLAP, w.operand, r.operand, w.address - r.address);
}

// The written operand touches no byte of the read one.
template <typename A, typename B>
OPWRIGHT_INLINE void require_apart(const At& at, const Operand<A>& written, const Operand<B>& read) {
    if (OPWRIGHT_UNLIKELY(touch_in_common(written.footprint, read.footprint))) fail_overlap(at, written, read);
}

// Every lane of a repeat of T.
template <typename T>
OPWRIGHT_INLINE Steps whole_steps(uint32_t repeats, uint32_t block_stride, uint32_t repeat_stride) {
    constexpr uint32_t lanes = 8 * kBlockBytes / sizeof(T);
    return {lanes, repeats, block_stride, repeat_stride, chosen_lanes(lanes)};
}

// Of a call with a count that takes the mask register as it is.
template <typename A, typename B>
OPWRIGHT_INLINE void require_no_partial_overlap(const At& at, const WrittenStepsOperand<A>& written,
                                                const ReadStepsOperand<B>& read) {
    require_no_feeding(at, written, read, false);
}

// How many lanes of `count` take part, if they are the first ones; else 0.
OPWRIGHT_INLINE uint32_t leading_lanes(const Lanes& lanes, uint32_t count) {
    uint32_t leading = 0;
    for (uint32_t start = 0; start < count; start += 64) {
        const uint64_t word = lanes.word_of(start, count);
        const bool follows = leading == start ? (word & (word + 1)) == 0 : word == 0;
        if (!follows) return 0;
        leading += static_cast<uint32_t>(__builtin_popcountll(word));
    }
    return leading;
}

OPWRIGHT_INLINE uint32_t number_of(const Lanes& lanes, uint32_t count) {
    uint32_t number = 0;
    for (uint32_t start = 0; start < count; start += 64) {
        number += static_cast<uint32_t>(__builtin_popcountll(lanes.word_of(start, count)));
    }
    return number;
}

// An operand as the loop sees it.
template <typename T>
struct Stepped {
    T* start;
    const Footprint* shape;

    OPWRIGHT_INLINE bool has_dense_repeats() const { return shape->block_stride == 1 || shape->blocks == 1; }
    OPWRIGHT_INLINE bool is_dense() const { return has_dense_repeats() && shape->repeat_stride == shape->blocks; }
    OPWRIGHT_INLINE T* repeat(uint32_t number) const {
        return start + uint64_t(number) * shape->repeat_stride * shape->repeat_unit / sizeof(T);
    }
    OPWRIGHT_INLINE T* at(uint32_t number, uint32_t lane) const {
        const uint64_t byte = uint64_t(lane) * sizeof(T);
        const uint64_t in_repeat = byte / kBlockBytes * shape->block_stride * kBlockBytes + byte % kBlockBytes;
        return repeat(number) + in_repeat / sizeof(T);
    }
};

// The chosen lanes of a repeat next to one another.
template <typename T>
__aicore__ __attribute__((noinline)) void pack(T* to, const T* from, uint32_t blocks, uint32_t block_stride,
                                               Lanes lanes) {
    constexpr uint32_t in_block = kBlockBytes / sizeof(T);
    for (uint32_t k = 0; k < blocks; ++k, from += block_stride * in_block) {
        const uint64_t bits = lanes.part(k * in_block, in_block);
        if (bits == (uint64_t(1) << in_block) - 1) {
            __builtin_memcpy(to, from, kBlockBytes);
            to += in_block;
        } else {
            for (uint32_t i = 0; i < in_block; ++i) {
                if (bits >> i & 1) *to++ = from[i];
            }
        }
    }
}

// The reverse.
template <typename T>
__aicore__ __attribute__((noinline)) void unpack(T* to, const T* from, uint32_t blocks, uint32_t block_stride,
                                                 Lanes lanes) {
    constexpr uint32_t in_block = kBlockBytes / sizeof(T);
    for (uint32_t k = 0; k < blocks; ++k, to += block_stride * in_block) {
        const uint64_t bits = lanes.part(k * in_block, in_block);
        if (bits == (uint64_t(1) << in_block) - 1) {
            __builtin_memcpy(to, from, kBlockBytes);
            from += in_block;
        } else {
            for (uint32_t i = 0; i < in_block; ++i) {
                if (bits >> i & 1) to[i] = *from++;
            }
        }
    }
}

// The chosen lanes of one repeat of a source: where they lie, or packed.
template <typename T, uint32_t lanes>
struct LanesOfRepeat {
    T buffer[lanes];
    const T* values;
    OPWRIGHT_INLINE LanesOfRepeat(const Stepped<const T>& from, uint32_t repeat, const Lanes& chosen, bool are_leading)
        : values(from.repeat(repeat)) {
        if (are_leading && from.has_dense_repeats()) return;
        pack(buffer, values, from.shape->blocks, from.shape->block_stride, chosen);
        values = buffer;
    }
};

// What a call does of one repeat, or of all of them where they follow one another.
struct Part {
    Lanes chosen;
    bool are_leading;  // the chosen lanes are the first ones
    int64_t count;
};

OPWRIGHT_INLINE Part part_of(const Footprint& shape, uint32_t repeat, uint32_t lanes, uint32_t leading, bool joined) {
    if (joined) return {shape.lanes, true, int64_t(shape.repeats) * lanes - (shape.tail ? lanes - shape.tail : 0)};
    if (shape.tail && repeat + 1 == shape.repeats) return {Lanes::first(shape.tail), true, shape.tail};
    return {shape.lanes, leading != 0, leading ? leading : number_of(shape.lanes, lanes)};
}

template <typename T, typename Each, typename... S>
OPWRIGHT_INLINE void map_steps(WrittenRepeats<T> written, Each each, Stepped<const S>... sources) {
    const Footprint& shape = written.footprint;
    if (shape.repeats == 0) return;
    const Stepped<T> dst{written.data(), &shape};
    constexpr uint32_t lanes = 8 * kBlockBytes / widest(sizeof(T), sizeof(S)...);
    const uint32_t leading = leading_lanes(shape.lanes, lanes);
    // Whole repeats that follow one another are one long one.
    const bool joined = leading == lanes && dst.is_dense() && (sources.is_dense() && ...);
    const uint32_t repeats = joined ? 1 : shape.repeats;
    uint32_t repeat = 0;
#ifdef __OPTIMIZE__
    if constexpr (!is_either<decltype(each(widen(*sources.start)...))>) {
        // Where every lane takes part, block by block of the widest operand: loops of constant length, for any strides.
        const uint32_t whole = leading != lanes || joined ? 0 : shape.tail ? repeats - 1 : repeats;
        for (; repeat < whole; ++repeat) {
            for (uint32_t lane = 0; lane < lanes; lane += lanes / 8) {
                map_elements(dst.at(repeat, lane), lanes / 8, each, sources.at(repeat, lane)...);
            }
        }
    }
#endif
    T results[lanes];
    for (; repeat < repeats; ++repeat) {
        const Part part = part_of(shape, repeat, lanes, leading, joined);
        const bool in_place = part.are_leading && dst.has_dense_repeats();
        map_elements(in_place ? dst.repeat(repeat) : results, part.count, each,
                     LanesOfRepeat<S, lanes>(sources, repeat, part.chosen, part.are_leading).values...);
        if (!in_place) unpack(dst.repeat(repeat), results, shape.blocks, shape.block_stride, part.chosen);
    }
}

template <typename T, typename Each, typename... S>
OPWRIGHT_INLINE void map(WrittenRepeats<T> dst, Each each, ReadRepeats<S>... sources) {
    // The pointers of the sources are taken first, while what is written still is what it was.
    map_steps(dst, each, Stepped<const S>{sources.data(), &sources.footprint}...);
}

}  // namespace opwright
