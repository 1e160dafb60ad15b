// Which form a call is where only the memories of its tensors tell. See twin/paths.py.
#pragma once

#include "tensor.h"

namespace opwright {

OPWRIGHT_INLINE constexpr uint32_t bit(Memory memory) { return 1u << static_cast<uint32_t>(memory); }

// The memories that tensors of a core may lie in, as far as the compiler can know. In a group of both kinds a core may
// name the other's: there are copies from one to the other.
#if defined(OPWRIGHT_BOTH_KINDS)
constexpr uint32_t kMemoriesHere = (1u << kMemories) - 1;
#elif defined(OPWRIGHT_AIC)
constexpr uint32_t kMemoriesHere = ((1u << kMemories) - 1) & ~bit(Memory::UB);
#else
constexpr uint32_t kMemoriesHere = bit(Memory::UB);
#endif

// Whether tensors may lie in these memories, one of them for each operand.
template <uint32_t count>
OPWRIGHT_INLINE constexpr bool may_lie(const uint32_t (&memories)[count]) {
    for (uint32_t i = 0; i < count; ++i) {
        if (!(memories[i] & kMemoriesHere)) return false;
    }
    return true;
}

// Whether they do. On a core with one memory there is nothing to ask.
template <uint32_t count, typename... Tensors>
OPWRIGHT_INLINE bool lie(const uint32_t (&memories)[count], const Tensors&... tensors) {
    if constexpr ((kMemoriesHere & (kMemoriesHere - 1)) == 0) {
        return true;
    } else {
        const uint32_t actual[] = {bit(tensors.memory())...};
        bool all = true;
        for (uint32_t i = 0; i < count; ++i) all = all && (memories[i] & actual[i]);
        return all;
    }
}

template <typename T, typename... Types>
constexpr bool is_one_of = (std::is_same<T, Types>::value || ...);

// No path takes the tensors: blames the first operand that none takes which takes those before it.
template <uint32_t paths, uint32_t count, typename... Tensors>
[[noreturn]] __aicore__ __attribute__((cold, noinline)) void fail_memory(
    Line line, const uint32_t (&memories)[paths][count], const uint32_t (&operands)[count], const Tensors&... tensors) {
    const uint32_t actual[] = {bit(tensors.memory())...};
    const At at(line);
    bool open[paths];
    for (bool& one : open) one = true;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t allowed = 0;
        for (uint32_t path = 0; path < paths; ++path) allowed |= open[path] ? memories[path][i] : 0;
        if (!(allowed & actual[i])) {
            at.fail(Fault::WRONG_MEMORY, operands[i], __builtin_ctz(actual[i]), allowed & kMemoriesHere);
        }
        for (uint32_t path = 0; path < paths; ++path) open[path] = open[path] && (memories[path][i] & actual[i]);
    }
    // The memories fit a path that does not take the elements.
    at.fail(Fault::WRONG_MEMORY, operands[0], __builtin_ctz(actual[0]), 0);
    __builtin_unreachable();
}

}  // namespace opwright
