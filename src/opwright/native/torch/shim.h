// What newer versions of PyTorch's C functions have, where the process has it; and owners of what they give.
#pragma once

#include <torch/csrc/stable/c/shim.h>

#include <stdexcept>

extern "C" {
// Since 2.11. nullptr before.
__attribute__((weak)) int32_t torch_dtype_float8_e8m0fnu();
// Since 2.13. nullptr before.
__attribute__((weak)) AOTITorchError torch_delete_stable_ivalue(StableIValue* value);
}

namespace opwright::torch_adapter {

inline void require(AOTITorchError code) {
    if (code != 0) throw std::runtime_error("PyTorch refused a call of its own C interface");
}

inline AtenTensorHandle handle_of(StableIValue value) { return reinterpret_cast<AtenTensorHandle>(value); }

// Frees what holds the value of an optional argument.
inline void delete_box(StableIValue* box) {
    if (torch_delete_stable_ivalue != nullptr) {
        torch_delete_stable_ivalue(box);
    } else {
        delete box;
    }
}

// A tensor that is deleted, unless it is released to the stack.
class OwnTensor {
   public:
    OwnTensor() = default;
    OwnTensor(const OwnTensor&) = delete;
    OwnTensor& operator=(const OwnTensor&) = delete;
    ~OwnTensor() {
        if (handle != nullptr) aoti_torch_delete_tensor_object(handle);
    }

    AtenTensorHandle handle = nullptr;
};

}  // namespace opwright::torch_adapter
