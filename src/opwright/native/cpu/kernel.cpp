#include "opwright/kernel.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "entry_copies.h"
#include "opwright/groups.h"
#include "opwright/plan.h"

namespace opwright::kernel {
namespace {

constexpr uint64_t kAlignment = 512;  // of scratch memory, as a launch on the chip has it
constexpr int kFirstNumber = 1;       // note 0 is the variant
constexpr size_t kNumbers = 28;       // that fit into the notes; a launch with more is made again for each run

uint64_t aligned(uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

bool is_number(const Slot& slot) { return slot.kind >= Slot::kInteger && slot.kind <= Slot::kBool; }
bool is_tensor(const Slot& slot) { return slot.kind <= Slot::kOutput; }

// The tensor of a slot; nullptr if an optional argument is absent.
const DLTensor* tensor_at(const OpwrightCall& call, const Slot& slot) {
    if (slot.kind == Slot::kOutput) return &call.outputs[slot.place];
    return is_given(&call, slot.place) ? &tensor_of(&call, slot.place) : nullptr;
}

// The levels of x86-64 by their number, 2 to 4; 0 is any CPU.
int32_t level() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    unsigned a = 0, b = 0, c = 0, d = 0, more = 0;
    // What not every compiler has a name for: MOVBE and F16C, and LZCNT.
    const bool is_known = __get_cpuid(1, &a, &b, &c, &d) != 0 && __get_cpuid(0x80000001, &a, &b, &more, &d) != 0;
    const bool has_rest = is_known && (c >> 22 & 1) != 0 && (c >> 29 & 1) != 0 && (more >> 5 & 1) != 0;
    const bool has_3 = has_rest && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    if (!has_3) return 2;
    const bool has_4 = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return has_4 ? 4 : 3;
#else
    return 0;
#endif
}

// The best level that this CPU has, as an index of entries; -1 if there is none.
int32_t usable_level(const Kernels& kernels) {
    static const int32_t here = level();
    int32_t found = -1;
    for (int32_t i = 0; i < kernels.level_count && kernels.levels[i] <= here; ++i) found = i;
    return found;
}

[[noreturn]] void refuse(const host::Text& text) { host::refuse(host::kUnsupported, text); }

int32_t variant_of(const Kernels& kernels, const host::Launch& launch) {
    for (int32_t i = 0; i < kernels.count; ++i) {
        if (launch.kernel == kernels.variants[i].name) return i;
    }
    refuse("the library has no kernel " + launch.kernel);
}

uint64_t bits_of(const Slot& slot, const host::Scalar& number) {
    if (slot.kind == Slot::kBool) return host::to_int(number).value != 0;
    if (slot.kind == Slot::kInteger) return static_cast<uint64_t>(host::to_int(number).value);
    const double wide = host::to_float(number);
    const auto narrow = static_cast<float>(wide);
    if (std::isinf(narrow) && !std::isinf(wide)) refuse("a number is too large for float32, which the kernel computes with");
    uint32_t bits;
    std::memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

size_t number_count(const Variant& variant) {
    size_t count = 0;
    for (int32_t i = 0; i < variant.slot_count; ++i) count += is_number(variant.slots[i]);
    return count;
}

// The numbers of a launch, in the order of the kernel's slots.
void take_numbers(const Variant& variant, const host::Launch& launch, uint64_t* numbers) {
    const size_t given = launch.arguments.size(), wanted = number_count(variant);
    if (given != wanted) {
        refuse("launch gives " + std::to_string(given) + " numbers for " + variant.name + ", which takes " + std::to_string(wanted));
    }
    const host::Scalar* number = launch.arguments.data();
    for (int32_t i = 0; i < variant.slot_count; ++i) {
        if (is_number(variant.slots[i])) *numbers++ = bits_of(variant.slots[i], *number++);
    }
}

// Refuses tensors that the variant is not for; gives the elements of the largest.
int64_t checked(const Variant& variant, const OpwrightCall& call) {
    int64_t largest = 1;
    for (int32_t i = 0; i < variant.slot_count; ++i) {
        const Slot& slot = variant.slots[i];
        const DLTensor* const tensor = is_tensor(slot) ? tensor_at(call, slot) : nullptr;
        if (tensor == nullptr) continue;
        if (host::Dtype{tensor->dtype.code, tensor->dtype.bits} != slot.dtype) {
            refuse(host::Text("launch names ") + variant.name + ", which is for other data types");
        }
        if (!slot.takes_gaps && !entry::is_dense(*tensor)) refuse("the kernel takes dense tensors");
        const int64_t count = elements(*tensor);
        if (count > largest) largest = count;
    }
    return largest;
}

void plan_launch(const Kernels& kernels, OpwrightCall* call) {
    if (usable_level(kernels) < 0) refuse("the kernels were compiled for another CPU");
    const host::Launch launch = kernels.launch(*call);
    const int32_t chosen = variant_of(kernels, launch);
    const Variant& variant = kernels.variants[chosen];
    const int64_t largest = checked(variant, *call);
    uint64_t numbers[kMostSlots];
    take_numbers(variant, launch, numbers);
    call->notes[0] = chosen;
    const size_t count = launch.arguments.size();
    if (count <= kNumbers) std::memcpy(call->notes + kFirstNumber, numbers, count * sizeof *numbers);
    uint64_t scratch = 0;
    for (int32_t i = 0; i < variant.slot_count; ++i) {
        if (variant.slots[i].kind == Slot::kWorkspace) {
            scratch += aligned(static_cast<uint64_t>(launch.blocks * variant.slots[i].bytes));
        }
    }
    call->parts = launch.blocks;
    call->grain = 1 + kGrain * launch.blocks / largest;
    call->workspace_bytes = scratch == 0 ? 0 : scratch + kAlignment;
}

// From the first byte of a tensor to its last one.
uint64_t span(const DLTensor& tensor) {
    int64_t last = 0;
    for (int32_t i = 0; i < tensor.ndim; ++i) {
        if (tensor.shape[i] == 0) return 0;
        last += (tensor.shape[i] - 1) * tensor.strides[i];
    }
    return static_cast<uint64_t>((last + 1) * (tensor.dtype.bits / 8));
}

}  // namespace

const char* plan(const Kernels& kernels, OpwrightCall* call) {
    thread_local host::Text reason;
    try {
        plan_launch(kernels, call);
        return nullptr;
    } catch (const host::Refusal& refusal) {
        reason = refusal.text;
        return reason.c_str();
    }
}

void run(const Kernels& kernels, const OpwrightCall* call, int64_t begin, int64_t end) {
    const Variant& variant = kernels.variants[call->notes[0]];
    uint64_t again[kMostSlots];
    const auto* numbers = reinterpret_cast<const uint64_t*>(call->notes + kFirstNumber);
    if (number_count(variant) > kNumbers) {
        take_numbers(variant, kernels.launch(*call), again);
        numbers = again;
    }
    uint64_t slots[kMostSlots], scratch = aligned(reinterpret_cast<uintptr_t>(call->workspace));
    OpwrightMemory memories[kMostSlots];
    uint32_t memory_count = 0;
    for (int32_t i = 0; i < variant.slot_count; ++i) {
        const Slot& slot = variant.slots[i];
        if (is_number(slot)) {
            slots[i] = *numbers++;
            continue;
        }
        OpwrightMemory memory{0, 0, slot.use, static_cast<uint32_t>(i)};
        if (slot.kind == Slot::kWorkspace) {
            memory.base = scratch;
            memory.bytes = static_cast<uint64_t>(call->parts * slot.bytes);
            scratch += aligned(memory.bytes);
        } else if (const DLTensor* const tensor = tensor_at(*call, slot)) {
            memory.base = reinterpret_cast<uintptr_t>(tensor->data);
            memory.bytes = span(*tensor);
        }
        slots[i] = memory.base;
        memories[memory_count++] = memory;
    }
    const OpwrightGroups launch{variant.entries[usable_level(kernels)],
                                slots,
                                memories,
                                static_cast<uint32_t>(variant.slot_count),
                                memory_count,
                                static_cast<uint32_t>(call->parts),
                                kernels.machine.cores,
                                kernels.machine.arch,
                                variant.auto_sync,
                                kernels.machine.ub_bytes};
    int32_t line = 0;
    const int32_t fault = opwright_run_groups(&launch, static_cast<uint32_t>(begin), static_cast<uint32_t>(end), &line);
    if (fault == 0) return;
    throw std::runtime_error(host::Text("the kernel ") + variant.name + " stopped with fault " + std::to_string(fault) +
                             " in line " + std::to_string(line) +
                             " of its text; launched from Python (OPWRIGHT_CHECK=1) it says what is wrong");
}

}  // namespace opwright::kernel
