// Serves calls of one form of one operator; see serve.cpp.
#pragma once

#include <torch/csrc/stable/c/shim.h>

#include <atomic>
#include <string>
#include <vector>

#include "arguments.h"
#include "opwright/abi.h"

namespace opwright::torch_adapter {

// One form of an operator.
struct Slot {
    const OpwrightOperator* target;
    std::string name;                   // without the namespace: what errors begin with
    std::string fallback;               // namespace::name of the operator that gets refused calls
    std::vector<Parameter> parameters;  // the operator's own, then tensors that its results are written into
    std::vector<int32_t> places;        // of each result on the stack, or -1: a new tensor
    int new_results = 0;
    std::atomic<int64_t> served{0};
    std::atomic<int64_t> refused{0};
    std::atomic<int64_t> copied{0};

    int32_t own() const { return target->argument_count; }
};

void serve(Slot& slot, StableIValue* stack);

// What is wrong with a call of this thread: what its fallback says, or what was thrown last.
struct Wrong {
    int32_t code = OPWRIGHT_OK;
    std::string text;
};

Wrong& wrong_of_fallback();
Wrong& thrown_last();

}  // namespace opwright::torch_adapter
