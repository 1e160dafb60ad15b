#include "kernel_operator.h"

extern "C" __global__ __aicore__ void buffers(GM_ADDR x, int64_t length) {
    AscendC::GlobalTensor<float> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x));
    AscendC::TPipe pipe;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> through;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 4, 0> masked;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scratch;
    AscendC::TBuf<AscendC::TPosition::VECCALC> other;
    pipe.InitBuffer(through, 1, 256);
    pipe.InitBuffer(masked, 4, length);
    pipe.InitBuffer(scratch, 1024);
    pipe.InitBuffer(other, 512);
    AscendC::LocalTensor<float> whole = scratch.Get<float>();
    AscendC::LocalTensor<int32_t> first = scratch.Get<int32_t>(16);
    AscendC::LocalTensor<half> second = scratch.GetWithOffset<half>(16, 64);
    AscendC::Duplicate(whole, 1.0f, 64);
    AscendC::Duplicate(first, static_cast<int32_t>(2), 16);
    AscendC::Duplicate(second, static_cast<half>(3.0f), 16);
    while (masked.HasIdleBuffer()) {
        AscendC::LocalTensor<float> value = masked.AllocTensor<float>();
        masked.EnQue(value);
    }
    AscendC::printf("%d %d\n", static_cast<int64_t>(masked.VacantInQue()), static_cast<int64_t>(masked.GetTensorCountInQue()) + 1);
    masked.FreeAllEvent();
    while (masked.HasTensorInQue()) {
        AscendC::LocalTensor<float> value = masked.DeQue<float>();
        masked.FreeTensor(value);
    }
    int64_t ready = pipe.AllocEventID<AscendC::HardEvent::MTE2_S>();
    AscendC::LocalTensor<float> value = through.AllocTensor<float>();
    AscendC::DataCopy(value, x_gm, 64);
    AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(ready);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(ready);
    pipe.ReleaseEventID<AscendC::HardEvent::MTE2_S>(ready);
    int64_t value_1 = pipe.FetchEventID<AscendC::HardEvent::V_S>();
    AscendC::printf("%d\n", value_1);
    pipe.Reset();
    pipe.Destroy();
}
