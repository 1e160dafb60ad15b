// The three functions of every operator: infer, plan and run of `abi.h`.
#include "opwright/entry.h"

#include "entry_checks.h"
#include "entry_copies.h"

namespace opwright::entry {
namespace {

constexpr int kMode = 31;  // the note that says how `run` gets its tensors
// kCopiedApart: copied, and results that lie where an argument does are computed elsewhere.
enum Mode : int64_t { kAsTheyLie, kPointed, kCopied, kCopiedApart };

// Runs what may throw; gives its code.
template <typename Body>
int32_t guarded(OpwrightError* error, Body body) noexcept {
    if (is_too_small(error)) return OPWRIGHT_BAD_CALL;
    try {
        return body();
    } catch (const host::Refusal& refusal) {
        return refuse(error, refusal.code, refusal.text);
    } catch (const std::exception& fault) {
        return refuse(error, OPWRIGHT_FAULT, fault.what());
    }
}

DLDevice first_device(const OpwrightCall& call) {
    for (int32_t i = 0; i < call.input_count; ++i) {
        const OpwrightValue& value = call.inputs[i];
        if (value.kind == OPWRIGHT_TENSOR) return value.held.tensor->device;
        if (value.kind == OPWRIGHT_TENSORS && value.count > 0) return value.held.tensors[0]->device;
    }
    return {1, 0};
}

// Then of `infer`: fills in the outputs.
int32_t describe(const OpwrightOperator& entry, OpwrightCall* call, const host::Tensor* results, OpwrightError* error) {
    const DLDevice device = first_device(*call);
    const auto plain = [](const host::Int& number) { return number.unknown ? OPWRIGHT_UNKNOWN : number.value; };
    for (int32_t i = 0; i < entry.result_count; ++i) {
        const host::Tensor& result = results[i];
        DLTensor& output = call->outputs[i];
        const int64_t count = result.shape.count();
        if (count > OPWRIGHT_MAX_DIMS) return refuse(error, OPWRIGHT_NOT_SUPPORTED, "a result has more than 64 dimensions");
        output.device = device;
        output.ndim = static_cast<int32_t>(count);
        output.dtype = {result.dtype.code, result.dtype.bits, result.dtype.lanes};
        output.byte_offset = 0;
        for (int64_t dim = 0; dim < count; ++dim) {
            output.shape[dim] = plain(result.shape[dim]);
            output.strides[dim] = plain(result.strides[dim]);
        }
    }
    return OPWRIGHT_OK;
}

// Plans on tensors that are pointed to anew, or copied; nullptr, or why the way refuses.
const char* plan_moved(const Work& work, const Way& way, OpwrightCall* call, Mode mode) {
    const bool is_copied = mode != kPointed;
    Moved moved(work.entry, *call, is_copied, way.needs_apart || mode == kCopiedApart, nullptr);
    const char* const reason = way.plan(&moved.call());
    if (reason != nullptr) return reason;
    const OpwrightCall& planned = moved.call();
    call->parts = is_copied ? 1 : planned.parts;
    call->grain = is_copied ? 1 : planned.grain;
    call->workspace_bytes = moved.bytes() + planned.workspace_bytes;
    std::memcpy(call->notes, planned.notes, sizeof planned.notes);
    call->notes[kMode] = mode;
    call->copies = moved.bytes() > 0;
    return nullptr;
}

// Plans one way, on copies if it must be; nullptr, or why it refuses.
const char* plan_way(const Work& work, const Way& way, OpwrightCall* call) {
    if (!way.needs_apart || !is_in_place(work.entry, *call)) {
        const Place place = place_of(work.entry, *call);
        if (place == Place::kPlain && way.plan(call) == nullptr) return nullptr;
        if (place == Place::kAligned && plan_moved(work, way, call, kPointed) == nullptr) return nullptr;
    }
    const char* const reason = plan_moved(work, way, call, kCopied);
    if (reason == nullptr || way.needs_apart || !is_in_place(work.entry, *call)) return reason;
    return plan_moved(work, way, call, kCopiedApart);
}

bool has_nothing_to_do(const OpwrightOperator& entry, const OpwrightCall& call) {
    for (int32_t i = 0; i < entry.result_count; ++i) {
        if (elements_of(call.outputs[i]) > 0) return false;
    }
    for (int32_t i = 0; i < entry.argument_count; ++i) {
        if (entry.arguments[i].flags & OPWRIGHT_IS_WRITTEN) return false;
    }
    return true;
}

}  // namespace

int32_t infer(const Work& work, OpwrightCall* call, OpwrightError* error) noexcept {
    return guarded(error, [&] {
        int32_t code = check_call(work.entry, call, error);
        if (code != OPWRIGHT_OK) return code;
        for (int32_t i = 0; i < work.entry.result_count; ++i) {
            if (call->outputs[i].shape == nullptr || call->outputs[i].strides == nullptr) {
                return refuse(error, OPWRIGHT_BAD_CALL, "an output has no space for its shape and strides");
            }
        }
        code = check_inputs(work.entry, call, false, error);
        return code == OPWRIGHT_OK ? work.inferred(call, error, describe) : code;
    });
}

int32_t plan(const Work& work, OpwrightCall* call, OpwrightError* error) noexcept {
    return guarded(error, [&]() -> int32_t {
        int32_t code = check_call(work.entry, call, error);
        if (code == OPWRIGHT_OK) code = check_inputs(work.entry, call, true, error);
        if (code == OPWRIGHT_OK) code = check_outputs(work.entry, call, error);
        if (code == OPWRIGHT_OK && !call->has_inferred) code = work.inferred(call, error, check_like);
        if (code == OPWRIGHT_OK) code = check_memory(work.entry, call, error);
        if (code != OPWRIGHT_OK) return code;
        call->parts = 0;
        call->grain = 1;
        call->workspace_bytes = 0;
        call->provider = 0;
        call->copies = 0;
        call->notes[kMode] = kAsTheyLie;
        if (has_nothing_to_do(work.entry, *call)) return OPWRIGHT_OK;
        const char* reason = nullptr;
        for (int32_t i = 0; i < work.way_count; ++i) {
            reason = plan_way(work, work.ways[i], call);
            call->provider = i;
            if (reason == nullptr) return OPWRIGHT_OK;
        }
        return refuse(error, OPWRIGHT_NOT_SUPPORTED, reason);
    });
}

int32_t run(const Work& work, const OpwrightCall* call, int64_t begin, int64_t end, OpwrightError* error) noexcept {
    return guarded(error, [&]() -> int32_t {
        const int32_t code = check_call(work.entry, call, error);
        if (code != OPWRIGHT_OK) return code;
        if (begin < 0 || begin > end || end > call->parts) {
            return refuse(error, OPWRIGHT_BAD_CALL,
                          "the parts from " + std::to_string(begin) + " to " + std::to_string(end) + " are not among the " +
                              std::to_string(call->parts) + " of the plan");
        }
        if (begin == end) return OPWRIGHT_OK;
        const auto place = reinterpret_cast<uintptr_t>(call->workspace);
        if (call->workspace_bytes > 0 && (place == 0 || place % 64 != 0)) {
            return refuse(error, OPWRIGHT_BAD_CALL, "there is no workspace at a multiple of 64");
        }
        if (call->provider < 0 || call->provider >= work.way_count) {
            return refuse(error, OPWRIGHT_BAD_CALL, "the call was not planned");
        }
        const Way& way = work.ways[call->provider];
        if (call->notes[kMode] == kAsTheyLie) {
            way.run(call, begin, end);
            return OPWRIGHT_OK;
        }
        const bool is_copied = call->notes[kMode] != kPointed, is_apart = call->notes[kMode] == kCopiedApart;
        Moved moved(work.entry, *call, is_copied, way.needs_apart || is_apart, static_cast<char*>(call->workspace));
        if (!is_copied) {
            way.run(&moved.call(), begin, end);
            return OPWRIGHT_OK;
        }
        moved.copy_in();
        if (const char* reason = way.plan(&moved.call())) return refuse(error, OPWRIGHT_FAULT, reason);
        way.run(&moved.call(), 0, moved.call().parts);
        moved.copy_out();
        return OPWRIGHT_OK;
    });
}

}  // namespace opwright::entry
