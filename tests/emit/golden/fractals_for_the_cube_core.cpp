#include "kernel_operator.h"

extern "C" __global__ __mix__(1, 2) void fractals_for_the_cube_core(GM_ADDR x, GM_ADDR z, int64_t n) {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::A1> a_buffer;
    pipe.InitBuffer(a_buffer, 2048);
    AscendC::LocalTensor<half> a = a_buffer.Get<half>();
    if ASCEND_IS_AIV {
        AscendC::TBuf<AscendC::TPosition::VECOUT> halves_buffer;
        pipe.InitBuffer(halves_buffer, 2048);
        AscendC::LocalTensor<half> halves = halves_buffer.Get<half>();
        AscendC::DataCopy(a, halves, AscendC::Nd2NzParams(1, 16, 16, 0, 16, 16, 1, 0));
    }
}
