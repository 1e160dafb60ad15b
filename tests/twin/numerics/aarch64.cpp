// Runs kernels that were compiled for another processor: reads x.bin and y.bin of each from the working directory,
// launches it on 8 cores and 2 threads, writes z.bin. KERNELS lists them: KERNEL(name, bytes of an element, scalar).
#include <stdio.h>
#include <stdlib.h>

#include <opwright/context.h>

using namespace opwright;

extern "C" int32_t opwright_launch(const LaunchRecord* record, Entry entry_aiv, Entry entry_aic, Outcome* outcome);
#define KERNEL(name, bytes, scalar) extern "C" void entry_##name(const uint64_t*);
KERNELS
#undef KERNEL

constexpr uint32_t kGrid = 8;

struct Launch {
    LaunchRecord record;
    uint64_t slots[5];
    GmRange ranges[3];
};

static void transfer(const char* kernel, const char* which, const char* mode, uint8_t* data, uint64_t bytes) {
    char path[64];
    snprintf(path, sizeof path, "%s_%s.bin", kernel, which);
    FILE* file = fopen(path, mode);
    if (!file || (mode[0] == 'r' ? fread(data, 1, bytes, file) : fwrite(data, 1, bytes, file)) != bytes) {
        printf("%s: cannot use %s\n", kernel, path);
        exit(1);
    }
    fclose(file);
}

static uint64_t address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

static int run(const char* name, Entry entry, uint64_t element, uint64_t scalar) {
    const uint64_t bytes = ELEMENTS * kGrid * element;
    uint8_t* x = static_cast<uint8_t*>(malloc(bytes));
    uint8_t* y = static_cast<uint8_t*>(malloc(bytes));
    uint8_t* z = static_cast<uint8_t*>(calloc(RESULTS, bytes));
    transfer(name, "x", "rb", x, bytes);
    transfer(name, "y", "rb", y, bytes);
    Launch launch{};
    launch.record.abi = kAbi;
    launch.record.bytes = sizeof launch;
    launch.record.arch = 2201;
    launch.record.grid = kGrid;
    launch.record.threads = 2;
    launch.record.cores = 48;
    launch.record.slots = 5;
    launch.record.group = 1;
    launch.record.ranges = 3;
    launch.record.memory_bytes[0] = 184 * 1024;
    const uint64_t slots[] = {address(x), address(y), address(z), scalar, ELEMENTS};
    memcpy(launch.slots, slots, sizeof slots);
    launch.ranges[0] = {address(x), bytes, kGmRead | kGmStable, 0};
    launch.ranges[1] = {address(y), bytes, kGmRead | kGmStable, 1};
    launch.ranges[2] = {address(z), RESULTS * bytes, kGmWritten, 2};
    int failed = 0;
    const uint32_t ways[] = {0, kElide, kStream};
    for (uint32_t flags : ways) {
        launch.record.flags = flags;
        uint8_t* before = static_cast<uint8_t*>(malloc(RESULTS * bytes));
        memcpy(before, z, RESULTS * bytes);
        Outcome outcome;
        failed += opwright_launch(&launch.record, entry, nullptr, &outcome) != 0;
        // However the copies are made, the numbers are the same.
        failed += flags != 0 && memcmp(before, z, RESULTS * bytes) != 0;
        free(before);
    }
    transfer(name, "z", "wb", z, RESULTS * bytes);
    printf("%s: %d\n", name, failed);
    return failed;
}

int main() {
    int failed = 0;
#define KERNEL(name, bytes, scalar) failed += run(#name, entry_##name, bytes, scalar);
    KERNELS
    return failed;
}
