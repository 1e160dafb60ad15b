// Operands that are a part of whole fractals: a product leaves out what fills them up.
//
// In: how many lines of how many bytes a matrix has, and how far apart its fractals are. Out: operands that test the hull,
// which has whole fractals, and tell the bytes of the lines. A line is a row of A or a column of B: 32 bytes of each
// fractal that it goes through. Fractals are loaded as a whole, so what is left out makes no difference to the order.
#pragma once

#include "cube_layout.h"
#include "tensor.h"

namespace opwright {

struct PartOfFractals {
    uint64_t lines = 0;
    uint64_t bytes = 0;        // of a line
    uint64_t next_lines = 0;   // from a fractal to that of the next 16 lines
    uint64_t next_blocks = 0;  // from a fractal to that of the next 32 bytes; 32: one line, without fractals

    OPWRIGHT_INLINE uint64_t down() const { return fractals_of(lines, kFractalSide); }
    OPWRIGHT_INLINE uint64_t across() const { return fractals_of(bytes, kBlockBytes); }
    OPWRIGHT_INLINE uint64_t hull() const {
        if (lines == 0 || next_blocks == kBlockBytes) return bytes;
        return (down() - 1) * next_lines + (across() - 1) * next_blocks + kFractalBytes;
    }
};

template <typename Base>
struct PartOperand : Base {
    static constexpr bool kHasPlaces = true;
    PartOfFractals part;

    __aicore__ inline uint64_t most_places(const At&) const { return part.down() * part.across() + 1; }

    // One footprint for each fractal, or for more of them that follow one another; returns how many there are.
    __aicore__ inline uint32_t note_places(const At&, Footprint* noted) const {
        Footprint one = this->footprint;
        const uint64_t down = part.down(), across = part.across();
        const bool goes_down = part.next_lines < part.next_blocks;  // to the fractal that lies next
        uint32_t count = 0;
        for (uint64_t place = 0; place < down * across; ++place) {
            const uint64_t i = goes_down ? place % down : place / across, k = goes_down ? place / down : place % across;
            const uint64_t lines = least(part.lines - i * kFractalSide, kFractalSide);
            const uint64_t bytes = least(part.bytes - k * kBlockBytes, kBlockBytes);
            const uint64_t begin = i * part.next_lines + k * part.next_blocks;
            one.runs = {lines, bytes, kBlockBytes, begin};
            if (bytes == kBlockBytes) one.runs = {1, lines * bytes, lines * bytes, begin};
            Runs* before = count ? &noted[count - 1].runs : nullptr;
            if (before && before->count == 1 && one.runs.count == 1 && before->first + before->bytes == begin) {
                before->bytes += one.runs.bytes;
                before->stride = before->bytes;
            } else {
                noted[count++] = one;
            }
        }
        if (count == 0) {
            one.runs = {0, 0, 0};
            noted[count++] = one;
        }
        return count;
    }

private:
    static OPWRIGHT_INLINE uint64_t least(uint64_t left, uint64_t most) { return left < most ? left : most; }
};

// The hull has two empty runs, so that it does not count as whole; see hull_of.
template <typename T>
OPWRIGHT_INLINE auto reads(const AscendC::LocalTensor<T>& tensor, uint32_t operand, const PartOfFractals& part) {
    Operand<T> made = tensor.operand(operand, 0, 1, false);
    made.footprint.bytes = part.hull();
    made.footprint.runs = {2, 0, 1};
    return PartOperand<ReadOperand<T>>{{made}, part};
}

}  // namespace opwright
