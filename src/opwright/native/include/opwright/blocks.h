// Tensors in blocks, each of which has a scale: rows along the last dimension, and groups of rows that share scales.
#pragma once

#include "opwright/layout.h"

namespace opwright {

// A tensor whose last dimension lies one element behind the other, in blocks. `block` has one entry for each dimension,
// -1 for all of it; `scale` has one element for each block.
class Blocks {
   public:
    Blocks(const DLTensor& tensor, const OpwrightValue& block, const DLTensor& scale)
        : tensor_(tensor), scale_(scale), block_(block.held.integers) {}

    static int64_t blocks(int64_t size, int64_t length) { return length == -1 ? 1 : (size + length - 1) / length; }

    int64_t width() const { return width_of(tensor_); }

    // How many elements of a row share a scale.
    int64_t length() const {
        const int64_t length = tensor_.ndim == 0 ? 1 : block_[tensor_.ndim - 1];
        return length == -1 || length > width() ? width() : length;
    }

    // The scales of a row: its first, as an element of the tensor of scales.
    int64_t scale_of_row(int64_t row) const {
        int64_t offset = 0;
        for (int32_t i = tensor_.ndim - 2; i >= 0; --i) {
            const int64_t at = row % tensor_.shape[i];
            offset += (block_[i] == -1 ? 0 : at / block_[i]) * scale_.strides[i];
            row /= tensor_.shape[i];
        }
        return offset;
    }

    // Rows in groups that share their scales: how many groups, and the rows of one.
    int64_t groups() const {
        int64_t count = 1;
        for (int32_t i = 0; i + 1 < tensor_.ndim; ++i) count *= blocks(tensor_.shape[i], block_[i]);
        return count;
    }

    // Calls work(row) for all rows of a group.
    template <typename Work>
    void each_row(int64_t group, Work work) const {
        int64_t first[OPWRIGHT_MAX_DIMS], size[OPWRIGHT_MAX_DIMS];
        int64_t rows = 1;
        for (int32_t i = tensor_.ndim - 2; i >= 0; --i) {
            const int64_t count = blocks(tensor_.shape[i], block_[i]);
            const int64_t length = block_[i] == -1 ? tensor_.shape[i] : block_[i];
            first[i] = group % count * length;
            size[i] = tensor_.shape[i] - first[i] < length ? tensor_.shape[i] - first[i] : length;
            group /= count;
            rows *= size[i];
        }
        for (int64_t k = 0; k < rows; ++k) {
            int64_t row = 0, rest = k, stride = 1;
            for (int32_t i = tensor_.ndim - 2; i >= 0; --i) {
                row += (first[i] + rest % size[i]) * stride;
                rest /= size[i];
                stride *= tensor_.shape[i];
            }
            work(row);
        }
    }

    // Calls work(first element of a row's part, its scale, how many, whether each has a scale of its own).
    template <typename Work>
    void each_part(int64_t begin, int64_t end, Work work) const {
        if (length() == 1) {
            work(begin, begin, end - begin, true);
            return;
        }
        for (int64_t at = begin; at < end;) {
            const int64_t block = at / length();
            const int64_t next = (block + 1) * length() < end ? (block + 1) * length() : end;
            work(at, block, next - at, false);
            at = next;
        }
    }

   private:
    const DLTensor& tensor_;
    const DLTensor& scale_;
    const int64_t* block_;
};

}  // namespace opwright
