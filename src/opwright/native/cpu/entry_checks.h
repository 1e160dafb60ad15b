// Refusals of what breaks the ABI: a call is checked before anything that it points to is read.
#pragma once

#include "opwright/entry.h"

namespace opwright::entry {

// Codes; not OPWRIGHT_OK where the call was refused.
int32_t check_call(const OpwrightOperator& entry, const OpwrightCall* call, OpwrightError* error);
// has_memory: whether the tensors are to be read and written, and not only described.
int32_t check_inputs(const OpwrightOperator& entry, const OpwrightCall* call, bool has_memory, OpwrightError* error);
int32_t check_outputs(const OpwrightOperator& entry, const OpwrightCall* call, OpwrightError* error);
// Whether all tensors lie in this machine's memory.
int32_t check_memory(const OpwrightOperator& entry, const OpwrightCall* call, OpwrightError* error);
// Then of `plan`: outputs are of the dtypes and shapes of the results.
int32_t check_like(const OpwrightOperator& entry, OpwrightCall* call, const host::Tensor* results, OpwrightError* error);

bool is_too_small(const OpwrightError* error);
int64_t elements_of(const DLTensor& tensor);
int64_t bytes_of(DLDataType dtype);

}  // namespace opwright::entry
