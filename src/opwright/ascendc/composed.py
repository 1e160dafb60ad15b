"""What the chapters of composed calls share: their forms, with and without a count and room of their own.

In: the meaning of one element and the names of the sources. Out: a `Form` for each way to call it. The toolchain
composes such a call of vector calls, for which it needs room: `temp_buffer`, or room that it finds itself. With
`is_reuse_source` it may use the sources as room too. How much it needs is not published, so a call counts as one that
writes all it may.
"""

from __future__ import annotations

from opwright.ascendc.assumptions import ARITHMETIC
from opwright.ascendc.elementwise import FLOATS, NEVER_BFLOAT16
from opwright.ascendc.row import (
    Access,
    Each,
    Form,
    Function,
    Row,
    dtypes,
    reads,
    reads_runs,
    scratch,
    writes,
    writes_runs,
)
from opwright.ascendc.rules import Align, Rule
from opwright.ascendc.socs import A2
from opwright.ascendc.vector_rules import Apart, BothApart

ROOM = "temp_buffer"
BYTES = dtypes(a2=("uint8",), a5=("uint8",))
FLOAT_TYPES = dtypes(a2=FLOATS, a5=FLOATS, why=NEVER_BFLOAT16)
GIVE_ROOM = f"pass {ROOM}"  # so that the call need not ask the TPipe for room
COUNTED = (True,)  # of calls that must be told how many elements
BOUND = "1 ulp from the exact value; the chip has approximations of its own, whose bits may be others"


def forms(
    meaning: Each | Function,
    operands: tuple[str, ...],
    sources: tuple[str, ...],
    rooms: tuple[bool, ...] = (False, True),
    counts: tuple[bool, ...] = (False, True),
    asks: tuple[str, ...] = A2,
) -> tuple[Form, ...]:
    """The forms of an elementwise call by the parameters that they share: all elements or `count`, and room or none."""
    return tuple(
        form(meaning, operands, sources, count=count, room=room, asks=asks) for room in rooms for count in counts
    )


def form(
    meaning: Each | Function,
    operands: tuple[str, ...],
    sources: tuple[str, ...],
    *,
    count: bool,
    room: bool,
    more: tuple[str, ...] = (),
    into: bool = False,
    rules: tuple[Rule, ...] = (),
    reuse: str = "is_reuse_source",
    spells_all: bool = False,
    scalars_last: bool = False,
    types: tuple[str, ...] = (),
    asks: tuple[str, ...] = A2,
) -> Form:
    """One form of an elementwise call that writes `dst`.

    `more` parameters stand between the count and the room. With `into` it reads what it writes. `reuse` is the name of
    the parameter that gives the sources away. `spells_all` and `types` are those of `Form`. With `scalars_last` the
    room comes before scalars in the text. `asks` are the SoCs on which it asks the TPipe for room that it is not given.
    """
    tensors = ("dst", *sources)
    parameters = [*operands, *["count: uint32"] * count, *more, *[f"{ROOM}: ub B"] * room]
    parameters.append(f"{reuse}: template bool = False")
    # In the text the room comes before what counts.
    plain = [text.partition(":")[0] for text in operands]
    first = len(tensors) if scalars_last else len(plain)
    others = [text.partition(":")[0] for text in more]
    order = (*plain[:first], *[ROOM] * room, *plain[first:], *["count"] * count, *others, reuse)
    data: list[Access] = []
    for name in tensors:
        extent = "count" if count else f"opwright::as_many({name}, {sources[0]})"
        data += [_data(name, extent, writing=True)] * (name == "dst")
        data += [_data(name, extent, writing=False)] * (name != "dst" or into)
    return Form(
        ", ".join(parameters),
        pipe="PIPE_V",
        accesses=(*data, *room_of(sources, room, reuse, "count" if count else "")),
        rules=(*(Align(name, 32) for name in tensors), *apart(("dst",), data, sources, room), *rules),
        meaning=meaning,
        dtypes={"B": BYTES} if room else {},
        types=types or tuple(sorted({text.split()[-1] for text in operands if ": ub " in text})),
        order=order,
        composed=True,
        spells_all=spells_all,
        needs_tpipe=asking(room, asks),
    )


def asking(room: bool, socs: tuple[str, ...]) -> dict[str, str]:
    """Where a form needs a TPipe, since it is given no room."""
    return {} if room else dict.fromkeys(socs, GIVE_ROOM)


def _data(operand: str, extent: str, writing: bool) -> Access:
    if extent == "count":
        return writes(operand) if writing else reads(operand)
    return writes_runs(operand, extent) if writing else reads_runs(operand, extent)


def room_of(sources: tuple[str, ...], room: bool, reuse: str, count: str) -> tuple[Access, ...]:
    """What a call may use as it likes: the sources that it was given away, and `temp_buffer`."""
    extent = f", {count}" if count else ""
    own = tuple(scratch(source, f"opwright::given_away<{reuse}>({source}{extent})") for source in sources)
    return (*own, *[scratch(ROOM, f"opwright::as_many({ROOM}, {ROOM})")] * room)


def apart(written: tuple[str, ...], data: list[Access], sources: tuple[str, ...], room: bool) -> tuple[Rule, ...]:
    """No tensor of a composed call may overlap another: what is written in parts would be read later."""
    read = [access.operand for access in data if not access.writes]
    mine = (*written, *sources, *[ROOM] * room)
    rules: list[Rule] = [Align(ROOM, 32)] * room
    rules += [Apart(one, other) for one in mine for other in read if one != other]
    rules += [BothApart(ROOM, other) for other in written] * room
    return tuple(rules)


def function(
    name: str,
    cpp: str,
    doc: str,
    each: str,
    exactness: str = f"bounded({BOUND})",
    rooms: tuple[bool, ...] = (False, True),
    counts: tuple[bool, ...] = (False, True),
    asks: tuple[str, ...] = A2,
) -> Row:
    """The row of a function of one element, by the name of the C++ function."""
    return Row(
        f"adv.{name}",
        cpp,
        doc,
        forms=forms(Each(f"opwright::{each}(src)"), ("dst: ub T", "src: ub T"), ("src",), rooms, counts, asks),
        dtypes={"T": FLOAT_TYPES},
        exactness=exactness,
        assumes=(ARITHMETIC,),
        example=f"asc.adv.{name}(z_local, x_local, 64)",
    )


def taking(what: str, more: str = "") -> str:
    """What such a row says."""
    return f"Takes the {what} of every element of a local tensor.{more and f' {more}'}"
