#include "entry_checks.h"

namespace opwright::entry {
namespace {

using host::Text;

// More than any machine addresses: what an operator multiplies below it stays within 64 bits.
constexpr int64_t kMostBytes = int64_t{1} << 52;

Text kind_text(int32_t kind) {
    static const char* const kWords[] = {"None",     "a tensor", "an integer",  "a number",           "a bool",
                                         "a text",   "a dtype",  "a device",    "a generator",        "a list of tensors",
                                         "a list of integers",   "a list of numbers", "a list of bools", "a scalar"};
    if (kind >= 0 && kind <= OPWRIGHT_SCALAR) return kWords[kind];
    return "a value of kind " + std::to_string(kind);
}

using Name = const char*;  // a text is made of it only where something is refused

Name output_name(const OpwrightOperator& entry, int32_t i) {
    static const char* const kNames[] = {"out0", "out1", "out2", "out3", "out4", "out5", "out6", "out7", "out8", "out9"};
    return entry.result_count == 1 ? "out" : i < 10 ? kNames[i] : "an output";
}

int32_t check_tensor(Name name, const DLTensor* tensor, bool has_memory, OpwrightError* error) {
    if (tensor == nullptr) return refuse(error, OPWRIGHT_BAD_CALL, Text(name) + " is a null pointer");
    if (tensor->ndim < 0 || tensor->ndim > OPWRIGHT_MAX_DIMS) {
        return refuse(error, OPWRIGHT_BAD_VALUE,
                      Text(name) + " has " + std::to_string(tensor->ndim) + " dimensions, but 0 to 64 are possible");
    }
    if (tensor->ndim > 0 && tensor->shape == nullptr) return refuse(error, OPWRIGHT_BAD_CALL, Text(name) + " has no shape");
    int64_t elements = 1;
    bool is_empty = false, is_too_large = false;
    for (int32_t dim = 0; dim < tensor->ndim; ++dim) {
        const int64_t size = tensor->shape[dim];
        const bool is_unknown = size == OPWRIGHT_UNKNOWN || (tensor->strides && tensor->strides[dim] == OPWRIGHT_UNKNOWN);
        if (is_unknown && has_memory) {
            return refuse(error, OPWRIGHT_BAD_CALL, Text(name) + " has an unknown dimension, which is for infer only");
        }
        if (size < 0 && size != OPWRIGHT_UNKNOWN) {
            return refuse(error, OPWRIGHT_BAD_VALUE,
                          Text(name) + " has the size " + std::to_string(size) + " at dimension " + std::to_string(dim));
        }
        is_empty |= size == 0;
        if (size > 0) is_too_large |= __builtin_mul_overflow(elements, size, &elements);
    }
    if (is_too_large && !is_empty) return refuse(error, OPWRIGHT_BAD_VALUE, Text(name) + " has more elements than 64 bits count");
    return OPWRIGHT_OK;
}

template <typename T>
int32_t check_list(Name name, const T* items, int64_t count, OpwrightError* error) {
    if (count < 0) return refuse(error, OPWRIGHT_BAD_CALL, Text(name) + " has the count " + std::to_string(count));
    if (count > 0 && items == nullptr) return refuse(error, OPWRIGHT_BAD_CALL, Text(name) + " is a null pointer");
    return OPWRIGHT_OK;
}

bool is_of_kind(const OpwrightArgument& argument, int32_t kind) {
    if (kind == OPWRIGHT_NONE) return argument.flags & OPWRIGHT_IS_OPTIONAL;
    if (argument.kind != OPWRIGHT_SCALAR) return kind == argument.kind;
    return kind == OPWRIGHT_INTEGER || kind == OPWRIGHT_NUMBER || kind == OPWRIGHT_BOOL;
}

int32_t check_value(const OpwrightArgument& argument, const OpwrightValue& value, bool has_memory, OpwrightError* error) {
    if (!is_of_kind(argument, value.kind)) {
        const Text wanted = kind_text(argument.kind) + (argument.flags & OPWRIGHT_IS_OPTIONAL ? " or None" : "");
        return refuse(error, OPWRIGHT_BAD_TYPE,
                      Text(argument.name) + " must be " + wanted + ", not " + kind_text(value.kind));
    }
    switch (value.kind) {
        case OPWRIGHT_TENSOR: return check_tensor(argument.name, value.held.tensor, has_memory, error);
        case OPWRIGHT_TEXT: return check_list(argument.name, value.held.text, value.count, error);
        case OPWRIGHT_GENERATOR: return check_list(argument.name, value.held.generator, 2, error);
        case OPWRIGHT_INTEGERS: return check_list(argument.name, value.held.integers, value.count, error);
        case OPWRIGHT_NUMBERS: return check_list(argument.name, value.held.numbers, value.count, error);
        case OPWRIGHT_BOOLS: return check_list(argument.name, value.held.bools, value.count, error);
        case OPWRIGHT_TENSORS: {
            int32_t code = check_list(argument.name, value.held.tensors, value.count, error);
            for (int64_t k = 0; k < value.count && code == OPWRIGHT_OK; ++k) {
                const Text name = Text(argument.name) + "[" + std::to_string(k) + "]";
                code = check_tensor(name.c_str(), value.held.tensors[k], has_memory, error);
            }
            return code;
        }
        default: return OPWRIGHT_OK;
    }
}

// Whether one tensor, whose sizes were checked, lies in this machine's memory.
int32_t check_place(Name name, const DLTensor& tensor, OpwrightError* error) {
    if (tensor.device.device_type != 1) {
        return refuse(error, OPWRIGHT_BAD_VALUE, Text(name) + " is on " + device_text(tensor.device) + ", but must be on the CPU");
    }
    if (tensor.dtype.bits % 8 != 0 || tensor.dtype.bits == 0) {
        return refuse(error, OPWRIGHT_NOT_SUPPORTED,
                      Text(name) + " has elements of " + std::to_string(tensor.dtype.bits) + " bits, which is no number of bytes");
    }
    const int64_t elements = elements_of(tensor), bytes = bytes_of(tensor.dtype);
    if (elements == 0) return OPWRIGHT_OK;
    if (tensor.data == nullptr) return refuse(error, OPWRIGHT_BAD_CALL, Text(name) + " has no data");
    int64_t reach = elements;  // no division here: each would take as long as all the rest
    bool is_too_large = elements > kMostBytes;
    for (int32_t dim = 0; dim < tensor.ndim && tensor.strides != nullptr && !is_too_large; ++dim) {
        const int64_t steps = tensor.shape[dim] - 1;
        if (steps == 0) continue;
        int64_t far = 0;
        is_too_large = __builtin_mul_overflow(tensor.strides[dim], steps, &far) || far <= -kMostBytes || far >= kMostBytes;
        if (!is_too_large) reach += far < 0 ? -far : far;
        is_too_large = is_too_large || reach > kMostBytes;
    }
    is_too_large = is_too_large || __builtin_mul_overflow(reach, bytes, &reach) || reach > kMostBytes;
    if (is_too_large) return refuse(error, OPWRIGHT_BAD_VALUE, Text(name) + " spans more memory than a machine has");
    return OPWRIGHT_OK;
}

}  // namespace

bool is_too_small(const OpwrightError* error) { return error != nullptr && error->struct_size < sizeof(OpwrightError); }

int64_t elements_of(const DLTensor& tensor) {
    int64_t count = 1;
    for (int32_t dim = 0; dim < tensor.ndim; ++dim) {
        if (tensor.shape[dim] == 0) return 0;
    }
    for (int32_t dim = 0; dim < tensor.ndim; ++dim) count *= tensor.shape[dim];
    return count;
}

int64_t bytes_of(DLDataType dtype) { return int64_t{dtype.bits} * (dtype.lanes == 0 ? 1 : dtype.lanes) / 8; }

int32_t refuse(OpwrightError* error, int32_t code, const Text& text) {
    if (error == nullptr) return code;
    error->code = code;
    if (error->text == nullptr || error->capacity == 0) return code;
    const size_t count = text.size() < error->capacity - 1 ? text.size() : static_cast<size_t>(error->capacity - 1);
    std::memcpy(error->text, text.data(), count);
    error->text[count] = 0;
    return code;
}

Text device_text(DLDevice device) {
    static const char* const kNames[] = {"", "cpu", "cuda", "cpu", "opencl", "", "", "vulkan", "mps", "vpi", "cuda", "cpu",
                                         "npu", "cuda", "xpu", "webgpu", "hexagon", "maia"};
    const int32_t type = device.device_type;
    const bool is_known = type > 0 && type < int32_t(sizeof kNames / sizeof *kNames) && *kNames[type];
    const Text name = is_known ? kNames[type] : "device " + std::to_string(type);
    return name == "cpu" ? name : name + ":" + std::to_string(device.device_id);
}

int32_t check_call(const OpwrightOperator& entry, const OpwrightCall* call, OpwrightError* error) {
    if (call == nullptr) return refuse(error, OPWRIGHT_BAD_CALL, "there is no call");
    if (call->struct_size < sizeof(OpwrightCall)) {
        return refuse(error, OPWRIGHT_BAD_CALL,
                      "the call has " + std::to_string(call->struct_size) + " bytes, but at least " +
                          std::to_string(sizeof(OpwrightCall)) + " are needed");
    }
    const int32_t given[] = {call->input_count, call->output_count};
    const int32_t wanted[] = {entry.argument_count, entry.result_count};
    const void* const lists[] = {call->inputs, call->outputs};
    static const char* const kWhat[] = {"arguments", "results"};
    for (int i = 0; i < 2; ++i) {
        if (given[i] != wanted[i]) {
            return refuse(error, OPWRIGHT_BAD_CALL,
                          std::to_string(given[i]) + " " + kWhat[i] + " are given, but there are " + std::to_string(wanted[i]));
        }
        if (wanted[i] > 0 && lists[i] == nullptr) {
            return refuse(error, OPWRIGHT_BAD_CALL, Text("the list of ") + kWhat[i] + " is a null pointer");
        }
    }
    return OPWRIGHT_OK;
}

int32_t check_inputs(const OpwrightOperator& entry, const OpwrightCall* call, bool has_memory, OpwrightError* error) {
    for (int32_t i = 0; i < entry.argument_count; ++i) {
        const int32_t code = check_value(entry.arguments[i], call->inputs[i], has_memory, error);
        if (code != OPWRIGHT_OK) return code;
    }
    return OPWRIGHT_OK;
}

int32_t check_outputs(const OpwrightOperator& entry, const OpwrightCall* call, OpwrightError* error) {
    for (int32_t i = 0; i < entry.result_count; ++i) {
        const int32_t code = check_tensor(output_name(entry, i), &call->outputs[i], true, error);
        if (code != OPWRIGHT_OK) return code;
    }
    return OPWRIGHT_OK;
}

int32_t check_memory(const OpwrightOperator& entry, const OpwrightCall* call, OpwrightError* error) {
    for (int32_t i = 0; i < entry.argument_count; ++i) {
        const OpwrightValue& value = call->inputs[i];
        const int64_t count = value.kind == OPWRIGHT_TENSOR ? 1 : value.kind == OPWRIGHT_TENSORS ? value.count : 0;
        for (int64_t k = 0; k < count; ++k) {
            const DLTensor& tensor = value.kind == OPWRIGHT_TENSOR ? *value.held.tensor : *value.held.tensors[k];
            const int32_t code = check_place(entry.arguments[i].name, tensor, error);
            if (code != OPWRIGHT_OK) return code;
        }
    }
    for (int32_t i = 0; i < entry.result_count; ++i) {
        const int32_t code = check_place(output_name(entry, i), call->outputs[i], error);
        if (code != OPWRIGHT_OK) return code;
    }
    return OPWRIGHT_OK;
}

int32_t check_like(const OpwrightOperator& entry, OpwrightCall* call, const host::Tensor* results, OpwrightError* error) {
    for (int32_t i = 0; i < entry.result_count; ++i) {
        const DLTensor& output = call->outputs[i];
        const host::Dtype dtype{output.dtype.code, output.dtype.bits, output.dtype.lanes};
        if (dtype != results[i].dtype) {
            return refuse(error, OPWRIGHT_BAD_TYPE,
                          Text(output_name(entry, i)) + " must be " + shown(results[i].dtype) + ", not " + shown(dtype));
        }
        bool is_alike = output.ndim == results[i].shape.count();
        for (int32_t dim = 0; dim < output.ndim && is_alike; ++dim) is_alike = output.shape[dim] == results[i].shape[dim].value;
        if (!is_alike) {
            host::Shape shape;
            for (int32_t dim = 0; dim < output.ndim; ++dim) shape.push(output.shape[dim]);
            return refuse(error, OPWRIGHT_BAD_VALUE,
                          Text(output_name(entry, i)) + " must have the shape " + listed(results[i].shape) + ", not " + listed(shape));
        }
        for (int32_t k = 0; k < entry.argument_count; ++k) {  // the first tensor
            if (call->inputs[k].kind != OPWRIGHT_TENSOR) continue;
            const DLDevice device = call->inputs[k].held.tensor->device;
            if (output.device.device_type == device.device_type && output.device.device_id == device.device_id) break;
            const Text here = device_text(output.device), there = device_text(device);
            return refuse(error, OPWRIGHT_BAD_VALUE,
                          Text(output_name(entry, i)) + " is on " + here + ", but " + entry.arguments[k].name + " on " + there);
        }
    }
    return OPWRIGHT_OK;
}

}  // namespace opwright::entry
