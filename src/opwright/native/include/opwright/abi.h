// The C ABI of operator libraries: plain C99, no framework, no threads, one exported symbol.
//
// A library exports opwright_library(), which gives the table of its operators. A caller serves an operator in three
// steps: infer() says what is wrong with the arguments and describes the results; plan() says how much scratch memory
// the call needs and in how many parts its work falls; run() does the parts [begin, end), from as many threads as the
// caller likes. A library answers every legal call of its operators: what infer() accepts, plan() and run() serve.
//
// Every function gives a code. If it is not OPWRIGHT_OK, the error says in words what is wrong. Structs begin with
// their size and only grow: a caller sets struct_size to sizeof, and reads of a library's structs only what their size
// covers. No function keeps a pointer that it was given, and none throws.
#ifndef OPWRIGHT_ABI_H_
#define OPWRIGHT_ABI_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OPWRIGHT_ABI_VERSION 1

// As DLPack has them, so that any framework's tensor is handed over as it lies. Strides count elements.
#if !defined(DLPACK_VERSION) && !defined(DLPACK_MAJOR_VERSION)
typedef struct {
    int32_t device_type;  // 1: CPU
    int32_t device_id;
} DLDevice;

typedef struct {
    uint8_t code;  // 0 int, 1 unsigned, 2 float, 4 bfloat, 5 complex, 6 bool, 7 to 14 float8
    uint8_t bits;
    uint16_t lanes;
} DLDataType;

typedef struct {
    void* data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t* shape;
    int64_t* strides;  // NULL: dense, the last dimension innermost
    uint64_t byte_offset;
} DLTensor;
#endif

// The most dimensions of a tensor.
#define OPWRIGHT_MAX_DIMS 64
// A dimension or a stride that is not known yet: for infer() only.
#define OPWRIGHT_UNKNOWN INT64_MIN

enum {
    OPWRIGHT_OK = 0,
    OPWRIGHT_BAD_TYPE = 1,       // an argument has a type or dtype that the operator does not take
    OPWRIGHT_BAD_VALUE = 2,      // an argument has a shape, a device or a value that it does not take
    OPWRIGHT_NOT_SUPPORTED = 3,  // the call may be right, but it cannot be answered: a dimension is unknown
    OPWRIGHT_FAULT = 4,          // found while it ran (an index out of range), or no memory
    OPWRIGHT_BAD_CALL = 5        // the caller breaks this ABI: a wrong size, a null pointer, a wrong count
};

// What went wrong. The caller owns the text; what does not fit is cut off, and always ends with 0.
typedef struct {
    uint32_t struct_size;
    int32_t code;
    uint64_t capacity;  // bytes of text, with the 0 at its end
    char* text;
} OpwrightError;

enum {
    OPWRIGHT_NONE = 0,  // an optional argument that was not given
    OPWRIGHT_TENSOR = 1,
    OPWRIGHT_INTEGER = 2,
    OPWRIGHT_NUMBER = 3,
    OPWRIGHT_BOOL = 4,
    OPWRIGHT_TEXT = 5,       // UTF-8, count bytes; a 0 behind them is not needed
    OPWRIGHT_DTYPE = 6,
    OPWRIGHT_DEVICE = 7,
    OPWRIGHT_GENERATOR = 8,  // two numbers: the seed, and the offset of the first random number
    OPWRIGHT_TENSORS = 9,    // count pointers; NULL where one is absent
    OPWRIGHT_INTEGERS = 10,
    OPWRIGHT_NUMBERS = 11,
    OPWRIGHT_BOOLS = 12,     // one byte each
    OPWRIGHT_SCALAR = 13     // only in OpwrightArgument: an integer, a number or a bool
};

// One argument of a call, or a default.
typedef struct {
    int32_t kind;
    int32_t reserved;  // 0
    int64_t count;     // bytes of a text, entries of a list
    union {
        const DLTensor* tensor;
        int64_t integer;  // also of a bool: 0 or 1
        double number;
        const char* text;
        DLDataType dtype;
        DLDevice device;
        const uint64_t* generator;
        const DLTensor* const* tensors;
        const int64_t* integers;
        const double* numbers;
        const uint8_t* bools;
    } held;
} OpwrightValue;

enum {
    OPWRIGHT_IS_OPTIONAL = 1,
    OPWRIGHT_HAS_DEFAULT = 2,
    OPWRIGHT_IS_KEYWORD_ONLY = 4,
    OPWRIGHT_IS_WRITTEN = 8,           // a tensor that run() writes into
    OPWRIGHT_HAS_OPTIONAL_ENTRIES = 16  // a list of tensors, of which any may be absent
};

// What an operator's schema says of one argument.
typedef struct {
    const char* name;
    int32_t kind;
    uint32_t flags;
    OpwrightValue default_value;
} OpwrightArgument;

// One call. The caller fills in all but what plan() says.
typedef struct {
    uint32_t struct_size;
    int32_t input_count;
    const OpwrightValue* inputs;  // all arguments, in the order of the schema
    // For infer(): space that it describes; shape and strides have space for OPWRIGHT_MAX_DIMS each, data is NULL.
    // For plan() and run(): the results' memory, of the shape and dtype that infer() gives, of any strides. It shares
    // no element with itself, with another output, or with an input, unless it is that input as it lies.
    int32_t output_count;
    int32_t has_inferred;  // not 0: the outputs lie just as infer() said for these inputs, and need no check
    DLTensor* outputs;
    void* stream;  // NULL on a CPU
    // What plan() says ...
    int64_t parts;
    int64_t grain;             // parts that together are worth a thread
    uint64_t workspace_bytes;  // scratch that run() needs
    int64_t notes[32];         // the operator's own
    // ... and what the caller adds for run(): workspace_bytes at a multiple of 64, one for all parts.
    void* workspace;
    // What plan() says besides: which of the operator's providers took the call, and whether tensors are copied for it.
    int32_t provider;
    int32_t copies;
} OpwrightCall;

typedef struct OpwrightOperator OpwrightOperator;

struct OpwrightOperator {
    uint32_t struct_size;
    uint32_t argument_size;  // of one OpwrightArgument: they may grow
    const char* name;        // namespace::name
    const char* schema;      // as PyTorch writes it
    int32_t argument_count;
    int32_t result_count;
    const OpwrightArgument* arguments;
    int32_t (*infer)(OpwrightCall* call, OpwrightError* error);
    int32_t (*plan)(OpwrightCall* call, OpwrightError* error);
    int32_t (*run)(const OpwrightCall* call, int64_t begin, int64_t end, OpwrightError* error);
    // Who computes it. An operator of the table has "" here: its plan() takes the first of its providers that can. Each
    // of these is the same operator computed by that one alone, "native" or "kernel": its plan() refuses with
    // OPWRIGHT_NOT_SUPPORTED what that one does not take.
    const char* provider;
    int32_t provider_count;
    const OpwrightOperator* const* providers;
};

typedef struct {
    uint32_t struct_size;
    uint32_t abi_version;
    const char* package;
    const char* version;
    int32_t operator_count;
    const OpwrightOperator* const* operators;  // in the order of their names
    // The instruction set in use; all that this build has, the best first, then NULL; and the best that may be used
    // from now on ("" lifts it), which gives 0 for a name that is not in the list.
    const char* (*isa)(void);
    const char* const* (*isas)(void);
    int32_t (*cap_isa)(const char* name);
} OpwrightLibrary;

// The one symbol of a library. What it gives lives as long as the library is loaded.
const OpwrightLibrary* opwright_library(void);

#ifdef __cplusplus
}
#endif

#endif  // OPWRIGHT_ABI_H_
