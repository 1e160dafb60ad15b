#include "kernel_operator.h"

extern "C" __global__ __aicore__ void sorts(GM_ADDR x, int64_t turns) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<half> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), 512);
    AscendC::LocalTensor<half> a(AscendC::TPosition::VECCALC, 0, 512);
    AscendC::LocalTensor<half> c(AscendC::TPosition::VECCALC, 2048, 512);
    AscendC::LocalTensor<half> d(AscendC::TPosition::VECCALC, 4096, 512);
    AscendC::LocalTensor<uint32_t> u(AscendC::TPosition::VECCALC, 6144, 512);
    AscendC::DataCopy(a, x_gm, 512);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Sort32(c, a, u, turns);
    AscendC::Sort<half, true>(c, a, u, d, turns);
    int64_t step = AscendC::GetSortOffset<half>(8);
    AscendC::MrgSortSrcList<half> queues(a, a[step], a[2 * step], a[static_cast<int64_t>(AscendC::GetSortLen<float>(4))]);
    uint16_t element_lengths[4] = {8, 8, 0, 2};
    element_lengths[2] = static_cast<uint16_t>(turns);
    AscendC::MrgSort4Info mrg_sort4info(element_lengths, true, 15, 1);
    AscendC::MrgSort(c, queues, mrg_sort4info);
    uint16_t first = 0;
    uint16_t first_1 = 0;
    uint16_t first_2 = 0;
    uint16_t first_3 = 0;
    AscendC::GetMrgSortResult(first, first_1, first_2, first_3);
    uint32_t counts[4] = {0, 0, 0, 0};
    uint16_t element_count_list[4] = {8, 8, 0, 0};
    AscendC::MrgSort<half, true>(c, queues, element_count_list, counts, 3, turns);
    if (static_cast<int64_t>(counts[0]) + static_cast<int64_t>(first) > static_cast<int64_t>(first_3) + static_cast<int64_t>(AscendC::GetSortLen<half>(static_cast<int64_t>(first_1))) + static_cast<int64_t>(AscendC::GetSortOffset<float>(static_cast<int64_t>(first_2)))) {
        uint16_t element_lengths_1[4] = {2, 2, 0, 0};
        AscendC::MrgSort4Info mrg_sort4info_1(element_lengths_1, false, 3, 1);
        AscendC::MrgSort(c, queues, mrg_sort4info_1);
    }
    uint64_t count = 0;
    AscendC::GatherMask(c, a, 3, false, 0, AscendC::GatherMaskParams(1, 1, 8, 0), count);
    AscendC::Sort32(c, a, u, AscendC::GetGatherMaskRemainCount());
    AscendC::PipeBarrier<PIPE_ALL>();
}
