#include "kernel_operator.h"

extern "C" __global__ __aicore__ void queues_in_place(GM_ADDR x, int64_t length) {
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), length);
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 0> placed;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> ways;
    pipe.InitBuffer(placed, 1, 256);
    pipe.InitBuffer(ways, 1, 256);
    AscendC::LocalTensor<half> local;
    placed.AllocTensor(local);
    AscendC::DataCopy(local, x_gm, 64);
    placed.EnQue(local);
    placed.DeQue(local);
    placed.FreeTensor(local);
    AscendC::LocalTensor<half> filled = ways.AllocTensor<half>();
    AscendC::DataCopy(filled, x_gm, 64);
    ways.EnQue<AscendC::TPosition::GM, AscendC::TPosition::VECIN, half>(filled);
    AscendC::LocalTensor<half> used = ways.DeQue<AscendC::TPosition::GM, AscendC::TPosition::VECIN, half>();
    ways.EnQue<AscendC::TPosition::VECOUT, AscendC::TPosition::GM, half>(used);
    AscendC::LocalTensor<half> done = ways.DeQue<AscendC::TPosition::VECOUT, AscendC::TPosition::GM, half>();
    AscendC::DataCopy(x_gm, done, 64);
    ways.FreeTensor(done);
}
