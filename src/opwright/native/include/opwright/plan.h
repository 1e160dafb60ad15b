// What an operator's own C++ is written with: the tensors of a call, dtypes and rows. Loops over floats are in `floats.h`.
//
// An operator has, in a namespace of its name, `const char* plan(OpwrightCall* call)` and
// `void run(const OpwrightCall* call, int64_t begin, int64_t end)`. `infer` has accepted the call, and some result has
// elements. `plan` says in how many parts the work falls, and gives nullptr, or why tensors that lie so cannot be
// walked: dense ones must be. Its entry is generated, see `entry.h`.
#pragma once

#include "opwright/abi.h"
#include "opwright/numbers.h"

namespace opwright {

// Work that is worth a thread, in elements.
constexpr int64_t kGrain = 32768;

inline bool is_given(const OpwrightCall* call, int i) { return call->inputs[i].kind != OPWRIGHT_NONE; }

inline const DLTensor& tensor_of(const OpwrightCall* call, int i) { return *call->inputs[i].held.tensor; }

inline bool is(DLDataType a, DLDataType b) { return a.code == b.code && a.bits == b.bits; }

constexpr DLDataType kFloat16{2, 16, 1}, kBFloat16{4, 16, 1}, kFloat32{2, 32, 1}, kFloat64{2, 64, 1}, kUInt8{1, 8, 1},
    kInt64{0, 64, 1};

inline int64_t elements(const DLTensor& tensor) {
    int64_t count = 1;
    for (int32_t i = 0; i < tensor.ndim; ++i) count *= tensor.shape[i];
    return count;
}

// The length of a row, which is all of the last dimension; a tensor without dimensions is a row of one element.
inline int64_t width_of(const DLTensor& tensor) { return tensor.ndim == 0 ? 1 : tensor.shape[tensor.ndim - 1]; }

constexpr const char* kNoRows = "the last dimension does not lie one element behind the other";

// Where the rows of a tensor begin.
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
    int64_t step() const { return width_of(tensor_) == 1 ? 1 : tensor_.strides[tensor_.ndim - 1]; }

   private:
    const DLTensor& tensor_;
};

// Rows that together are worth a thread.
inline int64_t grain_of_rows(int64_t width) { return width >= kGrain ? 1 : (kGrain + width) / (width > 0 ? width : 1); }

}  // namespace opwright
