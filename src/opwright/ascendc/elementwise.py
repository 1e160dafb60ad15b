"""What the chapters of elementwise vector calls share: their forms, element types, assumptions.

In: the meaning of one element and the names of the sources. Out: a `Form` for each way to say which elements.
"""

from __future__ import annotations

from dataclasses import replace

from opwright.ascendc.row import MASK, SET_MASK, Dtypes, Each, Form, Function, dtypes, fewer, reads, steps, writes
from opwright.ascendc.rules import Align, Chosen, NoPartialOverlap, Range, Rule
from opwright.ascendc.vector_rules import Lanes, Moves, NoFeeding

INT32_MAX = (1 << 31) - 1

A2_ARITHMETIC = ("int16", "float16", "int32", "float32")
INT64S = ("int64", "uint64")
FLOATS = ("float16", "float32")

NO_BFLOAT16 = {"bfloat16": "this SoC has no bfloat16 vector arithmetic: cast to float32, compute, cast back"}
NEVER_BFLOAT16 = {"bfloat16": "this call has no bfloat16: cast to float32, compute, cast back"}

OVERFLOW = "float16 and bfloat16 overflow to infinity, as in IEEE 754; public texts disagree"
OVERFLOW_ASSUMED = f"assumed({OVERFLOW})"
FLUSHED = "ascend950 takes subnormals for 0, also in results, of which public texts say less"
ROUNDED = f"correctly rounded on every SoC, though ascend950 is said to err by up to 1 ulp; {FLUSHED}"

FUSED = f"one rounding, at the end, which public texts leave open; {OVERFLOW}"
FUSED_ASSUMED = f"assumed({FUSED})"

# Of calls with two sources only forms with repeats can leave the mask as it is; those with a scalar all can.
_ALWAYS_SET = Chosen(MASK, 1, "the form with a count sets the mask itself; forms with repeats take it as it is")


def by_repeats(kinds: Dtypes) -> dict[str, Dtypes]:
    """What forms with a mask and repeats take of the element types of a call."""
    why = "forms with a mask and repeats take elements of 16 and 32 bits: pass a count, on ascend950"
    return {"T": fewer(kinds, "int8", "uint8", *INT64S, why=why)}


_NARROW = {
    "T": dtypes(a2=("float32",), a5=("float32",)),
    "U": dtypes(a2=("float16",), a5=("float16",)),
}


def forms(
    each: str,
    *sources: str,
    kinds: Dtypes | None = None,
    scalar: bool = False,
    into: bool = False,
    narrow: bool = False,
    feeds: str = "",
    counts_by_register: bool = False,
    types: tuple[str, ...] = (),
) -> tuple[Form, ...]:
    """The form with a count and those with a mask and repeats, which take fewer `kinds` of elements.

    With `scalar` they take a number after the sources. With `into` they read what they write. With `narrow` the sources
    hold float16 and the destination float32. `feeds` is the source that may hold what an earlier repeat wrote. With
    `counts_by_register` the form with a count has is_set_mask too. `types` is that of `Form`.
    """
    kind = "U" if narrow else "T"
    operands = ["dst: ub T", *(f"{source}: ub {kind}" for source in sources)]
    operands += [f"scalar: number {kind}"] * scalar
    made = call_forms(operands, sources, Each(each), into=into, feeds=feeds, counts_by_register=counts_by_register)
    of_repeats = by_repeats(kinds) if kinds else {}
    own = [_NARROW] * 3 if narrow else [{}, of_repeats, of_repeats]
    return tuple(replace(form, types=types, dtypes=kinds) for form, kinds in zip(made, own, strict=True))


def call_forms(
    operands: list[str],
    sources: tuple[str, ...],
    meaning: Each | Function,
    into: bool = False,
    feeds: str = "",
    more: tuple[Rule, ...] = (),
    counts_by_register: bool = False,
) -> tuple[Form, ...]:
    """The forms of a vector call by the parameters that they share; it writes `dst`. `more` rules come last."""
    tensors = ("dst", *sources)
    aligned = tuple(Align(name, 32) for name in tensors)
    params = "BinaryRepeatParams" if len(sources) == 2 else "UnaryRepeatParams"
    repeats = ["repeat_times: uint8", f"repeat_params: object {params}", SET_MASK]
    rules = (
        *aligned,
        Moves("repeat_params", "dst"),
        *(NoFeeding("dst", source, may_feed=source == feeds) for source in sources),
    )
    accesses = (steps("dst", True), *([steps("dst", False)] * into), *(steps(source, False) for source in sources))
    made = (
        Form(
            ", ".join([*operands, "count: int32", *([SET_MASK] * counts_by_register)]),
            pipe="PIPE_V",
            accesses=(writes("dst"), *([reads("dst")] * into), *(reads(source) for source in sources)),
            rules=(
                Range("count", 0, INT32_MAX),
                *aligned,
                *(NoPartialOverlap("dst", source) for source in sources),
                *([_ALWAYS_SET] * (counts_by_register and len(sources) == 2)),
            ),
            meaning=meaning,
        ),
        Form(
            ", ".join([*operands, "mask: uint64", *repeats]),
            pipe="PIPE_V",
            accesses=accesses,
            rules=(Lanes("mask", tensors), *rules),
            meaning=meaning,
        ),
        Form(
            ", ".join([*operands, "mask: array uint64", *repeats]),
            pipe="PIPE_V",
            accesses=accesses,
            rules=rules,
            meaning=meaning,
        ),
    )
    return tuple(replace(form, rules=(*form.rules, *more)) for form in made)
