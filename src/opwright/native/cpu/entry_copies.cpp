#include "entry_copies.h"

#include "entry_checks.h"

namespace opwright::entry {
namespace {

char* data_of(const DLTensor& tensor) { return static_cast<char*>(tensor.data) + (tensor.data ? tensor.byte_offset : 0); }

// Aligned as its elements are in C++; those of a complex number are two.
bool is_aligned(const DLTensor& tensor) {
    const int64_t bytes = bytes_of(tensor.dtype);
    const auto unit = static_cast<uintptr_t>(bytes < 8 ? bytes & -bytes : 8);
    return (reinterpret_cast<uintptr_t>(data_of(tensor)) & (unit - 1)) == 0;
}

Place place_of(const DLTensor& tensor) {
    if (elements_of(tensor) > 0 && !is_aligned(tensor)) return Place::kAnywhere;
    return tensor.byte_offset == 0 && (tensor.strides != nullptr || tensor.ndim == 0) ? Place::kPlain : Place::kAligned;
}

// Calls visit(tensor) for all tensors among the arguments.
template <typename Visit>
void each_input(const OpwrightOperator& entry, const OpwrightCall& call, Visit visit) {
    for (int32_t i = 0; i < entry.argument_count; ++i) {
        const OpwrightValue& value = call.inputs[i];
        if (value.kind == OPWRIGHT_TENSOR) visit(*value.held.tensor);
        for (int64_t k = 0; value.kind == OPWRIGHT_TENSORS && k < value.count; ++k) visit(*value.held.tensors[k]);
    }
}

template <int kBytes>
void copy_row(const char* from, int64_t from_step, char* to, int64_t to_step, int64_t count) {
    for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, kBytes);
}

// Copies all elements between tensors of one shape that share none.
void copy(const DLTensor& from, const DLTensor& to) {
    const int64_t bytes = bytes_of(from.dtype), elements = elements_of(from);
    if (elements == 0) return;
    int32_t order[OPWRIGHT_MAX_DIMS];  // the dimensions of more than one element, outermost first
    int32_t count = 0;
    for (int32_t dim = 0; dim < from.ndim; ++dim) {
        if (from.shape[dim] > 1) order[count++] = dim;
    }
    const int32_t inner = count == 0 ? -1 : order[count - 1];
    const int64_t width = inner < 0 ? 1 : from.shape[inner];
    const int64_t from_step = inner < 0 ? bytes : from.strides[inner] * bytes, to_step = inner < 0 ? bytes : to.strides[inner] * bytes;
    int64_t at[OPWRIGHT_MAX_DIMS] = {};
    const char* source = data_of(from);
    char* target = data_of(to);
    for (int64_t rows = elements / width;; ) {
        if (from_step == bytes && to_step == bytes) {
            std::memcpy(target, source, static_cast<size_t>(width * bytes));
        } else if (bytes == 1) {
            copy_row<1>(source, from_step, target, to_step, width);
        } else if (bytes == 2) {
            copy_row<2>(source, from_step, target, to_step, width);
        } else if (bytes == 4) {
            copy_row<4>(source, from_step, target, to_step, width);
        } else if (bytes == 8) {
            copy_row<8>(source, from_step, target, to_step, width);
        } else {
            for (int64_t i = 0; i < width; ++i) {
                std::memcpy(target + i * to_step, source + i * from_step, static_cast<size_t>(bytes));
            }
        }
        if (--rows == 0) return;
        for (int32_t k = count - 2; k >= 0; --k) {
            const int32_t dim = order[k];
            source += from.strides[dim] * bytes;
            target += to.strides[dim] * bytes;
            if (++at[k] < from.shape[dim]) break;
            source -= from.strides[dim] * bytes * from.shape[dim];
            target -= to.strides[dim] * bytes * from.shape[dim];
            at[k] = 0;
        }
    }
}

// Whether a tensor begins where an argument does.
bool is_where_an_input_is(const OpwrightOperator& entry, const OpwrightCall& call, const DLTensor& tensor) {
    bool found = false;
    each_input(entry, call, [&](const DLTensor& input) {
        found = found || (data_of(input) == data_of(tensor) && elements_of(tensor) > 0);
    });
    return found;
}

}  // namespace

bool is_dense(const DLTensor& tensor) {
    int64_t stride = 1;
    for (int32_t dim = tensor.ndim - 1; dim >= 0; --dim) {
        if (tensor.shape[dim] != 1 && tensor.strides[dim] != stride) return false;
        stride *= tensor.shape[dim];
    }
    return true;
}

bool is_in_place(const OpwrightOperator& entry, const OpwrightCall& call) {
    for (int32_t i = 0; i < entry.result_count; ++i) {
        if (is_where_an_input_is(entry, call, call.outputs[i])) return true;
    }
    return false;
}

Place place_of(const OpwrightOperator& entry, const OpwrightCall& call) {
    Place worst = Place::kPlain;
    const auto visit = [&](const DLTensor& tensor) {
        const Place place = place_of(tensor);
        if (place > worst) worst = place;
    };
    each_input(entry, call, visit);
    for (int32_t i = 0; i < entry.result_count; ++i) visit(call.outputs[i]);
    return worst;
}

Moved::Moved(const OpwrightOperator& entry, const OpwrightCall& call, bool is_copied, bool needs_apart, char* workspace)
    : call_(call), is_copied_(is_copied), workspace_(workspace) {
    size_t tensors = 0, dimensions = 0, listed = 0;
    const auto count = [&](const DLTensor& tensor) {
        ++tensors;
        dimensions += 2 * static_cast<size_t>(tensor.ndim);
    };
    each_input(entry, call, count);
    for (int32_t i = 0; i < entry.result_count; ++i) count(call.outputs[i]);
    for (int32_t i = 0; i < entry.argument_count; ++i) {
        if (call.inputs[i].kind == OPWRIGHT_TENSORS) listed += static_cast<size_t>(call.inputs[i].count);
    }
    // Pointers into them stay valid: none grows beyond that.
    tensors_.reserve(tensors);
    strides_.reserve(dimensions);
    lists_.reserve(listed);
    values_.assign(call.inputs, call.inputs + entry.argument_count);
    for (int32_t i = 0; i < entry.argument_count; ++i) {
        OpwrightValue& value = values_[static_cast<size_t>(i)];
        const bool is_written = entry.arguments[i].flags & OPWRIGHT_IS_WRITTEN;
        if (value.kind == OPWRIGHT_TENSOR) value.held.tensor = move(*value.held.tensor, true, is_written, false);
        if (value.kind == OPWRIGHT_TENSORS) {
            const size_t first = lists_.size();
            for (int64_t k = 0; k < value.count; ++k) lists_.push_back(move(*value.held.tensors[k], true, is_written, false));
            value.held.tensors = lists_.data() + first;
        }
    }
    for (int32_t i = 0; i < entry.result_count; ++i) {
        const bool needs_copy = needs_apart && is_where_an_input_is(entry, call, call.outputs[i]);
        outputs_.push_back(*move(call.outputs[i], false, true, needs_copy));
    }
    call_.inputs = values_.data();
    call_.outputs = outputs_.data();
    call_.parts = 0;
    call_.grain = 1;
    call_.workspace_bytes = 0;
    if (workspace != nullptr && is_copied) call_.workspace = workspace + bytes_;
    if (workspace != nullptr && !is_copied) call_.parts = call.parts;
}

const DLTensor* Moved::move(const DLTensor& tensor, bool is_read, bool is_written, bool needs_copy) {
    const auto dense = [&] {
        const size_t first = strides_.size();
        strides_.resize(first + static_cast<size_t>(tensor.ndim));
        int64_t stride = 1;
        for (int32_t dim = tensor.ndim - 1; dim >= 0; --dim) {
            strides_[first + static_cast<size_t>(dim)] = stride;
            if (tensor.shape[dim] > 1) stride *= tensor.shape[dim];
        }
        return strides_.data() + first;
    };
    DLTensor moved = tensor;
    moved.data = data_of(tensor);
    moved.byte_offset = 0;
    if (moved.strides == nullptr) moved.strides = dense();
    const int64_t elements = elements_of(tensor);
    if (is_copied_ && elements > 0 && (needs_copy || !is_dense(moved) || !is_aligned(moved))) {
        DLTensor copied = moved;
        copied.data = workspace_ == nullptr ? nullptr : workspace_ + bytes_;
        copied.strides = dense();
        bytes_ += (static_cast<uint64_t>(elements * bytes_of(tensor.dtype)) + 63) / 64 * 64;
        copies_.push_back({moved, copied, is_read, is_written});
        moved = copied;
    }
    tensors_.push_back(moved);
    return &tensors_.back();
}

void Moved::copy_in() const {
    for (const Copy& one : copies_) {
        if (one.is_read) copy(one.tensor, one.dense);
    }
}

void Moved::copy_out() const {
    for (const Copy& one : copies_) {
        if (one.is_written) copy(one.dense, one.tensor);
    }
}

}  // namespace opwright::entry
