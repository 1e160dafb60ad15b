// The arguments of one call: from the dispatcher's stack to the values of the C ABI.
//
// In: what an operator's table says of its arguments, and a stack of which this call owns everything. Out: values that
// live as long as this object. At its end the stack's contents are given back, unless another operator has them.
#pragma once

#include <cstring>
#include <vector>

#include "dtypes.h"
#include "opwright/abi.h"
#include "scratch.h"
#include "shim.h"

namespace opwright::torch_adapter {

// One argument of a form. Those behind the operator's own are tensors that its results are written into.
struct Parameter {
    int32_t kind;
    uint32_t flags;          // of the table; a result's tensor is written, too
    bool is_output = false;  // a result is written into it

    bool has(uint32_t flag) const { return (flags & flag) != 0; }
};

inline DLTensor describe(AtenTensorHandle handle, bool is_written) {
    // The dispatcher calls what is registered for the CPU only if all tensors are there.
    DLTensor tensor{};
    tensor.device = {1, 0};
    int64_t dimensions = 0;
    int32_t dtype = 0;
    require(aoti_torch_get_dim(handle, &dimensions));
    require(aoti_torch_get_dtype(handle, &dtype));
    require(aoti_torch_get_sizes(handle, &tensor.shape));
    require(aoti_torch_get_strides(handle, &tensor.strides));
    tensor.ndim = static_cast<int32_t>(dimensions);
    tensor.dtype = types().dtype(dtype);
    if (is_written) {
        require(torch_get_mutable_data_ptr(handle, &tensor.data));
    } else {
        const void* data = nullptr;
        require(torch_get_const_data_ptr(handle, &data));
        tensor.data = const_cast<void*>(data);
    }
    return tensor;
}

class Arguments {
   public:
    Arguments(const std::vector<Parameter>& parameters, StableIValue* stack, Scratch& scratch)
        : parameters_(parameters), stack_(stack), scratch_(scratch) {}
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    ~Arguments() { release(); }

    // Gives back what the stack holds.
    void release() {
        while (texts_ > 0) torch_delete_string(kept_[--texts_]);
        for (size_t i = 0; !is_gone_ && i < parameters_.size(); ++i) release(parameters_[i], stack_[i]);
        is_gone_ = true;
    }

    void read() {
        values_ = scratch_.take<OpwrightValue>(parameters_.size());
        for (size_t i = 0; i < parameters_.size(); ++i) read(parameters_[i], stack_[i], values_[i]);
    }

    const OpwrightValue* values() const { return values_; }

    // The stack goes to another operator, which takes what it holds, but for texts, of which it gets the addresses.
    void leave_stack() {
        kept_ = scratch_.take<StringHandle>(parameters_.size());
        for (size_t i = 0; i < parameters_.size(); ++i) {
            if (parameters_[i].kind != OPWRIGHT_TEXT || values_[i].kind == OPWRIGHT_NONE) continue;
            kept_[texts_++] = reinterpret_cast<StringHandle>(unboxed(parameters_[i], stack_[i]));
        }
        is_gone_ = true;
    }

   private:
    static StableIValue unboxed(const Parameter& parameter, StableIValue value) {
        return parameter.has(OPWRIGHT_IS_OPTIONAL) ? *reinterpret_cast<StableIValue*>(value) : value;
    }

    void read(const Parameter& parameter, StableIValue value, OpwrightValue& out) {
        out.kind = OPWRIGHT_NONE;
        out.reserved = 0;
        out.count = 0;
        if (parameter.has(OPWRIGHT_IS_OPTIONAL)) {
            if (value == 0) return;
            value = unboxed(parameter, value);
        }
        out.kind = parameter.kind;
        switch (parameter.kind) {
            case OPWRIGHT_TENSOR: out.held.tensor = tensor(parameter, handle_of(value)); break;
            case OPWRIGHT_INTEGER: std::memcpy(&out.held.integer, &value, 8); break;
            case OPWRIGHT_NUMBER: std::memcpy(&out.held.number, &value, 8); break;
            case OPWRIGHT_BOOL: out.held.integer = (value & 0xFF) != 0; break;
            case OPWRIGHT_TEXT: {
                size_t length = 0;
                const auto text = reinterpret_cast<StringHandle>(value);
                require(torch_string_length(text, &length));
                require(torch_string_c_str(text, &out.held.text));
                out.count = static_cast<int64_t>(length);
                break;
            }
            case OPWRIGHT_DTYPE: out.held.dtype = types().dtype(static_cast<int32_t>(value)); break;
            case OPWRIGHT_DEVICE: out.held.device = types().device(value); break;
            default: read_list(parameter, reinterpret_cast<StableListHandle>(value), out);
        }
    }

    void read_list(const Parameter& parameter, StableListHandle list, OpwrightValue& out) {
        size_t size = 0;
        require(torch_list_size(list, &size));
        out.count = static_cast<int64_t>(size);
        switch (parameter.kind) {
            case OPWRIGHT_TENSORS: {
                auto* tensors = scratch_.take<const DLTensor*>(size);
                each(list, size, [&](size_t i, StableIValue item) { tensors[i] = entry(parameter, item); });
                out.held.tensors = tensors;
                break;
            }
            case OPWRIGHT_INTEGERS: {
                auto* integers = scratch_.take<int64_t>(size);
                each(list, size, [&](size_t i, StableIValue item) { std::memcpy(&integers[i], &item, 8); });
                out.held.integers = integers;
                break;
            }
            case OPWRIGHT_NUMBERS: {
                auto* numbers = scratch_.take<double>(size);
                each(list, size, [&](size_t i, StableIValue item) { std::memcpy(&numbers[i], &item, 8); });
                out.held.numbers = numbers;
                break;
            }
            default: {
                auto* bools = scratch_.take<uint8_t>(size);
                each(list, size, [&](size_t i, StableIValue item) { bools[i] = (item & 0xFF) != 0; });
                out.held.bools = bools;
            }
        }
    }

    const DLTensor* tensor(const Parameter& parameter, AtenTensorHandle handle) {
        auto* made = scratch_.take<DLTensor>(1);
        *made = describe(handle, parameter.has(OPWRIGHT_IS_WRITTEN));
        return made;
    }

    const DLTensor* entry(const Parameter& parameter, StableIValue item) {
        if (!parameter.has(OPWRIGHT_HAS_OPTIONAL_ENTRIES)) return tensor(parameter, handle_of(item));
        return item == 0 ? nullptr : tensor(parameter, handle_of(*reinterpret_cast<StableIValue*>(item)));
    }

    template <typename Work>
    static void each(StableListHandle list, size_t size, Work work) {
        for (size_t i = 0; i < size; ++i) {
            StableIValue item = 0;
            require(torch_list_get_item(list, i, &item));
            work(i, item);
        }
    }

    // Takes the value out of its box, if it has one; false if it is absent.
    static bool unbox(bool is_boxed, StableIValue& value) {
        if (!is_boxed) return true;
        if (value == 0) return false;
        auto* box = reinterpret_cast<StableIValue*>(value);
        value = *box;
        delete_box(box);
        return true;
    }

    static void release(const Parameter& parameter, StableIValue value) {
        if (!unbox(parameter.has(OPWRIGHT_IS_OPTIONAL), value)) return;
        switch (parameter.kind) {
            case OPWRIGHT_TENSOR: aoti_torch_delete_tensor_object(handle_of(value)); break;
            case OPWRIGHT_TEXT: torch_delete_string(reinterpret_cast<StringHandle>(value)); break;
            case OPWRIGHT_TENSORS: {
                const auto list = reinterpret_cast<StableListHandle>(value);
                size_t size = 0;
                torch_list_size(list, &size);
                for (size_t i = 0; i < size; ++i) {
                    StableIValue item = 0;
                    torch_list_get_item(list, i, &item);
                    if (!unbox(parameter.has(OPWRIGHT_HAS_OPTIONAL_ENTRIES), item)) continue;
                    aoti_torch_delete_tensor_object(handle_of(item));
                }
                torch_delete_list(list);
                break;
            }
            case OPWRIGHT_INTEGERS:
            case OPWRIGHT_NUMBERS:
            case OPWRIGHT_BOOLS: torch_delete_list(reinterpret_cast<StableListHandle>(value)); break;
            default: break;
        }
    }

    const std::vector<Parameter>& parameters_;
    StableIValue* stack_;
    Scratch& scratch_;
    OpwrightValue* values_ = nullptr;
    StringHandle* kept_ = nullptr;
    size_t texts_ = 0;
    bool is_gone_ = false;
};

}  // namespace opwright::torch_adapter
