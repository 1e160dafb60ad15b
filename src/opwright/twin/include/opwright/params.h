// Chapter params: structs whose fields are arrays. The others are made from the table.
#pragma once

#include "issue.h"

namespace AscendC {

constexpr uint8_t VDEQ_TENSOR_SIZE = 16;

// An offset has 9 bits.
struct VdeqInfo {
    float vdeqScale[VDEQ_TENSOR_SIZE] = {};
    int16_t vdeqOffset[VDEQ_TENSOR_SIZE] = {};
    bool vdeqSignMode[VDEQ_TENSOR_SIZE] = {};
    VdeqInfo() = default;
    OPWRIGHT_INLINE VdeqInfo(const float (&scale)[VDEQ_TENSOR_SIZE], const int16_t (&offset)[VDEQ_TENSOR_SIZE],
                             const bool (&sign_mode)[VDEQ_TENSOR_SIZE], int32_t line = __builtin_LINE()) {
        const opwright::At at(line);
        for (uint32_t i = 0; i < VDEQ_TENSOR_SIZE; ++i) {
            opwright::require(at, offset[i] >= -256 && offset[i] <= 255, -1, 1, offset[i]);
            vdeqScale[i] = scale[i];
            vdeqOffset[i] = offset[i];
            vdeqSignMode[i] = sign_mode[i];
        }
    }
};

}  // namespace AscendC
