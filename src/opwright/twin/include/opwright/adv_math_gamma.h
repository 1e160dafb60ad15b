// Chapter adv_math_gamma: the error function, the logarithm of the gamma function and its derivative, elementwise.
#pragma once

#include "composed.h"
#include "math_gamma.h"
