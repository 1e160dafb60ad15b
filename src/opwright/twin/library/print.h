// printf of a kernel: formats into the buffer of its block.
//
// In: a printf format and arguments that carry their own kind. Out: text. The kind of the argument decides how its
// bits are read, never the length modifier, so no format can read what is not there. A conversion without an
// argument, or one that is not known (%n among them), is printed as written. A block's text is cut at kPrintMax.
#pragma once

#include <stdio.h>
#include <string.h>

#include <opwright/context.h>

#include "printed.h"

namespace opwright {

constexpr int kMaxWidth = 4096;

// A conversion as written: %[flags][width][.precision][length]conversion. -1: not given.
struct Conversion {
    char flags[8];
    int width;
    int precision;
    char letter;  // 0: not a conversion
};

struct PrintInput {
    const PrintArgument* arguments;
    uint32_t count;
    uint32_t used;
};

OPWRIGHT_COLD int64_t print_signed(const PrintArgument& argument) {
    if (argument.kind != PrintKind::FLOAT) return static_cast<int64_t>(argument.bits);
    double value;
    memcpy(&value, &argument.bits, 8);
    if (value != value) return 0;
    if (value >= 9223372036854775807.0) return INT64_MAX;
    if (value <= -9223372036854775808.0) return INT64_MIN;
    return static_cast<int64_t>(value);
}

OPWRIGHT_COLD double print_double(const PrintArgument& argument) {
    if (argument.kind == PrintKind::INTEGER) return static_cast<double>(static_cast<int64_t>(argument.bits));
    if (argument.kind != PrintKind::FLOAT) return static_cast<double>(argument.bits);
    double value;
    memcpy(&value, &argument.bits, 8);
    // The sign of a NaN is the machine's: 0/0 has one on x86-64 and none on others.
    return value != value ? __builtin_nan("") : value;
}

// Reads a number or '*', which takes an argument. False: '*' without one.
OPWRIGHT_COLD bool print_number(const char*& at, PrintInput& input, int* number) {
    int64_t value = 0;
    if (*at == '*') {
        if (input.used >= input.count) return false;
        value = print_signed(input.arguments[input.used++]);
        ++at;
    } else {
        for (; *at >= '0' && *at <= '9'; ++at) value = value > kMaxWidth ? value : value * 10 + (*at - '0');
    }
    *number = static_cast<int>(value > kMaxWidth ? kMaxWidth : value < -kMaxWidth ? -kMaxWidth : value);
    return true;
}

// Reads the conversion after '%'. `at` ends behind it. *short_integer: no l, ll, j, z or t was written.
OPWRIGHT_COLD Conversion print_parse(const char*& at, PrintInput& input, bool* short_integer) {
    Conversion found{{0}, -1, -1, 0};
    for (int i = 0; *at && strchr("-+ #0", *at); ++at) {
        if (!strchr(found.flags, *at)) found.flags[i++] = *at;
    }
    bool complete = true;
    if (*at == '*' || (*at >= '1' && *at <= '9')) {
        complete = print_number(at, input, &found.width);
        if (found.width < 0) {  // as C has it: a negative width means '-'
            if (!strchr(found.flags, '-')) found.flags[strlen(found.flags)] = '-';
            found.width = -found.width;
        }
    }
    if (complete && *at == '.') {
        ++at;
        complete = print_number(at, input, &found.precision);
        if (found.precision < 0) found.precision = -1;
    }
    *short_integer = true;
    for (; complete && *at && strchr("hljztL", *at); ++at) {
        if (*at != 'h') *short_integer = false;
    }
    if (complete && *at && strchr("diuxXofFeEgGaAspc", *at)) found.letter = *at++;
    return found;
}

// The conversion for snprintf. It always says width and precision with '*', and 0 and -1 mean "not given".
OPWRIGHT_COLD void print_specify(const Conversion& conversion, const char* length, char letter, char* out) {
    bool text = letter == 's' || letter == 'p';
    *out++ = '%';
    for (const char* flag = conversion.flags; *flag; ++flag) {
        if (!text || *flag == '-') *out++ = *flag;
    }
    memcpy(out, "*.*", 3);
    out += 3;
    while (*length) *out++ = *length++;
    *out++ = letter;
    *out = 0;
}

// T is unsigned long long, double or const void*: one for each way in which an argument is passed.
template <class T>
OPWRIGHT_COLD void print_one(PrintBuffer& buffer, const Conversion& conversion, const char* length, char letter,
                             T value, int precision) {
    char specification[24];
    print_specify(conversion, length, letter, specification);
    int width = conversion.width < 0 ? 0 : conversion.width;
    for (int round = 0; round < 2; ++round) {
        uint64_t room = buffer.capacity - buffer.bytes;
        int bytes = snprintf(room ? buffer.text + buffer.bytes : nullptr, room, specification, width, precision, value);
        if (bytes < 0) return;
        if (static_cast<uint64_t>(bytes) < room) {
            buffer.bytes += static_cast<uint64_t>(bytes);
            return;
        }
        if (!print_reserve(buffer, static_cast<uint64_t>(bytes) + 1)) return;
    }
}

OPWRIGHT_COLD void print_integer(PrintBuffer& buffer, const Conversion& conversion, const PrintArgument& argument,
                                 bool short_integer) {
    int64_t value = print_signed(argument);
    auto bits = static_cast<unsigned long long>(value);
    bool is_signed = conversion.letter == 'd' || conversion.letter == 'i' || conversion.letter == 's';
    if (is_signed && (value >= 0 || argument.kind == PrintKind::INTEGER || argument.kind == PrintKind::FLOAT)) {
        print_one(buffer, conversion, "ll", 'd', bits, conversion.precision);
        return;
    }
    // A negative int under %u or %x shows its 32 bits, as in C; under %lx all 64.
    if (argument.kind == PrintKind::INTEGER && short_integer && value < 0 && value >= INT32_MIN) bits &= 0xffffffffu;
    print_one(buffer, conversion, "ll", is_signed ? 'u' : conversion.letter, bits, conversion.precision);
}

OPWRIGHT_COLD void print_value(PrintBuffer& buffer, Conversion conversion, const PrintArgument& argument,
                               bool short_integer) {
    char letter = conversion.letter;
    if (letter == 's' && argument.kind == PrintKind::TEXT) {
        auto text = reinterpret_cast<const void*>(argument.bits);
        // Without a precision a text is read to its end, but never further than could be kept.
        int most = conversion.precision < 0 ? static_cast<int>(kPrintMax) + 1 : conversion.precision;
        print_one(buffer, conversion, "", 's', text ? text : static_cast<const void*>("(null)"), most);
    } else if (letter == 's') {  // not a text: shown as what it is
        conversion.precision = -1;
        if (argument.kind == PrintKind::FLOAT) {
            print_one(buffer, conversion, "", 'g', print_double(argument), -1);
        } else if (argument.kind == PrintKind::POINTER) {
            print_one(buffer, conversion, "", 'p', reinterpret_cast<const void*>(argument.bits), -1);
        } else {
            print_integer(buffer, conversion, argument, false);
        }
    } else if (letter == 'c') {
        char text[] = {static_cast<char>(print_signed(argument)), 0};
        print_one(buffer, conversion, "", 's', static_cast<const void*>(text), 1);
    } else if (letter == 'p') {
        print_one(buffer, conversion, "", 'p', reinterpret_cast<const void*>(argument.bits), -1);
    } else if (strchr("fFeEgGaA", letter)) {
        print_one(buffer, conversion, "", letter, print_double(argument), conversion.precision);
    } else {
        print_integer(buffer, conversion, argument, short_integer);
    }
}

OPWRIGHT_COLD void print_format(PrintBuffer& buffer, const char* format, const PrintArgument* arguments,
                                uint32_t count) {
    PrintInput input{arguments, count, 0};
    for (const char* at = format; *at && !buffer.cut;) {
        const char* start = at;
        while (*at && *at != '%') ++at;
        print_append(buffer, start, static_cast<uint64_t>(at - start));
        if (*at == '%' && at[1] == '%') {
            print_append(buffer, "%", 1);
            at += 2;
        } else if (*at == '%') {
            start = at++;
            bool short_integer;
            Conversion conversion = print_parse(at, input, &short_integer);
            if (conversion.letter && input.used < input.count) {
                print_value(buffer, conversion, input.arguments[input.used++], short_integer);
            } else {
                print_append(buffer, start, static_cast<uint64_t>(at - start));
            }
        }
        if (buffer.bytes > kPrintMax) {
            buffer.bytes = kPrintMax;
            buffer.cut = true;
            if (buffer.text[buffer.bytes - 1] != '\n') print_append(buffer, "\n", 1);
            print_append(buffer, kPrintCut, strlen(kPrintCut));
        }
    }
}

}  // namespace opwright
