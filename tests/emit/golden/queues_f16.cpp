#include "kernel_operator.h"

extern "C" __global__ __aicore__ void queues(GM_ADDR x, GM_ADDR y, GM_ADDR z, int64_t length) {
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), length);
    AscendC::GlobalTensor<half> y_gm;
    y_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y), length);
    AscendC::GlobalTensor<half> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z), length);
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> queue_x;
    AscendC::TQue<AscendC::TPosition::VECIN, 1, 0> queue_y;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> queue_z;
    pipe.InitBuffer(queue_x, 2, 128);
    pipe.InitBuffer(queue_y, 2, 128);
    pipe.InitBuffer(queue_z, 2, length);
    for (int64_t begin = 0; begin < length; begin += 64) {
        AscendC::LocalTensor<half> x_in = queue_x.AllocTensor<half>();
        AscendC::DataCopy(x_in, x_gm[begin], 64);
        queue_x.EnQue(x_in);
        AscendC::LocalTensor<half> y_in = queue_y.AllocTensor<half>();
        AscendC::DataCopy(y_in, y_gm[begin], 64);
        queue_y.EnQue(y_in);
        AscendC::LocalTensor<half> x_local = queue_x.DeQue<half>();
        AscendC::LocalTensor<half> y_local = queue_y.DeQue<half>();
        AscendC::LocalTensor<half> z_local = queue_z.AllocTensor<half>();
        AscendC::Add(z_local, x_local, y_local, 64);
        queue_z.EnQue(z_local);
        queue_x.FreeTensor(x_local);
        queue_y.FreeTensor(y_local);
        AscendC::LocalTensor<half> z_out = queue_z.DeQue<half>();
        AscendC::DataCopy(z_gm[begin], z_out, 64);
        queue_z.FreeTensor(z_out);
    }
}
