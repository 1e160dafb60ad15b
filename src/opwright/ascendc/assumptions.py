"""Switches for what public texts leave open about the numbers of a chip, or say in two ways.

In: a text such as "saturate_casts=on,flush_subnormals=off". Out: for a SoC, every switch with its state, as one number
whose bits the headers of the twin read. Refuses names that are no switch and states other than on and off, with the
list of switches.

Rows say which switches their results depend on (`assumes`). The switches are about the vector unit: no public text says
that what they stand for decides what leaves L0C, conversions of threads or numbers of the scalar unit. The numbers of
an NPU are what they are: nothing of this reaches a text.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from opwright.ascendc.socs import A5, SOCS


@dataclass(frozen=True)
class Assumption:
    """One switch: what it does when it is on and off, the SoCs on which it is on by default, and why.

    open_on: the SoCs of which public texts leave it open; the checked twin tells results that depend on it there. None
        where nearly all results do, in their last bits.
    """

    name: str
    on: str
    off: str
    default: frozenset[str] = field(default_factory=frozenset)
    why: str = ""
    open_on: frozenset[str] = frozenset(SOCS)


INTEGERS, CASTS, ARITHMETIC = "saturate_integers", "saturate_casts", "saturate_arithmetic"
SMALL_FLOATS, SUBNORMALS, SUMS = "saturate_float8", "flush_subnormals", "fold_sums"
_RUNTIME = (
    "the register that decides starts saturating, but the runtime's mode is infinity and NaN unless it is asked for "
    "the other"
)

# In the order of the bits of `opwright::Switch`, which is generated from here.
ASSUMPTIONS = {
    one.name: one
    for one in (
        Assumption(
            INTEGERS,
            "a vector cast gives the nearest integer of its type for what is too big for it",
            "it gives the low bits, and 0 for infinity",
            frozenset(SOCS),
            "casts are said to saturate; ascend950 has a register bit for the other way",
        ),
        Assumption(
            CASTS,
            "a vector cast to float16, bfloat16 or hifloat8 gives the greatest number for what is too big and for "
            "infinity, and 0 for NaN",
            "it gives infinity, and NaN for NaN",
            why=_RUNTIME,
        ),
        Assumption(
            ARITHMETIC,
            "float16 and bfloat16 results of vector calls are the greatest number in place of infinity, and 0 in place "
            "of NaN; so is every node of a sum",
            "they overflow to infinity, as in IEEE 754",
            why=_RUNTIME,
        ),
        Assumption(
            SMALL_FLOATS,
            "a vector cast to float8_e4m3 or float8_e5m2 gives the greatest number for what is too big and for "
            "infinity, and 0 for NaN",
            "it gives infinity where there is one, else NaN, and NaN for NaN",
            frozenset(A5),
            "a register bit of its own decides, which starts saturating and which the runtime's mode leaves alone",
        ),
        Assumption(
            SUBNORMALS,
            "exp, ln, sqrt, rsqrt, reciprocal and div take subnormal numbers for 0, and give 0 for subnormal results",
            "they compute with subnormal numbers as with others",
            frozenset(A5),
            "ascend950 is said to do so unless a template says otherwise",
            open_on=frozenset(A5),
        ),
        Assumption(
            SUMS,
            "on ascend950 reduce_sum with a count of 256 to 1024 bytes adds the upper repeats to the lower ones, lane "
            "by lane, until one is left, and then its lanes as a tree",
            "it adds the lanes of each repeat as a tree, then the sums of repeats, as with other counts",
            frozenset(A5),
            "public texts say that ascend950 folds such counts, but not in which order",
            open_on=frozenset(),
        ),
    )
}
# What the headers take for granted unless a flag says otherwise: the bits of most SoCs.
PLAIN = 1


def parsed(text: str) -> str:
    """The switches that a text sets, in one order; raises ValueError."""
    chosen: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, state = (word.strip() for word in part.partition("="))
        if name not in ASSUMPTIONS or state not in ("on", "off"):
            raise ValueError(f"takes switch=on or switch=off, separated by commas, of {', '.join(ASSUMPTIONS)}")
        if chosen.setdefault(name, state) != state:
            raise ValueError(f"has {name} on and off")
    return ",".join(f"{name}={chosen[name]}" for name in ASSUMPTIONS if name in chosen)


def assumed(soc: str, *texts: str) -> dict[str, bool]:
    """The state of every switch on a SoC; later texts win."""
    states = {one.name: soc in one.default for one in ASSUMPTIONS.values()}
    for text in texts:
        states.update(
            {name: state == "on" for name, _, state in (part.partition("=") for part in text.split(",")) if name}
        )
    return states


def bits(states: dict[str, bool]) -> int:
    """The states as one number: a bit for each, in the order of ASSUMPTIONS."""
    return sum(state << place for place, state in enumerate(states.values()))
