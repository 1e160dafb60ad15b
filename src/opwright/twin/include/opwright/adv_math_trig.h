// Chapter adv_math_trig: sine, cosine, tangent and their inverses, elementwise.
#pragma once

#include "composed.h"
#include "math_trig.h"
