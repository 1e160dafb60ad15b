#include "kernel_operator.h"

extern "C" __global__ __aicore__ void dumps(GM_ADDR x, int64_t n) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<uint64_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(x), 64);
    AscendC::LocalTensor<uint64_t> a(AscendC::TPosition::VECIN, 0, 64);
    AscendC::MetricsProfStart();
    AscendC::DataCopy(a, x_gm, 64);
    AscendC::DumpTensor(a, 1, n);
    AscendC::DumpTensor(x_gm[n], 2, 8);
    uint32_t shape[2] = {2, 0};
    shape[1] = static_cast<uint32_t>(n);
    AscendC::ShapeInfo shape_1(2, shape);
    AscendC::DumpTensor(a, 6, 8, shape_1);
    AscendC::DumpTensor(x_gm, 7, n, shape_1);
    AscendC::DumpAccChkPoint(a, 3, n, 8);
    AscendC::DumpAccChkPoint(x_gm, 4, 0, n);
    AscendC::PrintTimeStamp(5);
    AscendC::MetricsProfStop();
    AscendC::PipeBarrier<PIPE_ALL>();
}
