// One call: infer, new tensors for the results, plan, scratch memory, run.
//
// In: a slot and the dispatcher's stack. Out: the results on the stack, or an exception with the text of what is wrong:
// what infer() refuses, and what run() finds, is thrown from here. A call that the library does not serve, and written
// tensors that are not as they must be, go to a second operator, which Python defined with the same schema, but for
// texts, of which it gets the addresses: PyTorch loses the copy that it makes of a text. What that operator raises comes
// back as a text, since calls of operators through C bring none before 2.13.
#include "serve.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "opwright/memory.h"

namespace opwright::torch_adapter {

namespace {

// An error with space for its text.
struct Error : OpwrightError {
    Error() : OpwrightError{sizeof(OpwrightError), OPWRIGHT_OK, sizeof(space), space} { space[0] = 0; }
    char space[4096];
};

// What is refused is thrown when the call has ended: an exception that has less to clean up costs less.
void refuse(Slot& slot, int32_t code, const char* text) {
    slot.refused.fetch_add(1, std::memory_order_relaxed);
    Wrong& wrong = thrown_last();
    wrong.code = code;
    wrong.text.assign(slot.name).append(": ").append(text);
}

// Lets Python serve a call.
void pass_on(Slot& slot, Arguments& arguments, StableIValue* stack) {
    slot.refused.fetch_add(1, std::memory_order_relaxed);
    Wrong& wrong = wrong_of_fallback();
    wrong = {};
    arguments.leave_stack();
    if (torch_call_dispatcher(slot.fallback.c_str(), "", stack, TORCH_ABI_VERSION) != 0) {
        throw std::runtime_error(slot.fallback + " failed");
    }
    if (wrong.code == OPWRIGHT_OK) return;
    for (int i = 0; i < slot.new_results; ++i) aoti_torch_delete_tensor_object(handle_of(stack[i]));
    const std::string text = std::move(wrong.text);
    wrong = {};  // Python may catch this within the fallback of another call
    throw std::runtime_error(text);
}

// Whether a condition holds for any tensor of an argument.
template <typename Condition>
bool any_tensor(const OpwrightValue& value, Condition holds) {
    if (value.kind == OPWRIGHT_TENSOR) return holds(*value.held.tensor);
    for (int64_t k = 0; value.kind == OPWRIGHT_TENSORS && k < value.count; ++k) {
        if (value.held.tensors[k] != nullptr && holds(*value.held.tensors[k])) return true;
    }
    return false;
}

bool are_the_same(const DLTensor& a, const DLTensor& b) {
    if (a.data != b.data || a.ndim != b.ndim || a.dtype.code != b.dtype.code || a.dtype.bits != b.dtype.bits) return false;
    return std::equal(a.shape, a.shape + a.ndim, b.shape) && std::equal(a.strides, a.strides + a.ndim, b.strides);
}

// Whether a written tensor shares memory in a way that Python must judge. A result may take the place of an argument that
// lies just so; nothing else may be shared.
bool is_unclear(const DLTensor& written, bool is_output, const std::vector<Parameter>& parameters,
                const OpwrightValue* values) {
    if (overlaps_itself(written) != kApart) return true;
    for (size_t i = 0; i < parameters.size(); ++i) {
        const bool may_be_same = is_output && !parameters[i].has(OPWRIGHT_IS_WRITTEN);
        const bool found = any_tensor(values[i], [&](const DLTensor& other) {
            if (&other == &written || (may_be_same && are_the_same(written, other))) return false;
            return shares_memory(written, other) != kApart;
        });
        if (found) return true;
    }
    return false;
}

// Work of several threads, and the first fault of any.
struct Work {
    const Slot& slot;
    const OpwrightCall& call;
    Error& error;
    std::atomic<bool> has_failed{false};
};

void run_parts(int64_t begin, int64_t end, void* context) {
    auto& work = *static_cast<Work*>(context);
    if (work.has_failed.load(std::memory_order_relaxed)) return;
    Error error;
    const int32_t code = work.slot.target->run(&work.call, begin, end, &error);
    if (code == OPWRIGHT_OK || work.has_failed.exchange(true)) return;
    work.error.code = code;
    std::memcpy(work.error.space, error.space, sizeof(error.space));
}

int32_t run(const Slot& slot, const OpwrightCall& call, Error& error) {
    if (call.parts <= 0) return OPWRIGHT_OK;
    if (call.parts <= call.grain) return slot.target->run(&call, 0, call.parts, &error);
    Work work{slot, call, error};
    require(torch_parallel_for(0, call.parts, call.grain, run_parts, &work));
    return work.has_failed ? error.code : OPWRIGHT_OK;
}

// One call on its way.
class Call {
   public:
    Call(Slot& slot, StableIValue* stack) : slot_(slot), stack_(stack), arguments_(slot.parameters, stack, scratch_) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    ~Call() {
        for (size_t i = 0; made_ != nullptr && i < slot_.places.size(); ++i) {
            if (made_[i] != nullptr) aoti_torch_delete_tensor_object(made_[i]);
        }
    }

    // False if the call is refused, with the text in thrown_last().
    bool serve() {
        arguments_.read();
        prepare();
        if ((slot_.new_results > 0 || lacks_output()) && !infer()) return !is_refused_;
        if (!take_given() || !plan()) return !is_refused_;
        Error error;
        OwnTensor workspace;
        add_workspace(workspace);
        if (const int32_t code = run(slot_, call_, error); code != OPWRIGHT_OK) return refused(code, error.text);
        Tally& tally = slot_.tally(call_.provider);
        tally.served.fetch_add(1, std::memory_order_relaxed);
        if (call_.copies != 0) tally.copied.fetch_add(1, std::memory_order_relaxed);
        arguments_.release();
        for (size_t i = 0, place = 0; i < slot_.places.size(); ++i) {
            if (slot_.places[i] >= 0) continue;
            stack_[place++] = reinterpret_cast<StableIValue>(made_[i]);
            made_[i] = nullptr;
        }
        return true;
    }

   private:
    void prepare() {
        const size_t results = slot_.places.size();
        call_.struct_size = sizeof(OpwrightCall);
        call_.input_count = slot_.own();
        call_.inputs = arguments_.values();
        call_.output_count = static_cast<int32_t>(results);
        // Without results nothing was inferred: plan() asks what is legal.
        call_.has_inferred = results > 0 && slot_.new_results == static_cast<int>(results);
        call_.outputs = scratch_.take<DLTensor>(results);
        call_.stream = nullptr;
        call_.parts = 0;
        call_.grain = 1;
        call_.workspace_bytes = 0;
        call_.provider = 0;
        call_.copies = 0;
        call_.workspace = nullptr;
    }

    // Whether an argument that a result would be written into is absent.
    bool lacks_output() const {
        const OpwrightValue* values = arguments_.values();
        return std::any_of(slot_.places.begin(), slot_.places.end(),
                           [&](int32_t place) { return place >= 0 && values[place].kind == OPWRIGHT_NONE; });
    }

    void describe_outputs() {
        for (int32_t i = 0; i < call_.output_count; ++i) {
            auto* space = scratch_.take<int64_t>(2 * OPWRIGHT_MAX_DIMS);
            call_.outputs[i] = {nullptr, {1, 0}, 0, {0, 0, 0}, space, space + OPWRIGHT_MAX_DIMS, 0};
        }
    }

    // What infer() says of the results, and new tensors for them; false if Python serves the call.
    bool infer() {
        Error error;
        describe_outputs();
        const int32_t code = slot_.target->infer(&call_, &error);
        if (code == OPWRIGHT_NOT_SUPPORTED) return to_python();
        if (code != OPWRIGHT_OK) return refused(code, error.text);
        made_ = scratch_.take<AtenTensorHandle>(slot_.places.size());
        std::memset(made_, 0, slot_.places.size() * sizeof(*made_));
        for (size_t i = 0; i < slot_.places.size(); ++i) {
            if (slot_.places[i] < 0) make(call_.outputs[i], made_[i]);
        }
        return true;
    }

    void make(DLTensor& output, AtenTensorHandle& handle) {
        const int32_t dtype = types().number(output.dtype);
        if (dtype < 0) throw std::runtime_error(slot_.name + ": a result has a dtype that PyTorch does not have");
        const int32_t cpu = aoti_torch_device_type_cpu();
        require(aoti_torch_empty_strided(output.ndim, output.shape, output.strides, dtype, cpu, 0, &handle));
        require(torch_get_mutable_data_ptr(handle, &output.data));
    }

    // The tensors of the caller that results are written into; false if Python serves the call.
    bool take_given() {
        const OpwrightValue* values = arguments_.values();
        for (size_t i = 0; i < slot_.parameters.size(); ++i) {
            const Parameter& parameter = slot_.parameters[i];
            const auto judge = [&](const DLTensor& written) {
                return is_unclear(written, parameter.is_output, slot_.parameters, values);
            };
            if (parameter.has(OPWRIGHT_IS_WRITTEN) && any_tensor(values[i], judge)) return to_python();
        }
        for (size_t i = 0; i < slot_.places.size(); ++i) {
            if (slot_.places[i] < 0) continue;
            const OpwrightValue& given = values[slot_.places[i]];
            if (given.kind == OPWRIGHT_TENSOR) call_.outputs[i] = *given.held.tensor;
            // An absent argument takes a result that infer() found to be empty.
            else if (!memory::is_empty(call_.outputs[i])) return to_python();
        }
        return true;
    }

    bool plan() {
        Error error;
        const int32_t code = slot_.target->plan(&call_, &error);
        if (code == OPWRIGHT_OK) return true;
        if (code == OPWRIGHT_NOT_SUPPORTED) return to_python();
        if (call_.has_inferred != 0) return refused(code, error.text);
        // What is wrong with the call itself is thrown; what is wrong with the given tensors Python puts into words.
        describe_outputs();
        Error wrong;
        const int32_t inferred = slot_.target->infer(&call_, &wrong);
        if (inferred != OPWRIGHT_OK && inferred != OPWRIGHT_NOT_SUPPORTED) return refused(inferred, wrong.text);
        return to_python();
    }

    bool refused(int32_t code, const char* text) {
        refuse(slot_, code, text);
        is_refused_ = true;
        return false;
    }

    bool to_python() {
        pass_on(slot_, arguments_, stack_);
        return false;
    }

    void add_workspace(OwnTensor& workspace) {
        constexpr int64_t kAlignment = 64;
        if (call_.workspace_bytes == 0) return;
        const int64_t bytes = static_cast<int64_t>(call_.workspace_bytes) + kAlignment - 1, one = 1;
        const int32_t byte = aoti_torch_dtype_uint8(), cpu = aoti_torch_device_type_cpu();
        require(aoti_torch_empty_strided(1, &bytes, &one, byte, cpu, 0, &workspace.handle));
        void* data = nullptr;
        require(torch_get_mutable_data_ptr(workspace.handle, &data));
        call_.workspace = reinterpret_cast<void*>((reinterpret_cast<intptr_t>(data) + kAlignment - 1) / kAlignment * kAlignment);
    }

    Slot& slot_;
    StableIValue* stack_;
    Scratch scratch_;
    Arguments arguments_;
    OpwrightCall call_;
    AtenTensorHandle* made_ = nullptr;
    bool is_refused_ = false;
};

}  // namespace

Wrong& wrong_of_fallback() {
    thread_local Wrong wrong;
    return wrong;
}

Wrong& thrown_last() {
    thread_local Wrong wrong;
    return wrong;
}

void serve(Slot& slot, StableIValue* stack) {
    if (!Call(slot, stack).serve()) throw std::runtime_error(thrown_last().text);
}

}  // namespace opwright::torch_adapter
