// Chapter params: objects that say how a call steps through its operands.
#pragma once

#include "tensor.h"

namespace AscendC {

// Strides between blocks and between repeats, in blocks of 32 bytes.
struct UnaryRepeatParams {
    uint8_t dstBlkStride, srcBlkStride, dstRepStride, srcRepStride;

    OPWRIGHT_INLINE UnaryRepeatParams(opwright::Argument<uint8_t> dst_block = 1, opwright::Argument<uint8_t> src_block = 1,
                                      opwright::Argument<uint8_t> dst_repeat = 8,
                                      opwright::Argument<uint8_t> src_repeat = 8, int32_t line = __builtin_LINE())
        : dstBlkStride(dst_block), srcBlkStride(src_block), dstRepStride(dst_repeat), srcRepStride(src_repeat) {
        opwright::require_all_fit(line, dst_block, src_block, dst_repeat, src_repeat);
    }
};

struct BinaryRepeatParams {
    uint8_t dstBlkStride, src0BlkStride, src1BlkStride, dstRepStride, src0RepStride, src1RepStride;

    OPWRIGHT_INLINE BinaryRepeatParams(opwright::Argument<uint8_t> dst_block = 1,
                                       opwright::Argument<uint8_t> src0_block = 1,
                                       opwright::Argument<uint8_t> src1_block = 1,
                                       opwright::Argument<uint8_t> dst_repeat = 8,
                                       opwright::Argument<uint8_t> src0_repeat = 8,
                                       opwright::Argument<uint8_t> src1_repeat = 8, int32_t line = __builtin_LINE())
        : dstBlkStride(dst_block),
          src0BlkStride(src0_block),
          src1BlkStride(src1_block),
          dstRepStride(dst_repeat),
          src0RepStride(src0_repeat),
          src1RepStride(src1_repeat) {
        opwright::require_all_fit(line, dst_block, src0_block, src1_block, dst_repeat, src0_repeat, src1_repeat);
    }
};

}  // namespace AscendC
