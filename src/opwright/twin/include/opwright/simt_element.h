// An element that a thread points at. In fast mode a reference; in a kernel built for the checked mode a class, which
// tells the library each read and each write with its line and its thread.
#pragma once

#include "simt_indices.h"

namespace opwright {

// The number that an Element holds, where a function takes any type.
template <typename V>
OPWRIGHT_INLINE V plain(V value) {
    return value;
}

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
class Element {
public:
    using Value = typename std::remove_cv<T>::type;

    OPWRIGHT_INLINE Element(T* base, T* at, int32_t line) : base_(base), at_(at), line_(line) {}
    Element(const Element&) = default;

    OPWRIGHT_INLINE Value value() const {
        note(ThreadAccessKind::READ);
        return *at_;
    }
    OPWRIGHT_INLINE operator Value() const { return value(); }
    // half and bfloat16_t become a float only when they are told to, and so do elements of them.
    template <typename V = Value, typename = typename std::enable_if<std::is_class<V>::value>::type>
    OPWRIGHT_INLINE explicit operator float() const {
        return static_cast<float>(value());
    }

    OPWRIGHT_INLINE const Element& operator=(Value given) const {
        note(ThreadAccessKind::WRITE);
        *at_ = given;
        return *this;
    }
    OPWRIGHT_INLINE const Element& operator=(const Element& other) const { return *this = other.value(); }
    template <typename U, Memory there>
    OPWRIGHT_INLINE const Element& operator=(const Element<U, there>& other) const {
        return *this = static_cast<Value>(other.value());
    }

#define OPWRIGHT_UPDATE(operation)                                          \
    template <typename V>                                                   \
    OPWRIGHT_INLINE const Element& operator operation##=(V given) const {   \
        return *this = static_cast<Value>(value() operation plain(given));  \
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
    OPWRIGHT_INLINE void note(ThreadAccessKind kind) const {
        tell(line_, memory, kind, base_, at_, std::is_volatile<T>::value ? kThreadVolatile : 0);
    }

    T* base_;
    T* at_;
    int32_t line_;
};

template <Memory memory, typename T>
OPWRIGHT_INLINE Element<T, memory> element(T* base, T* at, int32_t line) {
    return {base, at, line};
}

template <typename T, Memory memory>
OPWRIGHT_INLINE auto plain(const Element<T, memory>& one) {
    return one.value();
}

#else

template <typename T>
OPWRIGHT_INLINE void tell(int32_t, Memory, ThreadAccessKind, const T*, const T*, uint32_t) {}

template <Memory, typename T>
OPWRIGHT_INLINE T& element(T*, T* at, int32_t) {
    return *at;
}

#endif

}  // namespace opwright
