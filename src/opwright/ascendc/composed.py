"""What the chapters of composed calls share: their forms, with and without a count and scratch of their own.

In: the meaning of one element and the names of the sources. Out: a `Form` for each way to call it. The toolchain
composes such a call of vector calls, for which it needs scratch: `temp_buffer`, or memory that it finds itself. With
`is_reuse_source` it may use the sources as scratch too. How much it needs is not published, so a call counts as one
that writes all it may.
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

TEMP_BUFFER = "temp_buffer"
BYTES = dtypes(a2=("uint8",), a5=("uint8",))
FLOAT_TYPES = dtypes(a2=FLOATS, a5=FLOATS, why=NEVER_BFLOAT16)
PASS_SCRATCH = f"pass {TEMP_BUFFER}"  # so that the call need not ask the TPipe for scratch
COUNTED = (True,)  # of calls that need the number of elements
BOUND = "1 ulp from the exact value; the chip has approximations of its own, whose bits may be others"


def forms(
    meaning: Each | Function,
    operands: tuple[str, ...],
    sources: tuple[str, ...],
    scratches: tuple[bool, ...] = (False, True),
    counts: tuple[bool, ...] = (False, True),
    asks: tuple[str, ...] = A2,
) -> tuple[Form, ...]:
    """The forms of an elementwise call by the parameters that they share: all or `count` elements, scratch or none."""
    return tuple(
        form(meaning, operands, sources, count=count, has_scratch=has_scratch, asks=asks)
        for has_scratch in scratches
        for count in counts
    )


def form(
    meaning: Each | Function,
    operands: tuple[str, ...],
    sources: tuple[str, ...],
    *,
    count: bool,
    has_scratch: bool,
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

    `more` parameters stand between the count and the scratch. With `into` it reads what it writes. `reuse` is the name
    of the parameter that gives the sources away. `spells_all` and `types` are those of `Form`. With `scalars_last` the
    scratch comes before scalars in the text. `asks` are the SoCs on which it asks the TPipe for scratch if it is given
    none.
    """
    tensors = ("dst", *sources)
    parameters = [*operands, *["count: uint32"] * count, *more, *[f"{TEMP_BUFFER}: ub B"] * has_scratch]
    parameters.append(f"{reuse}: template bool = False")
    # In the text the scratch comes before what counts.
    plain = [text.partition(":")[0] for text in operands]
    first = len(tensors) if scalars_last else len(plain)
    others = [text.partition(":")[0] for text in more]
    order = (*plain[:first], *[TEMP_BUFFER] * has_scratch, *plain[first:], *["count"] * count, *others, reuse)
    data: list[Access] = []
    for name in tensors:
        extent = "count" if count else f"opwright::as_many({name}, {sources[0]})"
        data += [_data(name, extent, writing=True)] * (name == "dst")
        data += [_data(name, extent, writing=False)] * (name != "dst" or into)
    return Form(
        ", ".join(parameters),
        pipe="PIPE_V",
        accesses=(*data, *scratch_of(sources, has_scratch, reuse, "count" if count else "")),
        rules=(*(Align(name, 32) for name in tensors), *apart(("dst",), data, sources, has_scratch), *rules),
        meaning=meaning,
        dtypes={"B": BYTES} if has_scratch else {},
        types=types or tuple(sorted({text.split()[-1] for text in operands if ": ub " in text})),
        order=order,
        composed=True,
        spells_all=spells_all,
        needs_tpipe=asking(has_scratch, asks),
    )


def asking(has_scratch: bool, socs: tuple[str, ...]) -> dict[str, str]:
    """Where a form needs a TPipe, since it is given no scratch."""
    return {} if has_scratch else dict.fromkeys(socs, PASS_SCRATCH)


def _data(operand: str, extent: str, writing: bool) -> Access:
    if extent == "count":
        return writes(operand) if writing else reads(operand)
    return writes_runs(operand, extent) if writing else reads_runs(operand, extent)


def scratch_of(sources: tuple[str, ...], has_scratch: bool, reuse: str, count: str) -> tuple[Access, ...]:
    """What a call may use as it likes: the sources that it was given away, and `temp_buffer`."""
    extent = f", {count}" if count else ""
    own = tuple(scratch(source, f"opwright::given_away<{reuse}>({source}{extent})") for source in sources)
    return (*own, *[scratch(TEMP_BUFFER, f"opwright::as_many({TEMP_BUFFER}, {TEMP_BUFFER})")] * has_scratch)


def apart(
    written: tuple[str, ...], data: list[Access], sources: tuple[str, ...], has_scratch: bool
) -> tuple[Rule, ...]:
    """No tensor of a composed call may overlap another: what is written in parts would be read later."""
    read = [access.operand for access in data if not access.writes]
    mine = (*written, *sources, *[TEMP_BUFFER] * has_scratch)
    rules: list[Rule] = [Align(TEMP_BUFFER, 32)] * has_scratch
    rules += [Apart(one, other) for one in mine for other in read if one != other]
    rules += [BothApart(TEMP_BUFFER, other) for other in written] * has_scratch
    return tuple(rules)


def function(
    name: str,
    cpp: str,
    doc: str,
    each: str,
    exactness: str = f"bounded({BOUND})",
    scratches: tuple[bool, ...] = (False, True),
    counts: tuple[bool, ...] = (False, True),
    asks: tuple[str, ...] = A2,
) -> Row:
    """The row of a function of one element, by the name of the C++ function."""
    return Row(
        f"adv.{name}",
        cpp,
        doc,
        forms=forms(Each(f"opwright::{each}(src)"), ("dst: ub T", "src: ub T"), ("src",), scratches, counts, asks),
        dtypes={"T": FLOAT_TYPES},
        exactness=exactness,
        assumes=(ARITHMETIC,),
        example=f"asc.adv.{name}(z_local, x_local, 64)",
    )


def taking(what: str, more: str = "") -> str:
    """What such a row says."""
    return f"Takes the {what} of every element of a local tensor.{more and f' {more}'}"
