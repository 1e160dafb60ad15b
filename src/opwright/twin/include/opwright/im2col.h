// Which elements of an image in L1 a matrix of windows has.
//
// The image lies as [C1][H][W][C0]: channels in blocks of 32 bytes, and what is left of the channels in a last, narrower
// block. A row of the matrix is one place of the filter; the columns are [C1][FH][FW][C0], so that with c = k % C0,
// q = k / C0 the element is the one of channel c of block q / (FW * FH) at the pixel
// (m / Wo * strideH + q / FW % FH * dilationH - top, m % Wo * strideW + q % FW * dilationW - left),
// or the padding value where that lies outside of the image.
#pragma once

#include "context.h"
#include "grid.h"

namespace opwright {

struct Im2col {
    uint64_t height, width, channels;
    uint64_t left, right, top, bottom;
    uint64_t stride_w, stride_h, filter_w, filter_h, dilation_w, dilation_h;
    uint64_t m_start, k_start, m_extent, k_extent;
    uint64_t padding;  // bits of an element
    uint64_t lanes;    // elements of a block, C0
    uint64_t element_bytes;
    bool is_transposed;

    OPWRIGHT_INLINE bool is_empty() const {
        return !height || !width || !channels || !m_extent || !k_extent || !filter_w || !filter_h;
    }

    // Places of the filter along one side.
    OPWRIGHT_INLINE static uint64_t places(uint64_t length, uint64_t reach, uint64_t stride) {
        return length < reach ? 0 : (length - reach) / stride + 1;
    }
    OPWRIGHT_INLINE uint64_t wide() const { return places(width + left + right, (filter_w - 1) * dilation_w + 1, stride_w); }
    OPWRIGHT_INLINE uint64_t high() const { return places(height + top + bottom, (filter_h - 1) * dilation_h + 1, stride_h); }
    OPWRIGHT_INLINE uint64_t rows() const { return wide() * high(); }
    OPWRIGHT_INLINE uint64_t columns() const { return channels * filter_w * filter_h; }

    // Bytes from the start of the image to a channel of a pixel, or -1 outside of it.
    OPWRIGHT_INLINE int64_t place(uint64_t m, uint64_t k) const {
        const uint64_t per_block = lanes * filter_w * filter_h, block = k / per_block;
        // The last block may hold fewer channels.
        const uint64_t left_over = channels - block * lanes, held = left_over < lanes ? left_over : lanes;
        const uint64_t rest = k - block * per_block, point = rest / held;
        const int64_t y = int64_t(m / wide() * stride_h + point / filter_w * dilation_h) - int64_t(top);
        const int64_t x = int64_t(m % wide() * stride_w + point % filter_w * dilation_w) - int64_t(left);
        if (y < 0 || x < 0 || y >= int64_t(height) || x >= int64_t(width)) return -1;
        const uint64_t pixel = uint64_t(y) * width + uint64_t(x);
        return int64_t((block * lanes * height * width + pixel * held + rest % held) * element_bytes);
    }

    // What rows [from, to) and columns [begin, end) of the matrix read: whole rows of the image, block by block; and of
    // blocks of different widths all that lies between. Outside of the image nothing is read.
    __aicore__ inline Grid touched(uint64_t from, uint64_t to, uint64_t begin, uint64_t end) const {
        to = to < rows() ? to : rows();
        end = end < columns() ? end : columns();
        if (is_empty() || from >= to || begin >= end) return {};
        const int64_t high_end = int64_t((to - 1) / wide() * stride_h + (filter_h - 1) * dilation_h) - int64_t(top);
        const int64_t low_end = int64_t(from / wide() * stride_h) - int64_t(top);
        if (high_end < 0 || low_end >= int64_t(height)) return {};
        const uint64_t y = low_end < 0 ? 0 : uint64_t(low_end);
        const uint64_t y_end = high_end < int64_t(height) ? uint64_t(high_end) + 1 : height;
        const uint64_t per_block = lanes * filter_w * filter_h, block_bytes = height * width * lanes * element_bytes;
        const uint64_t first = begin / per_block, last = (end - 1) / per_block;
        const auto row_bytes = [&](uint64_t block) {
            const uint64_t left_over = channels - block * lanes;
            return width * (left_over < lanes ? left_over : lanes) * element_bytes;
        };
        const uint64_t start = first * block_bytes + y * row_bytes(first);
        if (row_bytes(first) == row_bytes(last)) {
            return {start, (y_end - y) * row_bytes(first), {last - first + 1, block_bytes}};
        }
        return {start, last * block_bytes + y_end * row_bytes(last) - start, {1, 0}};
    }
};

// Where an element of the matrix goes: fractals of 512 bytes, in one of four orders.
enum class Fractals : uint32_t {
    ZZ,          // rows of fractals, each by rows
    NZ,          // columns of fractals, each by rows
    ZZ_TURNED,   // ZZ of the transposed matrix
    ZN,          // rows of fractals, each by columns; this is NZ of the transposed matrix
};

struct FractalOrder {
    Fractals order;
    uint64_t rows, columns;  // of the matrix
    uint64_t lanes;          // elements of 32 bytes, C0

    OPWRIGHT_INLINE static uint64_t ceil(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit; }
    OPWRIGHT_INLINE bool is_turned() const { return order == Fractals::ZZ_TURNED || order == Fractals::ZN; }
    // Blocks of `lanes` rows of the matrix: pairs of them if two make up 16.
    OPWRIGHT_INLINE uint64_t turned_blocks() const {
        const uint64_t square = lanes < 16 ? 16 : lanes;
        return ceil(rows, square) * (square / lanes);
    }
    OPWRIGHT_INLINE uint64_t fractals() const {
        return is_turned() ? turned_blocks() * ceil(columns, 16) : ceil(rows, 16) * ceil(columns, lanes);
    }
    // The element of the destination.
    OPWRIGHT_INLINE uint64_t place(uint64_t m, uint64_t k) const {
        uint64_t fractal = 0;
        switch (order) {
            case Fractals::ZZ: fractal = m / 16 * ceil(columns, lanes) + k / lanes; break;
            case Fractals::NZ: fractal = k / lanes * ceil(rows, 16) + m / 16; break;
            case Fractals::ZZ_TURNED: fractal = k / 16 * turned_blocks() + m / lanes; break;
            case Fractals::ZN: fractal = m / lanes * ceil(columns, 16) + k / 16; break;
        }
        const uint64_t inside = is_turned() ? k % 16 * lanes + m % lanes : m % 16 * lanes + k % lanes;
        return fractal * 16 * lanes + inside;
    }
};

}  // namespace opwright
