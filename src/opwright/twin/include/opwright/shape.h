// The shape that a kernel gave a tensor, as a note for itself: no call looks at it.
#pragma once

#include "print_argument.h"

namespace opwright {

constexpr uint32_t kMaxDims = 8;

// An index between brackets: converts from any integer and brings the line of the text with it, since operator[]
// takes no second parameter.
struct Offset {
    int64_t value;
    int32_t line;
    template <typename V>
    OPWRIGHT_INLINE Offset(V given, int32_t text_line = __builtin_LINE())
        : value(static_cast<int64_t>(given)), line(text_line) {
        static_assert(std::is_integral<V>::value, "an offset is an integer");
    }
};

// The extents of a shape. Those that were not given are not there.
struct Extents {
    uint32_t values[kMaxDims] = {};
    uint8_t dims = 0;

    __aicore__ inline uint32_t operator[](Offset dim) const {
        if (OPWRIGHT_UNLIKELY(static_cast<uint64_t>(dim.value) >= dims)) {
            At(dim.line).fail(Fault::DIM, dim.value, dims);
        }
        return values[dim.value];
    }
};

}  // namespace opwright

namespace AscendC {

struct ShapeInfo {
    opwright::Extents shape;
    opwright::Extents originalShape;
    DataFormat dataFormat = DataFormat::ND;

    ShapeInfo() = default;
    __aicore__ inline ShapeInfo(uint8_t dims, const uint32_t* extents, DataFormat format = DataFormat::ND)
        : ShapeInfo(dims, extents, dims, extents, format) {}
    __aicore__ inline ShapeInfo(uint8_t dims, const uint32_t* extents, uint8_t original_dims, const uint32_t* original,
                                DataFormat format)
        : dataFormat(format) {
        for (shape.dims = 0; shape.dims < dims; ++shape.dims) shape.values[shape.dims] = extents[shape.dims];
        auto& first = originalShape;
        for (first.dims = 0; first.dims < original_dims; ++first.dims) first.values[first.dims] = original[first.dims];
    }
};

// How many elements a shape has.
__aicore__ inline int64_t GetShapeSize(const ShapeInfo& shape_info) {
    int64_t size = 1;
    for (uint8_t i = 0; i < shape_info.shape.dims; ++i) size *= shape_info.shape.values[i];
    return size;
}

}  // namespace AscendC

namespace opwright {

struct KeptShape {
    KeptShape* next;
    AscendC::ShapeInfo shape;
};

OPWRIGHT_INLINE bool is_same(const Extents& a, const Extents& b) {
    return a.dims == b.dims && __builtin_memcmp(a.values, b.values, sizeof a.values) == 0;
}

// Tensors hold the address of their shape, which each core keeps once: a tensor stays a few words.
__aicore__ __attribute__((noinline)) inline const AscendC::ShapeInfo* keep_shape(const At& at,
                                                                                 const AscendC::ShapeInfo& shape) {
    for (auto kept = static_cast<KeptShape*>(at.core.shapes); kept; kept = kept->next) {
        const AscendC::ShapeInfo& known = kept->shape;
        if (is_same(known.shape, shape.shape) && is_same(known.originalShape, shape.originalShape) &&
            known.dataFormat == shape.dataFormat) {
            return &known;
        }
    }
    auto made = static_cast<KeptShape*>(__builtin_malloc(sizeof(KeptShape)));
    if (!made) at.fail(Fault::NO_MEMORY, sizeof(KeptShape));
    *made = {static_cast<KeptShape*>(at.core.shapes), shape};
    at.core.shapes = made;
    return &made->shape;
}

}  // namespace opwright
