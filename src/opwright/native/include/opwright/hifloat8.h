// HiFloat8 on the CPU: codes of numbers and numbers of codes, with scales, and what a tensor says about its scale.
//
// In and out: contiguous ranges of any alignment, as long as `n` says; in place works where both sides are as wide.
// Nothing is refused here: the caller has checked. Nothing starts threads, allocates or throws.
//
// A number is taken as float32, which holds all three types. Rounding is to nearest, ties away from 0. There is one
// zero, and one NaN: 0x7fc00000, 0x7e00 or 0x7fc0.
#pragma once

#include <cstdint>

namespace opwright::hifloat8 {

// What becomes of numbers from 40960 on: infinity; the largest number, but infinity stays; or the largest number for
// infinity too, and 0 for NaN.
enum class Overflow : int32_t { INF, SATURATE, SATURATE_ALL };

enum class Type : int32_t { F16, BF16, F32 };

// What `count` adds up, in this order.
enum Count { kElements, kOverflows, kInfinities, kNans, kToZero, kDenormal, kCounts };

// `scales` is one float for all numbers (step 0) or one for each (step 1).
// `stream` says that the ranges are larger than the caches: fetch ahead, and write past them.
struct Path {
    const char* name;

    void (*encode)(const void* in, Type type, uint8_t* out, int64_t n, Overflow overflow, bool stream);
    void (*decode)(const uint8_t* in, void* out, Type type, int64_t n, bool stream);

    // The codes of float32(x) / scale; the quotient is that of IEEE 754, no product with a reciprocal.
    void (*quantize)(const void* in, Type type, uint8_t* out, int64_t n, Overflow overflow, const float* scales, int64_t step,
                     bool stream);
    // The value of the code times the scale in float32, then to nearest even in the type.
    void (*dequantize)(const uint8_t* in, void* out, Type type, int64_t n, const float* scales, int64_t step, bool stream);
    // Codes and back in one go. Without scales (nullptr) this is decode of encode, with them dequantize of quantize.
    void (*fake)(const void* in, Type type, void* out, int64_t n, Overflow overflow, const float* scales, int64_t step, bool stream);

    // The largest finite magnitude; 0 if there is none.
    float (*largest)(const void* in, Type type, int64_t n);
    // Raises each of `maxima` to the magnitude beside it where that is finite and larger.
    void (*raise)(const void* in, Type type, int64_t n, float* maxima);

    // Adds to `counts`: numbers; finite ones from 40960 on; infinities; NaN; finite ones that are not 0 but become 0; and
    // those that become one of the codes 0x01 to 0x07 of either sign. None of this depends on the overflow rule.
    void (*count)(const void* in, Type type, int64_t n, int64_t counts[kCounts]);
};

// The best path that this CPU has and the cap allows.
const Path& path();

// No path above the one of this name; "" lifts the cap. False, and nothing changes, if there is no such name.
bool cap(const char* name);

// The names of all paths in this build, the best first, nullptr at the end.
const char* const* names();

// The path of this name; nullptr if this CPU lacks it or there is no such name.
const Path* find(const char* name);

// Whether a call that reads and writes `bytes` in all is better off past the caches.
bool should_stream(int64_t bytes);

}  // namespace opwright::hifloat8
