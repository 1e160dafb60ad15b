#include "kernel_operator.h"

constexpr AscendC::FixpipeConfig CFG_ROW_MAJOR_UB = {AscendC::CO2Layout::ROW_MAJOR, true};

extern "C" __global__ __mix__(1, 2) void between_cores_of_a_group(GM_ADDR x, GM_ADDR z, int64_t n) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<half> x_gm;
    AscendC::GlobalTensor<float> z_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    AscendC::LocalTensor<half> a(AscendC::TPosition::A1, 0, 1024);
    AscendC::LocalTensor<float> ub(AscendC::TPosition::VECIN, 0, 256);
    if ASCEND_IS_AIC {
        AscendC::LocalTensor<half> left(AscendC::TPosition::A2, 0, 256);
        AscendC::LocalTensor<half> right(AscendC::TPosition::B2, 0, 256);
        AscendC::LocalTensor<float> sums(AscendC::TPosition::CO1, 0, 256);
        AscendC::LocalTensor<uint64_t> words(AscendC::TPosition::C1, 4096, 16);
        AscendC::LocalTensor<float> rows(AscendC::TPosition::B1, 8192, 256);
        AscendC::DataCopy(a, x_gm, AscendC::Dn2NzParams(1, 16, 16, 0, 16, 16, 1, 0));
        AscendC::LoadData(a, x_gm, AscendC::LoadData2DParamsV2(0, 0, 1, 1, 1, 1, false, 0));
        AscendC::LoadData2DParamsV2 load_data2dparams_v2(0, 0, 1, n, 1, 1, false, 0);
        AscendC::LoadData(left, a, load_data2dparams_v2);
        AscendC::LoadDataWithTranspose(right, a, AscendC::LoadData2dTransposeParamsV2(0, 1, 1, 0, 0, 0, 0));
        AscendC::MmadParams mmad_params(16, 16, 16, 0, false, true);
        mmad_params.disableGemv = true;
        AscendC::Mmad(sums, left, right, mmad_params);
        AscendC::FixpipeParamsArch3510<AscendC::CO2Layout::ROW_MAJOR> plain(16, 16, 16, 16);
        plain.deqScalar = 0;
        AscendC::Fixpipe<float, float, AscendC::CFG_ROW_MAJOR>(z_gm, sums, plain);
        AscendC::FixpipeParamsArch3510<AscendC::CO2Layout::ROW_MAJOR> scaled(16, 16, 16, 16);
        scaled.quantPre = QuantMode_t::VQF322F32_PRE;
        scaled.deqScalar = 0;
        AscendC::Fixpipe<float, float, AscendC::CFG_ROW_MAJOR>(z_gm, sums, words, scaled);
        AscendC::FixpipeParamsArch3510<AscendC::CO2Layout::COLUMN_MAJOR> columns(16, 16, 16, 16);
        columns.params.srcNzC0Stride = 1;
        columns.deqScalar = 0;
        AscendC::Fixpipe<float, float, AscendC::CFG_COLUMN_MAJOR>(z_gm, sums, columns);
        AscendC::FixpipeParamsArch3510<AscendC::CO2Layout::NZ> fractals(16, 16, 16, 256);
        fractals.deqScalar = 0;
        AscendC::Fixpipe<float, float, AscendC::CFG_NZ>(rows, sums, fractals);
        AscendC::FixpipeParamsArch3510<AscendC::CO2Layout::NZ> others(16, 16, 16, 256);
        others.quantPre = QuantMode_t::VQF322F32_PRE;
        others.deqScalar = 0;
        AscendC::Fixpipe<float, float, AscendC::CFG_NZ>(rows, sums, words, others);
        AscendC::Fixpipe<float, float, CFG_ROW_MAJOR_UB>(ub, sums, plain);
        AscendC::Fixpipe<float, float, CFG_ROW_MAJOR_UB>(ub, sums, words, scaled);
        AscendC::DataCopyL1ToUB<float, 0>(ub, rows, 256);
        AscendC::DataCopyL1ToUB<float, 1>(ub, rows, AscendC::DataCopyParams(1, 8, 0, 0));
    } else {
        AscendC::LocalTensor<half> halves(AscendC::TPosition::VECOUT, 4096, 1024);
        AscendC::DataCopy(a, halves, 256);
        AscendC::DataCopy(a, halves, AscendC::DataCopyParams(1, 8, 0, 0));
    }
    AscendC::PipeBarrier<PIPE_ALL>();
}
