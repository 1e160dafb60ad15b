// Serves calls of one form of one operator; see serve.cpp.
#pragma once

#include <torch/csrc/stable/c/shim.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "arguments.h"
#include "opwright/abi.h"

namespace opwright::torch_adapter {

// Calls that a provider served, and those of them for which tensors were copied.
struct Tally {
    std::atomic<int64_t> served{0};
    std::atomic<int64_t> copied{0};
};

// One form of an operator.
struct Slot {
    const OpwrightOperator* target;
    std::string name;                   // without the namespace: what errors begin with
    std::string fallback;               // namespace::name of the operator that gets refused calls
    std::vector<Parameter> parameters;  // the operator's own, then tensors that its results are written into
    std::vector<int32_t> places;        // of each result on the stack, or -1: a new tensor
    int new_results = 0;
    std::unique_ptr<Tally[]> tallies;   // of each provider of the operator
    std::atomic<int64_t> refused{0};

    int32_t own() const { return target->argument_count; }

    // Of the provider that a plan names.
    Tally& tally(int32_t provider) { return tallies[provider >= 0 && provider < target->provider_count ? provider : 0]; }
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
