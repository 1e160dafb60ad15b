// The header that Ascend C texts include for the calls of a core.
#pragma once

#include "opwright/generated/chapters.h"
