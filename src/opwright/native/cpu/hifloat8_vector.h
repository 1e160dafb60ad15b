// A machine of vectors for hifloat8_loops.h, the same on every instruction set.
//
// Lanes has what the instruction set does with one vector of kWidth bytes (Bytes) or of kWidth / 4 float32 (Quarter).
// Four quarters make Floats.
//   lookup(table of 64, index below 64), lookup_magnitude(table of 128, index, whose top bit does not count)
//
// Coding, which has those and is InBytes where tables are looked up by bytes, codes two vectors of upper halves of float32:
//   Rule and rule(Overflow)
//   encode_halves(first, second, rule): the codes of both in one vector in turns, which takes fewer instructions than keeping
//   them in order; `sorted_*` undoes it
//   values<type>(codes) of 16-bit types, in order; zippable(codes): those of bfloat16, so that zipping puts them in order
#pragma once

#include "hifloat8_loops.h"

#define OPWRIGHT_INLINE OPWRIGHT_TARGET __attribute__((always_inline)) static inline

namespace opwright::hifloat8 {

template <class Lanes>
struct InBytes : Lanes {
    using Bytes = typename Lanes::Bytes;
    using Rule = const format::Rule&;

    static Rule rule(Overflow overflow) { return format::kRules[int(overflow)]; }

    // The codes of upper halves of float32 in two vectors; in turns, one of each.
    OPWRIGHT_INLINE Bytes encode_halves(Bytes first, Bytes second, Rule rule) {
        const Bytes evens = Lanes::splat16(0x00FF);
        const Bytes exponent = Lanes::select(evens, Lanes::template right16<7>(first), Lanes::template left16<1>(second));
        const Bytes mantissa = Lanes::select(evens, Lanes::template right16<3>(first), Lanes::template left16<5>(second));
        const Bytes sign = Lanes::select(evens, Lanes::template right16<8>(first), second);
        const Bytes row = Lanes::least(Lanes::minus_or_0(exponent, Lanes::splat(format::kFirstExponent)), Lanes::splat(format::kLastRow));
        const Bytes kind = Lanes::lookup(rule.kind, row);
        const Bytes bits = Lanes::lookup(format::kRounded.bits, kind | (mantissa & Lanes::splat(0x0F)));
        const Bytes size = Lanes::lookup(rule.code, Lanes::plus_top_bit(row, bits)) | bits;
        const Bytes code = Lanes::where_not_0(row, Lanes::select(Lanes::splat(0x7F), size, sign));
        const Bytes special = Lanes::splat(format::kSpecialExponent);
        if (__builtin_expect(!Lanes::any_equal(exponent, special), 1)) return code;
        const Bytes rest = Lanes::select(evens, first, Lanes::template left16<8>(second)) & Lanes::splat(0x7F);
        const Bytes infinity = Lanes::splat(rule.infinity) | (sign & Lanes::splat(0x80));
        const Bytes is_infinity = Lanes::equal(rest, Lanes::splat(0));
        return Lanes::select(Lanes::equal(exponent, special), Lanes::select(is_infinity, infinity, Lanes::splat(rule.nan)), code);
    }

    struct Pair {
        Bytes first, second;
    };

    // The upper 16 bits of values, of the codes that `unzip` takes apart in this order.
    OPWRIGHT_INLINE Pair values_of(Bytes codes, const format::Values& values) {
        const Bytes is_nan = Lanes::equal(codes, Lanes::splat(format::kNan));
        const Bytes low = Lanes::lookup_magnitude(values.low, codes);
        const Bytes high = Lanes::lookup_magnitude(values.high, codes) | (codes & Lanes::splat(0x80));
        const Bytes low_bytes = Lanes::select(is_nan, Lanes::splat(uint8_t(values.nan)), low);
        const Bytes high_bytes = Lanes::select(is_nan, Lanes::splat(uint8_t(values.nan >> 8)), high);
        return {Lanes::zip_first8(low_bytes, high_bytes), Lanes::zip_second8(low_bytes, high_bytes)};
    }

    template <Type type>
    OPWRIGHT_INLINE Pair values(Bytes codes) {
        return values_of(Lanes::unsorted_halves(codes), type == Type::F16 ? format::kHalfValues : format::kBrainValues);
    }

    OPWRIGHT_INLINE Pair zippable(Bytes codes) { return values_of(Lanes::unsorted_quarters(codes), format::kBrainValues); }
};

template <class Coding>
struct Vector : Coding {
    using Coding::kWidth;
    using Bytes = typename Coding::Bytes;
    using Quarter = typename Coding::Quarter;
    using Codes = Bytes;
    struct Floats {
        Quarter at[4];
    };
    using Rule = typename Coding::Rule;

    // NaN must have bits in the upper half: every NaN that was computed has.
    OPWRIGHT_INLINE Codes encode_floats(Floats floats, Rule rule) {
        const Bytes evens = Coding::splat32(0x0000FFFF);
        const Bytes first = Coding::select(evens, Coding::upper(floats.at[0]), Coding::bits(floats.at[1]));
        const Bytes second = Coding::select(evens, Coding::upper(floats.at[2]), Coding::bits(floats.at[3]));
        return Coding::sorted_quarters(Coding::encode_halves(first, second, rule));
    }

    template <Type type>
    OPWRIGHT_INLINE Codes encode(const typename Numbers<type>::Bits* in, Rule rule) {
        if constexpr (type == Type::BF16) {
            return Coding::sorted_halves(Coding::encode_halves(Coding::load_bytes(in), Coding::load_bytes(in + kWidth / 2), rule));
        } else {
            Floats floats = load<type>(in);
            if constexpr (type == Type::F32)
                for (Quarter& quarter : floats.at) quarter = Coding::quiet(quarter);
            return encode_floats(floats, rule);
        }
    }

    template <Type type>
    OPWRIGHT_INLINE void encode_to(const typename Numbers<type>::Bits* in, Rule rule, uint8_t* out, bool stream) {
        Coding::store_bytes(encode<type>(in, rule), out, stream);
    }

    OPWRIGHT_INLINE Floats decode_floats(Codes codes) {
        const auto halves = Coding::zippable(codes);
        const Bytes zero = Coding::splat(0);
        return {{Coding::floats(Coding::zip_first16(zero, halves.first)), Coding::floats(Coding::zip_second16(zero, halves.first)),
                 Coding::floats(Coding::zip_first16(zero, halves.second)), Coding::floats(Coding::zip_second16(zero, halves.second))}};
    }

    template <Type type>
    OPWRIGHT_INLINE void decode(Codes codes, typename Numbers<type>::Bits* out, bool stream) {
        if constexpr (type == Type::F32) {
            store<type>(decode_floats(codes), out, stream);
        } else {
            const auto halves = Coding::template values<type>(codes);
            Coding::store_bytes(halves.first, out, stream);
            Coding::store_bytes(halves.second, out + kWidth / 2, stream);
        }
    }

    OPWRIGHT_INLINE Codes load_codes(const uint8_t* in) { return Coding::load_bytes(in); }
    OPWRIGHT_INLINE void store_codes(Codes codes, uint8_t* out, bool stream) { Coding::store_bytes(codes, out, stream); }

    template <Type type>
    OPWRIGHT_INLINE Floats load(const typename Numbers<type>::Bits* in) {
        Floats floats;
        for (int i = 0; i < 4; ++i) {
            const auto* from = in + i * (kWidth / 4);
            if constexpr (type == Type::F16) floats.at[i] = Coding::load_half(from);
            else if constexpr (type == Type::BF16) floats.at[i] = Coding::load_brain(from);
            else floats.at[i] = Coding::floats(Coding::load_bytes(from));
        }
        return floats;
    }

    template <Type type>
    OPWRIGHT_INLINE void store(Floats floats, typename Numbers<type>::Bits* out, bool stream) {
        if constexpr (type == Type::F32) {
            for (int i = 0; i < 4; ++i) Coding::store_bytes(Coding::bits(floats.at[i]), out + i * (kWidth / 4), stream);
        } else {
            for (int i = 0; i < 4; i += 2) {
                Bytes words;
                if constexpr (type == Type::F16) words = Coding::narrow_half(floats.at[i], floats.at[i + 1]);
                else words = Coding::narrow_brain(floats.at[i], floats.at[i + 1]);
                Coding::store_bytes(words, out + i * (kWidth / 4), stream);
            }
        }
    }

    OPWRIGHT_INLINE Floats divide(Floats numbers, Floats by) {
        for (int i = 0; i < 4; ++i) numbers.at[i] = numbers.at[i] / by.at[i];
        return numbers;
    }
    OPWRIGHT_INLINE Floats multiply(Floats numbers, Floats by) {
        for (int i = 0; i < 4; ++i) numbers.at[i] = numbers.at[i] * by.at[i];
        return numbers;
    }
    OPWRIGHT_INLINE Floats canonical(Floats numbers) {
        for (Quarter& quarter : numbers.at) quarter = Coding::canonical(quarter);
        return numbers;
    }
};

}  // namespace opwright::hifloat8
