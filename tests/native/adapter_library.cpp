// A library of another package, for the tests of the adapter: operators of every kind of argument.
//
// SPACE names the package, FACTOR what its silu_and_mul gives: the same operator of two packages is told apart by it.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <string>

#include "opwright/abi.h"

namespace {

int32_t refuse(OpwrightError* error, int32_t code, const std::string& text) {
    if (error == nullptr) return code;
    error->code = code;
    std::snprintf(error->text, error->capacity, "%s", text.c_str());
    return code;
}

std::string listed(const int64_t* numbers, int64_t count) {
    std::string text = "[";
    for (int64_t i = 0; i < count; ++i) text += (i ? ", " : "") + std::to_string(numbers[i]);
    return text + "]";
}

std::string number(double value) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.3f", value);
    return text;
}

std::string words(const DLTensor& tensor) {
    return std::to_string(tensor.dtype.code) + "/" + std::to_string(tensor.dtype.bits) + listed(tensor.shape, tensor.ndim) +
           listed(tensor.strides, tensor.ndim);
}

std::string words(const OpwrightValue& value) {
    switch (value.kind) {
        case OPWRIGHT_NONE: return "None";
        case OPWRIGHT_TENSOR: return words(*value.held.tensor);
        case OPWRIGHT_INTEGER: return std::to_string(value.held.integer);
        case OPWRIGHT_NUMBER: return number(value.held.number);
        case OPWRIGHT_BOOL: return value.held.integer ? "True" : "False";
        case OPWRIGHT_TEXT: return "'" + std::string(value.held.text, static_cast<size_t>(value.count)) + "'";
        case OPWRIGHT_DTYPE: return std::to_string(value.held.dtype.code) + "/" + std::to_string(value.held.dtype.bits);
        case OPWRIGHT_DEVICE:
            return std::to_string(value.held.device.device_type) + ":" + std::to_string(value.held.device.device_id);
        case OPWRIGHT_INTEGERS: return listed(value.held.integers, value.count);
        default: break;
    }
    std::string text = "[";
    for (int64_t i = 0; i < value.count; ++i) {
        text += i ? ", " : "";
        if (value.kind == OPWRIGHT_NUMBERS) text += number(value.held.numbers[i]);
        if (value.kind == OPWRIGHT_BOOLS) text += value.held.bools[i] ? "True" : "False";
        if (value.kind == OPWRIGHT_TENSORS) text += value.held.tensors[i] ? words(*value.held.tensors[i]) : "None";
    }
    return text + "]";
}

std::string words(const OpwrightCall& call) {
    std::string text;
    for (int32_t i = 0; i < call.input_count; ++i) text += (i ? "; " : "") + words(call.inputs[i]);
    return text;
}

void make_dense(DLTensor& output, DLDataType dtype, const int64_t* shape, int32_t ndim) {
    output.dtype = dtype;
    output.ndim = ndim;
    int64_t stride = 1;
    for (int32_t i = ndim - 1; i >= 0; --i) {
        output.shape[i] = shape[i];
        output.strides[i] = stride;
        stride *= shape[i] > 1 ? shape[i] : 1;
    }
}

int64_t elements(const DLTensor& tensor) {
    int64_t count = 1;
    for (int32_t i = 0; i < tensor.ndim; ++i) count *= tensor.shape[i];
    return count;
}

int32_t one_part(OpwrightCall* call, OpwrightError*) {
    call->parts = call->grain = 1;
    return OPWRIGHT_OK;
}

// everything: its first result is a text of all its arguments, the others are numbers 1 to 5 -------------------------

int32_t infer_everything(OpwrightCall* call, OpwrightError*) {
    const int64_t length = static_cast<int64_t>(words(*call).size()), two = 2;
    make_dense(call->outputs[0], {1, 8, 1}, &length, 1);
    for (int i = 1; i < 6; ++i) make_dense(call->outputs[i], {0, 64, 1}, &two, 1);
    return OPWRIGHT_OK;
}

int32_t run_everything(const OpwrightCall* call, int64_t, int64_t, OpwrightError*) {
    const std::string text = words(*call);
    std::memcpy(call->outputs[0].data, text.data(), text.size());
    for (int64_t i = 1; i < 6; ++i) {
        static_cast<int64_t*>(call->outputs[i].data)[0] = static_cast<int64_t*>(call->outputs[i].data)[1] = i;
    }
    return OPWRIGHT_OK;
}

// copy: any dtype, any strides, through a workspace, in parts; three dimensions it leaves to others --------------------

int32_t infer_copy(OpwrightCall* call, OpwrightError* error) {
    const DLTensor& x = *call->inputs[0].held.tensor;
    if (x.dtype.code == 255) return refuse(error, OPWRIGHT_BAD_TYPE, "x has a dtype without a name here");
    if (x.ndim == 0) return refuse(error, OPWRIGHT_BAD_VALUE, "x must have a dimension");
    if (x.ndim == 3) return refuse(error, OPWRIGHT_NOT_SUPPORTED, "three dimensions are left to others");
    make_dense(call->outputs[0], x.dtype, x.shape, x.ndim);
    return OPWRIGHT_OK;
}

int32_t plan_copy(OpwrightCall* call, OpwrightError* error) {
    const DLTensor &x = *call->inputs[0].held.tensor, &y = call->outputs[0];
    if (!call->has_inferred) {
        if (x.ndim == 0) return refuse(error, OPWRIGHT_BAD_VALUE, "x must have a dimension");
        if (x.ndim == 3) return refuse(error, OPWRIGHT_NOT_SUPPORTED, "three dimensions are left to others");
        if (y.ndim != x.ndim || std::memcmp(y.shape, x.shape, x.ndim * sizeof(int64_t)) != 0) {
            return refuse(error, OPWRIGHT_BAD_VALUE, "another shape");
        }
    }
    call->parts = elements(x);
    call->grain = 64;
    call->workspace_bytes = 100;
    return OPWRIGHT_OK;
}

char* element(const DLTensor& tensor, int64_t place) {
    int64_t offset = 0;
    for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
        offset += place % tensor.shape[i] * tensor.strides[i];
        place /= tensor.shape[i];
    }
    return static_cast<char*>(tensor.data) + offset * (tensor.dtype.bits / 8);
}

int32_t run_copy(const OpwrightCall* call, int64_t begin, int64_t end, OpwrightError* error) {
    const DLTensor& x = *call->inputs[0].held.tensor;
    if (reinterpret_cast<uintptr_t>(call->workspace) % 64 != 0) return refuse(error, OPWRIGHT_FAULT, "not aligned");
    static_cast<char*>(call->workspace)[99] = 1;
    for (int64_t i = begin; i < end; ++i) {
        std::memcpy(element(call->outputs[0], i), element(x, i), x.dtype.bits / 8);
    }
    return OPWRIGHT_OK;
}

// put_rows: writes into an argument; a place out of range is found while it runs -----------------------------------------

int32_t infer_put_rows(OpwrightCall* call, OpwrightError* error) {
    const DLTensor &cache = *call->inputs[0].held.tensor, &rows = *call->inputs[1].held.tensor;
    if (cache.shape[1] == rows.shape[1]) return OPWRIGHT_OK;
    return refuse(error, OPWRIGHT_BAD_VALUE, "rows are not as long as those of cache");
}

int32_t plan_put_rows(OpwrightCall* call, OpwrightError* error) {
    const int32_t code = call->has_inferred ? OPWRIGHT_OK : infer_put_rows(call, error);
    if (code != OPWRIGHT_OK) return code;
    call->parts = call->inputs[1].held.tensor->shape[0];
    call->grain = 1;
    return OPWRIGHT_OK;
}

int32_t run_put_rows(const OpwrightCall* call, int64_t begin, int64_t end, OpwrightError* error) {
    const DLTensor &cache = *call->inputs[0].held.tensor, &rows = *call->inputs[1].held.tensor;
    const auto* places = static_cast<const int64_t*>(call->inputs[2].held.tensor->data);
    for (int64_t i = begin; i < end; ++i) {
        if (places[i] < 0 || places[i] >= cache.shape[0]) {
            return refuse(error, OPWRIGHT_FAULT, "row " + std::to_string(places[i]) + " is out of range");
        }
        for (int64_t k = 0; k < cache.shape[1]; ++k) {
            static_cast<float*>(cache.data)[places[i] * cache.strides[0] + k * cache.strides[1]] =
                static_cast<const float*>(rows.data)[i * rows.strides[0] + k * rows.strides[1]];
        }
    }
    return OPWRIGHT_OK;
}

// silu_and_mul: FACTOR times the first half of each row; it only has to be another one than that of anybody else ------------

int32_t infer_half(OpwrightCall* call, OpwrightError*) {
    const DLTensor& x = *call->inputs[0].held.tensor;
    const int64_t shape[2] = {x.shape[0], x.shape[1] / 2};
    make_dense(call->outputs[0], x.dtype, shape, 2);
    return OPWRIGHT_OK;
}

int32_t run_half(const OpwrightCall* call, int64_t, int64_t, OpwrightError*) {
    const DLTensor &x = *call->inputs[0].held.tensor, &y = call->outputs[0];
    for (int64_t i = 0; i < elements(y); ++i) {
        const int64_t place = i / y.shape[1] * x.shape[1] + i % y.shape[1];
        std::memcpy(element(y, i), element(x, place), sizeof(float));
        *reinterpret_cast<float*>(element(y, i)) *= FACTOR;
    }
    return OPWRIGHT_OK;
}

// The table ----------------------------------------------------------------------------------------------------------------

OpwrightArgument argument(const char* name, int32_t kind, uint32_t flags = 0) { return {name, kind, flags, {}}; }

const OpwrightArgument kEverything[] = {
    argument("x", OPWRIGHT_TENSOR),
    argument("y", OPWRIGHT_TENSOR, OPWRIGHT_IS_OPTIONAL),
    argument("rest", OPWRIGHT_TENSORS),
    argument("holes", OPWRIGHT_TENSORS, OPWRIGHT_HAS_OPTIONAL_ENTRIES),
    argument("a", OPWRIGHT_INTEGER),
    argument("b", OPWRIGHT_INTEGER, OPWRIGHT_IS_OPTIONAL),
    argument("c", OPWRIGHT_NUMBER),
    argument("d", OPWRIGHT_NUMBER, OPWRIGHT_IS_OPTIONAL),
    argument("e", OPWRIGHT_BOOL),
    argument("f", OPWRIGHT_BOOL, OPWRIGHT_IS_OPTIONAL),
    argument("g", OPWRIGHT_TEXT),
    argument("h", OPWRIGHT_TEXT, OPWRIGHT_IS_OPTIONAL),
    argument("i", OPWRIGHT_INTEGERS),
    argument("j", OPWRIGHT_INTEGERS, OPWRIGHT_IS_OPTIONAL),
    argument("k", OPWRIGHT_NUMBERS),
    argument("l", OPWRIGHT_BOOLS),
    argument("m", OPWRIGHT_DTYPE, OPWRIGHT_IS_OPTIONAL),
    argument("n", OPWRIGHT_DEVICE, OPWRIGHT_IS_OPTIONAL),
    argument("o", OPWRIGHT_DTYPE),
};
const OpwrightArgument kX[] = {argument("x", OPWRIGHT_TENSOR)};
const OpwrightArgument kInput[] = {argument("input", OPWRIGHT_TENSOR)};
const OpwrightArgument kPutRows[] = {
    argument("cache", OPWRIGHT_TENSOR, OPWRIGHT_IS_WRITTEN),
    argument("rows", OPWRIGHT_TENSOR),
    argument("places", OPWRIGHT_TENSOR),
};
const OpwrightArgument kRandom[] = {
    argument("x", OPWRIGHT_TENSOR),
    argument("s", OPWRIGHT_SCALAR),
    argument("g", OPWRIGHT_GENERATOR, OPWRIGHT_IS_OPTIONAL),
};

OpwrightOperator provider_of(OpwrightOperator entry, const char* provider) {
    entry.provider = provider;
    return entry;
}

#define OPERATOR(name, schema, arguments, results, infer, plan, run)                                               \
    const OpwrightOperator k_##name = {sizeof(OpwrightOperator), sizeof(OpwrightArgument), SPACE "::" #name,       \
                                       SPACE "::" #name schema,  sizeof(arguments) / sizeof(OpwrightArgument),     \
                                       results,                  arguments,                                        \
                                       infer,                    plan,                                             \
                                       run}

OPERATOR(copy, "(Tensor x) -> Tensor", kX, 1, infer_copy, plan_copy, run_copy);
OPERATOR(everything,
         "(Tensor x, Tensor? y, Tensor[] rest, Tensor?[] holes, int a, int? b, float c, float? d, bool e, bool? f, str g, "
         "str? h, int[] i, int[]? j, float[] k, bool[] l, ScalarType? m, Device? n, ScalarType o) -> "
         "(Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)",
         kEverything, 6, infer_everything, one_part, run_everything);
OPERATOR(put_rows, "(Tensor(a!) cache, Tensor rows, Tensor places) -> ()", kPutRows, 0, infer_put_rows, plan_put_rows,
         run_put_rows);
OPERATOR(by_even, "(Tensor x) -> Tensor", kX, 1, infer_copy, plan_copy, run_copy);
OPERATOR(by_odd, "(Tensor x) -> Tensor", kX, 1, infer_copy, plan_copy, run_copy);

// Two providers: the second takes odd numbers of elements.
const OpwrightOperator kEven = provider_of(k_by_even, "native"), kOdd = provider_of(k_by_odd, "kernel");
const OpwrightOperator* const kBoth[] = {&kEven, &kOdd};

int32_t plan_either(OpwrightCall* call, OpwrightError* error) {
    call->provider = static_cast<int32_t>(elements(call->outputs[0]) % 2);
    return plan_copy(call, error);
}

const OpwrightOperator k_either = {sizeof(OpwrightOperator), sizeof(OpwrightArgument), SPACE "::either",
                                   SPACE "::either(Tensor x) -> Tensor", 1, 1, kX, infer_copy, plan_either, run_copy, "",
                                   2, kBoth};

OPERATOR(random, "(Tensor x, Scalar s, Generator? g=None) -> Tensor", kRandom, 1, infer_copy, plan_copy, run_copy);
OPERATOR(silu_and_mul, "(Tensor input) -> Tensor", kInput, 1, infer_half, one_part, run_half);

const OpwrightOperator* const kOperators[] = {&k_copy, &k_either, &k_everything, &k_put_rows, &k_random, &k_silu_and_mul};

const char* isa() { return "plain"; }
const char* const* isas() {
    static const char* const all[] = {"plain", nullptr};
    return all;
}
int32_t cap_isa(const char* name) { return name[0] == 0 || std::strcmp(name, "plain") == 0; }

const OpwrightLibrary kLibrary = {
    sizeof(OpwrightLibrary), OPWRIGHT_ABI_VERSION, SPACE, "1.0", sizeof(kOperators) / sizeof(kOperators[0]),
    kOperators,              isa,                  isas,  cap_isa};

}  // namespace

extern "C" __attribute__((visibility("default"))) const OpwrightLibrary* opwright_library(void) { return &kLibrary; }
