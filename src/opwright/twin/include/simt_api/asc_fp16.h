// What a text with threads and half includes.
#pragma once

#include "asc_simt.h"
