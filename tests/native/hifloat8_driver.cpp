// Every kernel of every path by name, for a test that has no compiler. 1 if the CPU lacks the path.
#include "opwright/hifloat8.h"

using namespace opwright::hifloat8;

#define EXPORT extern "C" __attribute__((visibility("default")))
#define FOUND(name)                \
    const Path* path = find(name); \
    if (!path) return 1

EXPORT int driver_has(const char* name) { return find(name) != nullptr; }
EXPORT const char* driver_isa() { return path().name; }
EXPORT const char* const* driver_isas() { return names(); }
EXPORT int driver_cap_isa(const char* name) { return cap(name); }

EXPORT int driver_encode(const char* name, const void* in, int type, uint8_t* out, int64_t n, int overflow, int stream) {
    FOUND(name);
    path->encode(in, Type(type), out, n, Overflow(overflow), stream);
    return 0;
}

EXPORT int driver_decode(const char* name, const uint8_t* in, void* out, int type, int64_t n, int stream) {
    FOUND(name);
    path->decode(in, out, Type(type), n, stream);
    return 0;
}

EXPORT int driver_quantize(const char* name, const void* in, int type, uint8_t* out, int64_t n, int overflow, const float* scales,
                           int64_t step, int stream) {
    FOUND(name);
    path->quantize(in, Type(type), out, n, Overflow(overflow), scales, step, stream);
    return 0;
}

EXPORT int driver_dequantize(const char* name, const uint8_t* in, void* out, int type, int64_t n, const float* scales, int64_t step,
                             int stream) {
    FOUND(name);
    path->dequantize(in, out, Type(type), n, scales, step, stream);
    return 0;
}

EXPORT int driver_fake(const char* name, const void* in, int type, void* out, int64_t n, int overflow, const float* scales,
                       int64_t step, int stream) {
    FOUND(name);
    path->fake(in, Type(type), out, n, Overflow(overflow), scales, step, stream);
    return 0;
}

EXPORT int driver_largest(const char* name, const void* in, int type, int64_t n, float* largest) {
    FOUND(name);
    *largest = path->largest(in, Type(type), n);
    return 0;
}

EXPORT int driver_raise(const char* name, const void* in, int type, int64_t n, float* maxima) {
    FOUND(name);
    path->raise(in, Type(type), n, maxima);
    return 0;
}

EXPORT int driver_count(const char* name, const void* in, int type, int64_t n, int64_t* counts) {
    FOUND(name);
    path->count(in, Type(type), n, counts);
    return 0;
}
