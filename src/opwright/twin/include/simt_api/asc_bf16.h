// What a text with threads and bfloat16_t includes.
#pragma once

#include "asc_fp16.h"
