#include "kernel_operator.h"

extern "C" __global__ __aicore__ void slices(GM_ADDR x, GM_ADDR z, int64_t rows, float value) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<float> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), 512);
    AscendC::GlobalTensor<float> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z), 512);
    AscendC::LocalTensor<float> a(AscendC::TPosition::VECIN, 0, 256);
    AscendC::SliceInfo outer(0, rows - 1, 0, 1, rows);
    AscendC::SliceInfo inner(0, 15, 0, 2, 16);
    AscendC::SliceInfo slice_list1[2] = {inner, outer};
    AscendC::SliceInfo slice_list2[2] = {AscendC::SliceInfo(8, 23, 0, 2, 64), outer};
    AscendC::DataCopy(a, x_gm, slice_list1, slice_list2, 2);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::SliceInfo slice_list1_1[1] = {AscendC::SliceInfo(4, 19, 0, 2, 32)};
    AscendC::SliceInfo slice_list2_1[1] = {inner};
    AscendC::DataCopy(z_gm, a, slice_list1_1, slice_list2_1, 1);
    AscendC::SetPadValue<float, AscendC::TPosition::MAX>(value);
    AscendC::SetPadValue<int32_t, AscendC::TPosition::VECIN>(-1);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopyEnhancedParams plain(AscendC::BlockMode::BLOCK_MODE_NORMAL, AscendC::DeqScale::DEQ_NONE, 0, 0, false, PAD_NONE, 0);
    AscendC::DataCopy(a, x_gm, AscendC::DataCopyParams(2, 1, 0, 0), plain);
    AscendC::DataCopy(a[128], a, AscendC::DataCopyParams(2, 1, 0, 0), plain);
    AscendC::DataCopy(z_gm, a, AscendC::DataCopyParams(2, 1, 0, 0), plain);
    AscendC::DataCopyPad(a[64], x_gm, AscendC::DataCopyExtParams(2, 20, 0, 0, 0), AscendC::DataCopyPadExtParams<float>(false, 0, 3, 0.0f));
    AscendC::PipeBarrier<PIPE_ALL>();
}
