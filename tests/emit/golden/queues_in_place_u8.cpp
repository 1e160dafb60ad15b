#include "kernel_operator.h"

extern "C" __global__ __aicore__ void queues_in_place(GM_ADDR x, int64_t length) {
    AscendC::GlobalTensor<uint8_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(x), length);
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 0> placed;
    AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> ways;
    pipe.InitBuffer(placed, 1, 256);
    pipe.InitBuffer(ways, 1, 256);
    AscendC::LocalTensor<uint8_t> local;
    placed.AllocTensor(local);
    AscendC::DataCopy(local, x_gm, 64);
    placed.EnQue(local);
    placed.DeQue(local);
    placed.FreeTensor(local);
    AscendC::LocalTensor<uint8_t> filled = ways.AllocTensor<uint8_t>();
    AscendC::DataCopy(filled, x_gm, 64);
    ways.EnQue<AscendC::TPosition::GM, AscendC::TPosition::VECIN, uint8_t>(filled);
    AscendC::LocalTensor<uint8_t> used = ways.DeQue<AscendC::TPosition::GM, AscendC::TPosition::VECIN, uint8_t>();
    ways.EnQue<AscendC::TPosition::VECOUT, AscendC::TPosition::GM, uint8_t>(used);
    AscendC::LocalTensor<uint8_t> done = ways.DeQue<AscendC::TPosition::VECOUT, AscendC::TPosition::GM, uint8_t>();
    AscendC::DataCopy(x_gm, done, 64);
    ways.FreeTensor(done);
}
