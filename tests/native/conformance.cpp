// Walks the table of any operator library: `conformance LIBRARY CALLS [FILE]`. Breaks the ABI in every way that a caller
// can, and makes CALLS random calls of all operators; those that are accepted are run. Prints how many calls of each
// operator were accepted and refused. Ends with 1, and says where, if a library answers otherwise than `abi.h` says.
//
// FILE has legal calls, since few random ones of operators with many tensors are: lines of an operator's name and a word
// for each argument. `-` is None, `2:32:3,4` a tensor of the code, bits and shape, `2:32` a dtype, `3,4` a list, and
// others are as they are. Half of the calls have these arguments, laid out at random.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "opwright/abi.h"

namespace {

std::string where;  // what is being tried

void require(bool holds, const std::string& what) {
    if (holds) return;
    std::printf("%s: %s\n", where.c_str(), what.c_str());
    std::exit(1);
}

constexpr DLDataType kLikely[] = {{2, 16, 1}, {4, 16, 1}, {2, 32, 1}, {2, 64, 1}, {1, 8, 1}};

int64_t bytes_of(DLDataType dtype) { return (int64_t{dtype.bits} * dtype.lanes + 7) / 8; }

// A tensor with memory of its own; strides of any kind.
struct Tensor {
    DLTensor plain{};
    std::vector<int64_t> shape, strides;
    std::vector<char> memory;
    bool points_anywhere = false;  // its integers may be out of range

    void place(int64_t offset) {
        int64_t first = 0, last = 0;
        bool is_empty = false;
        for (size_t i = 0; i < shape.size(); ++i) {
            is_empty |= shape[i] == 0;
            if (shape[i] > 0) (strides[i] < 0 ? first : last) += (shape[i] - 1) * strides[i];
        }
        const int64_t bytes = bytes_of(plain.dtype);
        // Integers that point, point to the first place.
        memory.assign(static_cast<size_t>(is_empty ? 0 : (last - first + 1) * bytes + offset), plain.dtype.code != 0);
        plain.data = is_empty ? nullptr : memory.data() - first * bytes;
        plain.byte_offset = static_cast<uint64_t>(is_empty ? 0 : offset);
        point();
    }
    void point() {
        plain.ndim = static_cast<int32_t>(shape.size());
        plain.shape = shape.data();
        plain.strides = strides.data();
    }
};

void make_dense(Tensor& tensor) {
    tensor.strides.assign(tensor.shape.size(), 1);
    int64_t stride = 1;
    for (size_t i = tensor.shape.size(); i-- > 0;) {
        tensor.strides[i] = stride;
        stride *= tensor.shape[i] > 1 ? tensor.shape[i] : 1;
    }
}

// A call of one operator with all that it points to.
class Call {
   public:
    explicit Call(const OpwrightOperator& entry)
        : entry_(entry), values(static_cast<size_t>(entry.argument_count)), inputs(values.size()),
          lists(values.size()), texts(values.size()), outputs(static_cast<size_t>(entry.result_count)),
          spaces(outputs.size(), std::vector<int64_t>(2 * OPWRIGHT_MAX_DIMS)) {
        call.struct_size = sizeof call;
        call.input_count = entry.argument_count;
        call.inputs = values.data();
        call.output_count = entry.result_count;
        call.outputs = outputs.data();
        error.struct_size = sizeof error;
        error.capacity = sizeof text;
        error.text = text;
        space();
    }

    void space() {
        for (size_t i = 0; i < outputs.size(); ++i) {
            outputs[i] = {};
            outputs[i].shape = spaces[i].data();
            outputs[i].strides = spaces[i].data() + OPWRIGHT_MAX_DIMS;
        }
    }

    int32_t infer() { return said(entry_.infer(&call, &error)); }
    int32_t plan() { return said(entry_.plan(&call, &error)); }
    int32_t run(int64_t begin, int64_t end) { return said(entry_.run(&call, begin, end, &error)); }

    // Every code is one of the header's; what is refused is refused in words.
    int32_t said(int32_t code) {
        require(code >= OPWRIGHT_OK && code <= OPWRIGHT_BAD_CALL, "gives the code " + std::to_string(code));
        if (code == OPWRIGHT_OK) return code;
        require(error.code == code, "gives another code than its error has");
        require(std::memchr(text, 0, sizeof text) != nullptr && text[0] != 0, "refuses without a word");
        return code;
    }

    const OpwrightOperator& entry_;
    std::vector<OpwrightValue> values;
    std::vector<Tensor> inputs;
    std::vector<std::vector<int64_t>> lists;
    std::vector<std::string> texts;
    std::vector<DLTensor> outputs;
    std::vector<std::vector<int64_t>> spaces;
    std::vector<Tensor> memory;  // of the outputs
    OpwrightCall call{};
    OpwrightError error{};
    char text[256] = {};
};

class Random {
   public:
    explicit Random(uint64_t seed) : engine_(seed) {}
    int64_t below(int64_t count) { return static_cast<int64_t>(engine_() % static_cast<uint64_t>(count)); }
    bool once_in(int64_t count) { return below(count) == 0; }

   private:
    std::mt19937_64 engine_;
};

using Words = std::vector<std::string>;
std::map<std::string, std::vector<Words>> known;  // legal calls by the name of the operator

void read_known(const char* path) {
    std::ifstream file(path);
    for (std::string line, name, word; std::getline(file, line);) {
        std::istringstream words(line);
        words >> name;
        Words call;
        while (words >> word) call.push_back(word);
        known[name].push_back(call);
    }
}

std::vector<int64_t> numbers_of(const std::string& text) {
    std::vector<int64_t> found;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        if (!word.empty()) found.push_back(std::atoll(word.c_str()));
    }
    return found;
}

DLDataType dtype_of(const std::string& word) {
    return {uint8_t(std::atoi(word.c_str())), uint8_t(std::atoi(word.c_str() + word.find(':') + 1)), 1};
}

// Strides of any kind; of what is written, without elements that share memory.
void lay_out(Tensor& tensor, bool is_written, Random& random) {
    make_dense(tensor);
    for (int64_t& stride : tensor.strides) {
        if (is_written) stride *= 2;
        else if (random.once_in(4)) stride *= 1 + random.below(3);
        else if (random.once_in(8)) stride = -stride;
        else if (random.once_in(8)) stride = 0;
    }
    const int64_t offset = random.once_in(4) ? random.below(9) : 0, bytes = bytes_of(tensor.plain.dtype);
    tensor.place(offset);
    tensor.points_anywhere = tensor.plain.dtype.code == 0 && bytes >= 4 && random.once_in(3);
    const int64_t end = static_cast<int64_t>(tensor.memory.size());
    for (int64_t at = offset; tensor.points_anywhere && at + bytes <= end; at += bytes) {
        const int64_t number = random.once_in(20) ? INT64_MIN >> random.below(64) : random.below(9) - 2;
        std::memcpy(&tensor.memory[static_cast<size_t>(at)], &number, static_cast<size_t>(bytes));
    }
}

// A legal call.
void fill_known(Call& call, const Words& words, Random& random) {
    for (size_t i = 0; i < call.values.size(); ++i) {
        const OpwrightArgument& argument = call.entry_.arguments[i];
        const std::string& word = words.at(i);
        OpwrightValue& value = call.values[i];
        value = {};
        value.kind = word == "-" ? int32_t{OPWRIGHT_NONE} : argument.kind;
        switch (value.kind) {
            case OPWRIGHT_TENSOR: {
                Tensor& tensor = call.inputs[i];
                tensor.shape = numbers_of(word.substr(word.find(':', word.find(':') + 1) + 1));
                tensor.plain.dtype = dtype_of(word);
                tensor.plain.device = {1, 0};
                lay_out(tensor, argument.flags & OPWRIGHT_IS_WRITTEN, random);
                value.held.tensor = &tensor.plain;
                break;
            }
            case OPWRIGHT_INTEGERS:
                call.lists[i] = numbers_of(word);
                value.count = static_cast<int64_t>(call.lists[i].size());
                value.held.integers = call.lists[i].data();
                break;
            case OPWRIGHT_TEXT:
                call.texts[i] = word;
                value.count = static_cast<int64_t>(word.size());
                value.held.text = call.texts[i].data();
                break;
            case OPWRIGHT_NUMBER: value.held.number = std::atof(word.c_str()); break;
            case OPWRIGHT_DTYPE: value.held.dtype = dtype_of(word); break;
            default: value.held.integer = std::atoll(word.c_str());
        }
    }
}

// Arguments that fit each other often enough: later tensors are like the first one, like its rows, or like its blocks.
void fill(Call& call, Random& random) {
    const std::vector<Words>& calls = known[call.entry_.name];
    if (!calls.empty() && random.once_in(2)) {
        return fill_known(call, calls[static_cast<size_t>(random.below(static_cast<int64_t>(calls.size())))], random);
    }
    std::vector<int64_t> base(static_cast<size_t>(random.below(4)));
    for (int64_t& size : base) size = random.once_in(12) ? 0 : 2 * (1 + random.below(3)) - random.once_in(4);
    const int64_t style = random.below(4);
    const DLDataType dtype = kLikely[random.below(5)];
    bool is_first = true;
    for (size_t i = 0; i < call.values.size(); ++i) {
        const OpwrightArgument& argument = call.entry_.arguments[i];
        OpwrightValue& value = call.values[i];
        value = {};
        value.kind = argument.kind;
        // Blocks come with their scale, or neither does.
        if ((argument.flags & OPWRIGHT_IS_OPTIONAL) && style == 3) value.kind = OPWRIGHT_NONE;
        if (value.kind == OPWRIGHT_TENSOR) {
            Tensor& tensor = call.inputs[i];
            tensor.shape = base;
            tensor.plain.dtype = dtype;
            tensor.plain.device = {1, 0};
            if (!is_first) {
                if (!random.once_in(3)) tensor.plain.dtype = {2, 32, 1};
                if (random.once_in(2) && !base.empty()) tensor.shape = {base.back()};
                else if (style == 1) tensor.shape.assign(base.size(), 1);
                else if (style == 2 && !base.empty()) tensor.shape.back() = 1;
            }
            is_first = false;
            lay_out(tensor, argument.flags & OPWRIGHT_IS_WRITTEN, random);
            value.held.tensor = &tensor.plain;
        } else if (value.kind == OPWRIGHT_INTEGERS) {
            std::vector<int64_t>& list = call.lists[i];
            list.assign(base.size(), style == 1 ? -1 : 1);
            if (style == 2 && !list.empty()) list.back() = -1;
            if (random.once_in(6) && !list.empty()) list.back() = random.below(5) - 2;
            value.count = static_cast<int64_t>(list.size());
            value.held.integers = list.data();
        } else if (value.kind == OPWRIGHT_TEXT) {
            const OpwrightValue& known = argument.default_value;
            call.texts[i] = known.kind == OPWRIGHT_TEXT ? std::string(known.held.text, size_t(known.count)) : "text";
            if (random.once_in(8)) call.texts[i] += char(random.below(256));
            value.count = static_cast<int64_t>(call.texts[i].size());
            value.held.text = call.texts[i].data();
        } else if (value.kind == OPWRIGHT_NUMBER || value.kind == OPWRIGHT_SCALAR) {
            value.kind = OPWRIGHT_NUMBER;
            value.held.number = static_cast<double>(random.below(5)) / 4;
        } else if (value.kind == OPWRIGHT_DTYPE) {
            value.held.dtype = kLikely[random.below(5)];
        } else if (value.kind == OPWRIGHT_INTEGER || value.kind == OPWRIGHT_BOOL) {
            value.held.integer = random.below(2);
        } else {
            value.kind = OPWRIGHT_NONE;
        }
    }
}

// Memory for what `infer` has described, as it lies or otherwise.
void allocate(Call& call, Random& random) {
    const bool is_given = random.once_in(2);
    call.memory.assign(call.outputs.size(), Tensor());
    for (size_t i = 0; i < call.outputs.size(); ++i) {
        Tensor& tensor = call.memory[i];
        const DLTensor& described = call.outputs[i];
        tensor.shape.assign(described.shape, described.shape + described.ndim);
        tensor.strides.assign(described.strides, described.strides + described.ndim);
        tensor.plain.dtype = described.dtype;
        tensor.plain.device = described.device;
        if (is_given) {
            make_dense(tensor);
            for (int64_t& stride : tensor.strides) stride *= 2;
        }
        tensor.place(is_given && random.once_in(2) ? 1 + random.below(8) : 0);
        call.outputs[i] = tensor.plain;
    }
    call.call.has_inferred = !is_given;
}

void run_all(Call& call, Random& random) {
    const int64_t parts = call.call.parts;
    require(parts >= 0 && call.call.grain >= 1, "plans parts that cannot be");
    const int32_t last = std::max(0, call.entry_.provider_count - 1);
    require(call.call.provider >= 0 && call.call.provider <= last, "names a provider that is not there");
    std::vector<char> workspace(call.call.workspace_bytes + 64);
    const auto at = reinterpret_cast<uintptr_t>(workspace.data());
    call.call.workspace = reinterpret_cast<void*>((at + 63) / 64 * 64);
    const int64_t half = parts == 0 ? 0 : random.below(parts);
    // Not even the first place is there where a tensor has no elements.
    const auto points = [](const Tensor& tensor) { return tensor.points_anywhere || tensor.memory.empty(); };
    const bool may_fault = std::any_of(call.inputs.begin(), call.inputs.end(), points);
    for (const auto& [begin, end] : {std::pair{half, parts}, {int64_t{0}, half}}) {
        const int32_t code = call.run(begin, end);
        require(code == OPWRIGHT_OK || (may_fault && code == OPWRIGHT_FAULT), std::string("fails: ") + call.text);
    }
    require(call.run(-1, parts) == OPWRIGHT_BAD_CALL, "runs a part before the first one");
    require(call.run(0, parts + 1) == OPWRIGHT_BAD_CALL, "runs a part behind the last one");
}

// One call; whether it was accepted.
bool call_once(const OpwrightOperator& entry, uint64_t seed) {
    Random random(seed);
    Call call(entry);
    fill(call, random);
    if (call.infer() != OPWRIGHT_OK) {
        require(call.plan() != OPWRIGHT_OK, "plans what infer refuses");
        return false;
    }
    allocate(call, random);
    const int32_t planned = call.plan();
    // One provider need not take all, and kernels have no variants for some data types.
    const bool is_one = entry.provider != nullptr && entry.provider[0] != 0;
    const bool has_native = entry.provider_count == 0 || std::string(entry.providers[0]->provider) == "native";
    if (planned == OPWRIGHT_NOT_SUPPORTED && (is_one || !has_native)) return false;
    require(planned == OPWRIGHT_OK, std::string("infer accepts a call, but plan says: ") + call.text);
    run_all(call, random);
    return true;
}

// A call that is accepted, by its seed; -1 if none was found.
int64_t accepted_seed(const OpwrightOperator& entry, bool has_elements) {
    for (uint64_t seed = 0; seed < 5000; ++seed) {
        Random random(seed);
        Call call(entry);
        fill(call, random);
        bool is_right = call.infer() == OPWRIGHT_OK;
        for (size_t i = 0; i < call.inputs.size() && has_elements; ++i) {
            const bool is_tensor = entry.arguments[i].kind == OPWRIGHT_TENSOR;
            is_right = is_right && (!is_tensor || (!call.inputs[i].shape.empty() && !call.inputs[i].memory.empty()));
        }
        if (is_right) return static_cast<int64_t>(seed);
    }
    return -1;
}

using Change = std::function<void(Call&)>;

// An accepted call, changed: `infer` must give the code, or any code if it is -1.
void refuses(const OpwrightOperator& entry, int64_t seed, const std::string& what, int32_t code, const Change& change) {
    where = std::string(entry.name) + ", " + what;
    Random random(static_cast<uint64_t>(seed));
    Call call(entry);
    fill(call, random);
    change(call);
    const int32_t given = call.infer();
    require(code == -1 || given == code, "infer gives " + std::to_string(given) + ": " + call.text);
    const int32_t planned = call.plan();
    require(code <= 0 || planned != OPWRIGHT_OK, "plan accepts it");
}

void break_call(const OpwrightOperator& entry, int64_t seed) {
    const auto bad = [&](const std::string& what, const Change& change) { refuses(entry, seed, what, OPWRIGHT_BAD_CALL, change); };
    for (uint32_t size : {0u, 8u, uint32_t(sizeof(OpwrightCall)) - 1}) {
        bad("a call of " + std::to_string(size) + " bytes", [=](Call& call) { call.call.struct_size = size; });
    }
    refuses(entry, seed, "a larger call", -1, [](Call& call) { call.call.struct_size += 64; });
    bad("no arguments", [](Call& call) { call.call.inputs = nullptr; });
    if (entry.result_count > 0) bad("no results", [](Call& call) { call.call.outputs = nullptr; });
    for (int32_t by : {-1, 1, -1000, 1000}) {
        bad("another number of arguments", [=](Call& call) { call.call.input_count += by; });
        bad("another number of results", [=](Call& call) { call.call.output_count += by; });
    }
    if (entry.result_count > 0) bad("no space for a shape", [](Call& call) { call.outputs[0].shape = nullptr; });
    where = std::string(entry.name) + ", no call";
    OpwrightError error{sizeof error, 0, 0, nullptr};
    require(entry.infer(nullptr, &error) == OPWRIGHT_BAD_CALL && entry.plan(nullptr, nullptr) == OPWRIGHT_BAD_CALL, "is accepted");
    require(entry.run(nullptr, 0, 1, &error) == OPWRIGHT_BAD_CALL, "is run");
    for (uint64_t capacity : {0, 1, 2}) {
        char text[4] = {7, 7, 7, 7};
        error = {sizeof error, 0, capacity, text};
        require(entry.infer(nullptr, &error) == OPWRIGHT_BAD_CALL && error.code == OPWRIGHT_BAD_CALL, "has no code");
        require(text[capacity] == 7 && (capacity == 0 || text[capacity - 1] == 0), "writes beyond the text");
    }
    error.struct_size = 4;
    error.code = 77;
    require(entry.infer(nullptr, &error) == OPWRIGHT_BAD_CALL && error.code == 77, "writes into an error that is too small");
}

void break_tensor(const OpwrightOperator& entry, int64_t seed, size_t i) {
    const std::string name = std::string("tensor ") + entry.arguments[i].name + " with ";
    const auto tries = [&](const std::string& what, int32_t code, const std::function<void(Tensor&)>& change) {
        refuses(entry, seed, name + what, code, [&](Call& call) { change(call.inputs[i]); });
    };
    refuses(entry, seed, name + "a null pointer", OPWRIGHT_BAD_CALL, [=](Call& call) { call.values[i].held.tensor = nullptr; });
    for (int32_t ndim : {-1, OPWRIGHT_MAX_DIMS + 1, INT32_MAX, INT32_MIN}) {
        tries(std::to_string(ndim) + " dimensions", OPWRIGHT_BAD_VALUE, [=](Tensor& tensor) { tensor.plain.ndim = ndim; });
    }
    tries("no shape", OPWRIGHT_BAD_CALL, [](Tensor& tensor) {
        tensor.plain.ndim = 1;
        tensor.plain.shape = nullptr;
    });
    tries("64 dimensions", -1, [](Tensor& tensor) {
        tensor.shape.assign(OPWRIGHT_MAX_DIMS, 1);
        tensor.strides.assign(OPWRIGHT_MAX_DIMS, 1);
        tensor.point();
    });
    for (int64_t size : {int64_t{-1}, INT64_MIN + 1}) {
        tries("the size " + std::to_string(size), OPWRIGHT_BAD_VALUE, [=](Tensor& tensor) { tensor.shape.assign(1, size), tensor.strides.assign(1, 1), tensor.point(); });
    }
    for (int64_t size : {INT64_MAX, int64_t{1} << 62, int64_t{1} << 40, OPWRIGHT_UNKNOWN}) {
        tries("a huge size", -1, [=](Tensor& tensor) { tensor.shape.back() = size; });
        tries("two huge sizes", size > int64_t{1} << 40 ? OPWRIGHT_BAD_VALUE : -1, [=](Tensor& tensor) {
            tensor.shape.assign(2, size), tensor.strides.assign(2, 1), tensor.point();
        });
        tries("a huge stride", -1, [=](Tensor& tensor) { tensor.strides.back() = size; });
    }
    tries("no strides", -1, [](Tensor& tensor) { tensor.plain.strides = nullptr; });
    tries("another device", -1, [](Tensor& tensor) { tensor.plain.device = {2, 1}; });
    tries("a device that is none", -1, [](Tensor& tensor) { tensor.plain.device = {-5, -5}; });
    for (int code = 0; code < 20; ++code) {
        for (int bits : {0, 1, 4, 8, 16, 32, 64, 128, 255}) {
            tries("another dtype", -1, [=](Tensor& tensor) { tensor.plain.dtype = {uint8_t(code), uint8_t(bits), 1}; });
        }
    }
    for (int lanes : {0, 2, 65535}) {
        tries("several lanes", OPWRIGHT_BAD_TYPE, [=](Tensor& tensor) { tensor.plain.dtype.lanes = uint16_t(lanes); });
    }
}

void break_values(const OpwrightOperator& entry, int64_t seed) {
    for (size_t i = 0; i < static_cast<size_t>(entry.argument_count); ++i) {
        const OpwrightArgument& argument = entry.arguments[i];
        for (int32_t kind : {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 99}) {
            const bool is_right = kind == argument.kind || (kind == OPWRIGHT_NONE && (argument.flags & OPWRIGHT_IS_OPTIONAL));
            if (is_right || argument.kind == OPWRIGHT_SCALAR) continue;
            refuses(entry, seed, std::string(argument.name) + " of kind " + std::to_string(kind), OPWRIGHT_BAD_TYPE, [=](Call& call) {
                call.values[i] = {};
                call.values[i].kind = kind;
            });
        }
        if (argument.kind == OPWRIGHT_TENSOR) break_tensor(entry, seed, i);
        if (argument.kind < OPWRIGHT_TENSORS && argument.kind != OPWRIGHT_TEXT) continue;
        for (int64_t count : {int64_t{-1}, INT64_MIN, int64_t{3}}) {
            refuses(entry, seed, std::string(argument.name) + " without items", OPWRIGHT_BAD_CALL, [=](Call& call) {
                call.values[i] = {};
                call.values[i].kind = argument.kind;
                call.values[i].count = count;
            });
        }
    }
}

// Outputs that are not what `infer` says.
void break_outputs(const OpwrightOperator& entry, int64_t seed) {
    const auto tries = [&](const std::string& what, int32_t code, const std::function<void(Tensor&, DLTensor&)>& change) {
        where = std::string(entry.name) + ", an output with " + what;
        Random random(static_cast<uint64_t>(seed));
        Call call(entry);
        fill(call, random);
        require(call.infer() == OPWRIGHT_OK, "the call is not accepted");
        allocate(call, random);
        call.call.has_inferred = 0;
        const size_t last = call.outputs.size() - 1;
        change(call.memory[last], call.outputs[last]);
        const int32_t given = call.plan();
        require(given == code, "plan gives " + std::to_string(given) + ": " + call.text);
    };
    tries("all right", OPWRIGHT_OK, [](Tensor&, DLTensor&) {});
    tries("another dtype", OPWRIGHT_BAD_TYPE, [](Tensor&, DLTensor& output) { output.dtype = {5, 64, 1}; });
    tries("another size", OPWRIGHT_BAD_VALUE, [](Tensor&, DLTensor& output) { output.shape[0] += 1; });
    tries("a dimension more", OPWRIGHT_BAD_VALUE, [](Tensor& tensor, DLTensor& output) {
        tensor.shape.push_back(1), tensor.strides.push_back(1), tensor.point(), output = tensor.plain;
    });
    tries("no dimension", OPWRIGHT_BAD_VALUE, [](Tensor&, DLTensor& output) { output.ndim = 0; });
    tries("a negative size", OPWRIGHT_BAD_VALUE, [](Tensor&, DLTensor& output) { output.shape[0] = -1; });
    tries("an unknown size", OPWRIGHT_BAD_CALL, [](Tensor&, DLTensor& output) { output.shape[0] = OPWRIGHT_UNKNOWN; });
    tries("another device", OPWRIGHT_BAD_VALUE, [](Tensor&, DLTensor& output) { output.device = {2, 0}; });
    tries("no data", OPWRIGHT_BAD_CALL, [](Tensor&, DLTensor& output) { output.data = nullptr; });
    tries("no shape", OPWRIGHT_BAD_CALL, [](Tensor&, DLTensor& output) { output.shape = nullptr; });
}

void check_entry(const OpwrightOperator& entry) {
    where = entry.name;
    require(entry.struct_size >= sizeof entry && entry.argument_size >= sizeof(OpwrightArgument), "has sizes that are too small");
    require(std::strstr(entry.name, "::") && std::strncmp(entry.schema, entry.name, std::strlen(entry.name)) == 0, "has another name in its schema");
    require(entry.argument_count >= 0 && entry.result_count >= 0, "has a count below 0");
    for (int32_t i = 0; i < entry.argument_count; ++i) {
        const OpwrightArgument& argument = entry.arguments[i];
        require(argument.kind > OPWRIGHT_NONE && argument.kind <= OPWRIGHT_SCALAR, std::string(argument.name) + " has no kind");
        const bool is_none = argument.default_value.kind == OPWRIGHT_NONE;
        require(is_none || (argument.flags & OPWRIGHT_HAS_DEFAULT), std::string(argument.name) + " has a default without its flag");
        require(std::strstr(entry.schema, argument.name) != nullptr, std::string(argument.name) + " is not in the schema");
    }
}

}  // namespace

int main(int count, char** words) {
    if (count != 3 && count != 4) return 2;
    if (count == 4) read_known(words[3]);
    void* handle = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    where = words[1];
    require(handle != nullptr, "cannot be opened");
    const auto get = reinterpret_cast<const OpwrightLibrary* (*)(void)>(dlsym(handle, "opwright_library"));
    require(get != nullptr, "has no opwright_library");
    const OpwrightLibrary& library = *get();
    require(library.struct_size >= sizeof library && library.abi_version == OPWRIGHT_ABI_VERSION, "is of another version");
    require(library.package && library.version && library.isa() && library.isas()[0], "does not say what it is");
    require(library.cap_isa("no such set") == 0 && library.cap_isa(nullptr) == 0 && library.cap_isa("") == 1, "takes any cap");
    for (int32_t i = 0; i < library.operator_count; ++i) {
        const OpwrightOperator& entry = *library.operators[i];
        check_entry(entry);
        require(i == 0 || std::strcmp(library.operators[i - 1]->name, entry.name) < 0, "is not in the order of names");
        const int64_t seed = accepted_seed(entry, true);
        require(seed >= 0, "accepts no call that was tried");
        break_call(entry, seed);
        break_values(entry, seed);
        if (entry.result_count > 0) break_outputs(entry, seed);
        where = entry.name;
        int64_t accepted = 0;
        const int64_t calls = std::atoll(words[2]) / library.operator_count;
        for (int64_t k = 0; k < calls; ++k) {
            where = std::string(entry.name) + ", random call " + std::to_string(k);
            accepted += call_once(entry, static_cast<uint64_t>(k));
        }
        for (int32_t way = 0; way < entry.provider_count; ++way) {
            const OpwrightOperator& alone = *entry.providers[way];
            check_entry(alone);
            require(alone.provider[0] && std::strcmp(alone.name, entry.name) == 0, "has a provider of another operator");
            int64_t taken = 0;
            for (int64_t k = 0; k < calls; ++k) {
                where = std::string(entry.name) + " by " + alone.provider + ", random call " + std::to_string(k);
                taken += call_once(alone, static_cast<uint64_t>(k));
            }
            require(taken > 0, "takes no call that was tried");
        }
        std::printf("%s: %lld accepted, %lld refused\n", entry.name, (long long)accepted, (long long)(calls - accepted));
    }
    return 0;
}
