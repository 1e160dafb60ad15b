// Native loops of gated activations: of rows [gate | up], the activation of the first half times the second half.
//
// In: a call of an operator with one argument, and the activation as activation(math, gate), see floats.h. An operator
// has `plan` and `run` of its own, which call these.
#pragma once

#include "opwright/floats.h"
#include "opwright/plan.h"

namespace opwright::gated {

inline const char* plan(OpwrightCall* call) {
    const DLTensor& input = tensor_of(call, 0);
    call->parts = Rows(input).count();
    call->grain = grain_of_rows(4 * width_of(input));
    return nullptr;
}

template <typename T, typename Function>
void run_rows(Function product, const OpwrightCall* call, int64_t begin, int64_t end) {
    const DLTensor& input = tensor_of(call, 0);
    const DLTensor& y = call->outputs[0];
    const Rows from(input), to(y);
    const int64_t half = width_of(input) / 2, step = from.step();
    for (int64_t row = begin; row < end; ++row) {
        const T* gates = static_cast<const T*>(input.data) + from.begin(row);
        T* out = static_cast<T*>(y.data) + to.begin(row);
        map(product, half, Run<T>{out, to.step()}, Run<const T>{gates, step}, Run<const T>{gates + half * step, step});
    }
}

template <typename Activation>
void run(Activation activation, const OpwrightCall* call, int64_t begin, int64_t end) {
    const auto product = [activation](auto math, auto gate, auto up) { return activation(math, gate) * up; };
    const DLDataType dtype = tensor_of(call, 0).dtype;
    if (is(dtype, kFloat16)) return run_rows<Half>(product, call, begin, end);
    if (is(dtype, kBFloat16)) return run_rows<BFloat16>(product, call, begin, end);
    if (is(dtype, kFloat32)) return run_rows<float>(product, call, begin, end);
    run_rows<double>(product, call, begin, end);
}

}  // namespace opwright::gated
