// Chapter cube_fixpipe: copies of results out of L0C, with what is done to them on the way. See cube_results.h.
#pragma once

#include "cube_results.h"

namespace AscendC {

// How Fixpipe lays results out, and whether that is in UB.
struct FixpipeConfig {
    CO2Layout format;
    bool isToUB;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ, false};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR, false};
constexpr FixpipeConfig CFG_COLUMN_MAJOR = {CO2Layout::COLUMN_MAJOR, false};

// Matrices that follow one another, as rows.
struct Nz2NdParams {
    uint16_t ndNum = 1;
    uint16_t srcNdStride = 0;
    uint32_t dstNdStride = 0;
};

// And as columns.
struct Nz2DnParams {
    uint16_t dnNum = 1;
    uint16_t srcNzMatrixStride = 0;
    uint32_t dstDnMatrixStride = 0;
    uint16_t srcNzC0Stride = 0;
};

// What those of all layouts have.
struct FixpipeParamsArch {
    CO2Layout layout = CO2Layout::ROW_MAJOR;
    uint16_t nSize = 0;
    uint16_t mSize = 0;
    uint16_t srcStride = 0;
    uint32_t dstStride = 0;
    QuantMode_t quantPre = QuantMode_t::NoQuant;
    uint64_t deqScalar = 0;
    bool reluEn = false;
    uint8_t unitFlag = 0;
    uint8_t dualDstCtl = 0;
    bool subBlockId = false;
    bool isChannelSplit = false;
};

template <CO2Layout chosen>
struct FixpipeParamsArch3510 : FixpipeParamsArch {
    using Matrices = std::conditional_t<chosen == CO2Layout::COLUMN_MAJOR, Nz2DnParams,
                                        std::conditional_t<chosen == CO2Layout::NZ, uint8_t, Nz2NdParams>>;
    Matrices params = {};

    OPWRIGHT_INLINE FixpipeParamsArch3510() { layout = chosen; }
    OPWRIGHT_INLINE FixpipeParamsArch3510(opwright::Argument<uint16_t> n_size, opwright::Argument<uint16_t> m_size,
                                          opwright::Argument<uint16_t> src_stride,
                                          opwright::Argument<uint32_t> dst_stride,
                                          int32_t line = __builtin_LINE())
        : FixpipeParamsArch3510() {
        const opwright::At at(line);
        opwright::require_fits(at, 1, n_size);
        opwright::require_fits(at, 2, m_size);
        opwright::require_fits(at, 3, src_stride);
        opwright::require_fits(at, 4, dst_stride);
        opwright::require(at, n_size <= 4095, 0, 1, n_size.value);
        opwright::require(at, dst_stride >= 1, 1, 4, dst_stride.value);
        nSize = n_size;
        mSize = m_size;
        srcStride = src_stride;
        dstStride = dst_stride;
    }
};

}  // namespace AscendC

namespace opwright {

// Elements of L0C in a unit of the stride between matrices: 1024 bytes, or on 3510 a row of a fractal.
OPWRIGHT_INLINE uint64_t matrix_unit(const At& at) { return is_3510(at) ? 16 : 256; }

template <typename T>
constexpr uint64_t fractal_width(bool is_split) {
    return is_split ? 8 : sizeof(T) == 1 ? 32 : 16;
}

// What all parameters say alike. In NZ the destination's stride counts blocks of 32 bytes, on 3510 elements.
template <typename T, typename Params>
OPWRIGHT_INLINE ResultWay way_of(const At& at, const Params& params, CO2Layout layout, bool is_split, bool is_relu) {
    const bool in_blocks = layout == CO2Layout::NZ && !is_3510(at);
    const uint64_t step = in_blocks ? params.dstStride * (kBlockBytes / sizeof(T)) : uint64_t(params.dstStride);
    return {layout, params.nSize, params.mSize, 1, params.srcStride * 16ull, 16, 0, step, 0,
            fractal_width<T>(is_split), params.quantPre, 0, is_relu};
}

template <typename T, typename Params>
OPWRIGHT_INLINE ResultWay fixpipe_way(const At& at, const Params& params, CO2Layout layout) {
    ResultWay way = way_of<T>(at, params, layout, params.isChannelSplit, params.reluEn);
    way.word = params.deqScalar;
    if (layout == CO2Layout::ROW_MAJOR) {
        way.matrices = params.ndNum;
        way.from_matrix = params.srcNdStride * matrix_unit(at);
        way.to_matrix = params.dstNdStride;
    }
    return way;
}

// Each layout has its own way to say how matrices follow one another.
OPWRIGHT_INLINE ResultWay with_matrices(ResultWay way, const AscendC::FixpipeParamsArch& params) {
    if (params.layout == CO2Layout::ROW_MAJOR) {
        const auto& own = static_cast<const AscendC::FixpipeParamsArch3510<CO2Layout::ROW_MAJOR>&>(params).params;
        way.matrices = own.ndNum;
        way.from_matrix = own.srcNdStride * 16ull;
        way.to_matrix = own.dstNdStride;
    } else if (params.layout == CO2Layout::COLUMN_MAJOR) {
        const auto& own = static_cast<const AscendC::FixpipeParamsArch3510<CO2Layout::COLUMN_MAJOR>&>(params).params;
        way.matrices = own.dnNum;
        way.from_matrix = own.srcNzMatrixStride * 16ull;
        way.to_matrix = own.dstDnMatrixStride;
        way.from_row = own.srcNzC0Stride * 16ull;
    }
    return way;
}

template <typename T>
OPWRIGHT_INLINE ResultWay fixpipe_way(const At& at, const AscendC::FixpipeParamsArch& params, CO2Layout) {
    ResultWay way = way_of<T>(at, params, params.layout, params.isChannelSplit, params.reluEn);
    way.word = params.deqScalar;
    return with_matrices(way, params);
}

// The registers say more where the parameters are those of a copy.
template <typename T, typename Params>
OPWRIGHT_INLINE ResultWay copied_way(const At& at, const Params& params) {
    const ResultRegisters& set = at.core.results;
    ResultWay way = way_of<T>(at, params, params.nz2ndEn ? CO2Layout::ROW_MAJOR : CO2Layout::NZ, params.channelSplit,
                              params.reluPre != 0);
    way.word = set.word;
    if (params.nz2ndEn) {
        if (OPWRIGHT_UNLIKELY(set.matrices == 0)) at.fail(Fault::RESULT_MATRICES);
        way.matrices = set.matrices;
        way.from_matrix = set.src_stride * matrix_unit(at);
        way.to_matrix = set.dst_stride;
    }
    return way;
}

// What one of two vector cores gets of a way.
template <typename Params>
OPWRIGHT_INLINE ResultWay part_of(ResultWay way, const Params& params) {
    if (params.dualDstCtl == 1) way.rows /= 2;
    if (params.dualDstCtl == 2) way.columns /= 2;
    return way;
}

// Places in the memory of one vector core of the group, or the same ones in those of both.
struct ResultsToUb {
    ResultsTo to;
    uint64_t first;  // which of them it is, or comes first
    bool goes_to_both;
};

template <typename T, typename Params>
OPWRIGHT_INLINE ResultsToUb results_to_ub(const At& at, const ResultWay& way, const Params& params) {
    const bool goes_to_both = params.dualDstCtl != 0;
    const uint64_t first = goes_to_both ? 0 : params.subBlockId;
    for (uint64_t which = first; which <= (goes_to_both ? 1 : first); ++which) {
        if (OPWRIGHT_UNLIKELY(!at.core.group->aiv[which])) at.fail(Fault::NO_VECTOR_CORE, which);
    }
    return {{part_of(way, params), sizeof(T)}, first, goes_to_both};
}

OPWRIGHT_INLINE Owner vector_core(uint64_t which) { return which ? Owner::AIV_1 : Owner::AIV_0; }

template <typename T>
struct UbResultsOperand : WrittenPlacesOperand<T, ResultsTo> {
    using Base = WrittenPlacesOperand<T, ResultsTo>;
    bool goes_to_both;

    __aicore__ inline uint64_t most_places(const At& at) const { return Base::most_places(at) * 2; }
    __aicore__ inline uint32_t note_places(const At& at, Footprint* noted) const {
        const uint32_t count = Base::note_places(at, noted);
        if (!goes_to_both) return count;
        for (uint32_t i = 0; i < count; ++i) {
            noted[count + i] = noted[i];
            noted[count + i].owner = vector_core(1);
        }
        return 2 * count;
    }
};

template <typename T>
OPWRIGHT_INLINE auto writes(const AscendC::LocalTensor<T>& tensor, uint32_t operand, const ResultsToUb& where) {
    UbResultsOperand<T> made{writes(tensor, operand, where.to), where.goes_to_both};
    made.footprint.owner = vector_core(where.first);
    return made;
}

// Whether rows, or columns, are whole blocks.
template <typename T, typename Params>
OPWRIGHT_INLINE bool in_blocks(const Params& params) {
    const uint64_t length = params.layout == CO2Layout::COLUMN_MAJOR ? params.mSize : params.nSize;
    return length * sizeof(T) % kBlockBytes == 0;
}

// The words of a mode that takes them: those of the tensor that SetFixPipeConfig named.
OPWRIGHT_INLINE ReadOperand<uint64_t> words_in_fb(const At& at, const ResultWay& way) {
    const ResultRegisters& set = at.core.results;
    const bool wants = takes_words(way.quant) && !way.is_nothing();
    if (OPWRIGHT_UNLIKELY(wants && !set.has_words)) at.fail(Fault::RESULT_WORDS);
    const uint64_t bytes = wants ? way.columns * sizeof(uint64_t) : 0;
    const uint64_t most = at.core.memory[static_cast<uint32_t>(Memory::FB)].bytes;
    if (OPWRIGHT_UNLIKELY(wants && set.words + bytes > most)) {
        at.fail(Fault::CAPACITY, Memory::FB, set.words, bytes, most);
    }
    ReadOperand<uint64_t> made{{{Memory::FB, kNoOperand, sizeof(uint64_t), false, set.words, bytes}, bytes}};
    made.footprint.buffer = set.buffer;
    return made;
}

// The words of a call that is given them in L1: the call copies them to FB first, in whole pieces of 128 bytes.
OPWRIGHT_INLINE Runs words_in_l1(const ResultWay& way) {
    const uint64_t bytes = takes_words(way.quant) && !way.is_nothing() ? (way.columns * 8 + 127) / 128 * 128 : 0;
    return {bytes ? 1ull : 0ull, bytes, bytes};
}

OPWRIGHT_INLINE const uint64_t* words_of(const Read<uint64_t>& words) {
    return words.footprint.bytes ? words.data() : nullptr;
}

// What the parameters say is in the way already.
template <typename T, typename U, typename... Said>
OPWRIGHT_INLINE void fixpipe(const At& at, WrittenPlaces<T, ResultsTo> dst, ReadPlaces<U, ResultsFrom> src,
                             Read<uint64_t> words, const Said&...) {
    if (src.where.way.is_nothing()) return;
    const U* const from = src.data();
    const uint64_t* const own = words_of(words);
    is_atomic(at, dst);  // tests the type
    move_results(at, dst.data(), from, src.where.way, own, dst.footprint.atomic);
}

// To the UB of one vector core of the group, or of both.
template <typename T, typename U, typename Params>
OPWRIGHT_INLINE void fixpipe_to_ub(const At& at, WrittenPlaces<T, ResultsTo> dst, ReadPlaces<U, ResultsFrom> src,
                                   Read<uint64_t> words, const Params& params, const AscendC::FixpipeConfig&) {
    const ResultWay& all = src.where.way;
    const ResultWay& part = dst.where.way;
    if (all.is_nothing()) return;
    const U* const from = src.data();
    const uint64_t* const own = words_of(words);
    for (uint64_t half = 0; half < (params.dualDstCtl ? 2 : 1); ++half) {
        Core& core = owner_of(at.core, vector_core(params.dualDstCtl ? half : params.subBlockId));
        T* const to = reinterpret_cast<T*>(write_pointer(core, dst.footprint));
        const uint64_t row = params.dualDstCtl == 1 ? half * part.rows : 0;
        const uint64_t column = params.dualDstCtl == 2 ? half * part.columns : 0;
        move_results(at, to, from + all.from(0, row, column), part, own ? own + column : nullptr, AtomicState{});
    }
}

OPWRIGHT_INLINE void set_result_word(const At& at, uint64_t word) { at.core.results.word = word; }

OPWRIGHT_INLINE void set_result_matrices(const At& at, uint16_t matrices, uint16_t src_stride, uint32_t dst_stride) {
    at.core.results.matrices = matrices;
    at.core.results.src_stride = src_stride;
    at.core.results.dst_stride = dst_stride;
}

}  // namespace opwright

namespace AscendC {

// Which words modes with V take from now on.
template <typename T, bool setRelu = false>
__aicore__ inline void SetFixPipeConfig(const LocalTensor<T>& pre_data, int32_t line = __builtin_LINE()) {
    const opwright::At at(line);
    opwright::require(at, pre_data.address() % 128 == 0, 0, 0, static_cast<int64_t>(pre_data.address()));
    const opwright::Footprint words = pre_data.operand(0, 0, 1, false).footprint;
    at.core.results.words = words.address;
    at.core.results.buffer = words.buffer;
    at.core.results.has_words = true;
}

}  // namespace AscendC
