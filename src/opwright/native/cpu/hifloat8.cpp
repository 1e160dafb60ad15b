// Chooses the path of HiFloat8.
#include "opwright/hifloat8.h"

#include <atomic>
#include <cstring>

#include "hifloat8_paths.h"

namespace opwright::hifloat8 {
namespace {

struct Choice {
    const Path* path;
    bool (*runs_here)();
};

bool always() { return true; }

#if defined(__x86_64__)
bool has_avx2() { return __builtin_cpu_supports("avx2"); }
bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq");
}
bool has_vbmi() { return has_avx512() && __builtin_cpu_supports("avx512vbmi"); }
constexpr Choice kChoices[] = {{&kVbmiPath, has_vbmi}, {&kAvx512Path, has_avx512}, {&kAvx2Path, has_avx2}, {&kTablePath, always}};
constexpr const char* kNames[] = {"vbmi", "avx512", "avx2", "table", nullptr};
#elif defined(__aarch64__)
constexpr Choice kChoices[] = {{&kNeonPath, always}, {&kTablePath, always}};
constexpr const char* kNames[] = {"neon", "table", nullptr};
#else
constexpr Choice kChoices[] = {{&kTablePath, always}};
constexpr const char* kNames[] = {"table", nullptr};
#endif
constexpr int kLast = int(sizeof kChoices / sizeof *kChoices) - 1;

std::atomic<const Path*> chosen{nullptr};

// The best path that runs here, from this place in the list on. The last one always does.
const Path* best_from(int place) {
    while (!kChoices[place].runs_here()) ++place;
    return kChoices[place].path;
}

// The place of a name in the list; -1 if it is none.
int place_of(const char* name) {
    for (int place = 0; place <= kLast; ++place)
        if (std::strcmp(kNames[place], name) == 0) return place;
    return -1;
}

}  // namespace

const Path& path() {
    const Path* now = chosen.load(std::memory_order_acquire);
    if (!now) {
        // A cap that another thread has set meanwhile stays.
        const Path* best = best_from(0);
        if (chosen.compare_exchange_strong(now, best, std::memory_order_acq_rel)) now = best;
    }
    return *now;
}

bool cap(const char* name) {
    const int place = *name ? place_of(name) : 0;
    if (place < 0) return false;
    chosen.store(best_from(place), std::memory_order_release);
    return true;
}

const char* const* names() { return kNames; }

const Path* find(const char* name) {
    const int place = place_of(name);
    return place >= 0 && kChoices[place].runs_here() ? kChoices[place].path : nullptr;
}

// Measured: with 2 MB of second-level cache it gains from 3 MB on, and loses below.
bool should_stream(int64_t bytes) { return bytes >= int64_t(3) << 20; }

}  // namespace opwright::hifloat8
