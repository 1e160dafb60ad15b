// The one issue point. Every call states its pipe and its operands' footprints and hands over a body; the mode decides
// what happens: fast tests the bounds and runs the body at once. Another mode replaces `issue`, never a call.
#pragma once

#include "chip.h"
#include "context.h"
#include "assumed_notes.h"
#include "generated/enums.h"
#include "halves.h"
#include "small_floats.h"

namespace opwright {

// A line of the text. Nothing becomes one by itself, so that an argument too many is not taken for it.
struct Line {
    int32_t number;
    OPWRIGHT_INLINE explicit Line(int32_t text_line) : number(text_line) {}
};

// Where a call stands: its core and its line of the text.
struct At {
    Core& core;
    int32_t line;
    OPWRIGHT_INLINE explicit At(int32_t text_line) : core(current_core()), line(text_line) {}
    OPWRIGHT_INLINE explicit At(Line text_line) : At(text_line.number) {}

    template <typename... Details>
    __aicore__ __attribute__((cold, noinline)) void fail(Fault fault, Details... details) const {
        const int64_t values[] = {static_cast<int64_t>(details)..., 0};
        core.library->fail(&core, fault, line, values, sizeof...(details));
        __builtin_unreachable();
    }

    // Only in the checked mode. The core goes on; the first `identity` details tell this from others of its line.
    template <typename... Details>
    __aicore__ __attribute__((cold, noinline)) void note(Fault fault, uint32_t identity, Details... details) const {
        const int64_t values[] = {static_cast<int64_t>(details)...};
        core.library->note(&core, fault, line, values, sizeof...(details), identity);
    }
};

// An integer argument of a call. Remembers whether the value the kernel passed fits the type that the call takes.
template <typename T>
struct Argument {
    T value;
    bool fits;
    template <typename V>
    OPWRIGHT_INLINE Argument(V given) : value(static_cast<T>(given)), fits(true) {
        static_assert(std::is_integral<V>::value, "an integer is wanted here");
        const bool negative = std::is_signed<V>::value && given < V(0);
        fits = static_cast<V>(value) == given && (std::is_signed<T>::value || !negative);
    }
    OPWRIGHT_INLINE operator T() const { return value; }
};

constexpr uint32_t kBlockBytes = 32;  // of a block of on-chip memory

OPWRIGHT_INLINE constexpr uint64_t in_whole_blocks(uint64_t bytes) {
    return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

// Pieces of `bytes`, from the start of one to that of the next `stride`; the first is `first` bytes from the address.
struct Runs {
    uint64_t count;
    uint64_t bytes;
    uint64_t stride;
    uint64_t first = 0;
    OPWRIGHT_INLINE uint64_t hull() const { return count && bytes ? first + (count - 1) * stride + bytes : 0; }
};

// The lanes of a repeat that take part: bit i of the words is lane i.
struct Lanes {
    uint64_t words[4];

    static __aicore__ inline Lanes first(uint64_t count) {
        Lanes lanes;
        for (uint32_t i = 0; i < 4; ++i) {
            const uint64_t left = count > 64 * i ? count - 64 * i : 0;
            lanes.words[i] = left >= 64 ? ~uint64_t(0) : (uint64_t(1) << left) - 1;
        }
        return lanes;
    }

    // The bits of `count` lanes from `first`; they lie in one word.
    OPWRIGHT_INLINE uint64_t part(uint32_t first, uint32_t count) const {
        return (words[first / 64] >> (first % 64)) & ((uint64_t(1) << count) - 1);
    }

    // The bits of lanes from `first`, a multiple of 64: of 64 lanes, or of those that lie below `count`.
    OPWRIGHT_INLINE uint64_t word_of(uint32_t first, uint32_t count) const {
        return count - first < 64 ? part(first, count - first) : words[first / 64];
    }

    // Whether all of the first lanes are there; `count` is 32 or a multiple of 64.
    OPWRIGHT_INLINE bool has_first(uint32_t count) const {
        if (count < 64) return part(0, count) == (uint64_t(1) << count) - 1;
        uint64_t all = ~uint64_t(0);
        for (uint32_t i = 0; i < count / 64; ++i) all &= words[i];
        return all == ~uint64_t(0);
    }
};

OPWRIGHT_INLINE Core& owner_of(Core& core, Owner owner) {
    if (owner == Owner::SELF) return core;
    return owner == Owner::AIC ? *core.group->aic : *core.group->aiv[owner == Owner::AIV_1];
}

// What an operand touches. `address` is an offset in an on-chip memory or a pointer to GM. The hull is `bytes` from
// there; what lies in it is described as the hardware does: `repeats` of `blocks` blocks of 32 bytes, `block_stride`
// blocks and `repeat_stride` times `repeat_unit` bytes apart, and of each repeat some lanes; of the last one `tail`
// lanes, if that is not 0. Copies touch `runs` instead. No repeats and no runs: all of the hull. `buffer` is that of
// LocalTensor.
struct Footprint {
    Memory memory;
    uint32_t operand;
    uint32_t element_bytes;
    bool written;
    uint64_t address;
    uint64_t bytes;
    uint32_t repeats = 0;
    uint32_t blocks = 0;
    uint32_t block_stride = 1;
    uint32_t repeat_stride = 8;
    uint32_t repeat_unit = kBlockBytes;
    Lanes lanes = {};
    uint32_t tail = 0;
    Runs runs = {0, 0, 0};
    uint32_t buffer = 0;
    AtomicState atomic = {};  // of global memory that is written
    Owner owner = Owner::SELF;  // whose memory it is
    bool by_element = false;    // element k of it depends on elements k of what the call reads only

    OPWRIGHT_INLINE uint64_t start_of(uint32_t repeat) const { return address + uint64_t(repeat) * repeat_stride * repeat_unit; }
    __aicore__ inline Lanes lanes_of(uint32_t repeat) const {
        return tail && repeat + 1 == repeats ? Lanes::first(tail) : lanes;
    }
    OPWRIGHT_INLINE bool is_whole() const { return repeats == 0 && (runs.count <= 1 || runs.stride == runs.bytes); }
};

// The operand of an access to one element. Such accesses stand in the lines of other calls, whose operands have names.
constexpr uint32_t kNoOperand = ~uint32_t(0);

OPWRIGHT_INLINE bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
}

// Whether two footprints of runs, or of all of their hulls, touch a byte in common.
__aicore__ inline bool runs_overlap(Footprint a, Footprint b) {
    const Runs mine = a.runs.count ? a.runs : Runs{1, a.bytes, a.bytes};
    const Runs other = b.runs.count ? b.runs : Runs{1, b.bytes, b.bytes};
    for (uint64_t i = 0; i < mine.count; ++i) {
        const uint64_t start = a.address + i * mine.stride;
        // Only the last run that starts at or before this one, and the one after it, can touch it.
        uint64_t j = start < b.address || other.stride == 0 ? 0 : (start - b.address) / other.stride;
        if (j >= other.count) j = other.count - 1;
        for (const uint64_t end = j + 2; j < other.count && j < end; ++j) {
            if (overlap(start, mine.bytes, b.address + j * other.stride, other.bytes)) return true;
        }
    }
    return false;
}

}  // namespace opwright

#include "alias.h"

namespace opwright {

// Operand views: what a body gets instead of pointers. Read pointers are taken before written ones.
template <typename T>
struct Read {
    using Element = T;
    At at;
    Footprint footprint;
    OPWRIGHT_INLINE int64_t size() const { return static_cast<int64_t>(footprint.bytes / sizeof(T)); }
    OPWRIGHT_INLINE const T* data() const {
        if (footprint.memory == Memory::GM) return reinterpret_cast<const T*>(footprint.address);
        return reinterpret_cast<const T*>(read_pointer(owner_of(at.core, footprint.owner), footprint));
    }
};

template <typename T>
struct Written {
    using Element = T;
    At at;
    Footprint footprint;
    OPWRIGHT_INLINE int64_t size() const { return static_cast<int64_t>(footprint.bytes / sizeof(T)); }
    OPWRIGHT_INLINE T* data() const {
        if (footprint.memory == Memory::GM) return reinterpret_cast<T*>(footprint.address);
        return reinterpret_cast<T*>(write_pointer(owner_of(at.core, footprint.owner), footprint));
    }
};

// What a call leaves in its temporary space is undefined: here it is all ones.
template <typename T>
OPWRIGHT_INLINE void spoil(Written<T> space) {
    if (space.footprint.bytes) __builtin_memset(space.data(), 0xff, space.footprint.bytes);
}

// Whether an argument has a byte, or ends there.
OPWRIGHT_INLINE bool holds(const GmRange& range, uint64_t byte) { return byte - range.base <= range.bytes; }

__aicore__ __attribute__((cold, noinline)) inline void fail_global(const At& at, Footprint access, uint64_t origin) {
    const LaunchRecord& launch = *at.core.launch;
    // Blame the argument that the tensor was made of, or else the one that starts nearest below the address.
    const GmRange* nearest = nullptr;
    for (uint32_t i = 0; i < launch.ranges; ++i) {
        const GmRange& range = launch.gm()[i];
        if (range.base <= access.address && (!nearest || range.base > nearest->base)) nearest = &range;
    }
    for (uint32_t i = 0; i < launch.ranges; ++i) {
        if (origin && origin - launch.gm()[i].base < launch.gm()[i].bytes) nearest = &launch.gm()[i];
    }
    if (!nearest) nearest = launch.ranges ? launch.gm() : nullptr;
    if (nearest) {
        at.fail(Fault::GLOBAL_RANGE, access.operand, nearest->slot, access.address - nearest->base, access.bytes,
                nearest->bytes);
    }
    at.fail(Fault::GLOBAL_RANGE, access.operand, -1, access.address, access.bytes, 0);
}

// A read may touch any argument, a write only those that the kernel was seen to write: of the others the caller was
// not asked whether they may change, and copies of them may not have been made.
// A kernel built for the checked mode also asks that it is the argument in which the tensor starts: an access that runs
// over its end may come down in another one.
OPWRIGHT_INLINE void check_global(const At& at, const Footprint& access, uint64_t origin) {
    const LaunchRecord& launch = *at.core.launch;
    const GmRange* ranges = launch.gm();
    for (uint32_t i = 0; i < launch.ranges; ++i) {
        const uint64_t offset = access.address - ranges[i].base;  // wraps to a huge number below the base
        bool inside = offset <= ranges[i].bytes && access.bytes <= ranges[i].bytes - offset;
#ifdef OPWRIGHT_CHECKED
        inside = inside && holds(ranges[i], origin);
#endif
        if (inside && (!access.written || (ranges[i].use & kGmWritten))) return;
    }
    fail_global(at, access, origin);
}

template <typename T>
struct Operand {
    static constexpr bool kHasPlaces = false;  // whether it has a footprint for each of many places; see places.h
    Footprint footprint;
    uint64_t left;        // bytes from its start to the end of its tensor
    uint64_t origin = 0;  // of global memory: where its tensor starts

    OPWRIGHT_INLINE void check(const At& at) const {
        if (OPWRIGHT_UNLIKELY(footprint.bytes > left)) {
            at.fail(Fault::TENSOR_RANGE, footprint.operand, footprint.bytes, left);
        }
        if (footprint.memory == Memory::GM && footprint.bytes != 0) check_global(at, footprint, origin);
#ifdef OPWRIGHT_BOTH_KINDS
        // A core may name memories of the others in its group; only calls that say whose it is reach them.
        const bool is_own = footprint.memory != Memory::GM && footprint.owner == Owner::SELF;
        if (OPWRIGHT_UNLIKELY(is_own && !at.core.memory[static_cast<uint32_t>(footprint.memory)].bytes)) {
            at.fail(Fault::ABSENT_MEMORY, footprint.memory, at.core.kind);
        }
#endif
    }
};

template <typename T>
struct ReadOperand : Operand<T> {
    OPWRIGHT_INLINE Read<T> view(const At& at) const { return Read<T>{at, this->footprint}; }
};

template <typename T>
struct WrittenOperand : Operand<T> {
    OPWRIGHT_INLINE Written<T> view(const At& at) const { return Written<T>{at, this->footprint}; }
};

#ifdef OPWRIGHT_CHECKED
// Tells the library what a body touches, and runs it at once or leaves it to the library. One copy of the body serves
// both; it holds nothing but values, so its bytes are all there is to keep.
template <typename Work>
__aicore__ inline void run_or_defer(const At& at, uint32_t pipe, const Footprint* touched, uint32_t count, Work work) {
    static_assert(std::is_trivially_copyable<Work>::value && std::is_trivially_destructible<Work>::value,
                  "what a body captures is copied as bytes");
    static_assert(alignof(Work) <= 16, "as much as malloc promises");
    void (*const run)(void*) = [](void* kept) { (*static_cast<Work*>(kept))(); };
    if (at.core.launch->mode == kPerturbed) {
        at.core.library->defer(&at.core, pipe, touched, count, run, &work, sizeof work);
    } else {
        at.core.library->note_access(&at.core, at.line, pipe, touched, count);
        at.core.issued_line = at.line;
        if (pipe == PIPE_MTE1) at.core.library->note_load(&at.core, at.line, run, &work);
        run(&work);
    }
}

// All footprints of a call some of whose operands have many. They are the core's until the call has been noted.
template <typename... Operands>
struct Footprints {
    Footprint* all;
    uint32_t count = 0;

    __aicore__ inline explicit Footprints(const At& at, const Operands&... operands) {
        const uint64_t bytes = (most(at, operands) + ...) * sizeof(Footprint);
        all = static_cast<Footprint*>(__builtin_malloc(bytes));
        if (!all) at.fail(Fault::NO_MEMORY, bytes);
        (add(at, operands), ...);
    }
    __aicore__ inline ~Footprints() { __builtin_free(all); }
    Footprints(const Footprints&) = delete;
    Footprints& operator=(const Footprints&) = delete;

private:
    template <typename Operand>
    __aicore__ inline uint64_t most(const At& at, const Operand& operand) {
        if constexpr (Operand::kHasPlaces) return operand.most_places(at);
        return 1;
    }
    template <typename Operand>
    __aicore__ inline void add(const At& at, const Operand& operand) {
        if constexpr (Operand::kHasPlaces) count += operand.note_places(at, all + count);
        else all[count++] = operand.footprint;
    }
};
#endif

// The body gets `at` and a view of each operand. Fast mode runs it at once. A kernel built for the other modes tells the
// library before what it touches; the perturbed mode may run it later, unless its result is wanted.
template <typename Body, typename... Operands>
OPWRIGHT_INLINE auto issue(const At& at, uint32_t pipe, Body body, const Operands&... operands) {
    (operands.check(at), ...);
#ifdef OPWRIGHT_CHECKED
    if constexpr ((Operands::kHasPlaces || ...)) {
        const Footprints<Operands...> touched(at, operands...);
        if constexpr (std::is_void<decltype(body(at, operands.view(at)...))>::value) {
            run_or_defer(at, pipe, touched.all, touched.count, [=] { body(at, operands.view(at)...); });
        } else {
            at.core.library->note_access(&at.core, at.line, pipe, touched.all, touched.count);
            at.core.issued_line = at.line;
            return body(at, operands.view(at)...);
        }
    } else if constexpr (sizeof...(operands) > 0) {
        const Footprint touched[] = {operands.footprint...};
        if constexpr (std::is_void<decltype(body(at, operands.view(at)...))>::value) {
            run_or_defer(at, pipe, touched, sizeof...(operands), [=] { body(at, operands.view(at)...); });
        } else {
            at.core.library->note_access(&at.core, at.line, pipe, touched, sizeof...(operands));
            at.core.issued_line = at.line;
            return body(at, operands.view(at)...);
        }
    } else {
        return body(at);
    }
#else
    (void)pipe;
    return body(at, operands.view(at)...);
#endif
}

// A call that computes element k of its first operand from elements k of those that it reads.
template <typename Body, typename Result, typename... Operands>
OPWRIGHT_INLINE void issue_by_element(const At& at, uint32_t pipe, Body body, Result result, const Operands&... operands) {
#ifdef OPWRIGHT_CHECKED
    result.footprint.by_element = true;
#endif
    issue(at, pipe, body, result, operands...);
}

template <typename T>
OPWRIGHT_INLINE void require_fits(const At& at, uint32_t operand, const Argument<T>& argument) {
    // Rule -1: the value does not fit the type that the call takes.
    if (OPWRIGHT_UNLIKELY(!argument.fits)) at.fail(Fault::RULE, -1, operand, argument.value);
}

// A number that is given as an element, and its bits. An integer is spread over 64 of them.
template <typename T>
using ElementArgument = std::conditional_t<std::is_integral<T>::value, Argument<T>, T>;

template <typename T>
OPWRIGHT_INLINE uint64_t element_bits(const At& at, const ElementArgument<T>& value) {
    if constexpr (std::is_integral<T>::value) {
        require_fits(at, 0, value);
        return static_cast<uint64_t>(static_cast<int64_t>(value.value));
    } else {
        uint64_t bits = 0;
        __builtin_memcpy(&bits, &value, sizeof value);
        return bits;
    }
}

OPWRIGHT_INLINE void require(const At& at, bool holds, int32_t rule, uint32_t operand, int64_t value) {
    if (OPWRIGHT_UNLIKELY(!holds)) at.fail(Fault::RULE, rule, operand, value);
}

OPWRIGHT_INLINE bool is_3510(const At& at) { return at.core.launch->arch == 3510; }

// What a call reports about the unit flags of the sums that it makes or takes: 2 waits for them, 3 turns them over,
// too.
OPWRIGHT_INLINE void report_unit(const At& at, uint32_t pipe, const Footprint& sums, uint8_t flag, bool ends) {
#ifdef OPWRIGHT_CHECKED
    const bool reports = sums.bytes != 0 && (ends ? flag == 3 : flag >= 2);
    if (reports) at.core.library->note_unit(&at.core, at.line, pipe, ends, sums.address, sums.bytes);
#else
    (void)at, (void)pipe, (void)sums, (void)flag, (void)ends;
#endif
}

// Bytes of a memory, which the core must have. On 3510 cores of a group may name UB and L1 of the others.
OPWRIGHT_INLINE uint64_t capacity_of(const At& at, Memory memory) {
    uint64_t bytes = at.core.memory[static_cast<uint32_t>(memory)].bytes;
    const bool is_shared = (memory == Memory::UB || memory == Memory::L1) && is_3510(at);
    if (is_shared) bytes = at.core.launch->memory_bytes[static_cast<uint32_t>(memory)];
    if (OPWRIGHT_UNLIKELY(bytes == 0)) at.fail(Fault::ABSENT_MEMORY, memory, at.core.kind);
    return bytes;
}

// A call depends on what another kernel may have left. One line that is missing is reported once.
OPWRIGHT_INLINE void needs_state(const At& at, SetState state) {
#ifdef OPWRIGHT_CHECKED
    if (OPWRIGHT_UNLIKELY(at.core.unset & bit_of(state))) {
        at.note(Fault::UNSET_STATE, 1, state);
        at.core.unset = 0;
    }
#else
    (void)at, (void)state;
#endif
}

// Calls with a count work in counter mode and leave the mask register as a kernel finds it.
OPWRIGHT_INLINE void leave_full_mask(const At& at) {
#ifdef OPWRIGHT_CHECKED
    at.core.sets(SetState::MASK_MODE);
    at.core.sets(SetState::MASK);
#endif
    if (OPWRIGHT_UNLIKELY(at.core.mask.is_changed)) at.core.mask.reset();
}

// A copy rounds its bytes down to whole blocks.
OPWRIGHT_INLINE void note_truncated(const At& at, uint32_t operand, uint64_t count, uint64_t element_bytes) {
#ifdef OPWRIGHT_CHECKED
    const uint64_t lost = count * element_bytes % kBlockBytes / element_bytes;
    if (OPWRIGHT_UNLIKELY(lost != 0)) at.note(Fault::TRUNCATED, 1, operand, count, lost);
#else
    (void)at, (void)operand, (void)count, (void)element_bytes;
#endif
}

// The written operand is the read one exactly, from its first to its last byte, or does not touch it.
template <typename A, typename B>
OPWRIGHT_INLINE void require_no_partial_overlap(const At& at, const Operand<A>& written, const Operand<B>& read) {
    const Footprint &w = written.footprint, &r = read.footprint;
    const bool alike = w.runs.count <= 1 || w.runs.stride == r.runs.stride;
    const bool same = w.address == r.address && w.bytes == r.bytes && alike;
    if (w.memory == r.memory && !same && overlap(w.address, w.bytes, r.address, r.bytes)) {
        const bool pieces = w.runs.count || r.runs.count;
        if (!pieces || runs_overlap(w, r)) at.fail(Fault::OVERLAP, w.operand, r.operand, w.address - r.address);
    }
}

// Elementwise calls: dst[i] = each(a[i], b[i], ...), computed in the wide type and rounded once.

// Halves are widened and rounded a piece at a time: loops over the floats between vectorise better than loops with the
// conversions inside, and a piece stays in the first cache.
constexpr int64_t kPiece = 256;

template <typename T>
struct Widened {
    const T* from;
    OPWRIGHT_INLINE Widened(const T* start, int64_t) : from(start) {}
    OPWRIGHT_INLINE auto operator[](int64_t i) const { return widen(from[i]); }
};

template <>
struct Widened<half> {
    float values[kPiece];
    OPWRIGHT_INLINE Widened(const half* start, int64_t count) { widen_halves(values, start, count); }
    OPWRIGHT_INLINE float operator[](int64_t i) const { return values[i]; }
};

template <typename T, typename Each, typename... S>
OPWRIGHT_INLINE void map_piece(T* dst, int64_t count, Each each, const Widened<S>&... sources) {
    using Result = decltype(each(sources[0]...));
    if constexpr (std::is_same<T, half>::value && !std::is_same<Result, half>::value) {
        float results[kPiece];
        OPWRIGHT_VECTOR_LOOP
        for (int64_t i = 0; i < count; ++i) results[i] = on_its_way<half>(each(sources[i]...));
        narrow_halves(dst, results, count);
    } else {
        OPWRIGHT_SHORT_VECTOR_LOOP
        for (int64_t i = 0; i < count; ++i) dst[i] = narrow<T>(each(sources[i]...));
    }
}

// Up to a piece where each(...) is a result with another one, which a switch decides: those that differ are reported.
// Not inlined: kernels have many such calls, and their stacks are small.
template <typename T, typename Each, typename... S>
__aicore__ __attribute__((noinline)) inline void map_either(T* dst, int64_t count, Each each, const S*... sources) {
    using Result = decltype(each(widen(*sources)...));
    T taken[kPiece], other[kPiece];
    for (int64_t i = 0; i < count; ++i) {
        const Result both = each(widen(sources[i])...);
        taken[i] = rounded<T>(both.taken);
        other[i] = rounded<T>(both.other);
    }
    const auto bytes = static_cast<uint64_t>(count) * sizeof(T);
    if (OPWRIGHT_UNLIKELY(__builtin_memcmp(taken, other, bytes) != 0)) {
        for (int64_t i = 0; i < count; ++i) note_if_other<Result::kSwitch>(taken[i], other[i], widen(sources[i])...);
    }
    if constexpr (is_settled<T, decltype(Result::taken)>) settle(taken, count);
    __builtin_memcpy(dst, taken, bytes);
}

template <typename T, typename Each, typename... S>
OPWRIGHT_INLINE void map_elements(T* dst, int64_t count, Each each, const S*... sources) {
    using Result = decltype(each(widen(*sources)...));
    if constexpr (is_either<Result>) {
        for (int64_t begin = 0; begin < count; begin += kPiece) {
            map_either(dst + begin, count - begin < kPiece ? count - begin : kPiece, each, sources + begin...);
        }
    } else if constexpr (sizeof...(sources) == 0) {
        const T value = rounded<T>(each());  // a copy
        if constexpr (std::is_class<T>::value) {
            // A class of two bytes is not copied by vectors; its bits are.
            OPWRIGHT_SHORT_VECTOR_LOOP
            for (int64_t i = 0; i < count; ++i) dst[i].bits = value.bits;
        } else {
            OPWRIGHT_SHORT_VECTOR_LOOP
            for (int64_t i = 0; i < count; ++i) dst[i] = value;
        }
    } else if constexpr (std::is_same<T, half>::value || (std::is_same<S, half>::value || ...)) {
        for (int64_t begin = 0; begin < count; begin += kPiece) {
            const int64_t size = count - begin < kPiece ? count - begin : kPiece;
            map_piece(dst + begin, size, each, Widened<S>(sources + begin, size)...);
        }
    } else {
        OPWRIGHT_SHORT_VECTOR_LOOP
        for (int64_t i = 0; i < count; ++i) dst[i] = rounded<T>(each(widen(sources[i])...));
        if constexpr (is_settled<T, Result>) settle(dst, count);
    }
}

template <typename T, typename Each, typename... S>
OPWRIGHT_INLINE void map_from(Written<T> dst, Each each, const S*... sources) {
    map_elements(dst.data(), dst.size(), each, sources...);
}

template <typename T, typename Each, typename... S>
OPWRIGHT_INLINE void map(Written<T> dst, Each each, Read<S>... sources) {
    // The pointers of the sources are taken first, while what is written still is what it was.
    map_from(dst, each, sources.data()...);
}

}  // namespace opwright
