// Whether tensors share elements, judged by elements: views of one buffer that only interleave do not.
//
// In: tensors as they lie. Out: an answer, or "perhaps" where the search would take too long.
#pragma once

#include <cstdlib>

#include "opwright/abi.h"

namespace opwright::torch_adapter {

enum class Shared { kNo, kYes, kPerhaps };

inline bool are_the_same(const DLTensor& a, const DLTensor& b) {
    if (a.data != b.data || a.ndim != b.ndim || a.dtype.code != b.dtype.code || a.dtype.bits != b.dtype.bits) return false;
    for (int32_t i = 0; i < a.ndim; ++i) {
        if (a.shape[i] != b.shape[i] || a.strides[i] != b.strides[i]) return false;
    }
    return true;
}

// Two elements lie in one place if the distance of the tensors is made up for by steps along their dimensions. The steps
// are searched from the longest on: what is left must be within reach of the shorter ones.
class Distances {
   public:
    // Of two tensors.
    Distances(const DLTensor& a, const DLTensor& b)
        : below_(b.dtype.bits / 8), above_(a.dtype.bits / 8), is_empty_(!add(a, 1) || !add(b, -1)) {
        finish();
    }

    Shared meet(int64_t distance) {
        if (is_empty_) return Shared::kNo;
        const bool found = search(count_ - 1, distance);
        return found ? Shared::kYes : left_ > 0 ? Shared::kNo : Shared::kPerhaps;
    }

   private:
    // Steps of `stride` bytes: the most of them down and up, and how far they and all shorter ones reach.
    struct Step {
        int64_t stride, most_down, most_up, reach_down, reach_up;
    };

    bool add(const DLTensor& tensor, int sign) {
        const int64_t bytes = tensor.dtype.bits / 8;
        for (int32_t i = 0; i < tensor.ndim; ++i) {
            if (tensor.shape[i] == 0) return false;
            if (tensor.shape[i] == 1 || tensor.strides[i] == 0) continue;
            const int64_t stride = tensor.strides[i] * bytes * sign, length = std::llabs(stride);
            int32_t at = 0;
            while (at < count_ && steps_[at].stride < length) ++at;
            if (at == count_ || steps_[at].stride != length) {
                for (int32_t k = count_; k > at; --k) steps_[k] = steps_[k - 1];
                steps_[at] = {length, 0, 0, 0, 0};
                ++count_;
            }
            (stride > 0 ? steps_[at].most_up : steps_[at].most_down) += tensor.shape[i] - 1;
        }
        return true;
    }

    void finish() {
        int64_t down = 0, up = 0;
        for (int32_t i = 0; i < count_; ++i) {
            down = steps_[i].reach_down = down + steps_[i].most_down * steps_[i].stride;
            up = steps_[i].reach_up = up + steps_[i].most_up * steps_[i].stride;
        }
    }

    // Whether steps up to place `i` bring the distance between two elements to less than one of them is long.
    bool search(int32_t i, int64_t distance) {
        if (--left_ <= 0) return false;
        if (i < 0) return -above_ < distance && distance < below_;
        const Step& step = steps_[i];
        if (distance + step.reach_up <= -above_ || distance - step.reach_down >= below_) return false;
        const int64_t down = i > 0 ? steps_[i - 1].reach_down : 0, up = i > 0 ? steps_[i - 1].reach_up : 0;
        // The fewest steps after which the shorter ones can still bring it near from below.
        int64_t first = -((distance + up + above_ - 1) / step.stride) - 1;
        if (first < -step.most_down) first = -step.most_down;
        for (int64_t taken = first; taken <= step.most_up; ++taken) {
            const int64_t rest = distance + taken * step.stride;
            if (rest - down >= below_) break;
            if (rest + up <= -above_) continue;
            if (search(i - 1, rest)) return true;
            if (left_ <= 0) return false;
        }
        return false;
    }

    Step steps_[2 * OPWRIGHT_MAX_DIMS];
    int32_t count_ = 0;
    int32_t left_ = 2000;
    int64_t below_, above_;
    bool is_empty_;
};

inline Shared share(const DLTensor& a, const DLTensor& b) {
    const auto distance = reinterpret_cast<intptr_t>(a.data) - reinterpret_cast<intptr_t>(b.data);
    return Distances(a, b).meet(distance);
}

// Whether two elements of a tensor may lie in one place.
inline bool overlaps_itself(const DLTensor& tensor) {
    int32_t order[OPWRIGHT_MAX_DIMS];  // of the dimensions that matter, by their strides
    int32_t count = 0;
    for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
        if (tensor.shape[i] == 0) return false;
        if (tensor.shape[i] == 1) continue;
        int32_t place = count++;
        while (place > 0 && tensor.strides[order[place - 1]] > tensor.strides[i]) {
            order[place] = order[place - 1];
            --place;
        }
        order[place] = i;
    }
    int64_t reach = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (tensor.strides[order[i]] <= reach) return true;
        reach += tensor.strides[order[i]] * (tensor.shape[order[i]] - 1);
    }
    return false;
}

}  // namespace opwright::torch_adapter
