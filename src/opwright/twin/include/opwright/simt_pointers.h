// Pointers of threads: to global memory and to UB. They know how far their argument, tensor or array goes.
//
// In: what a kernel makes pointers of; indices. Out: elements, see simt_element.h. Refuses indices outside, with the
// thread and the line.
#pragma once

#include "simt_element.h"
#include "simt_shared.h"

// A mode that checks accesses has pointers of its own: the text makes none.
#define OPWRIGHT_POINTERS

namespace opwright {

// An index between brackets, with its line. Converts from any integer, and from an Element that is one.
struct Index {
    int64_t value;
    int32_t line;
    template <typename V>
    OPWRIGHT_INLINE Index(V given, int32_t text_line = __builtin_LINE()) : value(plain(given)), line(text_line) {
        static_assert(std::is_integral<decltype(plain(given))>::value, "an index is an integer");
    }
};

// The slot of the argument that a byte of global memory belongs to; -1 of none.
__aicore__ inline int64_t slot_at(const LaunchRecord& launch, uint64_t address) {
    for (uint32_t i = 0; i < launch.ranges; ++i) {
        if (holds(launch.gm()[i], address)) return launch.gm()[i].slot;
    }
    return -1;
}

// Elements from `base_` on, of which `offset_` is the one pointed to.
template <typename T, Memory memory>
class Pointer {
public:
    OPWRIGHT_INLINE Pointer(T* base, int64_t offset, uint64_t elements)
        : base_(base), offset_(offset), elements_(elements) {}

    // The same place as elements of a type that only promises something else: const, volatile.
    template <typename U>
    OPWRIGHT_INLINE Pointer(const Pointer<U, memory>& other)
        : base_(const_cast<T*>(other.base())), offset_(other.offset()), elements_(other.elements()) {}

    OPWRIGHT_INLINE T* at(Index index) const {
        const int64_t place = offset_ + index.value;
        if (OPWRIGHT_UNLIKELY(static_cast<uint64_t>(place) >= elements_)) fail(place, index.line);
        return base_ + place;
    }

#if defined(OPWRIGHT_MASKED)
    OPWRIGHT_INLINE Element<T, memory> operator[](Index index) const {
        if (must_stay_inside) at(index);
        const int64_t place = offset_ + index.value;
        stayed_inside &= static_cast<uint64_t>(place) < elements_ ? 1u : 0u;
        return Element<T, memory>({base_, place, stayed_inside != 0});
    }
#elif defined(OPWRIGHT_CHECKED)
    OPWRIGHT_INLINE Element<T, memory> operator[](Index index) const {
        return Element<T, memory>({base_, at(index), index.line});
    }
#else
    OPWRIGHT_INLINE decltype(auto) operator[](Index index) const {
        if constexpr (is_volatile_class<T>) return Element<T, memory>({at(index)});
        else return static_cast<T&>(*at(index));
    }
#endif

    template <typename V>
    OPWRIGHT_INLINE Pointer operator+(V elements) const {
        return {base_, offset_ + static_cast<int64_t>(plain(elements)), elements_};
    }

    OPWRIGHT_INLINE T* base() const { return base_; }
    OPWRIGHT_INLINE int64_t offset() const { return offset_; }
    OPWRIGHT_INLINE uint64_t elements() const { return elements_; }

protected:
    [[noreturn]] __aicore__ __attribute__((cold, noinline)) void fail(int64_t place, int32_t line) const {
        const LaunchRecord& launch = *current_core().launch;
        const int64_t slot = memory == Memory::GM ? slot_at(launch, (uint64_t)base_) : -1;
        fail_thread(line, Fault::POINTER_RANGE, memory, slot, place, elements_);
    }

    T* base_;
    int64_t offset_;
    uint64_t elements_;
};

}  // namespace opwright

template <typename T>
class gm_pointer : public opwright::Pointer<T, opwright::Memory::GM> {
    using Base = opwright::Pointer<T, opwright::Memory::GM>;

public:
    OPWRIGHT_INLINE gm_pointer(const Base& base) : Base(base) {}
    template <typename U>
    OPWRIGHT_INLINE gm_pointer(const gm_pointer<U>& other) : Base(other) {}

    // Reaches as far as the argument does in which it lies: the one that starts there, if there is one.
    __aicore__ inline gm_pointer(const volatile T* raw) : Base(const_cast<T*>(raw), 0, 0) {
        const opwright::LaunchRecord& launch = *opwright::current_core().launch;
        const auto address = (uint64_t)raw;
        const opwright::GmRange* found = nullptr;
        for (uint32_t i = 0; i < launch.ranges; ++i) {
            const opwright::GmRange& range = launch.gm()[i];
            if (range.base == address && (!found || found->base != address)) found = &range;
            if (!found && address - range.base < range.bytes) found = &range;
        }
        if (!found) return;
        const uint64_t before = address - found->base, rest = before % sizeof(T);
        this->base_ -= before / sizeof(T);
        this->offset_ = static_cast<int64_t>(before / sizeof(T));
        this->elements_ = (found->bytes - rest) / sizeof(T);
    }
};

template <typename T>
class ub_pointer : public opwright::Pointer<T, opwright::Memory::UB> {
    using Base = opwright::Pointer<T, opwright::Memory::UB>;
    static __aicore__ inline T* in_ub(uint64_t address) {
        constexpr auto ub = static_cast<uint32_t>(opwright::Memory::UB);
        return reinterpret_cast<T*>(opwright::current_core().memory[ub].base + address);
    }

public:
    OPWRIGHT_INLINE ub_pointer(const Base& base) : Base(base) {}
    template <typename U>
    OPWRIGHT_INLINE ub_pointer(const ub_pointer<U>& other) : Base(other) {}
    __aicore__ inline ub_pointer(const opwright::OnChipAddress& of)
        : Base(in_ub(of.address), 0, (of.end - of.address) / sizeof(T)) {}
    template <uint64_t count>
    __aicore__ inline ub_pointer(T (&array)[count], int32_t line = __builtin_LINE())
        : Base(in_ub(opwright::place_shared(array, sizeof array, alignof(T), line)), 0, count) {}
};
