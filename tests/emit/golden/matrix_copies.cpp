#include "kernel_operator.h"

extern "C" __global__ __cube__ void matrix_copies(GM_ADDR x, GM_ADDR y, GM_ADDR w, int64_t n) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<half> x_gm;
    AscendC::GlobalTensor<float> y_gm;
    AscendC::GlobalTensor<uint64_t> w_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x));
    y_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y));
    w_gm.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(w));
    AscendC::LocalTensor<half> a(AscendC::TPosition::A1, 0, 1024);
    AscendC::LocalTensor<float> b(AscendC::TPosition::B1, 4096, 256);
    AscendC::LocalTensor<uint64_t> c(AscendC::TPosition::C1, 8192, 64);
    AscendC::LocalTensor<float> bias(AscendC::TPosition::C2, 0, 64);
    AscendC::LocalTensor<uint64_t> scales(AscendC::TPosition::C2PIPE2GM, 0, 64);
    AscendC::DataCopy(a, x_gm, AscendC::Nd2NzParams(1, 16, 32, 0, 32, 16, 1, 0));
    AscendC::DataCopy(a, x_gm, 512);
    AscendC::DataCopy(x_gm, a, 512);
    AscendC::DataCopy(b, y_gm, 64);
    AscendC::DataCopy(c, w_gm, 64);
    AscendC::DataCopy(bias, b, 64);
    AscendC::DataCopyParams data_copy_params(1, n, 0, 0);
    AscendC::DataCopy(bias, b, data_copy_params);
    AscendC::DataCopy(bias, a, AscendC::DataCopyParams(1, 1, 0, 0));
    AscendC::DataCopy(scales, c, 16);
    AscendC::DataCopyParams data_copy_params_1(1, n, 0, 0);
    AscendC::DataCopy(scales, c, data_copy_params_1);
    AscendC::InitConstValueParams<half> init_const_value_params(2, n, 4, static_cast<half>(1.5f));
    AscendC::InitConstValue(a, init_const_value_params);
    AscendC::LocalTensor<float> value(AscendC::TPosition::A2, 0, 256);
    AscendC::InitConstValue(value, AscendC::InitConstValueParams<float>(1, 4, 0, 2.5f));
    AscendC::PipeBarrier<PIPE_ALL>();
}
