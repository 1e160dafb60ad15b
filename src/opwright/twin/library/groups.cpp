// The twin's library of the fast mode as a part of another library: see groups.h.
#include "library.cpp"

#include <opwright/groups.h>

namespace opwright {

static_assert(sizeof(OpwrightMemory) == sizeof(GmRange), "a range is handed over as it lies");

constexpr uint64_t kStreamBytes = 1 << 20;  // results beyond that would push everything else out of the cache

static void fill(const OpwrightGroups& launch, LaunchRecord* record, uint64_t bytes) {
    memset(record, 0, sizeof *record);
    record->abi = kAbi;
    record->bytes = static_cast<uint32_t>(bytes);
    record->arch = launch.arch;
    record->mode = kFast;
    record->grid = launch.groups;
    record->threads = 1;
    record->cores = launch.cores;
    record->slots = launch.slot_count;
    record->ranges = launch.memory_count;
    record->flags = kElide | (launch.auto_sync ? kAutoSync : 0);
    record->group = 1;  // one AIV
    record->memory_bytes[static_cast<uint32_t>(Memory::UB)] = launch.ub_bytes;
    auto slots = reinterpret_cast<uint64_t*>(record + 1);
    memcpy(slots, launch.slots, launch.slot_count * sizeof *slots);
    memcpy(slots + launch.slot_count, launch.memories, launch.memory_count * sizeof *launch.memories);
    uint64_t written = 0;
    for (uint32_t i = 0; i < launch.memory_count; ++i) {
        if (launch.memories[i].use & kGmWritten) written += launch.memories[i].bytes;
    }
    if (written >= kStreamBytes) record->flags |= kStream;
}

}  // namespace opwright

extern "C" int32_t opwright_run_groups(const OpwrightGroups* launch, uint32_t begin, uint32_t end, int32_t* line) {
    using namespace opwright;
    const uint64_t bytes = sizeof(LaunchRecord) + launch->slot_count * sizeof(uint64_t) + launch->memory_count * sizeof(GmRange);
    alignas(LaunchRecord) uint8_t space[1024];
    void* memory = bytes <= sizeof space ? space : malloc(bytes);
    if (!memory) return static_cast<int32_t>(Fault::NO_MEMORY);
    auto record = static_cast<LaunchRecord*>(memory);
    fill(*launch, record, bytes);
    Outcome outcome;
    const int32_t fault = run_launch(record, launch->entry, nullptr, &outcome, false, begin, end);
    *line = outcome.line;
    opwright_release(&outcome);
    if (memory != space) free(memory);
    return fault;
}
