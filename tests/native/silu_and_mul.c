/* Calls silu_and_mul of an operator library, without any framework: `silu_and_mul LIBRARY` prints the result. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opwright/abi.h"

static const OpwrightOperator* find(const OpwrightLibrary* library, const char* name) {
    int32_t i;
    for (i = 0; i < library->operator_count; ++i)
        if (strcmp(library->operators[i]->name, name) == 0) return library->operators[i];
    return NULL;
}

int main(int count, char** words) {
    float gate_and_up[2][4] = {{1, -2, 3, 4}, {0.5f, 100, -1, 0.25f}}, result[2][2];
    int64_t shape[2] = {2, 4}, result_shape[OPWRIGHT_MAX_DIMS], result_strides[OPWRIGHT_MAX_DIMS];
    DLTensor input = {0}, output = {0};
    OpwrightValue argument = {0};
    OpwrightCall call = {0};
    char text[200];
    OpwrightError error = {sizeof error, 0, sizeof text, text};
    const OpwrightLibrary* (*get)(void);
    const OpwrightOperator* entry;
    void *scratch, *handle = count == 2 ? dlopen(words[1], RTLD_NOW) : NULL;
    if (handle == NULL) return 2;
    *(void**)&get = dlsym(handle, "opwright_library");
    entry = find(get(), "opwright::silu_and_mul");
    input.data = gate_and_up;
    input.device.device_type = 1;
    input.dtype.code = 2, input.dtype.bits = 32, input.dtype.lanes = 1;
    input.ndim = 2;
    input.shape = shape; /* no strides: it is dense */
    argument.kind = OPWRIGHT_TENSOR;
    argument.held.tensor = &input;
    output.shape = result_shape;
    output.strides = result_strides;
    call.struct_size = sizeof call;
    call.input_count = call.output_count = 1;
    call.inputs = &argument;
    call.outputs = &output;
    if (entry->infer(&call, &error) != OPWRIGHT_OK) return puts(text), 1;
    output.data = result; /* which is as large as infer says, and lies so */
    call.has_inferred = 1;
    if (entry->plan(&call, &error) != OPWRIGHT_OK) return puts(text), 1;
    scratch = malloc(call.workspace_bytes + 63);
    call.workspace = (void*)(((uintptr_t)scratch + 63) / 64 * 64);
    if (entry->run(&call, 0, call.parts, &error) != OPWRIGHT_OK) return puts(text), 1;
    free(scratch);
    printf("%d %lld %lld\n", output.ndim, (long long)output.shape[0], (long long)output.shape[1]);
    printf("%.6f %.6f %.6f %.6f\n", result[0][0], result[0][1], result[1][0], result[1][1]);
    shape[1] = 3;
    return entry->infer(&call, &error) == OPWRIGHT_BAD_VALUE ? puts(text), 0 : 1;
}
