// Messages of compiled host functions: f-strings as Python prints them, and the refusals of `opwright.host`.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "opwright/host_launch.h"

namespace opwright::host {

// Texts ---------------------------------------------------------------------------------------------------------

inline Text shown(const Text& text) { return text; }
inline Text shown(const char* text) { return text; }
inline Text shown(const Int& number) { return number.unknown ? "?" : std::to_string(number.value); }
template <typename T, std::enable_if_t<std::is_same_v<T, bool>, int> = 0>
inline Text shown(T truth) {
    return truth ? "True" : "False";
}
inline Text shown(const Truth& truth) { return truth.unknown ? "?" : truth.holds ? "True" : "False"; }

// The fewest digits that are this number, as Python's repr has them.
inline Text shown(double number) {
    if (number != number) return "nan";
    if (number - number != 0) return number > 0 ? "inf" : "-inf";
    char digits[32];
    for (int count = 0; count < 17; ++count) {
        std::snprintf(digits, sizeof digits, "%.*e", count, number);
        if (std::strtod(digits, nullptr) == number) break;
    }
    const char* mark = std::strchr(digits, 'e');
    const int exponent = std::atoi(mark + 1);
    Text sign, plain;
    for (const char* at = digits; at < mark; ++at) {
        if (*at == '-') sign = "-";
        if (*at >= '0' && *at <= '9') plain += *at;
    }
    if (exponent < -4 || exponent >= 16) {
        char power[16];
        std::snprintf(power, sizeof power, "e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent));
        return sign + plain[0] + (plain.size() > 1 ? "." + plain.substr(1) : "") + power;
    }
    if (exponent < 0) return sign + "0." + Text(static_cast<size_t>(-exponent - 1), '0') + plain;
    const auto whole = static_cast<size_t>(exponent) + 1;
    if (plain.size() <= whole) return sign + plain + Text(whole - plain.size(), '0') + ".0";
    return sign + plain.substr(0, whole) + "." + plain.substr(whole);
}

inline Text shown(const Dtype& dtype) {
    if (dtype.lanes != 1) return shown(Dtype{dtype.code, dtype.bits}) + "x" + std::to_string(dtype.lanes);
    constexpr const char* kSmall[] = {"float8_e3m4",     "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
                                      "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",    "float8_e8m0fnu"};
    const Text bits = std::to_string(dtype.bits);
    switch (dtype.code) {
        case 0: return "int" + bits;
        case 1: return "uint" + bits;
        case 2: return "float" + bits;
        case 4: return "bfloat" + bits;
        case 5: return "complex" + bits;
        case 6: return "bool";
    }
    return dtype.code >= 7 && dtype.code < 15 ? kSmall[dtype.code - 7] : "opaque";
}

template <typename T>
inline Text shown(const Optional<T>& one) {
    return one.is_given ? shown(one.value) : "None";
}

inline Text shown(const Scalar& one) {
    if (is_bool(one)) return one.integer.value ? "True" : "False";
    return is_float(one) ? shown(one.number) : shown(one.integer);
}

// Python's list(shape).
inline Text listed(const Shape& shape) {
    Text text = "[";
    for (int64_t i = 0; i < shape.count(); ++i) text += (i ? ", " : "") + shown(shape[i]);
    return text + "]";
}

template <typename T>
inline Text listed(const std::vector<T>& list) {
    Text text = "[";
    for (const T& one : list) text += (text.size() > 1 ? ", " : "") + shown(one);
    return text + "]";
}

// The letters of a text in UTF-8.
inline std::vector<uint32_t> letters(const Text& text) {
    std::vector<uint32_t> found;
    for (const char c : text) {
        const auto byte = static_cast<uint8_t>(c);
        if ((byte & 0xC0) == 0x80 && !found.empty()) {
            found.back() = found.back() << 6 | (byte & 0x3F);
        } else {
            found.push_back(byte < 0x80 ? byte : byte < 0xE0 ? byte & 0x1F : byte < 0xF0 ? byte & 0x0F : byte & 0x07);
        }
    }
    return found;
}

// Python's repr of a text; of letters beyond Latin-1 all count as printable.
inline Text quoted(const Text& text) {
    const bool is_single = text.find('\'') == Text::npos || text.find('"') != Text::npos;
    const char quote = is_single ? '\'' : '"';
    Text made(1, quote);
    for (size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<uint8_t>(text[i]);
        const bool is_control = byte == 0xC2 && i + 1 < text.size() &&
                                (static_cast<uint8_t>(text[i + 1]) <= 0xA0 || static_cast<uint8_t>(text[i + 1]) == 0xAD);
        if (text[i] == quote || text[i] == '\\') {
            made += '\\';
            made += text[i];
        } else if (byte == '\n' || byte == '\r' || byte == '\t') {
            made += byte == '\n' ? "\\n" : byte == '\r' ? "\\r" : "\\t";
        } else if (byte < 0x20 || byte == 0x7F || is_control) {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\x%02x", is_control ? static_cast<uint8_t>(text[++i]) : byte);
            made += escaped;
        } else {
            made += text[i];
        }
    }
    return made + quote;
}

// An f-string.
template <typename... Parts>
inline Text text(const Parts&... parts) {
    Text made;
    ((made += shown(parts)), ...);
    return made;
}

// How many letters two texts have in common, as Python's difflib counts them.
inline size_t common_letters(const std::vector<uint32_t>& a, size_t a_begin, size_t a_end, const std::vector<uint32_t>& b,
                             size_t b_begin, size_t b_end) {
    size_t best = 0, a_best = a_begin, b_best = b_begin;
    std::vector<size_t> before(b.size() + 1), now(b.size() + 1);
    for (size_t i = a_begin; i < a_end; ++i) {
        for (size_t j = b_begin; j < b_end; ++j) {
            now[j + 1] = a[i] == b[j] ? (j > b_begin ? before[j] : 0) + 1 : 0;
            if (now[j + 1] > best) {
                best = now[j + 1];
                a_best = i + 1 - best;
                b_best = j + 1 - best;
            }
        }
        std::swap(before, now);
    }
    if (best == 0) return 0;
    return best + common_letters(a, a_begin, a_best, b, b_begin, b_best) +
           common_letters(a, a_best + best, a_end, b, b_best + best, b_end);
}

// What functions of `opwright.host` refuse ------------------------------------------------------------------------

inline void require_dtype(const Text& name, const Tensor& tensor, std::initializer_list<Dtype> dtypes) {
    for (const Dtype& dtype : dtypes) {
        if (tensor.dtype == dtype) return;
    }
    Text listed;
    for (const Dtype& dtype : dtypes) listed += (listed.empty() ? "" : ", ") + shown(dtype);
    refuse(kType, name + " cannot be " + shown(tensor.dtype) + "; it may be " + listed);
}

inline void require_device(const Text& name, const Tensor& tensor, const Text& other_name, const Tensor& other) {
    if (tensor.device == other.device) return;
    refuse(kValue, name + " is on " + tensor.device + ", but " + other_name + " on " + other.device);
}

inline void require_choice(const Text& name, const Text& text, std::initializer_list<Text> choices) {
    for (const Text& choice : choices) {
        if (text == choice) return;
    }
    Text lower = text, words, near;
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    const std::vector<uint32_t> meant = letters(lower);
    double best = 0.6;
    size_t place = 0;
    for (const Text& choice : choices) {
        words += (place == 0 ? "" : place + 1 == choices.size() ? " or " : ", ") + quoted(choice);
        ++place;
        const std::vector<uint32_t> own = letters(choice);
        const size_t both = own.size() + meant.size();
        const size_t common = common_letters(own, 0, own.size(), meant, 0, meant.size());
        const double ratio = both == 0 ? 1.0 : 2.0 * static_cast<double>(common) / static_cast<double>(both);
        if (ratio > best || (ratio == best && choice > near)) {
            best = ratio;
            near = choice;
        }
    }
    const Text hint = near.empty() ? "" : "; did you mean " + quoted(near) + "?";
    refuse(kValue, name + " is " + quoted(text) + ", but must be " + words + hint);
}

}  // namespace opwright::host
