// The one symbol of the library: the table of its operators, and the instruction sets that it has.
#pragma GCC visibility push(default)
#include "opwright/abi.h"
#pragma GCC visibility pop

#include "opwright/hifloat8.h"

// Generated with the entries.
namespace opwright::entries {
extern const OpwrightOperator* const operators[];
extern const int32_t operator_count;
extern const char* const version;
}  // namespace opwright::entries

namespace {

const char* isa() { return opwright::hifloat8::path().name; }
const char* const* isas() { return opwright::hifloat8::names(); }
int32_t cap_isa(const char* name) { return name != nullptr && opwright::hifloat8::cap(name); }

}  // namespace

const OpwrightLibrary* opwright_library(void) {
    using namespace opwright::entries;
    static const OpwrightLibrary library = {
        sizeof(OpwrightLibrary), OPWRIGHT_ABI_VERSION, "opwright", version, operator_count, operators, isa, isas, cap_isa};
    return &library;
}
