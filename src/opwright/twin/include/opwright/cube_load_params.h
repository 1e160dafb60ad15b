// Chapter cube_load_params: structs whose fields are arrays. The others are made from the table.
#pragma once

#include "issue.h"

namespace AscendC {

constexpr uint8_t PAD_SIZE = 4;

// Rule numbers are those of the row.
template <typename T>
struct LoadData3DParamsV2 {
    uint8_t padList[PAD_SIZE] = {};
    uint16_t l1H = 1;
    uint16_t l1W = 1;
    uint16_t channelSize = 1;
    uint16_t kExtension = 1;
    uint16_t mExtension = 1;
    uint16_t kStartPt = 0;
    uint16_t mStartPt = 0;
    uint8_t strideW = 1;
    uint8_t strideH = 1;
    uint8_t filterW = 1;
    uint8_t filterH = 1;
    uint8_t dilationFilterW = 1;
    uint8_t dilationFilterH = 1;
    bool enTranspose = false;
    bool enSmallK = false;
    T padValue{};
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
    LoadData3DParamsV2() = default;
    OPWRIGHT_INLINE LoadData3DParamsV2(
        const uint8_t (&pad_list)[PAD_SIZE], opwright::Argument<uint16_t> l1_h, opwright::Argument<uint16_t> l1_w,
        opwright::Argument<uint16_t> channel_size, opwright::Argument<uint16_t> k_extension,
        opwright::Argument<uint16_t> m_extension, opwright::Argument<uint16_t> k_start_pt,
        opwright::Argument<uint16_t> m_start_pt, opwright::Argument<uint8_t> stride_w,
        opwright::Argument<uint8_t> stride_h, opwright::Argument<uint8_t> filter_w, opwright::Argument<uint8_t> filter_h,
        opwright::Argument<uint8_t> dilation_filter_w, opwright::Argument<uint8_t> dilation_filter_h, bool en_transpose,
        bool en_small_k, T pad_value, bool filter_size_w, bool filter_size_h, bool f_matrix_ctrl,
        int32_t line = __builtin_LINE())
        : l1H(l1_h), l1W(l1_w), channelSize(channel_size), kExtension(k_extension), mExtension(m_extension),
          kStartPt(k_start_pt), mStartPt(m_start_pt), strideW(stride_w), strideH(stride_h), filterW(filter_w),
          filterH(filter_h), dilationFilterW(dilation_filter_w), dilationFilterH(dilation_filter_h),
          enTranspose(en_transpose), enSmallK(en_small_k), padValue(pad_value), filterSizeW(filter_size_w),
          filterSizeH(filter_size_h), fMatrixCtrl(f_matrix_ctrl) {
        const opwright::At at(line);
        for (uint32_t i = 0; i < PAD_SIZE; ++i) padList[i] = pad_list[i];
        opwright::require_fits(at, 1, l1_h);
        opwright::require_fits(at, 2, l1_w);
        opwright::require_fits(at, 3, channel_size);
        opwright::require_fits(at, 4, k_extension);
        opwright::require_fits(at, 5, m_extension);
        opwright::require_fits(at, 6, k_start_pt);
        opwright::require_fits(at, 7, m_start_pt);
        opwright::require_fits(at, 8, stride_w);
        opwright::require_fits(at, 9, stride_h);
        opwright::require_fits(at, 10, filter_w);
        opwright::require_fits(at, 11, filter_h);
        opwright::require_fits(at, 12, dilation_filter_w);
        opwright::require_fits(at, 13, dilation_filter_h);
        opwright::require(at, l1H <= 32767, 0, 1, l1H);
        opwright::require(at, l1W <= 32767, 1, 2, l1W);
        opwright::require(at, strideW >= 1 && strideW <= 63, 2, 8, strideW);
        opwright::require(at, strideH >= 1 && strideH <= 63, 3, 9, strideH);
        opwright::require(at, dilationFilterW >= 1, 4, 12, dilationFilterW);
        opwright::require(at, dilationFilterH >= 1, 5, 13, dilationFilterH);
    }
};

}  // namespace AscendC
