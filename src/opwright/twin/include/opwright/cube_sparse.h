// Indices of sparse matrices: of every four rows of B two elements are kept, and an index of 2 bits for each of them says
// which two. They lie in a memory of their own, which has a quarter of the bytes of L0B and is addressed as it is; the
// twin has it behind L0B.
#pragma once

#include "issue.h"

namespace opwright {

// Of the elements of 8 bits from an address in L0B on, a multiple of 4.
OPWRIGHT_INLINE uint8_t* sparse_indices(const Core& core, uint64_t address) {
    const Arena& arena = core.memory[static_cast<uint32_t>(Memory::L0B)];
    return arena.base + arena.bytes + address / 4;
}

// That of one element, the first in the lowest bits. The first of two counts from the first of four rows, the second
// from the second row.
OPWRIGHT_INLINE int64_t sparse_index(const uint8_t* indices, int64_t element) {
    return indices[element / 4] >> element % 4 * 2 & 3;
}

}  // namespace opwright
