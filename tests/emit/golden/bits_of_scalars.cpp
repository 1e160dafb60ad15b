#include "kernel_operator.h"

extern "C" __global__ __aicore__ void bits_of_scalars(int64_t n) {
    AscendC::InitSocState();
    AscendC::printf("%d %d", AscendC::ScalarGetSFFValue<1>(n), AscendC::ScalarGetCountOfValue<0>(n));
    AscendC::printf("%d %d", AscendC::ScalarCountLeadingZero(n), AscendC::CountBitsCntSameAsSignBit(n));
    AscendC::PipeBarrier<PIPE_ALL>();
}
