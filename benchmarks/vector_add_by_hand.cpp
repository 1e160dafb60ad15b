// The kernel of vector_add_kernel.py as a person would write it in Ascend C, for float and tiles of 2048.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t TILE = 2048;

class KernelAdd {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, int64_t length) {
        this->length = length;
        int64_t offset = GetBlockIdx() * length;
        xGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x) + offset, length);
        yGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(y) + offset, length);
        zGm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z) + offset, length);
        xLocal = LocalTensor<float>(TPosition::VECIN, 0, TILE);
        yLocal = LocalTensor<float>(TPosition::VECIN, TILE * sizeof(float), TILE);
        zLocal = LocalTensor<float>(TPosition::VECOUT, 2 * TILE * sizeof(float), TILE);
    }

    __aicore__ inline void Process() {
        SetFlag<HardEvent::V_MTE2>(0);
        SetFlag<HardEvent::MTE3_V>(0);
        for (int64_t begin = 0; begin < length; begin += TILE) {
            int64_t rest = length - begin;
            CopyIn(begin, rest < TILE ? rest : TILE);
            Compute(rest < TILE ? rest : TILE);
            CopyOut(begin, rest < TILE ? rest : TILE);
        }
        WaitFlag<HardEvent::V_MTE2>(0);
        WaitFlag<HardEvent::MTE3_V>(0);
    }

private:
    __aicore__ inline void CopyIn(int64_t begin, int64_t count) {
        WaitFlag<HardEvent::V_MTE2>(0);
        DataCopy(xLocal, xGm[begin], count);
        DataCopy(yLocal, yGm[begin], count);
        SetFlag<HardEvent::MTE2_V>(0);
    }

    __aicore__ inline void Compute(int64_t count) {
        WaitFlag<HardEvent::MTE2_V>(0);
        WaitFlag<HardEvent::MTE3_V>(0);
        Add(zLocal, xLocal, yLocal, count);
        SetFlag<HardEvent::V_MTE2>(0);
        SetFlag<HardEvent::V_MTE3>(0);
    }

    __aicore__ inline void CopyOut(int64_t begin, int64_t count) {
        WaitFlag<HardEvent::V_MTE3>(0);
        DataCopy(zGm[begin], zLocal, count);
        SetFlag<HardEvent::MTE3_V>(0);
    }

    GlobalTensor<float> xGm, yGm, zGm;
    LocalTensor<float> xLocal, yLocal, zLocal;
    int64_t length;
};

extern "C" __global__ __aicore__ void vadd(GM_ADDR x, GM_ADDR y, GM_ADDR z, int64_t block_length) {
    InitSocState();
    KernelAdd kernel;
    kernel.Init(x, y, z, block_length);
    kernel.Process();
    PipeBarrier<PIPE_ALL>();
}
