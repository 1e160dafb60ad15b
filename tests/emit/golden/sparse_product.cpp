#include "kernel_operator.h"

extern "C" __global__ __cube__ void sparse_product(GM_ADDR x, GM_ADDR z) {
    AscendC::InitSocState();
    AscendC::LocalTensor<int8_t> a(AscendC::TPosition::A1, 0, 2048);
    AscendC::LocalTensor<uint8_t> index(AscendC::TPosition::B1, 4096, 512);
    AscendC::LocalTensor<int8_t> left(AscendC::TPosition::A2, 0, 1024);
    AscendC::LocalTensor<int8_t> right(AscendC::TPosition::B2, 0, 1024);
    AscendC::LocalTensor<int32_t> sums(AscendC::TPosition::CO1, 0, 256);
    AscendC::LoadDataWithSparse(right, a, index, AscendC::LoadData2DParams(0, 2, 0, 0, 0, false, 0));
    AscendC::MmadWithSparse(sums, left, right, AscendC::MmadParams(16, 16, 64, false, 0, false, false, false));
    AscendC::PipeBarrier<PIPE_ALL>();
}
