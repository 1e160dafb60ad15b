#include "kernel_operator.h"

extern "C" __global__ __aicore__ void queues(GM_ADDR x, GM_ADDR y, GM_ADDR z, int64_t length) {
    AscendC::GlobalTensor<float> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), length);
    AscendC::GlobalTensor<float> y_gm;
    y_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y), length);
    AscendC::GlobalTensor<float> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z), length);
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> queue_x;
    AscendC::TQue<AscendC::TPosition::VECIN, 1, 0> queue_y;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> queue_z;
    pipe.InitBuffer(queue_x, 2, 256);
    pipe.InitBuffer(queue_y, 2, 256);
    pipe.InitBuffer(queue_z, 2, length);
    for (int64_t begin = 0; begin < length; begin += 64) {
        AscendC::LocalTensor<float> x_in = queue_x.AllocTensor<float>();
        AscendC::DataCopy(x_in, x_gm[begin], 64);
        queue_x.EnQue(x_in);
        AscendC::LocalTensor<float> y_in = queue_y.AllocTensor<float>();
        AscendC::DataCopy(y_in, y_gm[begin], 64);
        queue_y.EnQue(y_in);
        AscendC::LocalTensor<float> x_local = queue_x.DeQue<float>();
        AscendC::LocalTensor<float> y_local = queue_y.DeQue<float>();
        AscendC::LocalTensor<float> z_local = queue_z.AllocTensor<float>();
        AscendC::Add(z_local, x_local, y_local, 64);
        queue_z.EnQue(z_local);
        queue_x.FreeTensor(x_local);
        queue_y.FreeTensor(y_local);
        AscendC::LocalTensor<float> z_out = queue_z.DeQue<float>();
        AscendC::DataCopy(z_gm[begin], z_out, 64);
        queue_z.FreeTensor(z_out);
    }
}
