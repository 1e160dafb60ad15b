// Runs a compiled `infer` on many calls that are given as numbers, and writes what comes out as lines.
//
// A call: for each argument the place of its words behind the call's first one. A value that may be absent has one word
// more in front: whether it is given. A tensor: rank, code, bits, device, sizes, strides; a text: its place in `texts`;
// a list: its length, and its entries; a scalar: its kind and its number; a generator: two numbers. An unknown number is kUnknown plus the dimension that is unknown.
#pragma once

#include <cstring>
#include <string>

#include "opwright/host.h"

namespace driver {

using namespace opwright;

constexpr int64_t kUnknown = INT64_MIN;

class Arguments {
   public:
    Arguments(const int64_t* call, const char* const* texts) : call_(call), texts_(texts) {}

    template <typename T>
    T get(int i) const {
        const int64_t* at = call_ + call_[i];
        T made{};
        read(at, i, made);
        return made;
    }

   private:
    static host::Int number(int64_t word, int i) {
        if (word >= kUnknown + 64) return word;
        return host::Int::unknown_of(host::origin(i, static_cast<int32_t>(word - kUnknown)));
    }

    void read(const int64_t*& at, int i, host::Int& made) const { made = number(*at++, i); }
    void read(const int64_t*& at, int, double& made) const { std::memcpy(&made, at++, sizeof made); }
    void read(const int64_t*& at, int, host::Truth& made) const { made = *at++ != 0; }
    void read(const int64_t*& at, int, host::Text& made) const { made = texts_[*at++]; }
    void read(const int64_t*& at, int, host::Dtype& made) const {
        made.code = static_cast<uint8_t>(*at++);
        made.bits = static_cast<uint8_t>(*at++);
    }
    void read(const int64_t*& at, int i, host::Shape& made) const {
        for (int64_t count = *at++; count > 0; --count) made.push(number(*at++, i));
    }
    void read(const int64_t*& at, int i, host::Tensor& made) const {
        const int64_t rank = *at++;
        read(at, i, made.dtype);
        read(at, i, made.device);
        for (int64_t dim = 0; dim < rank; ++dim) made.shape.push(number(*at++, i));
        for (int64_t dim = 0; dim < rank; ++dim) made.strides.push(number(*at++, i));
    }
    template <typename T>
    void read(const int64_t*& at, int i, std::vector<T>& made) const {
        for (int64_t count = *at++; count > 0; --count) read(at, i, made.emplace_back());
    }
    void read(const int64_t*& at, int i, host::Scalar& made) const {
        made.kind = static_cast<host::Scalar::Kind>(*at++);
        made.kind == host::Scalar::kFloat ? read(at, i, made.number) : read(at, i, made.integer);
    }
    void read(const int64_t*& at, int, host::Generator& made) const {
        made.seed = *at++;
        made.offset = *at++;
    }
    template <typename T>
    void read(const int64_t*& at, int i, host::Optional<T>& made) const {
        made.is_given = *at++ != 0;
        if (made.is_given) read(at, i, made.value);
    }

    const int64_t* call_;
    const char* const* texts_;
};

template <typename Infer>
const char* run(const int64_t* calls, int64_t count, const char* const* texts, const char* const* names, int results,
                Infer infer) {
    static std::string lines;
    lines.clear();
    for (int64_t i = 0; i < count; ++i) {
        host::Tensor made[4];
        host::Text text;
        const Arguments given(calls + calls[i], texts);
        const host::Code code = host::guarded(names, text, [&] { infer(given, made); });
        lines += std::to_string(code) + " ";
        if (code == host::kTaken) {
            for (int one = 0; one < results; ++one) {
                lines += host::shown(made[one].dtype) + host::listed(made[one].shape) + host::listed(made[one].strides);
            }
        } else if (code != host::kFault) {  // Python words it otherwise
            lines += text;
        }
        lines += '\n';
    }
    return lines.c_str();
}

// Runs infer, and launch where it takes the call.
template <typename Infer, typename Launch>
const char* run_launch(const int64_t* calls, int64_t count, const char* const* texts, const char* const* names,
                       const host::Soc& soc, Infer infer, Launch launch) {
    static std::string lines;
    lines.clear();
    for (int64_t i = 0; i < count; ++i) {
        host::Tensor made[4];
        host::Text text;
        host::Launch found;
        const Arguments given(calls + calls[i], texts);
        const host::Code code = host::guarded(names, text, [&] {
            infer(given, made);
            found = launch(given, made, soc);
        });
        lines += std::to_string(code) + " ";
        if (code == host::kTaken) {
            lines += found.kernel + " " + std::to_string(found.blocks) + host::listed(found.arguments);
            lines += std::to_string(found.workspace);
        } else if (code != host::kFault) {
            lines += text;
        }
        lines += '\n';
    }
    return lines.c_str();
}

}  // namespace driver

#define HOST_LAUNCH(name)                                                                                        \
    extern "C" const char* launch_##name(const int64_t* calls, int64_t count, const char* const* texts,          \
                                         const char* soc, const int64_t* numbers) {                              \
        using namespace opwright::host_functions::name;                                                          \
        const opwright::host::Soc made{soc, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};         \
        return driver::run_launch(                                                                               \
            calls, count, texts, kArguments, made,                                                               \
            [](const auto& given, opwright::host::Tensor* results) { infer_from(given, results); },              \
            [](const auto& given, const opwright::host::Tensor* results, const opwright::host::Soc& one) {       \
                return launch_from(given, results, one);                                                         \
            });                                                                                                  \
    }

#define HOST_RUN(name)                                                                                              \
    extern "C" const char* run_##name(const int64_t* calls, int64_t count, const char* const* texts) {              \
        using namespace opwright::host_functions::name;                                                             \
        return driver::run(calls, count, texts, kArguments, kResults,                                               \
                           [](const auto& given, opwright::host::Tensor* results) { infer_from(given, results); }); \
    }
