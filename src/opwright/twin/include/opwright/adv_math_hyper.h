// Chapter adv_math_hyper: hyperbolic functions and their inverses, elementwise.
#pragma once

#include "composed.h"
#include "math_hyper.h"
