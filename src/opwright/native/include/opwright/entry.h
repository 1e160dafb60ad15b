// Behind an operator's entry: what reads the arguments of a call for its compiled `infer`, and what makes `plan` and
// `run` of its own C++ total.
//
// In: a call as any caller hands it over. Out: codes and texts of `abi.h`. What breaks the ABI is refused before it is
// read. A way to compute an operator is its own C++, or its kernels. `plan` of a way gets a call that `infer` has
// accepted, with strides and without offsets; it gives nullptr, or why it cannot walk tensors that lie so. Then they are
// copied: the call has one part, whose `run` works on dense tensors in the workspace. If that is refused, too, the next
// way is asked.
#pragma once

#include "opwright/abi.h"
#include "opwright/host.h"

namespace opwright::entry {

// Gets the results of `infer`, and gives the code of the call.
using Then = int32_t (*)(const OpwrightOperator& entry, OpwrightCall* call, const host::Tensor* results, OpwrightError* error);

// One way to compute an operator. Its `plan` may use all notes but the last.
struct Way {
    const char* (*plan)(OpwrightCall* call);
    void (*run)(const OpwrightCall* call, int64_t begin, int64_t end);
    bool needs_apart;  // no result may lie where an argument does: it is computed elsewhere, and copied
};

// What is generated for one operator: the ways that are asked, in their order.
struct Work {
    const OpwrightOperator& entry;
    int32_t (*inferred)(OpwrightCall* call, OpwrightError* error, Then then);
    const Way* ways;
    int32_t way_count;
};

int32_t infer(const Work& work, OpwrightCall* call, OpwrightError* error) noexcept;
int32_t plan(const Work& work, OpwrightCall* call, OpwrightError* error) noexcept;
int32_t run(const Work& work, const OpwrightCall* call, int64_t begin, int64_t end, OpwrightError* error) noexcept;

// Fills in the error, if there is one, and gives the code.
int32_t refuse(OpwrightError* error, int32_t code, const host::Text& text);

// A device as PyTorch writes it.
host::Text device_text(DLDevice device);

// The arguments of a call whose kinds were checked, as host functions take them.
class Reader {
   public:
    explicit Reader(const OpwrightCall& call) : inputs_(call.inputs) {}

    template <typename T>
    T get(int i) const {
        T made{};
        read(inputs_[i], i, made);
        return made;
    }

    // The facts of a result that has memory.
    static host::Tensor result(const DLTensor& tensor) {
        host::Tensor made;
        read(tensor, 0, made);
        return made;
    }

   private:
    static void read(const OpwrightValue& value, int, host::Int& made) { made = value.held.integer; }
    static void read(const OpwrightValue& value, int, double& made) { made = value.held.number; }
    static void read(const OpwrightValue& value, int, host::Truth& made) { made = value.held.integer != 0; }
    static void read(const OpwrightValue& value, int, host::Text& made) {
        if (value.count > 0) made.assign(value.held.text, static_cast<size_t>(value.count));
    }
    static void read(const OpwrightValue& value, int, host::Dtype& made) { made = dtype(value.held.dtype); }
    static void read(const OpwrightValue& value, int, host::Shape& made) {
        for (int64_t k = 0; k < value.count; ++k) made.push(value.held.integers[k]);
    }
    static void read(const OpwrightValue& value, int i, host::Tensor& made) { read(*value.held.tensor, i, made); }
    static void read(const OpwrightValue& value, int i, host::Tensors& made) {
        made.resize(static_cast<size_t>(value.count));
        for (int64_t k = 0; k < value.count; ++k) read(*value.held.tensors[k], i, made[static_cast<size_t>(k)]);
    }
    template <typename T>
    static void read(const OpwrightValue& value, int i, host::Optional<T>& made) {
        made.is_given = value.kind != OPWRIGHT_NONE;
        if (made.is_given) read(value, i, made.value);
    }
    static void read(const DLTensor& tensor, int i, host::Tensor& made) {
        made.dtype = dtype(tensor.dtype);
        for (int32_t dim = 0; dim < tensor.ndim; ++dim) made.shape.push(number(tensor.shape[dim], i, dim));
        if (tensor.strides == nullptr) {
            made.strides = host::dense_strides(made.shape);
        } else {
            for (int32_t dim = 0; dim < tensor.ndim; ++dim) made.strides.push(number(tensor.strides[dim], i, dim));
        }
        made.device = tensor.device.device_type == 1 ? host::Text("cpu") : device_text(tensor.device);
    }
    static host::Dtype dtype(DLDataType given) { return {given.code, given.bits, given.lanes}; }
    static host::Int number(int64_t given, int i, int32_t dim) {
        return given == OPWRIGHT_UNKNOWN ? host::Int::unknown_of(host::origin(i, dim)) : host::Int(given);
    }

    const OpwrightValue* inputs_;
};

// Runs a compiled `infer` on a call whose arguments were checked.
template <int kResults, typename Infer>
int32_t inferred(const OpwrightOperator& entry, const char* const* names, Infer infer, OpwrightCall* call,
                 OpwrightError* error, Then then) {
    host::Tensor results[kResults == 0 ? 1 : kResults];
    host::Text text;
    int32_t outcome = OPWRIGHT_OK;
    const host::Code code = host::guarded(names, text, [&] {
        infer(Reader(*call), results);
        outcome = then(entry, call, results, error);
    });
    return code == host::kTaken ? outcome : refuse(error, code, text);
}

// Defaults of arguments.
inline OpwrightValue default_none() { return {}; }
inline OpwrightValue default_of(int32_t kind) {
    OpwrightValue made{};
    made.kind = kind;
    return made;
}
inline OpwrightValue default_integer(int32_t kind, int64_t number) {
    OpwrightValue made = default_of(kind);
    made.held.integer = number;
    return made;
}
inline OpwrightValue default_number(double number) {
    OpwrightValue made = default_of(OPWRIGHT_NUMBER);
    made.held.number = number;
    return made;
}
inline OpwrightValue default_text(const char* text, int64_t count) {
    OpwrightValue made = default_of(OPWRIGHT_TEXT);
    made.count = count;
    made.held.text = text;
    return made;
}
inline OpwrightValue default_dtype(uint8_t code, uint8_t bits) {
    OpwrightValue made = default_of(OPWRIGHT_DTYPE);
    made.held.dtype = {code, bits, 1};
    return made;
}
inline OpwrightValue default_integers(const int64_t* numbers, int64_t count) {
    OpwrightValue made = default_of(OPWRIGHT_INTEGERS);
    made.count = count;
    made.held.integers = numbers;
    return made;
}
inline OpwrightValue default_numbers(const double* numbers, int64_t count) {
    OpwrightValue made = default_of(OPWRIGHT_NUMBERS);
    made.count = count;
    made.held.numbers = numbers;
    return made;
}
inline OpwrightValue default_bools(const uint8_t* bools, int64_t count) {
    OpwrightValue made = default_of(OPWRIGHT_BOOLS);
    made.count = count;
    made.held.bools = bools;
    return made;
}

}  // namespace opwright::entry
