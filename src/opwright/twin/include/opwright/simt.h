// All that a text with threads may say: what every one of them needs, and the chapters of the calls that it names.
#pragma once

#ifdef OPWRIGHT_STRICT
#include "simt_strict.h"
#else
#include "simt_debug.h"
#include "simt_pointers.h"
#include "simt_sync.h"
#include "simt_threads.h"

#include "generated/simt_chapters.h"
#endif
