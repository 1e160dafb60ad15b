// Loads of windows of an image, and the settings of the core that they look at.
#pragma once

#include "cube_load_params.h"
#include "im2col.h"

namespace opwright {

template <typename T>
OPWRIGHT_INLINE uint64_t bits_of(const T& value) {
    uint64_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    return bits;
}

// What LoadData3DParamsV2 describes.
template <typename T>
OPWRIGHT_INLINE Im2col image_of(const AscendC::LoadData3DParamsV2<T>& params) {
    return {params.l1H, params.l1W, params.channelSize, params.padList[0], params.padList[1], params.padList[2],
            params.padList[3], params.strideW, params.strideH, params.filterW + 256u * params.filterSizeW,
            params.filterH + 256u * params.filterSizeH, params.dilationFilterW, params.dilationFilterH, params.mStartPt,
            params.kStartPt, params.mExtension, params.kExtension, bits_of(params.padValue), kBlockBytes / sizeof(T),
            sizeof(T), params.enTranspose};
}

// What LoadData3DParamsV2Pro describes, with what SetFmatrix and SetLoadDataPaddingValue set.
template <typename T, typename Params>
OPWRIGHT_INLINE Im2col image_of(const Params& params, const LoadSettings& set) {
    const auto byte = [&](uint32_t shift) { return params.filterConfig >> shift & 0xff; };
    const auto word = [&](uint32_t shift) { return params.extConfig >> shift & 0xffff; };
    return {set.image_height, set.image_width, params.channelSize, set.image_padding[0], set.image_padding[1],
            set.image_padding[2], set.image_padding[3], byte(0), byte(8), byte(16) + 256u * params.filterSizeW,
            byte(24) + 256u * params.filterSizeH, byte(32), byte(40), word(48), word(32), word(16), word(0),
            set.padding_value, kBlockBytes / sizeof(T), sizeof(T), params.enTranspose};
}

// Which of the rules about an image hold. A load that does nothing breaks none.
struct ImageFits {
    bool channels, k_start, k_extent, m_extent, filter;
};

__aicore__ inline ImageFits image_fits(const At& at, const Im2col& image) {
    if (image.is_empty()) return {true, true, true, true, true};
    const uint64_t lanes = image.lanes, tail = image.channels % lanes;
    const auto is_stride = [](uint64_t stride) { return stride >= 1 && stride <= 63; };
    const bool has_strides = is_stride(image.stride_w) && is_stride(image.stride_h);
    const bool has_filter = has_strides && image.dilation_w && image.dilation_h;
    if (!has_filter) return {true, true, true, true, false};
    const bool is_new = is_3510(at);
    const bool ends_k = !is_new && image.k_start + image.k_extent == image.columns();
    const bool ends_m = !is_new && (image.m_start + image.m_extent == image.rows() || image.element_bytes == 4);
    return {tail == 0 || (tail >= 4 && (tail & (tail - 1)) == 0), image.k_start % lanes == 0,
            image.k_extent % lanes == 0 || ends_k,
            (image.m_extent % 16 == 0 || ends_m) && (!is_new || image.m_start % 16 == 0), true};
}

// Repeats move the window. Plain results lie behind each other; transposed ones are one matrix.
struct ImageLoad {
    Im2col image;
    FractalOrder order;
    uint64_t times, m_step, k_step;  // repeats, and by how much they move
    bool joins_rows;                 // the repeats of a transposed matrix are more rows, not more columns
    uint64_t boundary;               // where reads begin again at the start of L1; 0: nowhere

    OPWRIGHT_INLINE bool is_empty() const { return image.is_empty() || times == 0; }
    OPWRIGHT_INLINE uint64_t bytes_of_one() const { return order.fractals() * 512; }
    OPWRIGHT_INLINE Runs written() const {
        if (is_empty()) return {0, 0, 0};
        const uint64_t bytes = bytes_of_one() * (order.is_turned() ? 1 : times);
        return {1, bytes, bytes};
    }
    __aicore__ inline Grid read(uint64_t address) const {
        if (is_empty()) return {};
        const uint64_t m_end = image.m_start + (times - 1) * m_step + image.m_extent;
        const uint64_t k_end = image.k_start + (times - 1) * k_step + image.k_extent;
        Grid grid = image.touched(image.m_start, m_end, image.k_start, k_end);
        const uint64_t end = address + grid.hull();
        if (boundary && end > boundary) {
            grid = {0, boundary - address, {1, 0}};
            grid.wrapped = end - boundary < boundary ? end - boundary : boundary;
        }
        return grid;
    }
};

// `is_left`: the destination is L0A; L0B gets every matrix transposed.
OPWRIGHT_INLINE ImageLoad image_load(const At& at, const Im2col& image, const LoadSettings& set, bool is_left) {
    needs_state(at, SetState::IMAGES);
    const bool is_new = is_3510(at), goes_down = set.repeat_mode == 0;
    const bool is_turned = image.is_transposed || !is_left;
    Fractals order = is_new || !is_left ? Fractals::ZN : Fractals::ZZ_TURNED;
    if (!is_turned) order = is_new ? Fractals::NZ : Fractals::ZZ;
    const uint64_t times = set.repeat_time(), joined = is_turned ? times : 1;
    const uint64_t rows = image.m_extent * (goes_down ? joined : 1);
    const uint64_t columns = image.k_extent * (goes_down ? 1 : joined);
    return {image,
            {order, rows, columns, image.lanes},
            times,
            goes_down ? set.repeat_stride * uint64_t(16) : 0,
            goes_down ? 0 : set.repeat_stride * image.lanes,
            goes_down,
            set.boundary};
}

OPWRIGHT_INLINE ImageLoad left_image(const At& at, const Im2col& image, const LoadSettings& set) {
    return image_load(at, image, set, true);
}

OPWRIGHT_INLINE ImageLoad right_image(const At& at, const Im2col& image, const LoadSettings& set) {
    return image_load(at, image, set, false);
}

// Elements of the fractals outside the matrix have no defined value: here they are all ones.
template <typename T>
__aicore__ inline void fill_windows(const At& at, Written<T> dst, Read<T> src, const ImageLoad& load) {
    if (load.is_empty()) return;
    const Im2col& image = load.image;
    const uint8_t* memory = at.core.memory[static_cast<uint32_t>(src.footprint.memory)].base;
    const uint64_t address = static_cast<uint64_t>(reinterpret_cast<const uint8_t*>(src.data()) - memory);
    T* to = dst.data();
    __builtin_memset(to, 0xff, dst.footprint.bytes);
    const uint64_t rows = image.rows(), columns = image.columns();
    const uint64_t per_block = image.lanes * image.filter_w * image.filter_h;
    T padding;
    __builtin_memcpy(&padding, &image.padding, sizeof padding);
    for (uint64_t time = 0; time < load.times; ++time) {
        const bool joins = load.order.is_turned();
        T* part = to + (joins ? 0 : time * load.bytes_of_one() / sizeof(T));
        const uint64_t more_rows = joins && load.joins_rows ? time * image.m_extent : 0;
        const uint64_t more_columns = joins && !load.joins_rows ? time * image.k_extent : 0;
        for (uint64_t m = 0; m < image.m_extent; ++m) {
            const uint64_t row = image.m_start + time * load.m_step + m;
            if (row >= rows) break;
            for (uint64_t k = 0, run = 0; k < image.k_extent; k += run) {
                const uint64_t column = image.k_start + time * load.k_step + k;
                if (column >= columns) break;
                // The channels of a full block lie side by side.
                const bool is_full = column / per_block * image.lanes + image.lanes <= image.channels;
                const uint64_t left = image.k_extent - k, side = image.lanes - column % image.lanes;
                run = is_full ? (side < left ? side : left) : 1;
                const int64_t offset = image.place(row, column);
                uint64_t byte = address + static_cast<uint64_t>(offset);
                if (load.boundary && offset >= 0) byte %= load.boundary;
                for (uint64_t lane = 0; lane < run; ++lane) {
                    T* place = part + load.order.place(m + more_rows, k + more_columns + lane);
                    if (offset < 0) {
                        *place = padding;
                    } else {
                        __builtin_memcpy(place, memory + byte + lane * sizeof(T), sizeof(T));
                    }
                }
            }
        }
    }
}

template <typename T, typename Params>
OPWRIGHT_INLINE void load_left(const At& at, Written<T> dst, Read<T> src, const Params& params,
                               const LoadSettings& set) {
    fill_windows(at, dst, src, left_image(at, image_of(params), set));
}

template <typename T, typename Params>
OPWRIGHT_INLINE void load_right(const At& at, Written<T> dst, Read<T> src, const Params& params,
                                const LoadSettings& set) {
    fill_windows(at, dst, src, right_image(at, image_of(params), set));
}

template <typename T, typename Params>
OPWRIGHT_INLINE void load_left_pro(const At& at, Written<T> dst, Read<T> src, const Params& params,
                                   const LoadSettings& set) {
    fill_windows(at, dst, src, left_image(at, image_of<T>(params, set), set));
}

template <typename T, typename Params>
OPWRIGHT_INLINE void load_right_pro(const At& at, Written<T> dst, Read<T> src, const Params& params,
                                    const LoadSettings& set) {
    fill_windows(at, dst, src, right_image(at, image_of<T>(params, set), set));
}

// Settings -----------------------------------------------------------------------------------------------------------

OPWRIGHT_INLINE void set_load_data_boundary(const At& at, uint32_t boundary) {
    at.core.load_settings.boundary = boundary;
}

template <typename Params>
OPWRIGHT_INLINE void set_load_data_repeat(const At& at, const Params& params) {
    LoadSettings& set = at.core.load_settings;
    set.repeats_more = static_cast<int16_t>(params.repeatTime - 1);
    set.repeat_stride = params.repeatStride;
    set.repeat_mode = params.repeatMode;
}

}  // namespace opwright

namespace AscendC {

enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT = 1 };

__aicore__ inline void SetFmatrix(opwright::Argument<uint16_t> l1_h, opwright::Argument<uint16_t> l1_w,
                                  const uint8_t (&pad_list)[PAD_SIZE], const FmatrixMode&,
                                  opwright::Line line = opwright::Line(__builtin_LINE())) {
    const opwright::At at(line);
    opwright::require_fits(at, 0, l1_h);
    opwright::require_fits(at, 1, l1_w);
    opwright::require(at, l1_h.value >= 1 && l1_h.value <= 32767, 0, 0, l1_h.value);
    opwright::require(at, l1_w.value >= 1 && l1_w.value <= 32767, 1, 1, l1_w.value);
    opwright::LoadSettings& set = at.core.load_settings;
    set.image_height = l1_h;
    set.image_width = l1_w;
    for (uint32_t i = 0; i < PAD_SIZE; ++i) set.image_padding[i] = pad_list[i];
}

// What lies outside of an image.
template <typename T>
__aicore__ inline void SetLoadDataPaddingValue(opwright::ElementArgument<T> value,
                                               opwright::Line line = opwright::Line(__builtin_LINE())) {
    const opwright::At at(line);
    at.core.load_settings.padding_value = opwright::element_bits<T>(at, value);
}

}  // namespace AscendC
