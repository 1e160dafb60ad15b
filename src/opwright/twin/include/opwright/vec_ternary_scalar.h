// Chapter vec_ternary_scalar: what calls with two sources and a scalar do to a pair of elements.
#pragma once

#include "vec_binary.h"
