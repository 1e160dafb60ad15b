#include "kernel_operator.h"

extern "C" __global__ __aicore__ void hostile_names(GM_ADDR register_, GM_ADDR new_, int64_t half_, float template_, bool x_y) {
    AscendC::InitSocState();
    int64_t z = half_ + 1;
    int64_t gruf6udfe = z * z;
    int64_t u540du524d = gruf6udfe + z;
    int64_t x_y_1 = u540du524d * gruf6udfe;
    int64_t x_1 = x_y_1 + u540du524d;
    int64_t x_2 = x_1 - x_y_1;
    int64_t int64_t_ = x_2 * x_1;
    int64_t std_ = int64_t_ + x_2;
    AscendC::GlobalTensor<int32_t> AscendC_;
    AscendC_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(register_), std_);
    AscendC::GlobalTensor<float> PIPE_V_;
    PIPE_V_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(new_), int64_t_);
    AscendC::LocalTensor<int32_t> this_(AscendC::TPosition::VECIN, 0, 64);
    AscendC::DataCopy(this_, AscendC_, 64);
    AscendC::DataCopy(AscendC_, this_, 64);
    AscendC::LocalTensor<float> delete_(AscendC::TPosition::VECIN, 256, 64);
    AscendC::DataCopy(delete_, PIPE_V_, 64);
    AscendC::Duplicate(delete_, template_, 64);
    AscendC::DataCopy(PIPE_V_, delete_, 64);
    AscendC::printf("%d %f\n", static_cast<int64_t>(x_y), template_);
    AscendC::PipeBarrier<PIPE_ALL>();
}
