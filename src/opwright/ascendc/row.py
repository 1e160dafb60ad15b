"""A row: everything that is known about one Ascend C call, as data.

In: signatures as text ("dst: ub T, src: global T, count: int32"), parsed once. Out: `Row`, `Form`, `Parameter`,
`Access`, from which the Python function, the IR operation, the text, the twin, the checks and the pages are made.
Refuses a signature it cannot read, at import, because that is a mistake of ours.

Kinds of a parameter: `ub T`, `local T`, `global T`, `address T` (tensors and addresses of element type T), and those of
the matrix unit's memories, `l1 T`, `l0a T`, `l0b T`, `l0c T`, `bt T`, `fb T` and `l0 T` (L0A or L0B); `object N`
(an object that the row N makes; `object N T` one for elements of T), `int32` and other integer types, `float16`
and `float32`, `array uint64` (two integers; `array uint16 4` four; `array uint32 any` up to eight, and the text has
their number before them), `list N` (a Python list of objects that the row N makes), `number T` (a scalar of
element type T), `dtype T` (a data type that binds T), the name of an enumeration, `bool`, `text`, and `rest` (any
further scalars). `template` before a kind puts the argument between angle brackets in the text. Threads have more:
`ub_address T` (an address in UB) and `pointer T` (one in either memory), `scalar T` (a number whose own type binds T:
int is int64, float is float32, narrow numbers are what they are), and, for what starts them, `function`, `threads` and
`values`. A `predicate` is a truth value that is known only at run time, a `bool` at compile time.

A result is a kind too. `number T` becomes a number of Python, an int or a float; `scalar T` stays a number of T, and so
does a result of a fixed type such as `int32`.

C++ does not tell the memories of local tensors apart. Forms that differ in them only are one function there, which
looks where its tensors lie; each is a path of it, with a pipe, rules and a meaning of its own.

Who may call a row follows from its name: rows of `simt` are for functions of threads, all others for kernels and their
helpers, unless `callers` says otherwise. The C++ of `simt` is written by hand, in the global namespace.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from opwright.ascendc.dtypes import DTYPES, PACKED
from opwright.ascendc.enums import ENUMS
from opwright.ascendc.rules import Rule
from opwright.ascendc.socs import A2, A5
from opwright.ascendc.traits import Trait

# The memories in which a tensor of a kind may lie; `local` is any of them.
MEMORIES_OF_KIND: dict[str, tuple[str, ...]] = {
    "ub": ("UB",),
    "l1": ("L1",),
    "l0a": ("L0A",),
    "l0b": ("L0B",),
    "l0": ("L0A", "L0B"),
    "l0c": ("L0C",),
    "bt": ("BT",),
    "fb": ("FB",),
}
LOCALS = (*MEMORIES_OF_KIND, "local")
TENSORS = (*LOCALS, "global", "address", "ub_address", "pointer")
OBJECT = "object"
ARRAY = "array"
ANY_LENGTH, MAX_DIMS = 0, 8
LIST = "list"
REQUIRED = object()
CORE, SIMT = "core", "simt"  # who calls: a kernel and its helpers, or a function that threads run
NAMESPACES = ("adv", SIMT)  # what `opwright.asc` holds more names in; the names of their rows start with theirs
NO_INT4 = "only asc.cast takes int4: the tensor was made of int8, as which its bytes are copied"
# Why the forms of `simt` are absent on a SoC.
NO_THREADS = dict.fromkeys(A2, "it has no unit that runs threads")
MASK = "is_set_mask"  # the template parameter of calls that may take the mask register as it is
SET_MASK = f"{MASK}: template bool = True"
_OTHERS = ("number", "scalar", "predicate", "dtype", "bool", "text", "function", "threads", "rest", "values")
P = TypeVar("P", bound=Trait)
_DEFAULTS: dict[str, object] = {"True": True, "False": False, "None": None}


@dataclass(frozen=True, eq=False)
class Parameter:
    """One parameter of a form."""

    name: str
    kind: str
    variable: str = ""  # the element-type variable of tensors, numbers, dtypes and objects
    made_by: str = ""  # of an object or a list of them: the row of its class
    element: str = ""  # of an array: its type
    length: int = 2  # of an array; ANY_LENGTH: up to MAX_DIMS
    template: bool = False
    default: object = REQUIRED

    @property
    def is_tensor(self) -> bool:
        """True for tensors and addresses."""
        return self.kind in TENSORS

    @property
    def is_local(self) -> bool:
        """True for tensors on the chip."""
        return self.kind in LOCALS

    @property
    def is_number(self) -> bool:
        """True for a scalar of an element type, or of a floating-point type."""
        return self.kind in ("number", "scalar") or (self.kind in DTYPES and not DTYPES[self.kind].is_int())

    @property
    def is_integer(self) -> bool:
        """True for integers of a fixed C++ type."""
        return self.kind in DTYPES and DTYPES[self.kind].is_int()


def parse_parameter(text: str) -> Parameter:
    """Reads one parameter of a signature."""
    declaration, _, default_text = (part.strip() for part in text.partition("="))
    name, _, words_text = (part.strip() for part in declaration.partition(":"))
    words = words_text.split()
    template = words[0] == "template"
    kind, *rest = words[1:] if template else words
    assert kind in (*TENSORS, *DTYPES, *ENUMS, OBJECT, ARRAY, LIST, *_OTHERS), text
    made_by = rest.pop(0) if kind in (OBJECT, LIST) else ""
    element = rest.pop(0) if kind == ARRAY else ""
    length = 2
    if kind == ARRAY and rest:
        length = ANY_LENGTH if (word := rest.pop(0)) == "any" else int(word)
    variable = rest[0] if rest else ""
    default: object = REQUIRED
    if default_text:
        if default_text in _DEFAULTS:
            default = _DEFAULTS[default_text]
        elif kind in ENUMS:
            default = ENUMS[kind].python[default_text]
        elif kind == "dtype":
            default = DTYPES[default_text]
        elif kind == ARRAY:
            default = (int(default_text),) * length
        else:
            default = int(default_text)
    return Parameter(name, kind, variable, made_by, element, length, template, default)


@dataclass(frozen=True, eq=False)
class Access:
    """The footprint of one operand: `count` elements from its start, in whole pieces of `floor` bytes.

    `runs`, if given, stands for the count: a C++ expression of the pieces that are touched, over the names of the
    call's parameters. With `strides`, two C++ expressions of the strides between blocks and between repeats, `count` is
    the number of repeats, and of each repeat the call touches the lanes of the parameter `mask`, or all if it is
    `whole`. Where one operand does so, `runs` of another may use `chosen` and `lane_count`. An operand that is read and
    written has two footprints.
    """

    operand: str
    writes: bool
    count: str
    floor: int = 1
    runs: str = ""
    strides: tuple[str, ...] = ()
    mask: str = ""
    scratch: bool = False  # scratch for the call's own use: what it holds afterwards means nothing
    whole: bool = False

    @property
    def arguments(self) -> frozenset[str]:
        """The parameters that say what is touched."""
        return frozenset((self.count, self.mask, *(stride.partition(".")[0] for stride in self.strides)))


def reads(operand: str, count: str = "count", floor: int = 1) -> Access:
    """The call reads `count` elements of `operand`."""
    return Access(operand, False, count, floor)


def writes(operand: str, count: str = "count", floor: int = 1) -> Access:
    """The call writes `count` elements of `operand`."""
    return Access(operand, True, count, floor)


def reads_runs(operand: str, runs: str) -> Access:
    """The call reads pieces of `operand`."""
    return Access(operand, False, "", runs=runs)


def writes_runs(operand: str, runs: str) -> Access:
    """The call writes pieces of `operand`."""
    return Access(operand, True, "", runs=runs)


def scratch(operand: str, runs: str) -> Access:
    """The call uses pieces of `operand` as its scratch."""
    return Access(operand, True, "", runs=runs, scratch=True)


def steps(operand: str, writes: bool) -> Access:
    """The call steps through `operand` by repeats, under the names that all such calls have."""
    strides = tuple(f"repeat_params.{operand}{which}Stride" for which in ("Blk", "Rep"))
    return Access(operand, writes, "repeat_times", strides=strides, mask="mask")


def steps_by(operand: str, writes: bool, count: str, block: str, repeat: str) -> Access:
    """The call steps through `operand` by `count` repeats; its strides are arguments, or constants."""
    return Access(operand, writes, count, strides=(block, repeat), mask="mask")


@dataclass(frozen=True, eq=False)
class Each:
    """The meaning of an elementwise call: a C++ expression over the names of what it reads and of its scalars."""

    expression: str


@dataclass(frozen=True, eq=False)
class Function:
    """The meaning of a call: one function of `twin/include/opwright/<chapter>.h` that gets operand views.

    by_element: element k of what it writes depends on elements k of what it reads and on nothing else in memory.
    """

    name: str
    by_element: bool = False


@dataclass(frozen=True, eq=False)
class Dtypes:
    """Which element types a variable may take, per SoC, and why an absent one is absent."""

    by_soc: dict[str, tuple[str, ...]]
    why: dict[str, str] = field(default_factory=dict)

    def reason(self, dtype: str) -> str:
        """Why an element type is not among them."""
        return self.why.get(dtype, NO_INT4 if dtype in PACKED else "this SoC has no such instruction")


def dtypes(a2: tuple[str, ...], a5: tuple[str, ...], why: dict[str, str] | None = None) -> Dtypes:
    """Element types where the SoCs of one generation agree, as they mostly do."""
    return Dtypes({**dict.fromkeys(A2, a2), **dict.fromkeys(A5, a5)}, why or {})


def fewer(kinds: Dtypes, *names: str, why: str) -> Dtypes:
    """Element types of a form that lacks some which other forms of its call have on ascend950."""
    by_soc = {soc: tuple(name for name in kinds.by_soc[soc] if name not in names) for soc in A5}
    lacking = [name for name in names if any(name in kinds.by_soc[soc] for soc in A5)]
    return Dtypes({**kinds.by_soc, **by_soc}, {**kinds.why, **dict.fromkeys(lacking, why)})


def simt_dtypes(*names: str, why: dict[str, str] | None = None) -> Dtypes:
    """Element types of a call of threads: none on a SoC that runs no threads."""
    return dtypes(a2=(), a5=names, why=why)


@dataclass(frozen=True, eq=False)
class Form:
    """One overload of a call."""

    signature: str
    pipe: str = "PIPE_S"  # a pipe, or a C++ expression over template parameters
    accesses: tuple[Access, ...] = ()
    rules: tuple[Rule, ...] = ()
    meaning: Each | Function | None = None  # None: the class of the chapter's header holds it
    result: str = ""  # a kind with its variable, as in a signature; `integer` is an integer of any C++ type
    traits: tuple[Trait, ...] = ()  # what few forms do
    text: str = ""  # how the text spells it, if not NAME<templates>(arguments)
    dtypes: dict[str, Dtypes] = field(default_factory=dict)  # where this form differs from its row
    not_on: dict[str, str] = field(default_factory=dict)  # SoC -> why it does not have this form
    # SoC -> what to do in a kernel without TPipe, where this form needs that; "": nothing else
    needs_tpipe: dict[str, str] = field(default_factory=dict)
    only: str = ""  # the kind of core on which it does something, where no operand tells: elsewhere the chip ignores it
    # Element type, or "" for the form itself -> which versions of CANN have it, if older ones lack it
    since: dict[str, str] = field(default_factory=dict)
    state: str = ""  # a field of the twin's Core that its meaning needs, as it is when the call is issued
    # A C++ expression of what it touches beside its operands, such as a tensor that the state names.
    state_touched: str = ""
    unit: tuple[str, str] | None = None  # the operand in L0C whose unit flags it waits for, and who says whether
    types: tuple[str, ...] = ()  # variables between angle brackets before templates, if not each of the tensors' once
    order: tuple[str, ...] = ()  # of the parameters in the text, if it is another than in Python
    composed: bool = False  # of vector calls by the toolchain: leaves the mask register as a kernel finds it
    spells_all: bool = False  # the text says every template, since a call of that name takes the same arguments
    lvalues: tuple[str, ...] = ()  # operands that C++ takes by reference: the text has a variable for each
    deduced: tuple[str, ...] = ()  # integers whose type C++ deduces: a constant says it

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in order."""
        return tuple(parse_parameter(part) for part in self.signature.split(",") if part.strip())

    @cached_property
    def in_text(self) -> tuple[Parameter, ...]:
        """The parameters in the order of the text."""
        by_name = {parameter.name: parameter for parameter in self.parameters}
        return tuple(by_name[name] for name in self.order) if self.order else self.parameters

    @cached_property
    def named(self) -> tuple[str, ...]:
        """Names of the parameters that take one argument each."""
        return tuple(parameter.name for parameter in self.parameters if parameter.kind not in ("rest", "values"))

    def get(self, kind: type[P]) -> P | None:
        """A property of a kind, if the form has one."""
        return next((one for one in self.traits if isinstance(one, kind)), None)

    @cached_property
    def written(self) -> frozenset[str]:
        """Names of the operands this form writes."""
        return frozenset(access.operand for access in self.accesses if access.writes)


@dataclass(frozen=True, eq=False)
class Row:
    """One call, class or method of Ascend C."""

    name: str  # as in Python: add, GlobalTensor, GlobalTensor.set_global_buffer, adv.sin
    cpp: str
    doc: str
    forms: tuple[Form, ...]
    dtypes: dict[str, Dtypes] = field(default_factory=dict)
    exactness: str = "exact"  # exact, bounded(ulp) or assumed(reason)
    assumes: tuple[str, ...] = ()  # switches of assumptions.py that its results depend on
    example: str = ""
    # "runs": it does something; "value": it only has a result; "reads": its result depends on what ran before;
    # "object": it makes an object
    effect: str = "runs"
    nonnegative: bool = False  # its result is never below zero
    positive: bool = False  # nor is it zero
    small: bool = False  # nor is it above 65535: a count of cores or threads, or an index among them
    base: str = ""  # of a class: the row of the class whose methods it has too
    callers: tuple[str, ...] = ()  # CORE, SIMT; none: as its name says
    meets: str = ""  # threads wait for each other in it: "block" or "warp"
    in_simt: str = ""  # how the text spells it in a function of threads, if it is another call there
    header: str = ""  # of a class that is not in kernel_operator.h: what the text includes for it
    fields: tuple[str, ...] = ()  # it is a variable of the text with these fields; "" is the variable itself
    asks_kind: str = ""  # the kind of core, AIC or AIV, that it asks for

    @cached_property
    def by_signature(self) -> dict[str, Form]:
        """The forms by their signatures, which differ."""
        return {form.signature: form for form in self.forms}

    @property
    def called_by(self) -> tuple[str, ...]:
        """Which functions may call it."""
        return self.callers or ((SIMT,) if self.space == SIMT else (CORE,))

    def not_on(self, form: Form) -> dict[str, str]:
        """SoC -> why it does not have a form."""
        return {**(NO_THREADS if CORE not in self.called_by else {}), **form.not_on}

    def dtypes_of(self, form: Form) -> dict[str, Dtypes]:
        """The element types that one form takes."""
        return {**self.dtypes, **form.dtypes}

    @property
    def makes(self) -> str:
        """The name of the class, if calling it makes an object or a tensor."""
        kind, *made = self.forms[0].result.split() or [""]
        makes = made[:1] == [self.name] if kind == OBJECT else kind in ("local", "global")
        return self.name if makes and not self.is_method else ""

    @property
    def space(self) -> str:
        """The one of NAMESPACES that has it, if one does."""
        first = self.name.partition(".")[0]
        return first if first in NAMESPACES else ""

    @property
    def owner(self) -> str:
        """The class of a method."""
        before = self.name.rpartition(".")[0]
        return "" if before in NAMESPACES else before

    @property
    def short(self) -> str:
        """Its name within its module or class."""
        return self.name.rpartition(".")[2]

    @property
    def is_method(self) -> bool:
        """True for a method of a tensor or an address: its first parameter is `self`."""
        return bool(self.owner)
