// All that a text with threads may say.
#pragma once

#include "simt_debug.h"
#include "simt_memory.h"
#include "simt_sync.h"
#include "simt_threads.h"
#include "simt_warp.h"
