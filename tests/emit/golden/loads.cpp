#include "kernel_operator.h"

extern "C" __global__ __cube__ void loads(GM_ADDR x, int64_t n) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
    AscendC::LocalTensor<half> a(AscendC::TPosition::A1, 0, 2048);
    AscendC::LocalTensor<half> left(AscendC::TPosition::A2, 0, 2048);
    AscendC::LocalTensor<half> right(AscendC::TPosition::B2, 0, 2048);
    AscendC::LoadData(a, x_gm, AscendC::LoadData2DParams(0, 4, 1, 0, 0, false, 0));
    AscendC::LoadData2DParams load_data2dparams(0, 2, n, 0, 0, false, 0);
    AscendC::LoadData(left, x_gm, load_data2dparams);
    AscendC::LoadData(left, a, AscendC::LoadData2DParams(0, 4, 1, 0, 0, false, 0));
    AscendC::LoadData(right, a, AscendC::LoadData2DParams(0, 4, 1, 0, 0, true, 0));
    AscendC::LoadDataWithTranspose(left, a, AscendC::LoadData2dTransposeParams(0, 4, 1, 0, 0, 0));
    AscendC::LoadData2dTransposeParams load_data2d_transpose_params(0, n, 1, 0, 0, 0);
    AscendC::LoadDataWithTranspose(right, a, load_data2d_transpose_params);
    uint8_t pad_list[4] = {0, 0, 0, 0};
    AscendC::SetFmatrix(4, 4, pad_list, AscendC::FmatrixMode::FMATRIX_LEFT);
    AscendC::SetLoadDataBoundary(0);
    AscendC::SetLoadDataPaddingValue<int32_t>(0);
    AscendC::SetLoadDataPaddingValue<float>(1.5f);
    AscendC::SetLoadDataRepeat(AscendC::LoadDataRepeatParam(0, 1, 0));
    uint8_t pad_list_1[4] = {0, 0, 0, 0};
    AscendC::LoadData3DParamsV2<half> picture(pad_list_1, 4, 4, 16, 64, 16, 0, 0, 1, 1, 2, 2, 1, 1, false, false, static_cast<half>(0.0f), false, false, false);
    AscendC::LoadData(left, a, picture);
    AscendC::LoadData(right, a, picture);
    AscendC::LoadData(left, a, AscendC::LoadData3DParamsV2Pro(16, false, false, false, false, false, 0, 1103823438081));
    AscendC::LoadData(right, a, AscendC::LoadData3DParamsV2Pro(16, false, false, false, false, false, 0, 1103823438081));
    AscendC::PipeBarrier<PIPE_ALL>();
}
