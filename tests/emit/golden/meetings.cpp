#include "kernel_operator.h"

extern "C" __global__ __aicore__ void meetings(GM_ADDR w) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<int32_t> w_gm;
    w_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(w));
    AscendC::LocalTensor<int32_t> u(AscendC::TPosition::VECCALC, 0, 512);
    AscendC::WaitPreBlock(w_gm, u);
    AscendC::NotifyNextBlock(w_gm, u);
    AscendC::IBSet(w_gm, u, AscendC::GetBlockIdx(), 1);
    AscendC::IBWait(w_gm, u, AscendC::GetBlockIdx(), 1);
    AscendC::SyncAll(w_gm, u, 0);
    AscendC::SyncAll(w_gm, u, 8);
    AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(2);
    AscendC::CrossCoreWaitFlag<0, PIPE_MTE3>(2);
    AscendC::PipeBarrier<PIPE_ALL>();
}
