// Answers of opwright/memory.h: reads pairs of tensors from standard input, prints "meets repeats repeats" for each.
//
// A pair is: distance in bytes, then twice: bytes of an element, dimensions, sizes, strides.
#include <cstdint>
#include <iostream>
#include <vector>

#include "opwright/memory.h"

struct Tensor {
    std::vector<int64_t> shape, strides;
    DLTensor described{};
};

static bool read(Tensor& tensor, int64_t address) {
    int64_t width = 0, count = 0;
    if (!(std::cin >> width >> count)) return false;
    tensor.shape.resize(count);
    tensor.strides.resize(count);
    for (auto& size : tensor.shape) std::cin >> size;
    for (auto& step : tensor.strides) std::cin >> step;
    tensor.described.data = reinterpret_cast<void*>(address - 16);
    tensor.described.byte_offset = 16;
    tensor.described.device = {1, 0};
    tensor.described.ndim = static_cast<int32_t>(count);
    tensor.described.dtype = {0, static_cast<uint8_t>(8 * width), 1};
    tensor.described.shape = tensor.shape.data();
    tensor.described.strides = tensor.strides.data();
    return true;
}

int main() {
    int64_t distance = 0;
    constexpr int64_t kStart = int64_t{1} << 40;
    while (std::cin >> distance) {
        Tensor a, b;
        if (!read(a, kStart) || !read(b, kStart + distance)) return 1;
        std::cout << opwright::shares_memory(a.described, b.described) << ' ' << opwright::overlaps_itself(a.described)
                  << ' ' << opwright::overlaps_itself(b.described) << '\n';
    }
    // Numbers beyond 64 bits are undecided, and strides may be left out.
    Tensor huge;
    huge.shape = {int64_t{1} << 62, int64_t{1} << 62};
    huge.described.shape = huge.shape.data();
    huge.described.ndim = 2;
    huge.described.dtype = {0, 64, 1};
    huge.strides = {int64_t{1} << 62, 1};
    huge.described.strides = huge.strides.data();
    std::cout << opwright::shares_memory(huge.described, huge.described) << '\n';
}
