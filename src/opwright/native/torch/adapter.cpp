// libopwright_torch: hands calls of PyTorch's dispatcher to the operators of libopwright_cpu. It knows no operator.
//
// In: opwright_torch_register() names an operator of the C border, the kinds of its arguments and the name under which
// Python defined its schema. Out: an implementation for the CPU key. What plan() refuses goes to a second operator that
// Python defined with the same schema, but for texts, of which it gets the address: PyTorch loses the copy it makes of a
// text. If that raises, its message is thrown on. Built on the stable C ABI of PyTorch 2.10.
#include <torch/csrc/stable/c/shim.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "opwright/abi.h"

namespace {

constexpr int kMaxSlots = 256;
constexpr int kMaxArguments = 16;
constexpr int kMaxOutputs = 4;
constexpr int kMaxTensors = kMaxArguments + kMaxOutputs;

// What a slot's letters say of one argument. Upper case: it may be absent.
// t tensor, i integer, f number, s text, l list of integers, d dtype.
struct Slot {
    const OpwrightOperator* target;
    char kinds[kMaxArguments + 1];
    int arguments;
    int outputs;
    bool writes;         // the outputs are the last arguments
    bool in_place;       // the output is the first argument
    char fallback[128];  // namespace::name
    std::atomic<int64_t> calls;
};

Slot slots[kMaxSlots];
std::atomic<int> used_slots{0};
thread_local std::string last_message;

void require(AOTITorchError code) {
    if (code != 0) throw std::runtime_error("PyTorch refused a call of its own C interface");
}

int32_t torch_dtypes[8];
constexpr DLDataType kDtypes[8] = {{2, 16, 1}, {4, 16, 1}, {2, 32, 1}, {2, 64, 1}, {1, 8, 1}, {0, 8, 1}, {0, 32, 1}, {0, 64, 1}};

DLDataType dtype_of(int32_t code) {
    for (int i = 0; i < 8; ++i) {
        if (torch_dtypes[i] == code) return kDtypes[i];
    }
    return {255, 0, 0};
}

int32_t torch_dtype_of(DLDataType dtype) {
    for (int i = 0; i < 8; ++i) {
        if (kDtypes[i].code == dtype.code && kDtypes[i].bits == dtype.bits) return torch_dtypes[i];
    }
    throw std::runtime_error("an operator planned an output of a dtype that PyTorch does not have");
}

DLTensor describe(AtenTensorHandle handle, bool written) {
    DLTensor tensor{};
    tensor.device = {1, 0};
    int64_t dimensions = 0;
    int32_t dtype = 0;
    require(aoti_torch_get_dim(handle, &dimensions));
    require(aoti_torch_get_dtype(handle, &dtype));
    require(aoti_torch_get_sizes(handle, &tensor.shape));
    require(aoti_torch_get_strides(handle, &tensor.strides));
    tensor.ndim = static_cast<int32_t>(dimensions);
    tensor.dtype = dtype_of(dtype);
    if (written) {
        require(torch_get_mutable_data_ptr(handle, &tensor.data));
    } else {
        const void* data = nullptr;
        require(torch_get_const_data_ptr(handle, &data));
        tensor.data = const_cast<void*>(data);
    }
    return tensor;
}

AtenTensorHandle handle_of(StableIValue value) { return reinterpret_cast<AtenTensorHandle>(value); }

// The arguments of one call, and what of them must be given back.
class Arguments {
   public:
    Arguments(const Slot& slot, StableIValue* stack) : slot_(slot), stack_(stack) {
        for (int i = 0; i < slot.arguments; ++i) read(i);
    }

    const OpwrightValue* values() const { return values_; }

    // The stack goes to another operator, which takes what it holds, but for texts.
    void pass_on() { release_lists(); }

    void release_texts() {
        while (text_count_ > 0) torch_delete_string(texts_[--text_count_]);
    }

    void release() {
        release_lists();
        release_texts();
        for (int i = 0; i < slot_.arguments; ++i) {
            const char kind = slot_.kinds[i];
            StableIValue value = stack_[i];
            if (kind >= 'A' && kind <= 'Z') {
                if (value == 0) continue;
                auto* inner = reinterpret_cast<StableIValue*>(value);
                value = *inner;
                delete inner;
            }
            switch (kind | 0x20) {
                case 't': aoti_torch_delete_tensor_object(handle_of(value)); break;
                case 'l': torch_delete_list(reinterpret_cast<StableListHandle>(value)); break;
                default: break;
            }
        }
    }

   private:
    void read(int i) {
        const char kind = slot_.kinds[i];
        OpwrightValue& out = values_[i];
        StableIValue value = stack_[i];
        out.kind = OPWRIGHT_NONE;
        out.count = 0;
        if (kind >= 'A' && kind <= 'Z') {
            if (value == 0) return;
            value = *reinterpret_cast<StableIValue*>(value);
        }
        switch (kind | 0x20) {
            case 't': {
                out.kind = OPWRIGHT_TENSOR;
                tensors_[tensor_count_] = describe(handle_of(value), false);
                out.held.tensor = &tensors_[tensor_count_++];
                break;
            }
            case 'i':
                out.kind = OPWRIGHT_INTEGER;
                std::memcpy(&out.held.integer, &value, 8);
                break;
            case 'f':
                out.kind = OPWRIGHT_NUMBER;
                std::memcpy(&out.held.number, &value, 8);
                break;
            case 's': {
                out.kind = OPWRIGHT_TEXT;
                size_t length = 0;
                const auto text = reinterpret_cast<StringHandle>(value);
                texts_[text_count_++] = text;
                require(torch_string_length(text, &length));
                require(torch_string_c_str(text, &out.held.text));
                out.count = static_cast<int64_t>(length);
                break;
            }
            case 'l': {
                out.kind = OPWRIGHT_INTEGERS;
                const auto list = reinterpret_cast<StableListHandle>(value);
                size_t size = 0;
                require(torch_list_size(list, &size));
                auto* numbers = new int64_t[size + 1];
                lists_[list_count_++] = numbers;
                for (size_t k = 0; k < size; ++k) {
                    StableIValue item = 0;
                    require(torch_list_get_item(list, k, &item));
                    std::memcpy(&numbers[k], &item, 8);
                }
                out.held.integers = numbers;
                out.count = static_cast<int64_t>(size);
                break;
            }
            default: {
                out.kind = OPWRIGHT_DTYPE;
                int32_t code = 0;
                std::memcpy(&code, &value, sizeof(code));
                out.held.dtype = dtype_of(code);
            }
        }
    }

    void release_lists() {
        while (list_count_ > 0) delete[] lists_[--list_count_];
    }

    const Slot& slot_;
    StableIValue* stack_;
    OpwrightValue values_[kMaxArguments];
    DLTensor tensors_[kMaxArguments];
    int tensor_count_ = 0;
    int64_t* lists_[kMaxArguments];
    int list_count_ = 0;
    StringHandle texts_[kMaxArguments];
    int text_count_ = 0;
};

// The bytes from the first to the last element.
std::pair<const char*, const char*> extent(const DLTensor& tensor) {
    const auto* base = static_cast<const char*>(tensor.data);
    int64_t last = 0;
    for (int32_t i = 0; i < tensor.ndim; ++i) {
        if (tensor.shape[i] == 0) return {base, base};
        last += (tensor.shape[i] - 1) * tensor.strides[i];
    }
    return {base, base + (last + 1) * (tensor.dtype.bits / 8)};
}

bool are_the_same(const DLTensor& a, const DLTensor& b) {
    if (a.data != b.data || a.ndim != b.ndim || a.dtype.bits != b.dtype.bits) return false;
    for (int32_t i = 0; i < a.ndim; ++i) {
        if (a.shape[i] != b.shape[i] || a.strides[i] != b.strides[i]) return false;
    }
    return true;
}

// Whether two elements of a given output may lie in one place.
bool overlaps_itself(const DLTensor& tensor) {
    int32_t order[OPWRIGHT_MAX_DIMS];  // of the dimensions that matter, by their strides
    int32_t count = 0;
    for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
        if (tensor.shape[i] == 0) return false;
        if (tensor.shape[i] == 1) continue;
        int32_t place = count++;
        while (place > 0 && tensor.strides[order[place - 1]] > tensor.strides[i]) {
            order[place] = order[place - 1];
            --place;
        }
        order[place] = i;
    }
    int64_t reach = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (tensor.strides[order[i]] <= reach) return true;
        reach += tensor.strides[order[i]] * (tensor.shape[order[i]] - 1);
    }
    return false;
}

// Whether the bytes from first to last of two tensors have any in common.
bool meet(const DLTensor& a, const DLTensor& b) {
    const auto [begin, end] = extent(a);
    const auto [other_begin, other_end] = extent(b);
    return begin < other_end && other_begin < end;
}

// Whether a given output shares memory with an argument otherwise than as a whole: Python then says whether it may.
bool overlaps(const DLTensor& output, const OpwrightValue* values, int count) {
    for (int i = 0; i < count; ++i) {
        if (values[i].kind != OPWRIGHT_TENSOR || are_the_same(output, *values[i].held.tensor)) continue;
        if (meet(output, *values[i].held.tensor)) return true;
    }
    return false;
}

struct Work {
    const OpwrightOperator* target;
    const OpwrightCall* call;
    std::atomic<int32_t> code;
};

void run_range(int64_t begin, int64_t end, void* context) {
    auto* work = static_cast<Work*>(context);
    const int32_t code = work->target->run(work->call, begin, end, nullptr);
    if (code != OPWRIGHT_OK) work->code.store(code);
}

// The scratch memory of one call.
class Workspace {
   public:
    explicit Workspace(uint64_t bytes) : memory_(bytes == 0 ? nullptr : std::aligned_alloc(64, (bytes + 63) / 64 * 64)) {
        if (bytes != 0 && memory_ == nullptr) throw std::runtime_error("there is no memory for the workspace of an operator");
    }
    ~Workspace() { std::free(memory_); }
    Workspace(const Workspace&) = delete;
    void* get() const { return memory_; }

   private:
    void* memory_;
};

void run(const Slot& slot, OpwrightCall& call) {
    const Workspace workspace(call.workspace_bytes);
    call.workspace = workspace.get();
    Work work{slot.target, &call, {OPWRIGHT_OK}};
    if (call.parts <= call.grain) {
        run_range(0, call.parts, &work);
    } else {
        require(torch_parallel_for(0, call.parts, call.grain, run_range, &work));
    }
    if (work.code.load() != OPWRIGHT_OK) throw std::runtime_error("an operator failed while it ran");
}

void pass_on(const Slot& slot, Arguments& arguments, StableIValue* stack) {
    last_message.clear();
    arguments.pass_on();
    const bool is_served = torch_call_dispatcher(slot.fallback, "", stack, TORCH_ABI_VERSION) == 0;
    arguments.release_texts();
    if (!is_served) throw std::runtime_error(std::string(slot.fallback) + " failed");
    if (last_message.empty()) return;
    for (int i = 0; i < slot.outputs && !slot.writes && !slot.in_place; ++i) {
        aoti_torch_delete_tensor_object(handle_of(stack[i]));
    }
    throw std::runtime_error(last_message);
}

void serve(Slot& slot, StableIValue* stack) {
    Arguments arguments(slot, stack);
    // Outputs that are arguments stand behind the operator's own.
    const int own = slot.arguments - (slot.writes ? slot.outputs : 0);
    const bool given = slot.writes || slot.in_place;
    DLTensor outputs[kMaxOutputs];
    int64_t room[kMaxOutputs][2][OPWRIGHT_MAX_DIMS];
    OpwrightCall call;
    call.struct_size = sizeof(OpwrightCall);
    call.input_count = own;
    call.inputs = arguments.values();
    call.output_count = slot.outputs;
    call.has_inferred = !given;
    call.outputs = outputs;
    call.stream = nullptr;
    bool is_taken = true;
    for (int i = 0; i < slot.outputs; ++i) {
        if (given) {
            outputs[i] = describe(handle_of(stack[slot.in_place ? 0 : own + i]), true);
            is_taken = is_taken && !overlaps_itself(outputs[i]) && !overlaps(outputs[i], arguments.values(), own);
            for (int k = 0; k < i; ++k) is_taken = is_taken && !meet(outputs[i], outputs[k]);
        } else {
            outputs[i] = {nullptr, {1, 0}, 0, {0, 0, 0}, room[i][0], room[i][1], 0};
        }
    }
    is_taken = is_taken && (given || slot.target->infer(&call, nullptr) == OPWRIGHT_OK);
    if (!is_taken) {
        pass_on(slot, arguments, stack);
        return;
    }
    AtenTensorHandle made[kMaxOutputs];
    for (int i = 0; i < slot.outputs && !given; ++i) {
        DLTensor& output = outputs[i];
        require(aoti_torch_empty_strided(output.ndim, output.shape, output.strides, torch_dtype_of(output.dtype),
                                         aoti_torch_device_type_cpu(), 0, &made[i]));
        require(torch_get_mutable_data_ptr(made[i], &output.data));
    }
    if (slot.target->plan(&call, nullptr) != OPWRIGHT_OK) {
        for (int i = 0; i < slot.outputs && !given; ++i) aoti_torch_delete_tensor_object(made[i]);
        pass_on(slot, arguments, stack);
        return;
    }
    run(slot, call);
    slot.calls.fetch_add(1, std::memory_order_relaxed);
    arguments.release();
    for (int i = 0; i < slot.outputs && !given; ++i) stack[i] = reinterpret_cast<StableIValue>(made[i]);
}

using Boxed = void (*)(StableIValue*, uint64_t, uint64_t);

// The dispatcher passes nothing that tells operators apart, so each slot has its own function.
template <int I>
void boxed(StableIValue* stack, uint64_t, uint64_t) {
    serve(slots[I], stack);
}

template <int... I>
Boxed boxed_at(int index, std::integer_sequence<int, I...>) {
    static constexpr Boxed all[] = {boxed<I>...};
    return all[index];
}

void learn_dtypes() {
    const int32_t codes[8] = {aoti_torch_dtype_float16(), aoti_torch_dtype_bfloat16(), aoti_torch_dtype_float32(),
                              aoti_torch_dtype_float64(), aoti_torch_dtype_uint8(),    aoti_torch_dtype_int8(),
                              aoti_torch_dtype_int32(),   aoti_torch_dtype_int64()};
    std::memcpy(torch_dtypes, codes, sizeof(codes));
}

}  // namespace

#define OPWRIGHT_EXPORT extern "C" __attribute__((visibility("default")))

// Registers one form of an operator for the CPU key; gives its slot, or -1. Called under Python's lock.
OPWRIGHT_EXPORT int opwright_torch_register(const OpwrightOperator* target, const char* space, const char* name,
                                            const char* kinds, int outputs, int form, const char* fallback) {
    const int index = used_slots.load();
    const size_t arguments = std::strlen(kinds);
    if (index >= kMaxSlots || arguments > kMaxArguments || outputs > kMaxOutputs) return -1;
    if (std::strlen(fallback) >= sizeof(Slot::fallback)) return -1;
    learn_dtypes();
    Slot& slot = slots[index];
    slot.target = target;
    std::memcpy(slot.kinds, kinds, arguments + 1);
    slot.arguments = static_cast<int>(arguments);
    slot.outputs = outputs;
    slot.writes = form == 1;
    slot.in_place = form == 2;
    std::strcpy(slot.fallback, fallback);
    TorchLibraryHandle library = nullptr;  // lives as long as the process
    if (aoti_torch_library_init_impl(space, "CPU", "opwright", 0, &library) != 0) return -1;
    const Boxed function = boxed_at(index, std::make_integer_sequence<int, kMaxSlots>());
    if (torch_library_impl(library, name, function, TORCH_ABI_VERSION) != 0) return -1;
    used_slots.store(index + 1);
    return index;
}

// How many calls a slot's operator has served itself.
OPWRIGHT_EXPORT int64_t opwright_torch_calls(int slot) { return slots[slot].calls.load(std::memory_order_relaxed); }

// What is wrong with the call that this thread's operator for refused calls serves. It does not raise: no C interface
// before 2.13 brings a text, and some write it to the terminal.
OPWRIGHT_EXPORT void opwright_torch_message(const char* text) { last_message = text; }

// A text of a refused call, by the address that its operator got.
OPWRIGHT_EXPORT const char* opwright_torch_text(StringHandle text, size_t* length) {
    const char* data = nullptr;
    require(torch_string_length(text, length));
    require(torch_string_c_str(text, &data));
    return data;
}
