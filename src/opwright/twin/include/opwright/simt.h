// All that a text with threads may say.
#pragma once

#ifdef OPWRIGHT_STRICT
#include "simt_strict.h"
#else
#include "simt_debug.h"
#include "simt_memory.h"
#include "simt_sync.h"
#include "simt_threads.h"
#include "simt_warp.h"
#endif
