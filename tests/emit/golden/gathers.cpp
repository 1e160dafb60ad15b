#include "kernel_operator.h"

extern "C" __global__ __aicore__ void gathers(GM_ADDR x, int64_t count, int64_t turns) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<float> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), 256);
    AscendC::LocalTensor<float> a(AscendC::TPosition::VECCALC, 0, 256);
    AscendC::LocalTensor<float> c(AscendC::TPosition::VECCALC, 1024, 256);
    AscendC::LocalTensor<uint16_t> m(AscendC::TPosition::VECCALC, 0, 256);
    AscendC::LocalTensor<uint32_t> offsets(AscendC::TPosition::VECCALC, 2048, 64);
    AscendC::LocalTensor<uint8_t> room(AscendC::TPosition::VECCALC, 4096, 4096);
    AscendC::DataCopy(a, x_gm, 256);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Gather(c, a, offsets, 0, count, turns, 8);
    uint64_t mask[2] = {static_cast<uint64_t>(1), static_cast<uint64_t>(0)};
    AscendC::Gather(c, a, offsets, 4, mask, turns, 8);
    AscendC::Gather(c, a, offsets, 0, count);
    AscendC::Gatherb(c, a, offsets, turns, AscendC::GatherRepeatParams(1, 8));
    AscendC::Scatter(c, a, offsets, 0, count, turns, 8);
    uint64_t mask_1[2] = {static_cast<uint64_t>(1), static_cast<uint64_t>(0)};
    AscendC::Scatter(c, a, offsets, 4, mask_1, turns, 8);
    AscendC::Scatter(c, a, offsets, 0, count);
    uint64_t count_1 = 0;
    AscendC::GatherMask(c, a, 3, false, 0, AscendC::GatherMaskParams(1, 1, 8, 0), count_1);
    AscendC::GatherMaskParams gather_mask_params(1, turns, 8, 0);
    uint64_t kept = 0;
    AscendC::GatherMask(c, a, offsets, true, count, gather_mask_params, kept);
    AscendC::Adds(c, c, 1.0f, static_cast<int64_t>(kept));
    AscendC::Transpose(m, m);
    AscendC::LocalTensor<uint16_t> m2(AscendC::TPosition::VECCALC, 1024, 256);
    AscendC::LocalTensor<uint16_t> rows[16] = {m, m, m, m, m, m, m, m, m, m, m, m, m, m, m, m};
    AscendC::LocalTensor<uint16_t> columns[16] = {m2, m2, m2, m2, m2, m2, m2, m2, m2, m2, m2, m2, m2, m2, m2, m2};
    AscendC::TransDataTo5HDParams trans_data_to5hdparams(false, false, turns, 1, 1);
    AscendC::TransDataTo5HD(rows, columns, trans_data_to5hdparams);
    AscendC::Transpose(c, a, room, AscendC::TransposeParamsExt(1, 2, 1, 8, AscendC::TransposeType::TRANSPOSE_NCHW2NHWC));
    AscendC::PipeBarrier<PIPE_ALL>();
}
