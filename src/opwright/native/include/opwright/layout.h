// Runs of elements that lie one behind the other in two tensors of one shape.
#pragma once

#include "opwright/plan.h"

namespace opwright {

// Elements of one call: enough to be worth it, few enough to divide among threads.
constexpr int64_t kChunk = 32768;

// Two tensors of one shape, in runs: elements that lie one behind the other in both.
class Runs {
   public:
    Runs(const DLTensor& from, const DLTensor& to) {
        // Outermost first by the stride of the result; where dimensions lie as one they are merged.
        int32_t order[OPWRIGHT_MAX_DIMS];
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
    int64_t shape_[OPWRIGHT_MAX_DIMS];
    int64_t from_[OPWRIGHT_MAX_DIMS];
    int64_t to_[OPWRIGHT_MAX_DIMS];
};

// Plans an operator that makes one element of another.
inline const char* plan_elements(OpwrightCall* call, const DLTensor& input) {
    const Runs runs(input, call->outputs[0]);
    if (!runs.exist()) return "no dimension lies one element behind the other";
    runs.plan(call);
    return nullptr;
}

}  // namespace opwright
