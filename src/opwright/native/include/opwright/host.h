// What compiled host functions are made of, and how they are called. Nothing knows a framework.
//
// A refusal is thrown, and ends at `guarded`, which gives its code and its text.
#pragma once

#include <exception>
#include <tuple>

#include "opwright/host_text.h"

namespace opwright::host {

// The border ------------------------------------------------------------------------------------------------------

// Runs a host function. Gives its code; where it is refused, `text` says why. names: of the arguments.
template <typename Body>
inline Code guarded(const char* const* names, Text& text, Body body) {
    try {
        body();
        return kTaken;
    } catch (const Refusal& refusal) {
        text = refusal.text;
        return refusal.code;
    } catch (const NeedsToKnow& needed) {
        const Origin from = needed.origin - 1;
        text = "needs to know dimension " + std::to_string(from & 0xFFFF) + " of " + names[from >> 16];
        return kUnsupported;
    } catch (const std::exception& error) {
        text = error.what();
        return kFault;
    }
}

}  // namespace opwright::host
