#include "kernel_operator.h"

extern "C" __global__ __aicore__ void state(GM_ADDR x, GM_ADDR w, int64_t n) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<uint64_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(x), 64);
    AscendC::DataCachePreload(x_gm[8], n * 8);
    AscendC::ICachePreLoad(n);
    AscendC::SetSysWorkspace(reinterpret_cast<GM_ADDR>(reinterpret_cast<__gm__ half*>(w)));
    AscendC::GlobalTensor<uint8_t> w_gm;
    w_gm.SetGlobalBuffer(GetSysWorkSpacePtr(), 128);
    AscendC::SetHcclContext<1>(reinterpret_cast<GM_ADDR>(reinterpret_cast<__gm__ half*>(w) + n));
    __gm__ uint8_t* context = AscendC::GetHcclContext<1>();
    w_gm.SetGlobalBuffer(context + 4, 8);
    AscendC::SetStoreAtomicConfig<AscendC::AtomicDtype::ATOMIC_F16, AscendC::AtomicOp::ATOMIC_SUM>();
    uint16_t kind = 0;
    uint16_t kind_1 = 0;
    AscendC::GetStoreAtomicConfig(kind, kind_1);
    AscendC::SetStoreAtomicConfig<AscendC::AtomicDtype::ATOMIC_NONE, AscendC::AtomicOp::ATOMIC_SUM>();
    AscendC::CheckLocalMemoryIAParam check_local_memory_iaparam(1, n, 2 * n, false, false, true, false, false, false, true);
    AscendC::CheckLocalMemoryIA(check_local_memory_iaparam);
    AscendC::SetHF32Mode(true);
    AscendC::SetHF32TransMode(false);
    AscendC::SetMMLayoutTransform(true);
    if ASCEND_IS_AIV {
        AscendC::printf("%d %d\n", static_cast<int64_t>(kind) + static_cast<int64_t>(kind_1), AscendC::GetICachePreloadStatus());
    } else if ((g_coreType == AscendC::AIC) && n > 3) {
        uint32_t count = 0;
        AscendC::GetArchVersion(count);
        uint32_t count_1 = 0;
        AscendC::GetArchVersion(count_1);
        AscendC::printf("%d\n", static_cast<int64_t>(count) + static_cast<int64_t>(count_1));
    }
    bool is_vector = (g_coreType == AscendC::AIV);
    if (!is_vector || n == 4) {
        AscendC::printf("%d\n", static_cast<int64_t>(AscendC::ONE_BLK_SIZE) * n + static_cast<int64_t>(AscendC::TOTAL_L0C_SIZE));
    }
    AscendC::PipeBarrier<PIPE_ALL>();
}
