// Whether tensors share memory, element by element: views of one buffer that only interleave do not.
//
// In: tensors as DLPack has them, with memory. Out: an answer, in a time that does not depend on their sizes, or
// kUndecided, which a caller takes for a yes. The bytes of a tensor are the sums of one multiple of each stride, so two
// tensors meet if such multiples, bounded by the sizes, add up to the distance of their ends. Neighbouring strides
// without gaps become one; then the largest stride leaves few multiples to try. frameworks/torch/memory.py is the same
// in Python, with the same answers. Nothing is allocated.
#ifndef OPWRIGHT_MEMORY_H_
#define OPWRIGHT_MEMORY_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "opwright/abi.h"

namespace opwright {

enum Meeting { kApart = 0, kMeet = 1, kUndecided = 2 };

namespace memory {

constexpr int kMostTries = 256;
constexpr int kMostTerms = 2 * (OPWRIGHT_MAX_DIMS + 1);

// A stride in bytes or elements, and how often it may be taken at most.
using Term = std::pair<int64_t, int64_t>;

// Bounded multiples that may add up to a total. A number that does not fit 64 bits makes it undecided.
class Sums {
   public:
    void add(int64_t step, int64_t count) {
        if (step == 0 || count == 0) return;
        if (count_ == kMostTerms) {
            overflows_ = true;
            return;
        }
        terms_[count_++] = {step, count};
    }

    void add_to_total(int64_t step, int64_t count) { total_ = plus(total_, times(step, count)); }

    Meeting solve() {
        join();
        reaches_[count_] = 0;
        divisors_[count_] = 0;
        for (int i = count_ - 1; i >= 0; --i) {
            reaches_[i] = plus(reaches_[i + 1], times(terms_[i].first, terms_[i].second));
            divisors_[i] = std::gcd(divisors_[i + 1], terms_[i].first);
        }
        if (overflows_) return kUndecided;
        return found(0, total_);
    }

   private:
    int64_t times(int64_t a, int64_t b) {
        int64_t result = 0;
        overflows_ |= __builtin_mul_overflow(a, b, &result);
        return result;
    }

    int64_t plus(int64_t a, int64_t b) {
        int64_t result = 0;
        overflows_ |= __builtin_add_overflow(a, b, &result);
        return result;
    }

    // The same sums by fewer terms, the largest stride first: what goes on where smaller ones end is one with them.
    void join() {
        std::sort(terms_, terms_ + count_);
        int joined = 0;
        for (int i = 0; i < count_; ++i) {
            const auto [step, count] = terms_[i];
            if (joined > 0 && step % terms_[joined - 1].first == 0 &&
                step / terms_[joined - 1].first - 1 <= terms_[joined - 1].second) {
                auto& last = terms_[joined - 1];
                last.second = plus(last.second, times(step / last.first, count));
            } else {
                terms_[joined++] = {step, count};
            }
        }
        count_ = joined;
        std::reverse(terms_, terms_ + count_);
    }

    Meeting found(int place, int64_t rest) {
        if (rest == 0) return kMeet;
        if (rest < 0 || rest > reaches_[place] || rest % divisors_[place] != 0) return kApart;
        if (place == count_ - 1) return kMeet;
        const auto [step, count] = terms_[place];
        const int64_t over = rest - reaches_[place + 1];
        const int64_t least = over > 0 ? (over - 1) / step + 1 : 0;
        for (int64_t taken = std::min(count, rest / step); taken >= least; --taken) {
            if (++tries_ > kMostTries) return kUndecided;
            const Meeting answer = found(place + 1, rest - taken * step);
            if (answer != kApart) return answer;
        }
        return kApart;
    }

    Term terms_[kMostTerms];
    int64_t reaches_[kMostTerms + 1];
    int64_t divisors_[kMostTerms + 1];
    int count_ = 0;
    int tries_ = 0;
    int64_t total_ = 0;
    bool overflows_ = false;
};

inline int64_t element_bytes(const DLTensor& tensor) {
    return (static_cast<int64_t>(tensor.dtype.bits) * tensor.dtype.lanes + 7) / 8;
}

inline bool is_empty(const DLTensor& tensor) {
    return std::find(tensor.shape, tensor.shape + tensor.ndim, 0) != tensor.shape + tensor.ndim;
}

// The strides of a tensor in elements, also of one that leaves them out.
inline void strides_of(const DLTensor& tensor, int64_t* strides) {
    uint64_t dense = 1;
    for (int i = tensor.ndim - 1; i >= 0; --i) {
        strides[i] = tensor.strides ? tensor.strides[i] : static_cast<int64_t>(dense);
        dense *= static_cast<uint64_t>(tensor.shape[i]);
    }
}

// The bytes of a tensor as terms. The multiples of the second one count down from its end, those of the first up from
// its start; a stride below 0 is the reverse.
inline void add_bytes(Sums& sums, const DLTensor& tensor, bool is_second) {
    int64_t strides[OPWRIGHT_MAX_DIMS];
    strides_of(tensor, strides);
    const int64_t width = element_bytes(tensor);
    sums.add(1, width - 1);
    if (is_second) sums.add_to_total(1, width - 1);
    for (int i = 0; i < tensor.ndim; ++i) {
        const int64_t step = (strides[i] < 0 ? -strides[i] : strides[i]) * width;
        sums.add(step, tensor.shape[i] - 1);
        if ((strides[i] > 0) == is_second) sums.add_to_total(step, tensor.shape[i] - 1);
    }
}

// The bytes from the first element of a tensor, on one side and the other, which all of its elements lie within.
struct Extent {
    int64_t before = 0, behind = 0;
    bool overflows = false;

    explicit Extent(const DLTensor& tensor) {
        int64_t strides[OPWRIGHT_MAX_DIMS], far = 0;
        strides_of(tensor, strides);
        behind = element_bytes(tensor);
        for (int i = 0; i < tensor.ndim; ++i) {
            overflows |= __builtin_mul_overflow(strides[i], tensor.shape[i] - 1, &far);
            overflows |= __builtin_mul_overflow(far, element_bytes(tensor), &far);
            overflows |= far < 0 ? __builtin_sub_overflow(before, far, &before) : __builtin_add_overflow(behind, far, &behind);
        }
    }
};

// Whether tensors lie apart as a whole, which most do: nothing has to be solved.
inline bool lie_apart(const DLTensor& a, const DLTensor& b, int64_t distance) {
    const Extent first(a), second(b);
    if (first.overflows || second.overflows) return false;
    return distance >= 0 ? distance - first.behind >= second.before : -distance - second.behind >= first.before;
}

}  // namespace memory

// Whether an element of one lies where an element of the other does.
inline Meeting shares_memory(const DLTensor& a, const DLTensor& b) {
    const bool is_elsewhere = a.device.device_type != b.device.device_type || a.device.device_id != b.device.device_id;
    if (is_elsewhere || memory::is_empty(a) || memory::is_empty(b)) return kApart;
    const auto start = [](const DLTensor& tensor) {
        return static_cast<int64_t>(reinterpret_cast<uintptr_t>(tensor.data) + tensor.byte_offset);
    };
    if (memory::lie_apart(a, b, start(b) - start(a))) return kApart;
    memory::Sums sums;
    sums.add_to_total(start(b) - start(a), 1);
    memory::add_bytes(sums, a, false);
    memory::add_bytes(sums, b, true);
    return sums.solve();
}

// Whether two elements of a tensor lie in one place.
inline Meeting overlaps_itself(const DLTensor& tensor) {
    if (memory::is_empty(tensor)) return kApart;
    int64_t strides[OPWRIGHT_MAX_DIMS];
    memory::strides_of(tensor, strides);
    memory::Term terms[OPWRIGHT_MAX_DIMS];
    int count = 0;
    for (int i = 0; i < tensor.ndim; ++i) {
        if (tensor.shape[i] > 1) terms[count++] = {strides[i] < 0 ? -strides[i] : strides[i], tensor.shape[i] - 1};
    }
    std::sort(terms, terms + count);
    // Each stride steps over all that the smaller ones reach, as in every tensor without tricks.
    uint64_t reached = 0;
    int in_order = 0;
    while (in_order < count && static_cast<uint64_t>(terms[in_order].first) > reached) {
        uint64_t far = 0;
        if (__builtin_mul_overflow(terms[in_order].first, terms[in_order].second, &far)) break;
        if (__builtin_add_overflow(reached, far, &reached)) break;
        ++in_order;
    }
    if (in_order == count) return kApart;
    // Two places differ last in some dimension, by one step or more; the smaller ones may differ by anything.
    for (int i = 0; i < count; ++i) {
        memory::Sums sums;
        sums.add_to_total(-terms[i].first, 1);
        sums.add(terms[i].first, terms[i].second - 1);
        for (int j = 0; j < i; ++j) {
            sums.add(terms[j].first, 2 * terms[j].second);
            sums.add_to_total(terms[j].first, terms[j].second);
        }
        const Meeting answer = sums.solve();
        if (answer != kApart) return answer;
    }
    return kApart;
}

}  // namespace opwright

#endif  // OPWRIGHT_MEMORY_H_
