#include "kernel_operator.h"

extern "C" __global__ __aicore__ void double_buffer(GM_ADDR x, int64_t turns) {
    AscendC::InitSocState();
    AscendC::LocalTensor<float> here(AscendC::TPosition::VECIN, 0, 64);
    AscendC::LocalTensor<float> there(AscendC::TPosition::VECIN, 256, 64);
    AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(0);
    AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(1);
    __gm__ float* place = reinterpret_cast<__gm__ float*>(x);
    for (int64_t turn = 0; turn < turns; ++turn) {
        int64_t event = turn % 2;
        AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(event);
        AscendC::Duplicate(here, static_cast<float>(turn), 64);
        AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(event);
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(event);
        AscendC::GlobalTensor<float> out;
        out.SetGlobalBuffer(place, 64);
        AscendC::DataCopy(out, here, 64);
        AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(event);
        AscendC::LocalTensor<float> value = here;
        here = there;
        there = value;
        place = place + 64;
    }
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(0);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(1);
    AscendC::PipeBarrier<PIPE_ALL>();
}
