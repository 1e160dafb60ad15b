#include "kernel_operator.h"

extern "C" __global__ __aicore__ void unsigned_numbers(GM_ADDR x, uint32_t rows, uint16_t width) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<int32_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(x));
    int64_t tiles = (static_cast<int64_t>(rows) + 63) / 64;
    for (int64_t tile = AscendC::GetBlockIdx(); tile < tiles; tile += AscendC::GetBlockNum()) {
        int64_t value = static_cast<int64_t>(rows) - tile * 64;
        x_gm.SetValue(tile / 4, static_cast<int32_t>(value < 64 ? value : 64));
    }
    int64_t value = AscendC::GetBlockNum();
    int64_t each = (tiles + value - 1) / value;
    int64_t start = AscendC::GetBlockIdx() * each;
    int64_t value_1 = start + each;
    int64_t value_2 = tiles < value_1 ? tiles : value_1;
    for (int64_t tile = start; tile < value_2; ++tile) {
        int64_t value_3 = static_cast<int64_t>(width) + 1;
        int64_t value_4 = static_cast<int64_t>(rows);
        int64_t value_5 = tile % 8;
        for (int64_t column = 0; column < value_4; column += value_3) {
            int64_t value_6 = x_gm.GetSize();
            x_gm.SetValue(value_5, static_cast<int32_t>((column + 7) / 8 + (value_6 / 8 + (value_6 % 8 > 0 ? 1 : 0))));
        }
    }
    AscendC::PipeBarrier<PIPE_ALL>();
}
