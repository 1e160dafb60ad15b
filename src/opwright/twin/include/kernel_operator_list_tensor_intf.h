// Lists of tensors, which Ascend C declares here. On the twin they are a chapter of kernel_operator.h.
#pragma once
