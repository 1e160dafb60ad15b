// Tensors that point: positions and slots, int32 or int64, of any strides.
//
// In: a tensor of a call. Out: its integers one by one. One that points nowhere is thrown, with its place: operators ask
// for that before they write anything.
#pragma once

#include <stdexcept>
#include <string>

#include "opwright/plan.h"

namespace opwright {

class Indices {
   public:
    explicit Indices(const DLTensor& tensor) : tensor_(tensor), count_(elements(tensor)) {}

    int64_t count() const { return count_; }

    int64_t operator[](int64_t i) const {
        int64_t offset = 0;
        for (int32_t dim = tensor_.ndim - 1; dim >= 0; --dim) {
            offset += i % tensor_.shape[dim] * tensor_.strides[dim];
            i /= tensor_.shape[dim];
        }
        if (tensor_.dtype.bits == 32) return static_cast<const int32_t*>(tensor_.data)[offset];
        return static_cast<const int64_t*>(tensor_.data)[offset];
    }

    // Throws unless all are from `least` to `end`: "position 9 of token 3 is not among the 8 of cos_sin_cache".
    void require(int64_t least, int64_t end, const char* what, const char* of) const {
        for (int64_t i = 0; i < count_; ++i) {
            const int64_t index = (*this)[i];
            if (index >= least && index < end) continue;
            throw std::out_of_range(std::string(what) + " " + std::to_string(index) + " of token " + std::to_string(i) +
                                    " is not among the " + std::to_string(end) + " of " + of);
        }
    }

   private:
    const DLTensor& tensor_;
    const int64_t count_;
};

}  // namespace opwright
