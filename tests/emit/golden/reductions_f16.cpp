#include "kernel_operator.h"

extern "C" __global__ __aicore__ void reductions(GM_ADDR x, GM_ADDR z, int64_t turns) {
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), 512);
    AscendC::GlobalTensor<half> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z), 512);
    AscendC::LocalTensor<half> a(AscendC::TPosition::VECIN, 0, 512);
    AscendC::LocalTensor<half> c(AscendC::TPosition::VECOUT, 2048, 512);
    AscendC::LocalTensor<half> t(AscendC::TPosition::VECCALC, 4096, 512);
    AscendC::DataCopy(a, x_gm, 512);
    AscendC::BlockReduceSum(c, a, turns, 64, 1, 1, 8);
    uint64_t mask[2] = {static_cast<uint64_t>(0), static_cast<uint64_t>(5)};
    mask[0] = static_cast<uint64_t>(turns);
    AscendC::BlockReduceSum(c, a, turns, mask, 1, 1, 8);
    AscendC::BlockReduceMax(c, a, turns, 64, 1, 1, 8);
    uint64_t mask_1[2] = {static_cast<uint64_t>(7), static_cast<uint64_t>(0)};
    AscendC::BlockReduceMax(c, a, turns, mask_1, 1, 1, 8);
    AscendC::BlockReduceMin(c, a, turns, 64, 1, 1, 8);
    uint64_t mask_2[2] = {static_cast<uint64_t>(7), static_cast<uint64_t>(0)};
    AscendC::BlockReduceMin(c, a, turns, mask_2, 1, 1, 8);
    AscendC::PairReduceSum(c, a, turns, 64, 1, 1, 8);
    uint64_t mask_3[2] = {static_cast<uint64_t>(7), static_cast<uint64_t>(0)};
    AscendC::PairReduceSum(c, a, turns, mask_3, 1, 1, 8);
    AscendC::RepeatReduceSum(c, a, turns, 64, 1, 1, 1, 8);
    AscendC::WholeReduceSum(c, a, 64, turns, 1, 1, 8);
    uint64_t mask_4[2] = {static_cast<uint64_t>(7), static_cast<uint64_t>(0)};
    AscendC::WholeReduceSum(c, a, mask_4, turns, 1, 1, 8);
    AscendC::WholeReduceMax(c, a, 64, turns, 1, 1, 8, AscendC::ReduceOrder::ORDER_VALUE_INDEX);
    uint64_t mask_5[2] = {static_cast<uint64_t>(7), static_cast<uint64_t>(0)};
    AscendC::WholeReduceMax(c, a, mask_5, turns, 1, 1, 8, AscendC::ReduceOrder::ORDER_ONLY_INDEX);
    AscendC::WholeReduceMin(c, a, 64, turns, 1, 1, 8, AscendC::ReduceOrder::ORDER_INDEX_VALUE);
    uint64_t mask_6[2] = {static_cast<uint64_t>(7), static_cast<uint64_t>(0)};
    AscendC::WholeReduceMin(c, a, mask_6, turns, 1, 1, 8, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
    AscendC::ReduceSum(c, a, t, 64, turns, 8);
    uint64_t mask_7[2] = {static_cast<uint64_t>(7), static_cast<uint64_t>(0)};
    AscendC::ReduceSum(c, a, t, mask_7, turns, 8);
    AscendC::ReduceSum(c, a, t, 100);
    AscendC::ReduceMax(c, a, t, 64, turns, 8, false);
    uint64_t mask_8[2] = {static_cast<uint64_t>(7), static_cast<uint64_t>(0)};
    AscendC::ReduceMax(c, a, t, mask_8, turns, 8, true);
    AscendC::ReduceMax(c, a, t, 100, true);
    AscendC::ReduceMin(c, a, t, 64, turns, 8, true);
    uint64_t mask_9[2] = {static_cast<uint64_t>(7), static_cast<uint64_t>(0)};
    AscendC::ReduceMin(c, a, t, mask_9, turns, 8, false);
    AscendC::ReduceMin(c, a, t, 100, false);
    AscendC::DataCopy(z_gm, c, 512);
}
