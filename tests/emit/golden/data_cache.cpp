#include "kernel_operator.h"

extern "C" __global__ __aicore__ void data_cache(GM_ADDR x) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<int32_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(x));
    x_gm.SetValue(1, static_cast<int32_t>(5));
    AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::SINGLE_CACHE_LINE, AscendC::DcciDst::CACHELINE_OUT>(x_gm[16]);
    AscendC::DataCacheCleanAndInvalid<int32_t, AscendC::CacheLine::ENTIRE_DATA_CACHE>(x_gm);
    AscendC::PipeBarrier<PIPE_ALL>();
}
