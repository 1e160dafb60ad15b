#include "kernel_operator.h"

__aicore__ inline int64_t floor_div(int64_t a, int64_t b) {
    if (b == -1) {
        return 0 - a;
    }
    int64_t quotient = a / b;
    return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

__aicore__ inline int64_t floor_mod(int64_t a, int64_t b) {
    if (b == -1) {
        return 0;
    }
    int64_t rest = a % b;
    return (rest != 0 && (rest < 0) != (b < 0)) ? rest + b : rest;
}

__aicore__ inline int64_t range_turns(int64_t start, int64_t stop, int64_t step) {
    if (step > 0) {
        return start < stop ? static_cast<int64_t>((uint64_t(stop) - uint64_t(start) - 1) / uint64_t(step)) + 1 : 0;
    }
    return start > stop ? static_cast<int64_t>((uint64_t(start) - uint64_t(stop) - 1) / (0 - uint64_t(step))) + 1 : 0;
}

constexpr int64_t kAnswer = 42;

struct Plan {
    int64_t length;
    float scale;
    bool new_;
    int32_t tile;
    uint8_t double_;
};

struct Window {
    AscendC::GlobalTensor<half> tensor;
    int64_t left;
};

struct Op {
    Window x;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> queue;
    int64_t turns;
};

__aicore__ inline void Window_init(Window& self, __gm__ half* memory, int64_t begin, int64_t length) {
    self.tensor.SetGlobalBuffer(memory + begin, length);
    self.left = length;
}

__aicore__ inline void Op_init(Op& self, __gm__ half* x, Plan& plan) {
    Window_init(self.x, x, AscendC::GetBlockIdx() * plan.length, plan.length);
    self.pipe.InitBuffer(self.queue, 1, 256);
    self.turns = 0;
}

struct quotients_result {
    int64_t item0;
    int64_t item1;
};

__aicore__ inline quotients_result quotients(int64_t length, int32_t tile) {
    int64_t value = static_cast<int64_t>(tile);
    if (value == 0) {
        AscendC::Trap();
    }
    if (value == 0) {
        AscendC::Trap();
    }
    quotients_result result;
    result.item0 = floor_div(length, value);
    result.item1 = floor_mod(length, value);
    return result;
}

struct quotients_1_result {
    int64_t item0;
    int64_t item1;
};

__aicore__ inline quotients_1_result quotients_1(int64_t length) {
    quotients_1_result result;
    result.item0 = floor_div(length, 2);
    result.item1 = floor_mod(length, 2);
    return result;
}

__aicore__ inline int64_t clamped(int64_t value) {
    if (value < 16) {
        return 16;
    }
    if (value > 64) {
        return 64;
    }
    return value;
}

__aicore__ inline void fill(AscendC::LocalTensor<half> tensor, int32_t (&counts)[3]) {
    counts[0] = static_cast<int32_t>(static_cast<int64_t>(counts[0]) + 1);
    AscendC::Duplicate(tensor, static_cast<half>(1.0f), 16);
}

__aicore__ inline int64_t Op_step(Op& self, int64_t begin, int32_t (&counts)[3]) {
    AscendC::LocalTensor<half> local = self.queue.AllocTensor<half>();
    fill(local, counts);
    self.queue.EnQue(local);
    AscendC::LocalTensor<half> out = self.queue.DeQue<half>();
    AscendC::DataCopy(self.x.tensor[begin], out, 16);
    self.queue.FreeTensor(out);
    self.turns = self.turns + 1;
    self.x.left = self.x.left - 16;
    return self.turns;
}

__aicore__ inline float clamped_1(float value) {
    if (value < 0.0f) {
        return 0.0f;
    }
    if (value > 1.0f) {
        return 1.0f;
    }
    return value;
}

extern "C" __global__ __vector__ void functions(GM_ADDR x, Plan plan, int16_t small, uint64_t wide) {
    int32_t counts[3] = {1, 2, 0};
    counts[2] = static_cast<int32_t>(small);
    float floats[2] = {0.25f, 0.25f};
    Op op;
    Op_init(op, reinterpret_cast<__gm__ half*>(x), plan);
    quotients_result quotients_values = quotients(plan.length, plan.tile);
    quotients_1_result quotients_1_values = quotients_1(plan.length);
    int64_t value = clamped(plan.length);
    int64_t value_1 = static_cast<int64_t>(plan.tile);
    if (value_1 == 0) {
        AscendC::Trap();
    }
    int64_t value_2 = range_turns(0, value, value_1);
    for (int64_t turn = 0; turn < value_2; ++turn) {
        int64_t begin = turn * value_1;
        if (op.x.left <= 0) {
            return;
        }
        int64_t value_3 = Op_step(op, begin, counts);
        if (value_3 > 100) {
            break;
        }
    }
    float fraction;
    if (plan.new_) {
        float value_3 = clamped_1(plan.scale);
        fraction = value_3;
    } else {
        fraction = floats[1];
    }
    int8_t narrow = static_cast<int8_t>(static_cast<int64_t>(counts[0]) + static_cast<int64_t>(small));
    int8_t narrow_1 = static_cast<int8_t>(static_cast<int64_t>(narrow) + 1);
    int64_t answer = kAnswer + narrow_1;
    answer += 2;
    uint64_t unsigned_ = wide / static_cast<uint64_t>(3) + static_cast<uint64_t>(5);
    AscendC::printf("%d %d %d %d %f %u\n", quotients_values.item0, quotients_values.item1, quotients_1_values.item0 + 3, static_cast<int64_t>(narrow_1), fraction, static_cast<int64_t>(unsigned_ % static_cast<uint64_t>(10)));
}
