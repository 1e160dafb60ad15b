#include "kernel_operator.h"

extern "C" __global__ __aicore__ void texts(int64_t n) {
    AscendC::InitSocState();
    AscendC::printf("plain\n");
    AscendC::printf("quotes ' \" and \\ backslash\ttab\r\n");
    AscendC::printf("100%% of %d\n", n);
    AscendC::printf("gr\303\266\303\237er als \342\210\236 \347\214\253 \360\237\220\210\n");
    AscendC::printf("\001\0377 \177?\?/ ?\?= ?\?\?\n");
    AscendC::printf("two parts %d and a number\n", n);
    AscendC::printf("");
    AscendC::PipeBarrier<PIPE_ALL>();
}
