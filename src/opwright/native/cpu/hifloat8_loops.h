// The loops of a path, made of what its machine can do with `kWidth` numbers at a time.
//
// OPWRIGHT_TARGET is defined before this is included: the attribute that lets a function use the machine's instructions.
// A machine has, all static:
//   kWidth, kAlignment (of a store past the caches), Codes, Floats (kWidth of each), Rule and rule(Overflow)
//   encode<type>(numbers, rule), encode_to<type>(numbers, rule, out, stream), encode_floats(floats, rule)
//   decode<type>(codes, numbers, stream), decode_floats(codes)
//   load_codes, store_codes(codes, out, stream), load<type>(numbers) as Floats, store<type>(floats, numbers, stream)
//   divide and multiply of Floats; if kInverts, for scales that can_invert, quotient(floats, scale, inverse), which has the
//   same codes as divide
//   canonical (every NaN the same), fence (ends stores past the caches)
#pragma once

#include <cstring>

#include "hifloat8_format.h"
#include "hifloat8_types.h"
#include "opwright/hifloat8.h"

namespace opwright::hifloat8 {

template <class Machine>
struct Loops {
    static constexpr int kWidth = Machine::kWidth;
    static constexpr int64_t kAhead = 4096;  // bytes to fetch ahead in a long range
    using Codes = typename Machine::Codes;
    using Floats = typename Machine::Floats;
    using Rule = typename Machine::Rule;

    template <Type type>
    using Number = typename Numbers<type>::Bits;

    // Whether there are scales, and whether a number is divided by one with the help of its inverse.
    enum Scaling { kNone, kDivide, kInvert };

    // What happens to kWidth elements.
    template <Type type, Scaling scaling>
    struct Encode {
        using In = Number<type>;
        using Out = uint8_t;
        static constexpr bool kScaled = scaling != kNone;
        Rule rule;
        float inverse;

        Encode(Overflow overflow, float inverse) : rule(Machine::rule(overflow)), inverse(inverse) {}
        OPWRIGHT_TARGET Codes codes(const In* in, const float* scales) const {
            if constexpr (scaling == kNone) {
                return Machine::template encode<type>(in, rule);
            } else {
                const Floats numbers = Machine::template load<type>(in);
                Floats quotients;
                if constexpr (scaling == kInvert) quotients = Machine::quotient(numbers, *scales, inverse);
                else quotients = Machine::divide(numbers, scales_at(scales));
                return Machine::encode_floats(quotients, rule);
            }
        }
        OPWRIGHT_TARGET void operator()(const In* in, const float* scales, Out* out, bool stream) const {
            if constexpr (scaling == kNone) Machine::template encode_to<type>(in, rule, out, stream);
            else Machine::store_codes(codes(in, scales), out, stream);
        }
    };

    template <Type type, bool scaled>
    struct Decode {
        using In = uint8_t;
        using Out = Number<type>;
        static constexpr bool kScaled = scaled;

        OPWRIGHT_TARGET static void put(const Codes& codes, const float* scales, Out* out, bool stream) {
            if constexpr (!scaled) {
                Machine::template decode<type>(codes, out, stream);
            } else {
                const Floats product = Machine::multiply(Machine::decode_floats(codes), scales_at(scales));
                Machine::template store<type>(Machine::canonical(product), out, stream);
            }
        }
        OPWRIGHT_TARGET void operator()(const In* in, const float* scales, Out* out, bool stream) const {
            put(Machine::load_codes(in), scales, out, stream);
        }
    };

    template <Type type, Scaling scaling>
    struct Fake : Encode<type, scaling> {
        using typename Encode<type, scaling>::In;
        using Out = Number<type>;
        using Encode<type, scaling>::Encode;

        OPWRIGHT_TARGET void operator()(const In* in, const float* scales, Out* out, bool stream) const {
            Decode<type, scaling != kNone>::put(this->codes(in, scales), scales, out, stream);
        }
    };

    OPWRIGHT_TARGET static Floats scales_at(const float* scales) {
        return Machine::template load<Type::F32>(reinterpret_cast<const Number<Type::F32>*>(scales));
    }

    // Fewer than kWidth elements, by way of ranges that are long enough. Called from two places, compiled once.
    template <class Step>
    OPWRIGHT_TARGET __attribute__((noinline)) static void few(const Step& step, const typename Step::In* in, const float* scales,
                                                              int64_t scale_step, typename Step::Out* out, int64_t n) {
        typename Step::In padded_in[kWidth] = {};
        typename Step::Out padded_out[kWidth];
        float padded_scales[kWidth] = {};
        std::memcpy(padded_in, in, size_t(n) * sizeof(*in));
        if (Step::kScaled) {
            const int64_t count = scale_step == 0 ? kWidth : n;
            std::memcpy(padded_scales, scales, size_t(count) * sizeof(float));
        }
        step(padded_in, padded_scales, padded_out, false);
        std::memcpy(out, padded_out, size_t(n) * sizeof(*out));
    }

    template <class Step>
    OPWRIGHT_TARGET static void walk(const Step& step, const void* from, const float* scales, int64_t scale_step, void* to, int64_t n,
                                     bool stream) {
        const auto* in = static_cast<const typename Step::In*>(from);
        auto* out = static_cast<typename Step::Out*>(to);
        float everywhere[kWidth];
        if (Step::kScaled && scale_step == 0) {
            for (float& scale : everywhere) scale = *scales;
            scales = everywhere;
        }
        // A short range is one row of many as a rule: what is read next lies behind its end.
        const int64_t bytes = n * int64_t(sizeof(*in));
        const int64_t ahead = bytes > kAhead && bytes <= 8 * kAhead ? bytes : kAhead;
        int64_t i = 0;
        if (stream) {
            const int64_t beyond = int64_t(reinterpret_cast<uintptr_t>(out) % Machine::kAlignment);
            if (beyond % int64_t(sizeof(*out)) != 0) {
                stream = false;  // no element starts where a store past the caches can
            } else if (beyond != 0) {
                i = (Machine::kAlignment - beyond) / int64_t(sizeof(*out));
                i = i < n ? i : n;
                few(step, in, scales, scale_step, out, i);
            }
        }
        for (; i + kWidth <= n; i += kWidth) {
            if (stream)
                for (int64_t at = 0; at < kWidth * int64_t(sizeof(*in)); at += 64)
                    __builtin_prefetch(reinterpret_cast<const char*>(in + i) + ahead + at);
            step(in + i, Step::kScaled ? scales + i * scale_step : scales, out + i, stream);
        }
        if (i < n) few(step, in + i, Step::kScaled ? scales + i * scale_step : scales, scale_step, out + i, n - i);
        if (stream) Machine::fence();
    }

    // Calls `run` of Call<type> for the type that is only known now.
    template <template <Type> class Call, class... Arguments>
    static auto by_type(Type type, Arguments... arguments) {
        switch (type) {
            case Type::F16: return Call<Type::F16>::run(arguments...);
            case Type::BF16: return Call<Type::BF16>::run(arguments...);
            default: return Call<Type::F32>::run(arguments...);
        }
    }

    template <template <Type, Scaling> class Step, Type type>
    struct CodesCall {
        OPWRIGHT_TARGET static void run(const void* in, void* out, int64_t n, Overflow overflow, const float* scales, int64_t step,
                                        bool stream) {
            if (!scales) return walk(Step<type, kNone>(overflow, 1), in, scales, step, out, n, stream);
            if constexpr (Machine::kInverts)
                if (step == 0 && Machine::can_invert(*scales))
                    return walk(Step<type, kInvert>(overflow, 1 / *scales), in, scales, step, out, n, stream);
            walk(Step<type, kDivide>(overflow, 1), in, scales, step, out, n, stream);
        }
    };
    template <Type type>
    using EncodeCall = CodesCall<Encode, type>;
    template <Type type>
    using FakeCall = CodesCall<Fake, type>;

    template <Type type>
    struct DecodeCall {
        OPWRIGHT_TARGET static void run(const uint8_t* in, void* out, int64_t n, const float* scales, int64_t step, bool stream) {
            if (scales) walk(Decode<type, true>{}, in, scales, step, out, n, stream);
            else walk(Decode<type, false>{}, in, scales, step, out, n, stream);
        }
    };

    // Magnitudes of a type are in the order of their bits, so these loops compare integers; the compiler makes them wide.
    template <Type type>
    struct LargestCall {
        OPWRIGHT_TARGET static float run(const void* from, int64_t n) {
            using Is = Numbers<type>;
            const auto* in = static_cast<const typename Is::Bits*>(from);
            typename Is::Word largest = 0;
            for (int64_t i = 0; i < n; ++i) {
                const typename Is::Word size = in[i] & Is::kMagnitude;
                // A branch here would keep the compiler from making the loop wide.
                const typename Is::Word finite = size & typename Is::Word(-(size < Is::kInfinity));
                largest = finite > largest ? finite : largest;
            }
            return Is::to_float(largest);
        }
    };

    template <Type type>
    struct RaiseCall {
        OPWRIGHT_TARGET static void run(const void* from, int64_t n, float* maxima) {
            using Wide = Numbers<Type::F32>;
            const auto* in = static_cast<const Number<type>*>(from);
            for (int64_t i = 0; i < n; i += kWidth) {
                const int64_t count = n - i < kWidth ? n - i : kWidth;
                Number<type> padded[kWidth] = {};
                std::memcpy(padded, in + i, size_t(count) * sizeof(*in));
                Wide::Bits sizes[kWidth];
                Machine::template store<Type::F32>(Machine::template load<type>(padded), sizes, false);
                auto* bits = reinterpret_cast<Wide::Bits*>(maxima + i);
                for (int64_t j = 0; j < count; ++j) {
                    const uint32_t size = sizes[j] & Wide::kMagnitude;
                    const uint32_t finite = size < Wide::kInfinity ? size : 0;
                    bits[j] = finite > bits[j] ? finite : bits[j];
                }
            }
        }
    };

    template <Type type>
    struct CountCall {
        OPWRIGHT_TARGET static void run(const void* from, int64_t n, int64_t* counts) {
            using Is = Numbers<type>;
            using Word = typename Is::Word;
            const auto* in = static_cast<const typename Is::Bits*>(from);
            constexpr int64_t kPart = 32768;  // what a word can count
            for (int64_t start = 0; start < n; start += kPart) {
                const int64_t end = start + kPart < n ? start + kPart : n;
                Word reaches_least = 0, reaches_normal = 0, nonzero = 0, large = 0, infinite = 0, nan = 0;
                for (int64_t i = start; i < end; ++i) {
                    const Word size = in[i] & Is::kMagnitude;
                    nonzero = Word(nonzero + (size > 0));
                    reaches_least = Word(reaches_least + (size >= Is::kLeast));
                    reaches_normal = Word(reaches_normal + (size >= Is::kNormal));
                    large = Word(large + (size >= Is::kTooLarge));
                    infinite = Word(infinite + (size >= Is::kInfinity));
                    nan = Word(nan + (size > Is::kInfinity));
                }
                counts[kElements] += end - start;
                counts[kOverflows] += large - infinite;
                counts[kInfinities] += infinite - nan;
                counts[kNans] += nan;
                counts[kToZero] += nonzero - reaches_least;
                counts[kDenormal] += reaches_least - reaches_normal;
            }
        }
    };

    static void encode(const void* in, Type type, uint8_t* out, int64_t n, Overflow overflow, bool stream) {
        by_type<EncodeCall>(type, in, static_cast<void*>(out), n, overflow, static_cast<const float*>(nullptr), int64_t(0), stream);
    }
    static void decode(const uint8_t* in, void* out, Type type, int64_t n, bool stream) {
        by_type<DecodeCall>(type, in, out, n, static_cast<const float*>(nullptr), int64_t(0), stream);
    }
    static void quantize(const void* in, Type type, uint8_t* out, int64_t n, Overflow overflow, const float* scales, int64_t step,
                         bool stream) {
        by_type<EncodeCall>(type, in, static_cast<void*>(out), n, overflow, scales, step, stream);
    }
    static void dequantize(const uint8_t* in, void* out, Type type, int64_t n, const float* scales, int64_t step, bool stream) {
        by_type<DecodeCall>(type, in, out, n, scales, step, stream);
    }
    static void fake(const void* in, Type type, void* out, int64_t n, Overflow overflow, const float* scales, int64_t step, bool stream) {
        by_type<FakeCall>(type, in, out, n, overflow, scales, step, stream);
    }
    static float largest(const void* in, Type type, int64_t n) { return by_type<LargestCall>(type, in, n); }
    static void raise(const void* in, Type type, int64_t n, float* maxima) { by_type<RaiseCall>(type, in, n, maxima); }
    static void count(const void* in, Type type, int64_t n, int64_t* counts) { by_type<CountCall>(type, in, n, counts); }

    static constexpr Path path(const char* name) {
        return {name, encode, decode, quantize, dequantize, fake, largest, raise, count};
    }
};

}  // namespace opwright::hifloat8
