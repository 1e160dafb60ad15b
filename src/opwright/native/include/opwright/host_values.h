// Values of compiled host functions: numbers that may be unknown, shapes, data types, facts of tensors. Every function
// does what Python does with `opwright.host`. Numbers beyond 64 bits are refused.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace opwright::host {

using Text = std::string;

// Refusals ------------------------------------------------------------------------------------------------------

enum Code : int32_t { kTaken, kType, kValue, kUnsupported, kFault };

struct Refusal {
    Code code;
    Text text;
};

[[noreturn]] inline void refuse(Code code, Text text) { throw Refusal{code, std::move(text)}; }

// What Python would raise as an error of the host function itself.
[[noreturn]] inline void fault(const char* text) { throw Refusal{kFault, text}; }

[[noreturn]] inline void refuse_overflow() { refuse(kUnsupported, "a number goes beyond 64 bits"); }

// The origin of an unknown size: an argument and its dimension. 0 is a number that is known.
using Origin = int32_t;

constexpr Origin origin(int32_t argument, int32_t dimension) { return (argument << 16 | dimension) + 1; }

struct NeedsToKnow {
    Origin origin;
};

// Numbers -------------------------------------------------------------------------------------------------------

// Whether a condition holds, if that is known.
struct Truth {
    bool holds;
    Origin unknown = 0;

    Truth(bool value = false) : holds(value) {}
    Truth(bool value, Origin from) : holds(value), unknown(from) {}
};

inline bool known(const Truth& truth) {
    if (truth.unknown) throw NeedsToKnow{truth.unknown};
    return truth.holds;
}

// Of a bool only: a number would become one.
template <typename T, std::enable_if_t<std::is_same_v<T, bool>, int> = 0>
inline bool known(T truth) {
    return truth;
}

inline bool is_refuted(const Truth& truth) { return !truth.unknown && !truth.holds; }

inline bool is_proven(const Truth& truth) { return !truth.unknown && truth.holds; }

inline Truth operator&(const Truth& a, const Truth& b) {
    if (is_refuted(a) || is_refuted(b)) return false;
    return a.unknown ? a : b;
}

inline Truth operator|(const Truth& a, const Truth& b) {
    if (is_proven(a) || is_proven(b)) return true;
    return a.unknown ? a : b;
}

inline Truth operator==(const Truth& a, const Truth& b) { return {a.holds == b.holds, a.unknown ? a.unknown : b.unknown}; }
inline Truth operator!=(const Truth& a, const Truth& b) { return {a.holds != b.holds, a.unknown ? a.unknown : b.unknown}; }

// An integer, such as a size, that may be unknown.
struct Int {
    int64_t value;
    Origin unknown = 0;

    Int(int64_t number = 0) : value(number) {}

    static Int unknown_of(Origin from) {
        Int made;
        made.unknown = from;
        return made;
    }
};

inline int64_t known(const Int& number) {
    if (number.unknown) throw NeedsToKnow{number.unknown};
    return number.value;
}

template <typename Compute>
inline Int computed(const Int& a, const Int& b, Compute compute) {
    if (a.unknown || b.unknown) return Int::unknown_of(a.unknown ? a.unknown : b.unknown);
    int64_t result = 0;
    if (compute(a.value, b.value, &result)) refuse_overflow();
    return result;
}

inline Int operator+(const Int& a, const Int& b) {
    return computed(a, b, [](int64_t x, int64_t y, int64_t* r) { return __builtin_add_overflow(x, y, r); });
}
inline Int operator-(const Int& a, const Int& b) {
    return computed(a, b, [](int64_t x, int64_t y, int64_t* r) { return __builtin_sub_overflow(x, y, r); });
}
inline Int operator*(const Int& a, const Int& b) {
    return computed(a, b, [](int64_t x, int64_t y, int64_t* r) { return __builtin_mul_overflow(x, y, r); });
}
inline Int operator-(const Int& a) { return Int(0) - a; }

// Rounds towards minus infinity, as Python does.
inline Int floordiv(const Int& a, const Int& b) {
    return computed(a, b, [](int64_t x, int64_t y, int64_t* r) {
        if (y == 0) fault("division by zero");
        if (y == -1) return __builtin_sub_overflow(int64_t{0}, x, r);
        *r = x / y - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0);
        return false;
    });
}

// Has the sign of the divisor, as in Python.
inline Int mod(const Int& a, const Int& b) {
    return computed(a, b, [](int64_t x, int64_t y, int64_t* r) {
        if (y == 0) fault("division by zero");
        *r = y == -1 ? 0 : x % y;
        if (*r != 0 && (*r < 0) != (y < 0)) *r += y;
        return false;
    });
}

inline double abs(double a) { return std::fabs(a); }
inline Int abs(const Int& a) { return !a.unknown && a.value < 0 ? -a : a; }

inline Int min(const Int& a, const Int& b) {
    return computed(a, b, [](int64_t x, int64_t y, int64_t* r) { return *r = y < x ? y : x, false; });
}
inline Int max(const Int& a, const Int& b) {
    return computed(a, b, [](int64_t x, int64_t y, int64_t* r) { return *r = y > x ? y : x, false; });
}

#define OPWRIGHT_HOST_COMPARE(symbol)                                                       \
    inline Truth operator symbol(const Int& a, const Int& b) {                              \
        return {a.value symbol b.value, a.unknown ? a.unknown : b.unknown};                 \
    }
OPWRIGHT_HOST_COMPARE(==)
OPWRIGHT_HOST_COMPARE(!=)
OPWRIGHT_HOST_COMPARE(<)
OPWRIGHT_HOST_COMPARE(<=)
OPWRIGHT_HOST_COMPARE(>)
OPWRIGHT_HOST_COMPARE(>=)
#undef OPWRIGHT_HOST_COMPARE

inline double to_float(const Int& number) { return static_cast<double>(known(number)); }

inline double divide(double a, double b) {
    if (b == 0) fault("division by zero");
    return a / b;
}

// Values that may be absent -------------------------------------------------------------------------------------

template <typename T>
struct Optional {
    bool is_given = false;
    T value{};

    Optional() = default;
    Optional(T content) : is_given(true), value(std::move(content)) {}
};

template <typename T>
inline bool is_none(const Optional<T>& one) {
    return !one.is_given;
}

template <typename T>
inline const T& given(const Optional<T>& one) {
    if (!one.is_given) fault("a value is None");
    return one.value;
}

// Shapes --------------------------------------------------------------------------------------------------------

// Integers, the first few of them without memory of their own.
class Shape {
   public:
    Shape() {}
    Shape(std::initializer_list<Int> numbers) {
        for (const Int& number : numbers) push(number);
    }
    Shape(const Shape& other) : count_(other.count_), more_(other.more_) { copy_inline(other); }
    Shape(Shape&& other) noexcept : count_(other.count_), more_(std::move(other.more_)) { copy_inline(other); }
    Shape& operator=(const Shape& other) {
        count_ = other.count_;
        more_ = other.more_;
        copy_inline(other);
        return *this;
    }
    Shape& operator=(Shape&& other) noexcept {
        count_ = other.count_;
        more_ = std::move(other.more_);
        copy_inline(other);
        return *this;
    }

    int64_t count() const { return count_; }
    const Int& operator[](int64_t i) const { return i < kInline ? inline_[i] : more_[static_cast<size_t>(i - kInline)]; }
    Int& operator[](int64_t i) { return i < kInline ? inline_[i] : more_[static_cast<size_t>(i - kInline)]; }

    void push(const Int& number) {
        if (count_ < kInline) {
            inline_[count_] = number;
        } else {
            more_.push_back(number);
        }
        ++count_;
    }

    void append(const Int& number) { push(number); }
    void append(const Shape& numbers) {
        for (int64_t i = 0; i < numbers.count(); ++i) push(numbers[i]);
    }

   private:
    static constexpr int64_t kInline = 8;

    // Only what is used: most of the time of `infer` would go to the rest.
    void copy_inline(const Shape& other) {
        for (int64_t i = 0; i < count_ && i < kInline; ++i) inline_[i] = other.inline_[i];
    }

    int64_t count_ = 0;
    union {
        Int inline_[kInline];
    };
    std::vector<Int> more_;
};

// (*a, b, ...)
template <typename... Parts>
inline Shape shape(const Parts&... parts) {
    Shape made;
    (made.append(parts), ...);
    return made;
}

inline Int size(const Shape& shape) { return shape.count(); }

inline Int item(const Shape& shape, const Int& index) {
    const int64_t given = known(index), at = given < 0 ? given + shape.count() : given;
    if (at < 0 || at >= shape.count()) fault("an index is out of range");
    return shape[at];
}

constexpr int64_t kToTheEnd = INT64_MAX;

// shape[begin:end]
inline Shape part(const Shape& shape, const Int& begin, const Int& end) {
    const auto place = [&](int64_t at) {
        if (at < 0) at += shape.count();
        return at < 0 ? 0 : at > shape.count() ? shape.count() : at;
    };
    Shape made;
    const int64_t first = place(known(begin)), last = place(known(end));
    for (int64_t i = first; i < last; ++i) made.push(shape[i]);
    return made;
}

inline Int prod(const Shape& shape) {
    Int product = 1;
    for (int64_t i = 0; i < shape.count(); ++i) product = product * shape[i];
    return product;
}

inline Truth operator==(const Shape& a, const Shape& b) {
    if (a.count() != b.count()) return false;
    Truth equal = true;
    for (int64_t i = 0; i < a.count(); ++i) equal = equal & (a[i] == b[i]);
    return equal;
}

inline Truth operator!=(const Shape& a, const Shape& b) {
    const Truth equal = a == b;
    return {!equal.holds, equal.unknown};
}

// Data types ----------------------------------------------------------------------------------------------------

// As DLPack has them.
struct Dtype {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes = 1;
};

inline bool operator==(const Dtype& a, const Dtype& b) { return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes; }
inline bool operator!=(const Dtype& a, const Dtype& b) { return !(a == b); }

template <typename T, typename... Others>
inline bool is_one_of(const T& value, const Others&... others) {
    return (known(value == others) || ...);
}

// Facts of tensors ----------------------------------------------------------------------------------------------

struct Tensor {
    Dtype dtype;
    Shape shape;
    Shape strides;
    Text device;  // of a result: none, it is that of the first tensor
};

using Tensors = std::vector<Tensor>;

// Lists other than shapes ---------------------------------------------------------------------------------------

using Floats = std::vector<double>;
using Truths = std::vector<Truth>;

template <typename T>
inline Int size(const std::vector<T>& list) {
    return static_cast<int64_t>(list.size());
}

template <typename T>
inline const T& item(const std::vector<T>& list, const Int& index) {
    const auto count = static_cast<int64_t>(list.size());
    const int64_t given = known(index), at = given < 0 ? given + count : given;
    if (at < 0 || at >= count) fault("an index is out of range");
    return list[static_cast<size_t>(at)];
}

// How many iterations a loop over two lists has.
template <typename First, typename Second>
inline int64_t zipped(const First& first, const Second& second, const Truth& is_strict) {
    const int64_t one = known(size(first)), other = known(size(second));
    if (known(is_strict) && one != other) fault("zip() of lists of different lengths");
    return one < other ? one : other;
}

// Facts of results ----------------------------------------------------------------------------------------------

// Strides of a tensor without gaps; `place(i)` is its i-th dimension from the innermost one.
template <typename Place>
inline Shape dense_strides(const Shape& shape, Place place) {
    Shape strides = shape;
    Int stride = 1;
    for (int64_t i = 0; i < shape.count(); ++i) {
        const Int& size = shape[place(i)];
        strides[place(i)] = stride;
        if (i + 1 < shape.count()) stride = stride * (size.unknown ? size : max(1, size));
    }
    return strides;
}

inline Shape dense_strides(const Shape& shape) {
    return dense_strides(shape, [&](int64_t i) { return shape.count() - 1 - i; });
}

inline Tensor dense(const Shape& shape, const Dtype& dtype) { return {dtype, shape, dense_strides(shape), ""}; }

inline Tensor strided(const Shape& shape, const Shape& strides, const Dtype& dtype) { return {dtype, shape, strides, ""}; }

// Whether the elements fill their memory, in any order of the dimensions; as PyTorch has it, of empty tensors too.
inline bool is_without_gaps(const Shape& shape, const Shape& strides) {
    if (is_proven(strides == dense_strides(shape))) return true;  // most are, and nothing is allocated
    std::vector<bool> used(static_cast<size_t>(shape.count()));
    int64_t left = 0;
    for (int64_t i = 0; i < shape.count(); ++i) {
        if (shape[i].value == 0) return true;
        left += shape[i].value >= 2;
    }
    for (Int expected = 1; left > 0; --left) {
        int64_t next = -1;
        for (int64_t i = 0; i < shape.count() && next < 0; ++i) {
            if (!used[static_cast<size_t>(i)] && shape[i].value >= 2 && strides[i].value == expected.value) next = i;
        }
        if (next < 0) return false;
        used[static_cast<size_t>(next)] = true;
        if (left > 1) expected = expected * shape[next];
    }
    return true;
}

// The strides of torch.empty_like: PyTorch's own sort where there are gaps. One unknown number makes all unknown.
inline Shape like_strides(const Tensor& tensor) {
    const Shape &shape = tensor.shape, &strides = tensor.strides;
    for (const Shape* numbers : {&shape, &strides}) {
        for (int64_t i = 0; i < numbers->count(); ++i) {
            if (!(*numbers)[i].unknown) continue;
            Shape all;
            for (int64_t dim = 0; dim < shape.count(); ++dim) all.push((*numbers)[i]);
            return all;
        }
    }
    if (is_without_gaps(shape, strides)) return strides;
    std::vector<int64_t> order;
    for (int64_t dim = shape.count() - 1; dim >= 0; --dim) order.push_back(dim);
    for (size_t i = 1; i < order.size(); ++i) {
        for (size_t at = i, other = i; other-- > 0;) {
            const int64_t first = order[other], second = order[at];
            const int64_t a = strides[first].value, b = strides[second].value;
            if (a == 0 || b == 0) continue;  // a repeated dimension keeps its place
            if (a < b) break;
            if (a > b || shape[first].value > shape[second].value) {
                std::swap(order[other], order[at]);
                at = other;
            }
        }
    }
    return dense_strides(shape, [&](int64_t i) { return order[static_cast<size_t>(i)]; });
}

inline Tensor like(const Tensor& tensor, const Dtype& dtype) { return {dtype, tensor.shape, like_strides(tensor), ""}; }

inline Int ndim(const Tensor& tensor) { return tensor.shape.count(); }
inline Int numel(const Tensor& tensor) { return prod(tensor.shape); }

}  // namespace opwright::host
