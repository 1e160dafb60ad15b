// What the operators of HiFloat8 share: their types and rules at the border, and scaled rows.
#pragma once

#include "opwright/blocks.h"
#include "opwright/hifloat8.h"

namespace opwright::hifloat8 {

inline Type type_of(DLDataType dtype) {
    return is(dtype, kFloat16) ? Type::F16 : is(dtype, kBFloat16) ? Type::BF16 : Type::F32;
}

inline int64_t bytes_of(DLDataType dtype) { return dtype.bits / 8; }

// The rule that a text names, which is one of three: their lengths differ.
inline Overflow overflow_of(const OpwrightValue& value) {
    return value.count == 3 ? Overflow::INF : value.count == 8 ? Overflow::SATURATE : Overflow::SATURATE_ALL;
}

inline bool is_large(const DLTensor& from, const DLTensor& to) {
    return should_stream(elements(from) * (bytes_of(from.dtype) + bytes_of(to.dtype)));
}

inline const char* at(const DLTensor& tensor, int64_t element) {
    return static_cast<const char*>(tensor.data) + element * bytes_of(tensor.dtype);
}

inline char* at(DLTensor& tensor, int64_t element) { return static_cast<char*>(tensor.data) + element * bytes_of(tensor.dtype); }

inline const uint8_t* codes_at(const DLTensor& tensor, int64_t element) {
    return static_cast<const uint8_t*>(tensor.data) + element;
}

inline uint8_t* codes_at(DLTensor& tensor, int64_t element) { return static_cast<uint8_t*>(tensor.data) + element; }

inline const float* scales_at(const DLTensor& tensor, int64_t element) {
    return static_cast<const float*>(tensor.data) + element;
}

inline bool has_rows(const DLTensor& tensor) { return Rows(tensor).step() == 1; }

// Tensors of one shape, their scale and block size, with the dimensions in the order of the output's strides: rows run along
// whichever dimension lies one element behind the other.
class Turned {
   public:
    Turned(const DLTensor& input, const DLTensor& output, const OpwrightValue& block, const DLTensor& scale)
        : input(input), output(output), scale(scale), block(block) {
        // Those of one element, whose strides say nothing, come first.
        const auto reach = [&](int32_t i) { return output.shape[i] == 1 ? INT64_MAX : output.strides[i]; };
        int32_t order[OPWRIGHT_MAX_DIMS];
        for (int32_t i = 0; i < output.ndim; ++i) {
            int32_t at = i;
            for (; at > 0 && reach(order[at - 1]) < reach(i); --at) order[at] = order[at - 1];
            order[at] = i;
        }
        for (int32_t k = 0; k < output.ndim; ++k) lengths_[k] = block.held.integers[order[k]];
        this->block.held.integers = lengths_;
        input_.turn(this->input, order);
        output_.turn(this->output, order);
        scale_.turn(this->scale, order);
    }
    Turned(const Turned&) = delete;

    bool has_rows() const { return hifloat8::has_rows(input) && hifloat8::has_rows(output) && hifloat8::has_rows(scale); }

    DLTensor input, output, scale;
    OpwrightValue block;

   private:
    struct Dimensions {
        int64_t shape[OPWRIGHT_MAX_DIMS], strides[OPWRIGHT_MAX_DIMS];

        void turn(DLTensor& tensor, const int32_t* order) {
            for (int32_t k = 0; k < tensor.ndim; ++k) {
                shape[k] = tensor.shape[order[k]];
                strides[k] = tensor.strides[order[k]];
            }
            tensor.shape = shape;
            tensor.strides = strides;
        }
    };

    int64_t lengths_[OPWRIGHT_MAX_DIMS];
    Dimensions input_, output_, scale_;
};

// Plans an operator whose output has one element for each of the input's, by blocks. Rows are divided too: a tensor may
// be one.
inline const char* plan_scaled(OpwrightCall* call, const DLTensor& input, const OpwrightValue& block, const DLTensor& scale) {
    const Turned turned(input, call->outputs[0], block, scale);
    if (!turned.has_rows()) return "no dimension of tensors and scale lies one element behind the other";
    const int64_t width = width_of(turned.input);
    const int64_t per = (width + kChunk - 1) / kChunk;
    call->parts = Rows(turned.input).count() * per;
    call->grain = width >= kChunk ? 1 : kChunk / width;
    return nullptr;
}

// Calls work(input element, output element, scale element, how many, whether each has its own) for parts of all rows.
template <typename Work>
inline void each_scaled(const DLTensor& input, const DLTensor& output, const OpwrightValue& block, const DLTensor& scale,
                        int64_t begin, int64_t end, Work work) {
    const Turned turned(input, output, block, scale);
    const Blocks blocks(turned.input, turned.block, turned.scale);
    const Rows from(turned.input), to(turned.output);
    const int64_t per = (blocks.width() + kChunk - 1) / kChunk;
    for (int64_t part = begin; part < end; ++part) {
        const int64_t row = part / per, first = part % per * kChunk;
        const int64_t last = first + kChunk < blocks.width() ? first + kChunk : blocks.width();
        const int64_t source = from.begin(row), target = to.begin(row), scales = blocks.scale_of_row(row);
        blocks.each_part(first, last, [&](int64_t at, int64_t of, int64_t n, bool own) {
            work(source + at, target + at, scales + of, n, own);
        });
    }
}

// Plans an operator that finds the scales of a tensor's blocks: a part is a group of rows that share theirs.
inline const char* plan_groups(OpwrightCall* call, const DLTensor& input, const OpwrightValue& block, const DLTensor& scale) {
    if (!has_rows(input) || !has_rows(scale)) return kNoRows;
    if (scale.data != nullptr && scale.data == input.data) return "a scale is written while its block is still read";
    call->parts = Blocks(input, block, scale).groups();
    call->grain = grain_of_rows(elements(input) / call->parts);
    return nullptr;
}

// The scales of one group of rows: what brings the largest finite magnitude of each block to the target.
inline void find_scales(const DLTensor& input, const Blocks& blocks, DLTensor& scale, int64_t group, float target) {
    const Rows rows(input);
    const Type type = type_of(input.dtype);
    float* scales = nullptr;
    const int64_t count = width_of(scale);
    blocks.each_row(group, [&](int64_t row) {
        if (scales == nullptr) {
            scales = static_cast<float*>(scale.data) + blocks.scale_of_row(row);
            for (int64_t i = 0; i < count; ++i) scales[i] = 0;
        }
        const int64_t begin = rows.begin(row);
        blocks.each_part(0, blocks.width(), [&](int64_t first, int64_t of, int64_t n, bool own) {
            if (own) {
                path().raise(at(input, begin + first), type, n, scales + of);
            } else {
                const float largest = path().largest(at(input, begin + first), type, n);
                if (largest > scales[of]) scales[of] = largest;
            }
        });
    });
    for (int64_t i = 0; i < count; ++i) {
        const float found = scales[i] / target;
        scales[i] = found < 0x1p-126f ? 1.0f : found;
    }
}

}  // namespace opwright::hifloat8
