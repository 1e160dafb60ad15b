// Indices of sparse matrices: of every four rows of B two elements are kept, and an index of 2 bits for each of them says
// which two. They lie in a memory of their own, which has a quarter of the bytes of L0B and is addressed as it is; the
// twin has it behind L0B.
#pragma once

#include "tensor.h"

namespace opwright {

// The indices as an operand, which goes by the name of the matrix that they belong to: bytes behind those of L0B.
template <typename Made, typename T>
OPWRIGHT_INLINE Made indices_beside(const At& at, const AscendC::LocalTensor<T>& matrix, uint32_t operand, uint64_t bytes,
                                    bool written) {
    const uint64_t most = at.core.memory[static_cast<uint32_t>(Memory::L0B)].bytes;
    return {{{Memory::L0B, operand, 1, written, most + matrix.address() / 4, bytes}, bytes}};
}

// That of one element, the first in the lowest bits. The first of two counts from the first of four rows, the second
// from the second row.
OPWRIGHT_INLINE int64_t sparse_index(const uint8_t* indices, int64_t element) {
    return indices[element / 4] >> element % 4 * 2 & 3;
}

}  // namespace opwright
