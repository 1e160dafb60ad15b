#include "kernel_operator.h"

__aicore__ inline void scratch_of_the_pipe(int64_t size) {
    AscendC::TPipe& pipe = *GetTPipePtr();
    AscendC::TBuf<AscendC::TPosition::VECCALC> scratch;
    pipe.InitBuffer(scratch, size);
    AscendC::LocalTensor<float> value = scratch.Get<float>();
    AscendC::Duplicate(value, 0.0f, 8);
}

extern "C" __global__ __aicore__ void pools(int64_t size) {
    AscendC::TPipe pipe;
    AscendC::TBufPool<AscendC::TPosition::VECCALC, 4> pool;
    AscendC::TBufPool<AscendC::TPosition::VECCALC, 4> other;
    AscendC::TBufPool<AscendC::TPosition::VECCALC, 4> inner;
    AscendC::TBufPool<AscendC::TPosition::VECCALC, 4> beside;
    pipe.InitBufPool(pool, 2048);
    pipe.InitBufPool(other, size, pool);
    pool.InitBufPool(inner, size);
    pool.InitBufPool(beside, size, inner);
    AscendC::TQue<AscendC::TPosition::VECIN, 1> queue;
    AscendC::TBuf<AscendC::TPosition::VECCALC> scratch;
    AscendC::TBuf<AscendC::TPosition::VECCALC> named;
    pool.InitBuffer(queue, 2, 256);
    inner.InitBuffer(scratch, 64);
    beside.InitBuffer(named, 64);
    pool.Reset();
    pipe.Destroy();
    pipe.Init();
    scratch_of_the_pipe(size);
}
