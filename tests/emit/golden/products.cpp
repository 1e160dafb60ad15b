#include "kernel_operator.h"

extern "C" __global__ __cube__ void products(GM_ADDR x, GM_ADDR z, GM_ADDR b, int64_t n) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<float> z_gm;
    AscendC::GlobalTensor<half> h_gm;
    AscendC::GlobalTensor<int8_t> b_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z));
    h_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
    b_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(b));
    AscendC::LocalTensor<half> left(AscendC::TPosition::A2, 0, 256);
    AscendC::LocalTensor<half> right(AscendC::TPosition::B2, 0, 256);
    AscendC::LocalTensor<float> sums(AscendC::TPosition::CO1, 0, 256);
    AscendC::LocalTensor<float> others(AscendC::TPosition::CO1, 1024, 256);
    AscendC::LocalTensor<float> bias(AscendC::TPosition::C2, 0, 16);
    AscendC::LocalTensor<half> back(AscendC::TPosition::A1, 0, 256);
    AscendC::LocalTensor<int8_t> small(AscendC::TPosition::A1, 1024, 512);
    AscendC::LocalTensor<uint64_t> words(AscendC::TPosition::C1, 4096, 16);
    AscendC::LocalTensor<uint64_t> scales(AscendC::TPosition::C2PIPE2GM, 0, 16);
    AscendC::MmadParams mmad_params(16, 16, n, false, 0, false, false, false);
    AscendC::Mmad(sums, left, right, mmad_params);
    AscendC::MmadParams mmad_params_1(16, 16, n, true, 0, false, false, false);
    AscendC::Mmad(sums, left, right, mmad_params_1);
    AscendC::MmadParams mmad_params_2(16, 16, n, 0, false, false);
    AscendC::Mmad(sums, left, right, mmad_params_2);
    AscendC::MmadParams mmad_params_3(16, 16, n, 0, false, false);
    mmad_params_3.kDirectionAlign = true;
    AscendC::Mmad(sums, left, right, mmad_params_3);
    AscendC::MmadParams mmad_params_4(16, 16, n, 0, true, false);
    AscendC::Mmad(sums, left, right, bias, mmad_params_4);
    AscendC::MmadParams mmad_params_5(16, 16, n, 0, false, false);
    AscendC::Mmad(sums, left, right, others, mmad_params_5);
    AscendC::Fixpipe<float, float, AscendC::CFG_ROW_MAJOR>(z_gm, sums, AscendC::FixpipeParamsV220(16, 16, 16, 16, false, QuantMode_t::NoQuant, 0, 1, 0, 0, 0, false));
    AscendC::FixpipeParamsV220 fixpipe_params_v220(16, 16, 16, n, true, QuantMode_t::F322F16, 0, 1, 0, 0, 0, false);
    AscendC::Fixpipe<half, float, AscendC::CFG_ROW_MAJOR>(h_gm, sums, fixpipe_params_v220);
    AscendC::Fixpipe<int8_t, float, AscendC::CFG_ROW_MAJOR>(b_gm, sums, words, AscendC::FixpipeParamsV220(16, 16, 16, 16, false, QuantMode_t::VQF322B8_PRE, 0, 1, 0, 0, 0, false));
    AscendC::Fixpipe<half, float, AscendC::CFG_NZ>(back, sums, AscendC::FixpipeParamsV220(16, 16, 16, 16, false, QuantMode_t::F322F16, 0, 1, 0, 0, 0, false));
    AscendC::Fixpipe<int8_t, float, AscendC::CFG_NZ>(small, sums, words, AscendC::FixpipeParamsV220(16, 16, 16, 16, false, QuantMode_t::VQF322B8_PRE, 0, 1, 0, 0, 0, false));
    AscendC::DataCopy(z_gm, sums, AscendC::DataCopyCO12DstParams(16, 16, 16, 16, QuantMode_t::NoQuant, 0, false, false));
    AscendC::DataCopy(back, sums, AscendC::DataCopyCO12DstParams(16, 16, 16, 16, QuantMode_t::F322F16, 0, false, false));
    AscendC::SetFixpipePreQuantFlag(1065353216);
    AscendC::SetFixPipeConfig<uint64_t>(scales);
    AscendC::SetFixpipeNz2ndFlag(1, 0, 0);
    AscendC::PipeBarrier<PIPE_ALL>();
}
