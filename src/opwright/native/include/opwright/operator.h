// The border of libopwright_cpu: an operator plans a call, then works on parts of it. Plain C, no framework, no threads.
//
// In: arguments in the order of the operator's schema, outputs that the caller allocated or asks to be described.
// Out: plan() describes the outputs and says in how many parts the work falls; run() does the parts [begin, end).
// plan() refuses what it does not take and says why. Whether that is a mistake is said by the operator's Python, which
// then serves the call: what is wrong with a call is put into words in one place.
#pragma once

#include <cstddef>
#include <cstdint>

extern "C" {

// As DLPack has them, so that any framework's tensor can be handed over as it lies. Strides count elements.
struct DLDevice {
    int32_t device_type;  // 1: CPU
    int32_t device_id;
};

struct DLDataType {
    uint8_t code;  // 0 int, 1 unsigned, 2 float, 4 bfloat, 6 bool
    uint8_t bits;
    uint16_t lanes;
};

struct DLTensor {
    void* data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t* shape;
    int64_t* strides;
    uint64_t byte_offset;
};

enum OpwrightKind : int32_t {
    kOpwrightNone,
    kOpwrightTensor,
    kOpwrightInteger,
    kOpwrightNumber,
    kOpwrightText,
    kOpwrightIntegers,
    kOpwrightDtype
};

// One argument; an optional one that was not given is of kind None. A dtype comes as DLPack has it.
struct OpwrightValue {
    int32_t kind;
    int32_t count;  // bytes of a text, numbers in a list
    union {
        const DLTensor* tensor;
        int64_t integer;
        double number;
        const char* text;
        const int64_t* integers;
        DLDataType dtype;
    };
};

enum OpwrightPlan : int32_t { kOpwrightTaken = 0, kOpwrightRefused = 1 };

constexpr int32_t kOpwrightMostDimensions = 64;

struct OpwrightCall {
    uint32_t struct_size;
    int32_t inputs;
    const OpwrightValue* input;
    // Before plan(): an output with data is given and lies as it says; one without has space for
    // kOpwrightMostDimensions in shape and strides, and plan() describes it.
    int32_t outputs;
    int32_t given;  // whether the outputs were given
    DLTensor* output;
    // What plan() says: parts of the work, how many of them are worth a thread, and its own notes for run().
    int64_t parts;
    int64_t grain;
    const char* reason;  // why it refuses
    int64_t notes[32];
};

struct OpwrightOperator {
    uint32_t struct_size;
    const char* name;
    int32_t (*plan)(OpwrightCall* call);
    void (*run)(const OpwrightCall* call, int64_t begin, int64_t end);
};
}
