"""Helper functions that a text brings with it where Python's meaning has no operator in C++.

In: nothing. Out: `PRELUDE`, name -> text. A divisor of zero never comes here: the kernel stops before.
"""

PRELUDE = {
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
}
