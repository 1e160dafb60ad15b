"""What a text brings with it: functions where Python's meaning has no operator in C++, and the pointers of threads.

In: nothing. Out: `PRELUDE`, name -> text, for cores; `prelude_text` for other callers; `pointers`. A divisor or a
step of zero never comes here: the kernel stops before.
"""

from __future__ import annotations

PRELUDE = {
    "range_turns": """\
__aicore__ inline int64_t range_turns(int64_t start, int64_t stop, int64_t step) {
    if (step > 0) {
        return start < stop ? static_cast<int64_t>((uint64_t(stop) - uint64_t(start) - 1) / uint64_t(step)) + 1 : 0;
    }
    return start > stop ? static_cast<int64_t>((uint64_t(start) - uint64_t(stop) - 1) / (0 - uint64_t(step))) + 1 : 0;
}""",
    "floor_div": """\
__aicore__ inline int64_t floor_div(int64_t a, int64_t b) {
    if (b == -1) {
        return 0 - a;
    }
    int64_t quotient = a / b;
    return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}""",
    "floor_mod": """\
__aicore__ inline int64_t floor_mod(int64_t a, int64_t b) {
    if (b == -1) {
        return 0;
    }
    int64_t rest = a % b;
    return (rest != 0 && (rest < 0) != (b < 0)) ? rest + b : rest;
}""",
    # Configurations of Fixpipe that the headers have no constants for.
    **{
        f"CFG_{name}_UB": f"constexpr AscendC::FixpipeConfig CFG_{name}_UB = {{AscendC::CO2Layout::{name}, true}};"
        for name in ("NZ", "ROW_MAJOR", "COLUMN_MAJOR")
    },
}


def prelude_text(name: str, qualifier: str) -> str:
    """The function of a name with another qualifier."""
    return PRELUDE[name].replace("__aicore__", qualifier, 1)


def pointers(gm: str, ub: str) -> str:
    """What threads' addresses are. A text that checks accesses has pointers of its own."""
    return f"""\
#ifndef OPWRIGHT_POINTERS
template <typename T>
using gm_pointer = {gm}T*;
template <typename T>
using ub_pointer = {ub}T*;
#endif"""
