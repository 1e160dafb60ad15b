// The one issue point. Every call states its pipe and its operands' footprints and hands over a body; the mode decides
// what happens: fast tests the bounds and runs the body at once. Another mode replaces `issue`, never a call.
#pragma once

#include "context.h"
#include "half.h"

namespace opwright {

// Where a call stands: its core and its line of the text.
struct At {
    Core& core;
    int32_t line;
    OPWRIGHT_INLINE explicit At(int32_t text_line) : core(current_core()), line(text_line) {}

    template <typename... Details>
    __aicore__ __attribute__((cold, noinline)) void fail(Fault fault, Details... details) const {
        const int64_t values[] = {static_cast<int64_t>(details)..., 0};
        core.library->fail(&core, fault, line, values, sizeof...(details));
        __builtin_unreachable();
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

// What an operand touches: `bytes` from `address`, which is an offset in an on-chip memory or a pointer to GM.
struct Footprint {
    Memory memory;
    uint32_t operand;
    uint32_t element_bytes;
    bool written;
    uint64_t address;
    uint64_t bytes;
};

OPWRIGHT_INLINE bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) {
    return a < b + b_bytes && b < a + a_bytes;
}

}  // namespace opwright

#include "alias.h"

namespace opwright {

// Operand views: what a body gets instead of pointers. Read pointers are taken before written ones.
template <typename T>
struct Read {
    const At& at;
    const Footprint& footprint;
    OPWRIGHT_INLINE int64_t size() const { return static_cast<int64_t>(footprint.bytes / sizeof(T)); }
    OPWRIGHT_INLINE const T* data() const {
        if (footprint.memory == Memory::GM) return reinterpret_cast<const T*>(footprint.address);
        return reinterpret_cast<const T*>(read_pointer(at.core, footprint));
    }
};

template <typename T>
struct Written {
    const At& at;
    const Footprint& footprint;
    OPWRIGHT_INLINE int64_t size() const { return static_cast<int64_t>(footprint.bytes / sizeof(T)); }
    OPWRIGHT_INLINE T* data() const {
        if (footprint.memory == Memory::GM) return reinterpret_cast<T*>(footprint.address);
        return reinterpret_cast<T*>(write_pointer(at.core, footprint));
    }
};

__aicore__ __attribute__((cold, noinline)) inline void fail_global(const At& at, const Footprint& access) {
    const LaunchRecord& launch = *at.core.launch;
    // Blame the argument that starts nearest below the address.
    const GmRange* nearest = nullptr;
    for (uint32_t i = 0; i < launch.ranges; ++i) {
        const GmRange& range = launch.gm()[i];
        if (range.base <= access.address && (!nearest || range.base > nearest->base)) nearest = &range;
    }
    if (!nearest) nearest = launch.ranges ? launch.gm() : nullptr;
    if (nearest) {
        at.fail(Fault::GLOBAL_RANGE, access.operand, nearest->slot, access.address - nearest->base, access.bytes,
                nearest->bytes);
    }
    at.fail(Fault::GLOBAL_RANGE, access.operand, -1, access.address, access.bytes, 0);
}

OPWRIGHT_INLINE void check_global(const At& at, const Footprint& access) {
    const LaunchRecord& launch = *at.core.launch;
    const GmRange* ranges = launch.gm();
    for (uint32_t i = 0; i < launch.ranges; ++i) {
        const uint64_t offset = access.address - ranges[i].base;  // wraps to a huge number below the base
        if (offset <= ranges[i].bytes && access.bytes <= ranges[i].bytes - offset) return;
    }
    fail_global(at, access);
}

template <typename T>
struct Operand {
    Footprint footprint;
    bool inside;  // within the tensor it was taken from
    uint64_t capacity;

    OPWRIGHT_INLINE void check(const At& at) const {
        if (footprint.memory == Memory::GM) {
            if (footprint.bytes != 0) check_global(at, footprint);
        } else if (OPWRIGHT_UNLIKELY(!inside)) {
            at.fail(Fault::LOCAL_RANGE, footprint.operand, footprint.address, footprint.bytes, capacity);
        }
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

// Fast mode. The body gets `at` and a view of each operand.
template <typename Body, typename... Operands>
OPWRIGHT_INLINE auto issue(const At& at, uint32_t pipe, Body body, const Operands&... operands) {
    (void)pipe;  // the other modes keep one clock or queue per pipe
    (operands.check(at), ...);
    return body(at, operands.view(at)...);
}

template <typename T>
OPWRIGHT_INLINE void require_fits(const At& at, uint32_t operand, const Argument<T>& argument) {
    // Rule -1: the value does not fit the type that the call takes.
    if (OPWRIGHT_UNLIKELY(!argument.fits)) at.fail(Fault::RULE, -1, operand, argument.value);
}

OPWRIGHT_INLINE void require(const At& at, bool holds, uint32_t rule, uint32_t operand, int64_t value) {
    if (OPWRIGHT_UNLIKELY(!holds)) at.fail(Fault::RULE, rule, operand, value);
}

// The written operand is the read one exactly, or does not touch it.
template <typename A, typename B>
OPWRIGHT_INLINE void require_no_partial_overlap(const At& at, const Operand<A>& written, const Operand<B>& read) {
    const Footprint &w = written.footprint, &r = read.footprint;
    if (w.memory == r.memory && w.address != r.address && overlap(w.address, w.bytes, r.address, r.bytes)) {
        at.fail(Fault::OVERLAP, w.operand, r.operand, w.address - r.address);
    }
}

// Elementwise calls: dst[i] = each(a[i], b[i], ...), computed in the wide type and rounded once.
template <typename T, typename Each, typename... S>
OPWRIGHT_INLINE void map_elements(T* dst, int64_t count, Each each, const S*... sources) {
    OPWRIGHT_VECTOR_LOOP
    for (int64_t i = 0; i < count; ++i) dst[i] = static_cast<T>(each(widen(sources[i])...));
}

template <typename T, typename Each>
OPWRIGHT_INLINE void map(Written<T> dst, Each each) {
    map_elements(dst.data(), dst.size(), each);
}

template <typename T, typename Each, typename S0>
OPWRIGHT_INLINE void map(Written<T> dst, Each each, Read<S0> a) {
    const S0* a_data = a.data();
    map_elements(dst.data(), dst.size(), each, a_data);
}

template <typename T, typename Each, typename S0, typename S1>
OPWRIGHT_INLINE void map(Written<T> dst, Each each, Read<S0> a, Read<S1> b) {
    const S0* a_data = a.data();
    const S1* b_data = b.data();
    map_elements(dst.data(), dst.size(), each, a_data, b_data);
}

}  // namespace opwright
