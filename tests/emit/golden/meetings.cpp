#include "kernel_operator.h"

extern "C" __global__ __aicore__ void meetings(GM_ADDR w) {
    AscendC::GlobalTensor<int32_t> w_gm;
    w_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(w));
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> u_buffer;
    pipe.InitBuffer(u_buffer, 2048);
    AscendC::LocalTensor<int32_t> u = u_buffer.Get<int32_t>();
    AscendC::WaitPreBlock(w_gm, u);
    AscendC::NotifyNextBlock(w_gm, u);
    AscendC::IBSet(w_gm, u, AscendC::GetBlockIdx(), 1);
    AscendC::IBWait(w_gm, u, AscendC::GetBlockIdx(), 1);
    AscendC::SyncAll(w_gm, u, 0);
    AscendC::SyncAll(w_gm, u, 8);
    AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(2);
    AscendC::CrossCoreWaitFlag<0, PIPE_MTE3>(2);
}
