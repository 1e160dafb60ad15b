// libopwright_torch: hands calls of PyTorch's dispatcher to operators of libraries that follow opwright/abi.h. It knows no
// operator: what it needs to know stands in the operator's table. Built on the stable C ABI of PyTorch 2.10.
//
// In: opwright_torch_register() names an operator, a form of it that Python has defined, and where on the stack its
// results lie. Out: an implementation for the CPU key. Refuses arguments that the stable ABI does not carry, and more
// forms than there are slots: the dispatcher passes nothing that tells operators apart, so that each form needs a
// function of its own, and these are compiled before.
#include <torch/csrc/stable/c/shim.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "serve.h"

namespace opwright::torch_adapter {

namespace {

constexpr int kSlots = 1024;
Slot* slots[kSlots];  // live as long as the process
int used_slots = 0;  // changed under Python's lock

using Boxed = void (*)(StableIValue*, uint64_t, uint64_t);

template <int I>
void boxed(StableIValue* stack, uint64_t, uint64_t) {
    serve(*slots[I], stack);
}

template <int... I>
Boxed boxed_at(int index, std::integer_sequence<int, I...>) {
    static constexpr Boxed all[] = {boxed<I>...};
    return all[index];
}

int refuse(OpwrightError* error, int32_t code, const std::string& text) {
    error->code = code;
    const size_t length = std::min<size_t>(text.size(), error->capacity - 1);
    std::memcpy(error->text, text.data(), length);
    error->text[length] = 0;
    return -1;
}

// Whether values of a kind come through the stable ABI.
bool is_carried(int32_t kind) {
    return kind >= OPWRIGHT_TENSOR && kind <= OPWRIGHT_BOOLS && kind != OPWRIGHT_GENERATOR;
}

const OpwrightArgument& argument(const OpwrightOperator& target, int32_t i) {
    const auto* first = reinterpret_cast<const char*>(target.arguments);
    return *reinterpret_cast<const OpwrightArgument*>(first + static_cast<size_t>(i) * target.argument_size);
}

int add(const OpwrightOperator& target, const char* space, const char* name, const int32_t* places, const char* fallback,
        OpwrightError* error) {
    if (target.struct_size < sizeof(OpwrightOperator) || target.argument_size < sizeof(OpwrightArgument)) {
        return refuse(error, OPWRIGHT_BAD_CALL, "its library has another version of the ABI");
    }
    auto slot = std::make_unique<Slot>();
    for (int32_t i = 0; i < target.argument_count; ++i) {
        const OpwrightArgument& known = argument(target, i);
        if (!is_carried(known.kind)) {
            return refuse(error, OPWRIGHT_NOT_SUPPORTED,
                          std::string("PyTorch's stable ABI does not carry the argument ") + known.name);
        }
        slot->parameters.push_back({known.kind, known.flags});
    }
    for (int32_t i = 0; i < target.result_count; ++i) {
        const int32_t place = places[i];
        slot->places.push_back(place);
        slot->new_results += place < 0;
        if (place == static_cast<int32_t>(slot->parameters.size())) slot->parameters.push_back({OPWRIGHT_TENSOR, 0});
        if (place >= static_cast<int32_t>(slot->parameters.size())) {
            return refuse(error, OPWRIGHT_BAD_CALL, "a result is placed behind the arguments");
        }
        if (place < 0) continue;
        slot->parameters[place].flags |= OPWRIGHT_IS_WRITTEN;
        slot->parameters[place].is_output = true;
    }
    if (used_slots == kSlots) {
        return refuse(error, OPWRIGHT_NOT_SUPPORTED,
                      "the adapter serves " + std::to_string(kSlots) + " forms of operators in a process, and has them all");
    }
    const char* colons = std::strstr(target.name, "::");
    slot->target = &target;
    slot->tallies = std::make_unique<Tally[]>(std::max(1, target.provider_count));
    slot->name = colons == nullptr ? target.name : colons + 2;
    slot->fallback = fallback;
    TorchLibraryHandle library = nullptr;  // lives as long as the process
    const Boxed function = boxed_at(used_slots, std::make_integer_sequence<int, kSlots>());
    slots[used_slots] = slot.release();
    if (aoti_torch_library_init_impl(space, "CPU", "opwright", 0, &library) != 0 ||
        torch_library_impl(library, name, function, TORCH_ABI_VERSION) != 0) {
        return refuse(error, OPWRIGHT_BAD_CALL, "PyTorch refuses the implementation");
    }
    return used_slots++;
}

}  // namespace

}  // namespace opwright::torch_adapter

#define OPWRIGHT_EXPORT extern "C" __attribute__((visibility("default")))

using namespace opwright::torch_adapter;

// Registers one form of an operator for the CPU key; gives its slot, or -1 and why. `places`: for each result the place of
// its tensor among the form's arguments, those of the operator first, or -1 for a new tensor. Called under Python's lock.
OPWRIGHT_EXPORT int opwright_torch_register(const OpwrightOperator* target, const char* space, const char* name,
                                            const int32_t* places, const char* fallback, OpwrightError* error) {
    try {
        return add(*target, space, name, places, fallback, error);
    } catch (const std::bad_alloc&) {
        return refuse(error, OPWRIGHT_FAULT, "no memory");
    }
}

// The place of a provider among those that a slot asks, or -1. Where a library does not tell them apart, there is "native".
OPWRIGHT_EXPORT int opwright_torch_place(int slot, const char* provider) {
    const OpwrightOperator& target = *slots[slot]->target;
    for (int32_t i = 0; i < target.provider_count; ++i) {
        if (std::strcmp(target.providers[i]->provider, provider) == 0) return i;
    }
    const bool is_named = target.provider != nullptr && target.provider[0] != 0;
    return target.provider_count == 0 && std::strcmp(is_named ? target.provider : "native", provider) == 0 ? 0 : -1;
}

// How many calls a provider of a slot has served itself, for how many of those tensors were copied, and how many calls the
// slot refused or left to Python.
OPWRIGHT_EXPORT int64_t opwright_torch_served(int slot, int place) {
    return slots[slot]->tally(place).served.load(std::memory_order_relaxed);
}
OPWRIGHT_EXPORT int64_t opwright_torch_copied(int slot, int place) {
    return slots[slot]->tally(place).copied.load(std::memory_order_relaxed);
}
OPWRIGHT_EXPORT int64_t opwright_torch_refused(int slot) { return slots[slot]->refused.load(std::memory_order_relaxed); }

// What is wrong with the call that this thread's operator for refused calls serves. It does not raise: calls of
// operators through C bring no text before 2.13, and some versions write it to the terminal.
OPWRIGHT_EXPORT void opwright_torch_message(int32_t code, const char* text) { wrong_of_fallback() = {code, text}; }

// The code of what this thread threw last, if it had that text; otherwise 0.
OPWRIGHT_EXPORT int32_t opwright_torch_thrown(const char* text) {
    return thrown_last().text == text ? thrown_last().code : OPWRIGHT_OK;
}

// A text of a refused call, by the address that its operator got.
OPWRIGHT_EXPORT const char* opwright_torch_text(StringHandle text, size_t* length) {
    const char* data = nullptr;
    if (torch_string_length(text, length) != 0 || torch_string_c_str(text, &data) != 0) *length = 0;
    return data;
}
