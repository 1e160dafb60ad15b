#include "kernel_operator.h"

extern "C" __global__ __aicore__ void changing_tensors(GM_ADDR x, int64_t n) {
    AscendC::InitSocState();
    AscendC::GlobalTensor<int32_t> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(x), 64);
    uint32_t shape[2] = {8, 0};
    shape[1] = static_cast<uint32_t>(n);
    uint32_t original_shape[2] = {5, 7};
    AscendC::ShapeInfo shape_info(2, shape, 2, original_shape, AscendC::DataFormat::NZ);
    x_gm.SetShapeInfo(shape_info);
    AscendC::LocalTensor<int32_t> whole(AscendC::TPosition::VECIN, 512, 0);
    whole.SetSize(n);
    whole.SetBufferLen(2 * n);
    whole.SetUserTag(n);
    AscendC::LocalTensor<int32_t> part;
    part.SetAddrWithOffset(whole, 8);
    uint32_t shape_1[2] = {4, 2};
    AscendC::ShapeInfo shape_info_1(2, shape_1, AscendC::DataFormat::NCHW);
    part.SetShapeInfo(shape_info_1);
    AscendC::ShapeInfo shape_2 = x_gm.GetShapeInfo();
    AscendC::printf("%d %d %d\n", static_cast<int64_t>(shape_2.shape[1]), static_cast<int64_t>(shape_2.originalShape[0]), static_cast<int64_t>(AscendC::GetShapeSize(AscendC::ShapeInfo())));
    AscendC::ShapeInfo shape_info_2 = part.GetShapeInfo();
    AscendC::printf("%d\n", static_cast<int64_t>(shape_info_2.shape[n]));
    AscendC::printf("%d %d %d\n", static_cast<int64_t>(whole.GetPosition()), static_cast<int64_t>(whole.GetUserTag()), static_cast<int64_t>(whole.GetSize()));
    AscendC::Duplicate(part, static_cast<int32_t>(0), 8);
    uint32_t shape_3[1] = {0};
    shape_3[0] = static_cast<uint32_t>(n);
    AscendC::ShapeInfo shape_info_3(1, shape_3);
    AscendC::printf("%d\n", static_cast<int64_t>(AscendC::GetShapeSize(shape_info_3)));
    AscendC::PipeBarrier<PIPE_ALL>();
}
