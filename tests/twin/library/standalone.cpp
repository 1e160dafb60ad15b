// A program that drives the library without Python: for processors that only an emulator has.
// Prints one line per check and returns the number of checks that failed.
#include <stdio.h>
#include <stdlib.h>

#include <opwright/context.h>

using namespace opwright;

extern "C" {
int32_t opwright_launch(const LaunchRecord* record, Entry entry_aiv, Entry entry_aic, Outcome* outcome);
void opwright_release(Outcome* outcome);
void count(const uint64_t*);
void barriers(const uint64_t*);
void missing(const uint64_t*);
void failing(const uint64_t*);
void printing(const uint64_t*);
void halve(const uint64_t*);
void deep(const uint64_t*);
void leave_aiv(const uint64_t*);
void leave_aic(const uint64_t*);
void fail_mixed(const uint64_t*);
uint64_t flushing_control();
uint64_t launch_flushing(const LaunchRecord*, Entry, Outcome*,
                         int32_t (*)(const LaunchRecord*, Entry, Entry, Outcome*), uint64_t);
}

constexpr uint32_t kGrid = 48;

struct Call {
    LaunchRecord record;
    uint64_t slots[4];
};

static uint64_t address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

static Call call(uint32_t threads, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0) {
    Call made{{}, {a, b, c, 0}};
    made.record.abi = kAbi;
    made.record.bytes = sizeof made;
    made.record.grid = kGrid;
    made.record.threads = threads;
    made.record.cores = kGrid;
    made.record.slots = 4;
    made.record.group = 1;
    made.record.memory_bytes[0] = 196608;
    return made;
}

// 24 groups of 1 AIC and 2 AIV.
static Call mixed(uint32_t threads, uint64_t a = 0, uint64_t b = 0, uint64_t c = 0) {
    Call made = call(threads, a, b, c);
    made.record.grid = kGrid / 2;
    made.record.group = 2 | 1 << 8;
    made.record.memory_bytes[1] = 524288;
    return made;
}

static int32_t launch(const Call& made, Entry entry, Outcome* outcome) {
    return opwright_launch(&made.record, entry, nullptr, outcome);
}

static int failures = 0;

static void check(bool right, const char* what, uint32_t threads) {
    printf("%s: %s on %u threads\n", right ? "ok" : "WRONG", what, threads);
    failures += !right;
}

int main() {
    const uint32_t counts[] = {1, 2, 4};
    for (uint32_t threads : counts) {
        Outcome outcome;
        int32_t first[kGrid] = {0}, second[kGrid];
        bool right = true;
        auto all = [&](int32_t* values, int32_t value) {
            for (uint32_t i = 0; i < kGrid; ++i) right = right && values[i] == value;
        };

        Call counting = call(threads, address(first));
        for (int i = 0; i < 20; ++i) right = launch(counting, count, &outcome) == 0 && right;
        all(first, 20);
        check(right, "every block runs once", threads);

        right = true;
        for (int i = 0; i < 5; ++i) {
            memset(first, 0, sizeof first);
            memset(second, 255, sizeof second);
            Call waiting = call(threads, address(first), address(second), 9);
            right = launch(waiting, barriers, &outcome) == 0 && right;
            all(second, 0);
        }
        check(right, "barriers", threads);

        Call stuck = call(threads, 7);
        right = launch(stuck, missing, &outcome) == static_cast<int32_t>(Fault::DEADLOCK);
        for (uint32_t i = 0; i < 7; ++i) right = right && outcome.waiting[i].block == i;
        check(right && outcome.waiters == 7, "deadlock", threads);

        right = true;
        for (int i = 0; i < 20; ++i) {
            Call wrong = call(threads, 37, 5, static_cast<uint64_t>(i % 2));
            launch(wrong, failing, &outcome);
            right = right && outcome.fault == static_cast<uint32_t>(Fault::RULE) && outcome.block == 5;
        }
        check(right, "lowest fault", threads);

        Call texts = call(threads, 1, kGrid);
        launch(texts, printing, &outcome);
        const char* begin = "block 0, again   0\nblock 1, again   1\n";
        check(outcome.printed && strncmp(outcome.printed, begin, strlen(begin)) == 0, "printf", threads);
        opwright_release(&outcome);

        Call stacks = call(threads, address(first));
        right = launch(stacks, deep, &outcome) == 0;
        all(first, 200 * 1024);
        check(right, "deep stacks", threads);

        float source[kGrid], result[kGrid];
        right = true;
        for (uint32_t i = 0; i < kGrid; ++i) source[i] = 0x1p-126f + static_cast<float>(i) * 0x1p-140f;
        Call halving = call(threads, address(source), address(result));
        right = launch_flushing(&halving.record, halve, &outcome, opwright_launch, flushing_control()) ==
                flushing_control();
        for (uint32_t i = 0; i < kGrid; ++i) right = right && result[i] > 0 && result[i] * 2 == source[i];
        check(right, "denormals", threads);

        memset(first, 255, sizeof first);
        Call leaving = mixed(threads, address(first), 9);
        right = opwright_launch(&leaving.record, leave_aiv, leave_aic, &outcome) == 0;
        all(first, 0);
        check(right, "mixed groups", threads);

        Call wrong = mixed(threads, uint64_t{1} << 32 | 5, 11, 1);
        right = opwright_launch(&wrong.record, fail_mixed, fail_mixed, &outcome) == static_cast<int32_t>(Fault::TRAP);
        check(right && outcome.block == 5 && outcome.core_kind == 1, "fault of an AIC", threads);
        opwright_release(&outcome);
    }
    return failures;
}
