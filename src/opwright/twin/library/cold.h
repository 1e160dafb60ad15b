// OPWRIGHT_COLD marks functions that run rarely: compiled for size and out of line. That keeps the loop over blocks
// small and shortens the time it takes to compile the library.
#pragma once

#include <cstdint>

#define OPWRIGHT_COLD __attribute__((cold, noinline)) static
