#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"

extern "C" __global__ __aicore__ void lists(GM_ADDR words, GM_ADDR in_bytes, int64_t length) {
    AscendC::InitSocState();
    AscendC::ListTensorDesc tensors(reinterpret_cast<__gm__ uint64_t*>(words), length, 4294967295);
    AscendC::ListTensorDesc later;
    later.Init(reinterpret_cast<__gm__ uint8_t*>(in_bytes), 4294967295, 2);
    uint64_t sizes[4] = {static_cast<uint64_t>(0), static_cast<uint64_t>(0), static_cast<uint64_t>(0), static_cast<uint64_t>(0)};
    AscendC::TensorDesc<half> desc;
    AscendC::TensorDesc<float> other;
    desc.SetShapeAddr(sizes);
    other.SetShapeAddr(sizes);
    int64_t value = tensors.GetSize();
    for (int64_t i = 0; i < value; ++i) {
        tensors.GetDesc(desc, i);
        AscendC::printf("%d %d %d %d\n", static_cast<int64_t>(desc.GetDim()), static_cast<int64_t>(desc.GetIndex()), static_cast<int64_t>(desc.GetShape(1)), sizes[0]);
        AscendC::GlobalTensor<half> tensor = desc.GetDataObj();
        tensor.SetValue(0, static_cast<half>(1.0f));
        AscendC::GlobalTensor<half> x_gm;
        x_gm.SetGlobalBuffer(desc.GetDataPtr(), 8);
        AscendC::GlobalTensor<int32_t> y_gm;
        y_gm.SetGlobalBuffer(later.GetDataPtr<int32_t>(i), 8);
        float value_1 = static_cast<float>(x_gm.GetValue(1));
        if (!(value_1 >= -9.223372e+18f && value_1 < 9.223372e+18f)) {
            AscendC::Trap();
        }
        y_gm.SetValue(0, static_cast<int32_t>(static_cast<int64_t>(value_1)));
    }
    AscendC::PipeBarrier<PIPE_ALL>();
}
