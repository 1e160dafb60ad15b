// A kernel that tells the library of the checked mode what it is told itself, step by step, and touches nothing.
#include <opwright/issue.h>

using namespace opwright;

// slots: int32 programs of the AIC and of AIV 0. A program has a count of steps; a step has 7 numbers, of which the first
// says what it is. Step i stands in line 1 + i.
extern "C" __attribute__((visibility("default"))) void tell(const uint64_t* slots) {
    Core& core = current_core();
    const Library& library = *core.library;
    auto step = reinterpret_cast<const int32_t*>(slots[core.kind == CoreKind::AIC ? 0 : 1]);
    const int32_t count = *step++;
    for (int32_t line = 1; line <= count; ++line, step += 7) {
        const auto a = static_cast<uint32_t>(step[1]), b = static_cast<uint32_t>(step[2]), c = static_cast<uint32_t>(step[3]);
        const auto begin = static_cast<uint64_t>(step[5]), end = static_cast<uint64_t>(step[6]);
        switch (step[0]) {
            case 0: {  // pipe, memory, owner, written, begin, end
                Footprint touched = {static_cast<Memory>(b), 0, 1, step[4] != 0, begin, end - begin};
                touched.owner = static_cast<Owner>(c);
                library.note_access(&core, line, a, &touched, 1);
                break;
            }
            case 1: library.note_flag(&core, line, true, a, b, c); break;
            case 2: library.note_flag(&core, line, false, a, b, c); break;
            case 3: library.note_barrier(&core, line, a); break;
            case 4: library.note_unit(&core, line, a, b != 0, begin, end - begin); break;
            case 5: library.cross(&core, line, a != 0, b, c, static_cast<uint32_t>(step[4])); break;
        }
    }
}
