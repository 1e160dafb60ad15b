// From an on-chip footprint to a pointer, and copies that need not be made.
//
// A GM to UB copy may become an alias: reads of that range of UB go to GM instead. It may only if the launch says that
// nothing writes those bytes of GM (kGmStable) and that aliases are wanted (kElide); never in another mode than fast.
// Whatever an alias cannot serve exactly makes the copy after all ("settles" it) first: a write to part of its range, a
// read that is not wholly inside, a read of another element size. So no result depends on whether aliases are used.
#pragma once

namespace opwright {

OPWRIGHT_INLINE uint8_t* local_pointer(const Core& core, const Footprint& access) {
    return core.memory[static_cast<uint32_t>(access.memory)].base + access.address;
}

OPWRIGHT_INLINE void drop_alias(Core& core, uint32_t index) { core.aliases[index] = core.aliases[--core.alias_count]; }

// Makes the copy that an alias stands for.
__aicore__ __attribute__((noinline)) inline void settle_alias(Core& core, uint32_t index) {
    const Alias alias = core.aliases[index];
    drop_alias(core, index);
    __builtin_memcpy(core.memory[static_cast<uint32_t>(Memory::UB)].base + alias.address, alias.source, alias.bytes);
}

// Footprints come by value here: one whose address a call takes could not stay in registers before it.
__aicore__ __attribute__((noinline)) inline const uint8_t* read_through_aliases(Core& core, Footprint access) {
    for (uint32_t i = 0; i < core.alias_count;) {
        const Alias& alias = core.aliases[i];
        if (!overlap(alias.address, alias.bytes, access.address, access.bytes)) {
            ++i;
        } else if (alias.address <= access.address && access.address + access.bytes <= alias.address + alias.bytes &&
                   alias.element_bytes == access.element_bytes) {
            return alias.source + (access.address - alias.address);
        } else {
            settle_alias(core, i);
        }
    }
    return local_pointer(core, access);
}

// Before a range is written: aliases wholly inside it are void, others that touch it are settled.
__aicore__ __attribute__((noinline)) inline void clear_aliases(Core& core, Footprint access) {
    for (uint32_t i = 0; i < core.alias_count;) {
        const Alias& alias = core.aliases[i];
        if (!overlap(alias.address, alias.bytes, access.address, access.bytes)) {
            ++i;
        } else if (access.is_whole() && access.address <= alias.address &&
                   alias.address + alias.bytes <= access.address + access.bytes) {
            drop_alias(core, i);
        } else {
            settle_alias(core, i);
        }
    }
}

OPWRIGHT_INLINE const uint8_t* read_pointer(Core& core, const Footprint& access) {
    if (access.memory == Memory::UB && core.alias_count != 0) return read_through_aliases(core, access);
    return local_pointer(core, access);
}

// Bytes of the hull that the call leaves as they are must be there: aliases under such a footprint are settled.
OPWRIGHT_INLINE uint8_t* write_pointer(Core& core, const Footprint& access) {
    if (access.memory == Memory::UB && core.alias_count != 0) clear_aliases(core, access);
    return local_pointer(core, access);
}

OPWRIGHT_INLINE bool is_stable(const Core& core, const Footprint& access) {
    const LaunchRecord& launch = *core.launch;
    const GmRange* ranges = launch.gm();
    for (uint32_t i = 0; i < launch.ranges; ++i) {
        const uint64_t offset = access.address - ranges[i].base;
        const bool inside = offset <= ranges[i].bytes && access.bytes <= ranges[i].bytes - offset;
        // Bytes that lie in two arguments are as stable as the less stable of them.
        if (inside && !(ranges[i].use & kGmStable)) return false;
    }
    return true;
}

// Smaller tiles are copied faster than they are read in place: the copy fetches ahead, over the ends of pages where the
// processor's own prefetcher stops. (Measured: docs/performance.md.)
constexpr uint64_t kWorthAliasing = 8192;

// Lets [to] of UB stand for [from] of GM; false if the copy has to be made.
OPWRIGHT_INLINE bool try_alias(Core& core, const Footprint& to, const Footprint& from) {
    if (core.launch->mode != kFast || !(core.launch->flags & kElide)) return false;
    if (to.memory != Memory::UB || !to.is_whole() || !from.is_whole() || from.bytes < kWorthAliasing) return false;
    if (!is_stable(core, from)) return false;
    if (core.alias_count != 0) clear_aliases(core, to);
    if (core.alias_count == kAliases) return false;
    core.aliases[core.alias_count++] = {to.address, to.bytes, reinterpret_cast<const uint8_t*>(from.address),
                                        to.element_bytes, 0};
    return true;
}

}  // namespace opwright
