// What a text with threads includes.
#pragma once

#include "../opwright/simt.h"
