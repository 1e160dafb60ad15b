// The threads of a block: how many there are, which of them runs, and the loop over them.
//
// In: a function, how many threads run it, its arguments. Out: all of them have run to their ends. Refuses no threads
// and more than there can be. Arguments become what the function takes once, before the first thread.
//
// Where no thread waits for another (OPWRIGHT_SIMT_PLAIN) threads are iterations of a loop, which the compiler may make
// vectors of. Otherwise, and in all modes but the fast one, the library runs them.
#pragma once

#include "simt_bounds.h"
#include "simt_element.h"
#include "simt_shared.h"

namespace opwright {

OPWRIGHT_INLINE void require_threads(const At& at, const dim3& threads, int64_t most) {
    const bool few = threads.x <= most && threads.y <= most && threads.z <= most;
    const bool some = threads.x > 0 && threads.y > 0 && threads.z > 0;
    if (OPWRIGHT_UNLIKELY(!few || !some || threads.x * threads.y * threads.z > most)) {
        at.fail(Fault::THREADS, threads.x, threads.y, threads.z, most);
    }
}

template <auto function, typename Pointer>
struct Threads;

template <auto function, typename... Parameters>
struct Threads<function, void (*)(Parameters...)> {
    static __aicore__ inline void run(const At& at, const dim3& threads, Parameters... parameters) {
        require_threads(at, threads, launch_bound<function>());
        blockDim.x = static_cast<uint32_t>(threads.x);
        blockDim.y = static_cast<uint32_t>(threads.y);
        blockDim.z = static_cast<uint32_t>(threads.z);
#if defined(OPWRIGHT_MASKED)
        run_masked(at, blockDim, parameters...);
#elif defined(OPWRIGHT_SIMT_PLAIN) && !defined(OPWRIGHT_CHECKED)
        (void)at;
        run_plain(blockDim, parameters...);
#else
        run_waiting(at, blockDim, parameters...);
#endif
    }

    // A launch has a core for each block, or fewer: then each of them takes some blocks in a row, and is one core after
    // the other.
    static __aicore__ inline void run_blocks(const At& at, const uint64_t* shape, Parameters... parameters) {
        gridDim = {static_cast<uint32_t>(shape[0]), static_cast<uint32_t>(shape[1]), static_cast<uint32_t>(shape[2])};
        const auto block_shape = reinterpret_cast<const int64_t*>(shape + 3);
        const dim3 threads(block_shape[0], block_shape[1], block_shape[2], 0);
        const uint64_t blocks = shape[0] * shape[1] * shape[2], core = at.core.block, cores = at.core.launch->grid;
        const auto end = static_cast<uint32_t>(blocks * (core + 1) / cores);
        for (auto block = static_cast<uint32_t>(blocks * core / cores); block < end; ++block) {
            at.core.block = block;
            blockIdx = {block % gridDim.x, block / gridDim.x % gridDim.y, block / gridDim.x / gridDim.y};
            shared_arrays.count = 0;
            run(at, threads, parameters...);
        }
    }

private:
    static OPWRIGHT_INLINE void run_plain(Indices dims, Parameters... parameters) {
        for (uint32_t z = 0; z < dims.z; ++z) {
            for (uint32_t y = 0; y < dims.y; ++y) {
                for (uint32_t x = 0; x < dims.x; ++x) {
                    threadIdx = {x, y, z};
                    function(parameters...);
                }
            }
        }
    }

    static OPWRIGHT_INLINE void run_waiting(const At& at, Indices dims, Parameters... parameters) {
        auto body = [=] { function(parameters...); };
        using Body = decltype(body);
        const ThreadBlock block = {
            {dims.x, dims.y, dims.z},
            [](uint32_t x, uint32_t y, uint32_t z) { threadIdx = {x, y, z}; },
            [](const void* arguments) { (*static_cast<const Body*>(arguments))(); },
            &body,
        };
        at.core.library->run_threads(&at.core, at.line, &block);
    }

#if defined(OPWRIGHT_MASKED)
    // Nothing says in which order threads run that do not wait for each other: so they may run as lanes of vectors.
    static OPWRIGHT_INLINE void run_masked(const At& at, Indices dims, Parameters... parameters) {
        uint32_t inside[kBlockThreads];
        uint32_t* of_row = inside;
        must_stay_inside = false;
        for (uint32_t z = 0; z < dims.z; ++z) {
            for (uint32_t y = 0; y < dims.y; ++y) {
                OPWRIGHT_VECTOR_LOOP
                for (uint32_t x = 0; x < dims.x; ++x) {
                    threadIdx = {x, y, z};
                    stayed_inside = 1;
                    function(parameters...);
                    of_row[x] = stayed_inside;
                }
                of_row += dims.x;
            }
        }
        uint32_t all = 1;
        for (const uint32_t* one = inside; one != of_row; ++one) all &= *one;
        if (OPWRIGHT_UNLIKELY(all == 0)) fail_outside(at, inside, dims, parameters...);
    }

    // The first thread that went outside goes there again, to tell where that is. What it has changed may lead it
    // elsewhere; then all that is known is that it did.
    static __aicore__ __attribute__((cold, noinline)) void fail_outside(const At& at, const uint32_t* inside,
                                                                        Indices dims, Parameters... parameters) {
        uint32_t first = 0;
        while (inside[first]) ++first;
        threadIdx = {first % dims.x, first / dims.x % dims.y, first / dims.x / dims.y};
        must_stay_inside = true;
        stayed_inside = 1;  // what the thread reads before decides where it goes
        function(parameters...);
        fail_thread(at.line, Fault::POINTER_RANGE, Memory::GM, -1, 0, 0);
    }
#endif
};

// The entry of a kernel that is nothing but threads. `shape`: the grid's and the block's x, y, z.
template <auto function, typename... Arguments>
__aicore__ inline void simt_launch(const uint64_t* shape, Arguments... arguments) {
    Threads<function, decltype(function)>::run_blocks(At(0), shape, arguments...);
}

}  // namespace opwright

#ifdef OPWRIGHT_CHECKED
namespace opwright {

// In perturbed mode threads wait in the queue of the vector pipe. What they will touch is not known before: as far as
// it decides what may not come before them, that is everything.
template <typename Work>
__aicore__ inline void defer_threads(const At& at, Work work) {
    static_assert(std::is_trivially_copyable<Work>::value && std::is_trivially_destructible<Work>::value,
                  "arguments of threads are copied as bytes");
    const uint64_t ub = at.core.memory[static_cast<uint32_t>(Memory::UB)].bytes;
    const Footprint everything[] = {{Memory::UB, kNoOperand, 1, true, 0, ub}, {Memory::GM, kNoOperand, 1, true, 0, ~uint64_t(0)}};
    void (*const run)(void*) = [](void* kept) { (*static_cast<Work*>(kept))(); };
    at.core.library->defer(&at.core, PIPE_V, everything, 2, run, &work, sizeof work);
}

}  // namespace opwright
#endif

// Starts threads from a kernel of the vector core. Copies that were not made are made: threads go where they like.
template <auto function, typename... Arguments>
__aicore__ inline void asc_vf_call(const dim3& threads, const Arguments&... arguments) {
    const opwright::At at(threads.line);
    while (at.core.alias_count != 0) opwright::settle_alias(at.core, 0);
    const auto run = [=] {
        gridDim = {at.core.launch->grid, 1, 1};
        blockIdx = {at.core.block, 0, 0};
        opwright::Threads<function, decltype(function)>::run(at, threads, arguments...);
    };
#ifdef OPWRIGHT_CHECKED
    if (at.core.launch->mode == opwright::kPerturbed) return opwright::defer_threads(at, run);
#endif
    run();
}
