// How results lie beside their input, and runs of elements that lie one behind the other in both.
#pragma once

#include "opwright/plan.h"

namespace opwright {

// Elements of one call: enough to be worth it, few enough to divide among threads.
constexpr int64_t kChunk = 32768;

// Whether the elements fill their memory without gaps, in any order of the dimensions.
inline bool is_dense(const DLTensor& tensor) {
    bool used[kOpwrightMostDimensions] = {};
    int64_t expected = 1;
    for (int32_t found = 0; found < tensor.ndim; ++found) {
        int32_t next = -1;
        for (int32_t i = 0; i < tensor.ndim; ++i) {
            if (used[i]) continue;
            if (tensor.shape[i] == 1 || tensor.strides[i] == expected) {
                next = i;
                break;
            }
        }
        if (next < 0) return false;
        used[next] = true;
        expected *= tensor.shape[next];
    }
    return true;
}

// The strides that torch.empty_like gives: those of a dense tensor as they are, otherwise dense in their order, the
// dimensions compared as PyTorch does. Not for empty tensors.
inline void strides_like(const DLTensor& tensor, int64_t* strides) {
    if (is_dense(tensor)) {
        for (int32_t i = 0; i < tensor.ndim; ++i) strides[i] = tensor.strides[i];
        return;
    }
    int32_t order[kOpwrightMostDimensions];  // the innermost first
    for (int32_t i = 0; i < tensor.ndim; ++i) order[i] = tensor.ndim - 1 - i;
    for (int32_t i = 1; i < tensor.ndim; ++i) {
        for (int32_t at = i, other = i - 1; other >= 0; --other) {
            const int64_t a = tensor.strides[order[other]], b = tensor.strides[order[at]];
            if (a == 0 || b == 0) continue;  // a repeated dimension keeps its place
            if (a < b) break;
            if (a == b && tensor.shape[order[other]] <= tensor.shape[order[at]]) continue;
            const int32_t kept = order[other];
            order[other] = order[at];
            order[at] = kept;
            at = other;
        }
    }
    int64_t stride = 1;
    for (int32_t i = 0; i < tensor.ndim; ++i) {
        strides[order[i]] = stride;
        stride *= tensor.shape[order[i]];
    }
}

// Describes an output as torch.empty_like would, of another dtype.
inline void make_like(DLTensor& output, DLDataType dtype, const DLTensor& input) {
    output.dtype = dtype;
    output.ndim = input.ndim;
    for (int32_t i = 0; i < input.ndim; ++i) output.shape[i] = input.shape[i];
    strides_like(input, output.strides);
}

// Two tensors of one shape, in runs: elements that lie one behind the other in both.
class Runs {
   public:
    Runs(const DLTensor& from, const DLTensor& to) {
        // Outermost first by the stride of the result; where dimensions lie as one they are merged.
        int32_t order[kOpwrightMostDimensions];
        int32_t count = 0;
        for (int32_t i = 0; i < to.ndim; ++i) {
            if (to.shape[i] == 1) continue;
            int32_t at = count++;
            while (at > 0 && to.strides[order[at - 1]] < to.strides[i]) {
                order[at] = order[at - 1];
                --at;
            }
            order[at] = i;
        }
        for (int32_t k = 0; k < count; ++k) {
            const int32_t i = order[k];
            const int32_t last = dimensions_ - 1;
            if (last >= 0 && from_[last] == from.strides[i] * from.shape[i] && to_[last] == to.strides[i] * to.shape[i]) {
                shape_[last] *= to.shape[i];
                from_[last] = from.strides[i];
                to_[last] = to.strides[i];
            } else {
                shape_[dimensions_] = to.shape[i];
                from_[dimensions_] = from.strides[i];
                to_[dimensions_++] = to.strides[i];
            }
        }
        if (dimensions_ == 0) {
            shape_[0] = from_[0] = to_[0] = 1;
            dimensions_ = 1;
        }
    }

    // Whether there are any: otherwise no dimension is innermost in both.
    bool exist() const { return from_[dimensions_ - 1] == 1 && to_[dimensions_ - 1] == 1; }

    int64_t width() const { return shape_[dimensions_ - 1]; }

    int64_t count() const {
        int64_t runs = 1;
        for (int32_t i = 0; i + 1 < dimensions_; ++i) runs *= shape_[i];
        return runs;
    }

    int64_t per_run() const { return (width() + kChunk - 1) / kChunk; }

    void plan(OpwrightCall* call) const {
        call->parts = count() * per_run();
        call->grain = width() >= kChunk ? 1 : kChunk / width();
    }

    // Calls work(first element of the input, of the output, how many) for the parts [begin, end).
    template <typename Work>
    void each(int64_t begin, int64_t end, Work work) const {
        const int64_t per = per_run();
        for (int64_t part = begin; part < end;) {
            const int64_t run = part / per, chunk = part % per;
            const int64_t chunks = end - part < per - chunk ? end - part : per - chunk;
            int64_t from = 0, to = 0, rest = run;
            for (int32_t i = dimensions_ - 2; i >= 0; --i) {
                from += rest % shape_[i] * from_[i];
                to += rest % shape_[i] * to_[i];
                rest /= shape_[i];
            }
            const int64_t first = chunk * kChunk;
            const int64_t last = (chunk + chunks) * kChunk < width() ? (chunk + chunks) * kChunk : width();
            work(from + first, to + first, last - first);
            part += chunks;
        }
    }

   private:
    int32_t dimensions_ = 0;
    int64_t shape_[kOpwrightMostDimensions];
    int64_t from_[kOpwrightMostDimensions];
    int64_t to_[kOpwrightMostDimensions];
};

// Plans an operator that makes one element of another: its output lies as torch.empty_like has it, or as given.
inline int32_t plan_elements(OpwrightCall* call, const DLTensor& input, DLDataType dtype) {
    if (elements(input) == 0) return refuse(call, "there are no elements");
    DLTensor& output = call->output[0];
    if (!call->given) {
        make_like(output, dtype, input);
    } else if (!is(output.dtype, dtype) || !has_shape(output, input.shape, input.ndim)) {
        return refuse(call, "out has another shape or dtype");
    }
    const Runs runs(input, output);
    if (!runs.exist()) return refuse(call, "no dimension lies one element behind the other");
    runs.plan(call);
    return kOpwrightTaken;
}

}  // namespace opwright
