// An element that a thread points at. What it is depends on how the kernel is built:
//   fast                  a reference; an index outside ends the core at once
//   fast, masked          an Element, so that threads can be lanes of vectors: one that has gone outside reads 0 and
//                         writes nothing any more, and the core ends when all threads are through
//   for the other modes   an Element, which tells the library each read and each write with its line and its thread
#pragma once

#include "simt_indices.h"

#if defined(OPWRIGHT_SIMT_MASKED) && !defined(OPWRIGHT_CHECKED)
#define OPWRIGHT_MASKED
#endif

namespace opwright {

// The number that an Element holds, where a function takes any type.
template <typename V>
OPWRIGHT_INLINE V plain(V value) {
    return value;
}

// half and bfloat16_t are classes here, which C++ does not copy from or to volatile ones: their bits are.
template <typename T>
constexpr bool is_volatile_class = std::is_volatile<T>::value && std::is_class<T>::value;

template <typename T>
OPWRIGHT_INLINE typename std::remove_cv<T>::type loaded(T* at) {
    if constexpr (is_volatile_class<T>) {
        typename std::remove_cv<T>::type value;
        value.bits = at->bits;
        return value;
    } else {
        return *at;
    }
}

template <typename T>
OPWRIGHT_INLINE void store(T* at, typename std::remove_cv<T>::type value) {
    if constexpr (is_volatile_class<T>) at->bits = value.bits;
    else *at = value;
}

#ifdef OPWRIGHT_MASKED

OPWRIGHT_PER_THREAD uint32_t stayed_inside;  // the running thread has; otherwise it reads 0 and writes nothing any more
OPWRIGHT_PER_THREAD bool must_stay_inside;  // otherwise it ends the core

template <typename T, Memory>
struct Place {
    T* base;
    int64_t index;
    bool is_inside;

    OPWRIGHT_INLINE typename std::remove_cv<T>::type get() const {
        return is_inside ? loaded(base + index) : typename std::remove_cv<T>::type();
    }
    OPWRIGHT_INLINE void set(typename std::remove_cv<T>::type value) const {
        if (is_inside) store(base + index, value);
    }
};

#endif

#ifdef OPWRIGHT_CHECKED

OPWRIGHT_INLINE uint64_t address_in(Memory memory, const volatile void* at) {
    const auto ub = (uint64_t)current_core().memory[static_cast<uint32_t>(Memory::UB)].base;
    return memory == Memory::UB ? (uint64_t)at - ub : (uint64_t)at;
}

// `base`: where the tensor or array of the element starts. `flags`: those of ThreadAccess.
template <typename T>
OPWRIGHT_INLINE void tell(int32_t line, Memory memory, ThreadAccessKind kind, const T* base, const T* at, uint32_t flags) {
    Core& core = current_core();
    const ThreadAccess access = {memory, kind, address_in(memory, at), sizeof(T), flags, address_in(memory, base)};
    core.library->note_thread(&core, line, thread_number(), &access);
}

template <typename T, Memory memory>
struct Place {
    T* base;
    T* at;
    int32_t line;
    static constexpr uint32_t kFlags = std::is_volatile<T>::value ? kThreadVolatile : 0;

    OPWRIGHT_INLINE typename std::remove_cv<T>::type get() const {
        tell(line, memory, ThreadAccessKind::READ, base, at, kFlags);
        return loaded(at);
    }
    OPWRIGHT_INLINE void set(typename std::remove_cv<T>::type value) const {
        tell(line, memory, ThreadAccessKind::WRITE, base, at, kFlags);
        store(at, value);
    }
};

#else

template <typename T>
OPWRIGHT_INLINE void tell(int32_t, Memory, ThreadAccessKind, const T*, const T*, uint32_t) {}

#endif

#if !defined(OPWRIGHT_MASKED) && !defined(OPWRIGHT_CHECKED)

// Of what no reference would do for: a volatile class.
template <typename T, Memory>
struct Place {
    T* at;

    OPWRIGHT_INLINE typename std::remove_cv<T>::type get() const { return loaded(at); }
    OPWRIGHT_INLINE void set(typename std::remove_cv<T>::type value) const { store(at, value); }
};

#endif

template <typename T, Memory memory>
class Element {
public:
    using Value = typename std::remove_cv<T>::type;

    OPWRIGHT_INLINE explicit Element(Place<T, memory> place) : place_(place) {}
    Element(const Element&) = default;

    OPWRIGHT_INLINE Value value() const { return place_.get(); }
    OPWRIGHT_INLINE operator Value() const { return value(); }
    // half and bfloat16_t become a float only by an explicit cast, and so do elements of them.
    template <typename V = Value, typename = typename std::enable_if<std::is_class<V>::value>::type>
    OPWRIGHT_INLINE explicit operator float() const {
        return static_cast<float>(value());
    }

    OPWRIGHT_INLINE const Element& operator=(Value given) const {
        place_.set(given);
        return *this;
    }
    OPWRIGHT_INLINE const Element& operator=(const Element& other) const { return *this = other.value(); }
    template <typename U, Memory there>
    OPWRIGHT_INLINE const Element& operator=(const Element<U, there>& other) const {
        return *this = static_cast<Value>(other.value());
    }

#define OPWRIGHT_UPDATE(operation)                                         \
    template <typename V>                                                  \
    OPWRIGHT_INLINE const Element& operator operation##=(V given) const {  \
        return *this = static_cast<Value>(value() operation plain(given)); \
    }
    OPWRIGHT_UPDATE(+)
    OPWRIGHT_UPDATE(-)
    OPWRIGHT_UPDATE(*)
    OPWRIGHT_UPDATE(/)
    OPWRIGHT_UPDATE(%)
    OPWRIGHT_UPDATE(&)
    OPWRIGHT_UPDATE(|)
    OPWRIGHT_UPDATE(^)
    OPWRIGHT_UPDATE(<<)
    OPWRIGHT_UPDATE(>>)
#undef OPWRIGHT_UPDATE

private:
    Place<T, memory> place_;
};

template <typename T, Memory memory>
OPWRIGHT_INLINE auto plain(const Element<T, memory>& one) {
    return one.value();
}

}  // namespace opwright
