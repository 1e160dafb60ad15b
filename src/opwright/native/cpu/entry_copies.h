// Calls whose tensors do not lie as an operator's C++ wants them: pointed to anew, with strides and without offsets, or
// copied to dense memory.
#pragma once

#include <vector>

#include "opwright/entry.h"

namespace opwright::entry {

// How the tensors of a call lie: with strides and without offsets; otherwise, but each element at a multiple of its
// bytes; or not even so.
enum class Place { kPlain, kAligned, kAnywhere };

Place place_of(const OpwrightOperator& entry, const OpwrightCall& call);

// Of a tensor with strides.
bool is_dense(const DLTensor& tensor);

// Whether a result begins where an argument does.
bool is_in_place(const OpwrightOperator& entry, const OpwrightCall& call);

// A call with tensors of its own. Where it copies, tensors that are dense already stay where they are, unless they are
// results that must lie apart from the arguments.
class Moved {
   public:
    // workspace: for the copies; nullptr while a call is planned.
    Moved(const OpwrightOperator& entry, const OpwrightCall& call, bool is_copied, bool needs_apart, char* workspace);
    Moved(const Moved&) = delete;

    OpwrightCall& call() { return call_; }
    uint64_t bytes() const { return bytes_; }  // of the copies
    void copy_in() const;
    void copy_out() const;

   private:
    struct Copy {
        DLTensor tensor, dense;
        bool is_read, is_written;
    };

    const DLTensor* move(const DLTensor& tensor, bool is_read, bool is_written, bool needs_copy);

    OpwrightCall call_;
    bool is_copied_;
    char* workspace_;
    uint64_t bytes_ = 0;
    std::vector<OpwrightValue> values_;
    std::vector<DLTensor> tensors_, outputs_;
    std::vector<const DLTensor*> lists_;
    std::vector<int64_t> strides_;
    std::vector<Copy> copies_;
};

}  // namespace opwright::entry
