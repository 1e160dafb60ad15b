// From an on-chip footprint to a pointer. (A separate step lets a GM to UB copy become an alias.)
#pragma once

namespace opwright {

OPWRIGHT_INLINE uint8_t* local_pointer(const Core& core, const Footprint& access) {
    return core.memory[static_cast<uint32_t>(access.memory)].base + access.address;
}

OPWRIGHT_INLINE const uint8_t* read_pointer(Core& core, const Footprint& access) {
    return local_pointer(core, access);
}

OPWRIGHT_INLINE uint8_t* write_pointer(Core& core, const Footprint& access) {
    return local_pointer(core, access);
}

}  // namespace opwright
