// What plans of operators share: dtypes, shapes, rows, and the C++ functions compiled for several instruction sets.
#pragma once

#include "opwright/numbers.h"
#include "opwright/operator.h"

// A function with this is compiled for several instruction sets and chosen when the library is loaded. All give the
// same bits: nothing is contracted.
#if defined(__x86_64__) && !defined(__clang__)
#define OPWRIGHT_CLONES __attribute__((flatten, target_clones("arch=skylake-avx512", "avx2", "default")))
#else
#define OPWRIGHT_CLONES __attribute__((flatten))
#endif

// The entry of an operator: its name, plan and run, found by that name in the library.
#define OPWRIGHT_OPERATOR(name, plan, run)                                                             \
    extern "C" __attribute__((visibility("default"))) const OpwrightOperator opwright_operator_##name; \
    const OpwrightOperator opwright_operator_##name = {sizeof(OpwrightOperator), #name, plan, run}

namespace opwright {

// Work that is worth a thread, in elements.
constexpr int64_t kGrain = 32768;

inline int32_t refuse(OpwrightCall* call, const char* reason) {
    call->reason = reason;
    return kOpwrightRefused;
}

inline bool is(DLDataType a, DLDataType b) { return a.code == b.code && a.bits == b.bits; }

constexpr DLDataType kFloat16{2, 16, 1}, kBFloat16{4, 16, 1}, kFloat32{2, 32, 1}, kFloat64{2, 64, 1}, kUInt8{1, 8, 1},
    kInt64{0, 64, 1};

inline bool is_float(DLDataType dtype) {
    return is(dtype, kFloat16) || is(dtype, kBFloat16) || is(dtype, kFloat32) || is(dtype, kFloat64);
}

inline int64_t elements(const DLTensor& tensor) {
    int64_t count = 1;
    for (int32_t i = 0; i < tensor.ndim; ++i) count *= tensor.shape[i];
    return count;
}

inline bool has_shape(const DLTensor& tensor, const int64_t* shape, int32_t ndim) {
    if (tensor.ndim != ndim) return false;
    for (int32_t i = 0; i < ndim; ++i) {
        if (tensor.shape[i] != shape[i]) return false;
    }
    return true;
}

// Describes an output that lies densely, the last dimension innermost.
inline void make_dense(DLTensor& output, DLDataType dtype, const int64_t* shape, int32_t ndim) {
    output.dtype = dtype;
    output.ndim = ndim;
    int64_t stride = 1;
    for (int32_t i = ndim - 1; i >= 0; --i) {
        output.shape[i] = shape[i];
        output.strides[i] = stride;
        stride *= shape[i] > 1 ? shape[i] : 1;
    }
}

// Where the rows of a tensor begin: a row is all of its last dimension.
class Rows {
   public:
    explicit Rows(const DLTensor& tensor) : tensor_(tensor) {}

    int64_t count() const {
        int64_t rows = 1;
        for (int32_t i = 0; i + 1 < tensor_.ndim; ++i) rows *= tensor_.shape[i];
        return rows;
    }

    // The element, counted from the first, where a row begins.
    int64_t begin(int64_t row) const {
        int64_t offset = 0;
        for (int32_t i = tensor_.ndim - 2; i >= 0; --i) {
            offset += row % tensor_.shape[i] * tensor_.strides[i];
            row /= tensor_.shape[i];
        }
        return offset;
    }

    // How far the elements of a row are apart.
    int64_t step() const { return tensor_.ndim == 0 || tensor_.shape[tensor_.ndim - 1] == 1 ? 1 : tensor_.strides[tensor_.ndim - 1]; }

   private:
    const DLTensor& tensor_;
};

// Rows that together are worth a thread.
inline int64_t grain_of_rows(int64_t width) { return width >= kGrain ? 1 : (kGrain + width) / (width > 0 ? width : 1); }

}  // namespace opwright
