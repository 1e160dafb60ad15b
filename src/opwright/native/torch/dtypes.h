// Data types and devices of PyTorch as DLPack has them, and back.
//
// PyTorch's numbers are asked of its C functions by name, once. What they do not name is code 255, which no operator
// takes.
#pragma once

#include <torch/csrc/stable/c/shim.h>

#include "opwright/abi.h"
#include "shim.h"

namespace opwright::torch_adapter {

class Types {
   public:
    Types() {
        for (auto& dtype : dtypes_) dtype = {255, 0, 1};
        know(aoti_torch_dtype_bool(), {6, 8, 1});
        know(aoti_torch_dtype_uint8(), {1, 8, 1});
        know(aoti_torch_dtype_uint16(), {1, 16, 1});
        know(aoti_torch_dtype_uint32(), {1, 32, 1});
        know(aoti_torch_dtype_uint64(), {1, 64, 1});
        know(aoti_torch_dtype_int8(), {0, 8, 1});
        know(aoti_torch_dtype_int16(), {0, 16, 1});
        know(aoti_torch_dtype_int32(), {0, 32, 1});
        know(aoti_torch_dtype_int64(), {0, 64, 1});
        know(aoti_torch_dtype_float16(), {2, 16, 1});
        know(aoti_torch_dtype_float32(), {2, 32, 1});
        know(aoti_torch_dtype_float64(), {2, 64, 1});
        know(aoti_torch_dtype_bfloat16(), {4, 16, 1});
        know(aoti_torch_dtype_complex32(), {5, 32, 1});
        know(aoti_torch_dtype_complex64(), {5, 64, 1});
        know(aoti_torch_dtype_complex128(), {5, 128, 1});
        know(aoti_torch_dtype_float8_e4m3fn(), {10, 8, 1});
        know(aoti_torch_dtype_float8_e4m3fnuz(), {11, 8, 1});
        know(aoti_torch_dtype_float8_e5m2(), {12, 8, 1});
        know(aoti_torch_dtype_float8_e5m2fnuz(), {13, 8, 1});
        if (torch_dtype_float8_e8m0fnu != nullptr) know(torch_dtype_float8_e8m0fnu(), {14, 8, 1});
    }

    DLDataType dtype(int32_t number) const {
        return number >= 0 && number < kNumbers ? dtypes_[number] : DLDataType{255, 0, 1};
    }

    // PyTorch's number, or -1.
    int32_t number(DLDataType wanted) const {
        for (int32_t i = 0; i < kNumbers; ++i) {
            const DLDataType& known = dtypes_[i];
            if (known.code == wanted.code && known.bits == wanted.bits && wanted.code != 255) return i;
        }
        return -1;
    }

    // A device on the stack: its type above its index. One that DLPack does not have is of type 0.
    DLDevice device(StableIValue value) const {
        const auto type = static_cast<int32_t>(value >> 32);
        const auto index = static_cast<int32_t>(value & 0xFFFFFFFF);
        if (type == aoti_torch_device_type_cpu()) return {1, 0};
        if (type == aoti_torch_device_type_cuda()) return {2, index};
        if (type == aoti_torch_device_type_mps()) return {8, index};
        if (type == aoti_torch_device_type_privateuse1()) return {12, index};
        if (type == aoti_torch_device_type_xpu()) return {14, index};
        return {0, index};
    }

   private:
    void know(int32_t number, DLDataType dtype) {
        if (number >= 0 && number < kNumbers) dtypes_[number] = dtype;
    }

    static constexpr int32_t kNumbers = 128;
    DLDataType dtypes_[kNumbers];
};

inline const Types& types() {
    static const Types known;
    return known;
}

}  // namespace opwright::torch_adapter
