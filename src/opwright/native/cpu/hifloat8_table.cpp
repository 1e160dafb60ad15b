// The path of every CPU: codes of 16 bits from tables of 64 KB, one element after the other.
#include <cstring>

#define OPWRIGHT_TARGET
#include "hifloat8_loops.h"
#include "hifloat8_paths.h"

namespace opwright::hifloat8 {
namespace {

uint8_t code_of(uint16_t upper, const format::Rule& rule) {
    const int exponent = upper >> 7 & 0xFF;
    const uint8_t sign = upper >> 8 & 0x80;
    if (exponent == format::kSpecialExponent) return upper & 0x7F ? rule.nan : uint8_t(rule.infinity | sign);
    if (exponent <= format::kFirstExponent) return 0;
    const int beyond = exponent - format::kFirstExponent;
    const int row = beyond < format::kLastRow ? beyond : format::kLastRow;
    const uint8_t bits = format::kRounded.bits[rule.kind[row] | (upper >> 3 & 0xF)];
    return bits == format::kCarry ? rule.code[row + 1] | sign : rule.code[row] | bits | sign;
}

struct Tables {
    uint8_t half[65536], brain[65536];

    explicit Tables(const format::Rule& rule) {
        for (int bits = 0; bits < 65536; ++bits) {
            half[bits] = code_of(upper_half(Numbers<Type::F16>::to_float(uint16_t(bits))), rule);
            brain[bits] = code_of(uint16_t(bits), rule);
        }
    }
};

// Made when the rule is first used.
template <Overflow overflow>
const Tables& tables() {
    static const Tables made(format::kRules[int(overflow)]);
    return made;
}

struct Decoded {
    uint16_t of[256];
};

constexpr Decoded decoded(const format::Values& values) {
    Decoded made{};
    for (int code = 0; code < 256; ++code) {
        const int sign = code & 0x80, size = code & 0x7F;
        made.of[code] = code == format::kNan ? values.nan : uint16_t((values.high[size] | sign) << 8 | values.low[size]);
    }
    return made;
}

constexpr Decoded kHalf = decoded(format::kHalfValues), kBrain = decoded(format::kBrainValues);

struct Table {
    static constexpr int kWidth = 64;
    static constexpr bool kInverts = false;
    static constexpr int64_t kAlignment = 1;  // there is no store past the caches
    struct Codes {
        uint8_t at[kWidth];
    };
    struct Floats {
        float at[kWidth];
    };
    using Rule = const Tables&;

    static Rule rule(Overflow overflow) {
        switch (overflow) {
            case Overflow::INF: return tables<Overflow::INF>();
            case Overflow::SATURATE: return tables<Overflow::SATURATE>();
            default: return tables<Overflow::SATURATE_ALL>();
        }
    }

    template <Type type>
    static void encode_to(const typename Numbers<type>::Bits* in, Rule rule, uint8_t* out, bool) {
        for (int i = 0; i < kWidth; ++i) {
            if constexpr (type == Type::F16) out[i] = rule.half[in[i]];
            else if constexpr (type == Type::BF16) out[i] = rule.brain[in[i]];
            else out[i] = rule.brain[in[i] >> 16 | ((in[i] & 0xFFFF) != 0)];  // what is cut off may make it NaN
        }
    }
    template <Type type>
    static Codes encode(const typename Numbers<type>::Bits* in, Rule rule) {
        Codes codes;
        encode_to<type>(in, rule, codes.at, false);
        return codes;
    }
    static Codes encode_floats(const Floats& floats, Rule rule) {
        Codes codes;
        for (int i = 0; i < kWidth; ++i) codes.at[i] = rule.brain[upper_half(floats.at[i])];
        return codes;
    }

    template <Type type>
    static void decode(const Codes& codes, typename Numbers<type>::Bits* out, bool) {
        for (int i = 0; i < kWidth; ++i) {
            if constexpr (type == Type::F16) out[i] = kHalf.of[codes.at[i]];
            else if constexpr (type == Type::BF16) out[i] = kBrain.of[codes.at[i]];
            else out[i] = uint32_t(kBrain.of[codes.at[i]]) << 16;
        }
    }
    static Floats decode_floats(const Codes& codes) {
        Floats floats;
        for (int i = 0; i < kWidth; ++i) floats.at[i] = Numbers<Type::BF16>::to_float(kBrain.of[codes.at[i]]);
        return floats;
    }

    static Codes load_codes(const uint8_t* in) {
        Codes codes;
        std::memcpy(codes.at, in, kWidth);
        return codes;
    }
    static void store_codes(const Codes& codes, uint8_t* out, bool) { std::memcpy(out, codes.at, kWidth); }

    template <Type type>
    static Floats load(const typename Numbers<type>::Bits* in) {
        Floats floats;
        for (int i = 0; i < kWidth; ++i) floats.at[i] = Numbers<type>::to_float(in[i]);
        return floats;
    }
    template <Type type>
    static void store(const Floats& floats, typename Numbers<type>::Bits* out, bool) {
        for (int i = 0; i < kWidth; ++i) out[i] = Numbers<type>::of_float(floats.at[i]);
    }

    static Floats divide(Floats numbers, const Floats& by) {
        for (int i = 0; i < kWidth; ++i) numbers.at[i] /= by.at[i];
        return numbers;
    }
    static Floats multiply(Floats numbers, const Floats& by) {
        for (int i = 0; i < kWidth; ++i) numbers.at[i] *= by.at[i];
        return numbers;
    }
    static Floats canonical(Floats numbers) {
        for (float& number : numbers.at) number = number == number ? number : float_of_bits(0x7FC00000);
        return numbers;
    }
    static void fence() {}
};

}  // namespace

constexpr Path kTablePath = Loops<Table>::path("table");

}  // namespace opwright::hifloat8
