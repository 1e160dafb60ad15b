// Which legal schedule a perturbed launch takes, from its seed alone.
//
// In: a seed and the number of a core. Out: what is preferred when several accesses may be carried out, how many
// events a queue holds, and the order in which cores start and threads run. Seed 0 is the program order. The first
// eight others starve one pipe each, first with the newest access of a pipe carried out first, then with the oldest; eight
// more are mixed by chance; from there on the same again with other chances.
#pragma once

#include <cstdint>

#include "clocks.h"

namespace opwright {

// Small and the same everywhere: splitmix64.
class Chance {
public:
    explicit Chance(uint64_t seed) : state_(seed) {}

    // A number below `bound`.
    uint32_t below(uint32_t bound) {
        uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return static_cast<uint32_t>((z ^ (z >> 31)) >> 32) % bound;
    }

private:
    uint64_t state_;
};

constexpr uint32_t kDeepest = 32;  // events that a queue of the chip holds, at most
constexpr uint32_t kStarved = 8;   // schedules that starve one pipe, of every
constexpr uint32_t kSchedules = 16;
constexpr uint32_t kOfAics = 1u << 15;  // so that cores of both kinds with one number have chances of their own

enum class Pick : uint8_t { OLDEST, NEWEST, ANY };

struct Schedule {
    Chance chance;
    uint32_t depth;         // a queue holds fewer events than this; 0: nothing is held back
    bool ranked;            // pipes have ranks; else any of them may be next
    uint32_t rank[kPipes];  // the pipes, that which is served first in front
    Pick pick[kPipes];      // which access of a pipe is next, by pipe

    Schedule(uint64_t seed, uint32_t core, bool is_aic = false)
        : chance((seed << 16) + core + (is_aic ? kOfAics : 0)), depth(kDeepest), ranked(true) {
        for (uint32_t i = 0; i < kPipes; ++i) {
            rank[i] = i;
            pick[i] = Pick::OLDEST;
        }
        for (uint32_t i = kPipes - 1; i > 0; --i) swap(i, chance.below(i + 1));
        const uint32_t number = static_cast<uint32_t>((seed - 1) % kSchedules);
        if (seed == 0) {
            depth = 0;
        } else if (number < kStarved) {
            constexpr uint32_t starved[][4] = {{PIPE_MTE2, PIPE_V, PIPE_MTE3, PIPE_S}, {PIPE_MTE2, PIPE_MTE1, PIPE_FIX, PIPE_M}};
            for (uint32_t i = 0; i + 1 < kPipes; ++i) {
                if (rank[i] == starved[is_aic][number % 4]) swap(i, kPipes - 1);
            }
            for (Pick& one : pick) one = number < kStarved / 2 ? Pick::NEWEST : Pick::OLDEST;
        } else {
            depth = 2 + chance.below(kDeepest - 1);
            ranked = number % 2 == 0;
            for (Pick& one : pick) one = static_cast<Pick>(chance.below(3));
        }
    }

private:
    void swap(uint32_t i, uint32_t j) {
        const uint32_t other = rank[i];
        rank[i] = rank[j];
        rank[j] = other;
    }
};

// Group number `place` to start is group (first + place * step) % grid. Every second order runs backwards.
struct StartOrder {
    uint32_t first;
    uint32_t step;

    StartOrder(uint64_t seed, uint32_t grid) : first(0), step(1) {
        if (seed == 0 || grid < 2) return;
        Chance chance(seed);
        if (seed % 2) {
            first = step = grid - 1;
            return;
        }
        first = chance.below(grid);
        do step = 1 + chance.below(grid - 1);
        while (common_divisor(step, grid) != 1);
    }

private:
    static uint32_t common_divisor(uint32_t a, uint32_t b) {
        while (b) {
            const uint32_t rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }
};

// In which order the threads of a block run: warps, and lanes in each of them. Half of the orders run backwards, as
// that turns every pair of threads round; in the others chance decides.
struct TurnOrder {
    Chance chance;
    bool backwards;

    TurnOrder(uint64_t seed, uint32_t core) : chance((seed << 16) + core), backwards(seed % 2) {}

    void put(uint8_t* order, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i) order[i] = static_cast<uint8_t>(backwards ? count - 1 - i : i);
        for (uint32_t i = count - 1; i > 0 && !backwards; --i) {
            const uint32_t other = chance.below(i + 1);
            const uint8_t kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
    }
};

}  // namespace opwright
