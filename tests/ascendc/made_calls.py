"""Calls made from rows alone, for tests that walk the whole table.

In: a form of a row, and the element types of its variables. Out: the Python lines of a call of it, on tensors whose
start and size are arguments of the kernel, `start0`, `size0`, `start1`, ... in the order of the parameters. What a
signature does not tell, such as how many repeats a struct describes, is taken from the examples of the rows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product

from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.enums import ENUMS, MEMORY_OF, TPosition
from opwright.ascendc.row import LOCALS, MEMORIES_OF_KIND, REQUIRED, Form, Parameter, Row
from opwright.ascendc.rules import Range
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import ROWS

ROOM = 8192  # bytes of each tensor
STEP = 2 * ROOM  # from one to the next: the end of one is not the start of another
MOST = 11  # of them fit UB
PREFERRED = ("float32", "float16", "int32", "uint32", "uint8", "int16")
# What an integer of a name is good for, where no example says it.
USUAL = {"count": "256", "mask": "16", "offset": "0", "index": "0", "valid_bit": "3"}


@dataclass(frozen=True, eq=False)
class Made:
    """One call: `lines` set its tensors up, `text` is the call."""

    row: Row
    number: int  # of the form
    soc: str
    dtypes: Mapping[str, str]
    arguments: Mapping[str, str]
    name: str  # of its tensors, before that of the parameter

    @property
    def form(self) -> Form:
        """The form that is called."""
        return self.row.forms[self.number]

    @property
    def tensors(self) -> list[Parameter]:
        """The operands that lie in memory."""
        return [parameter for parameter in self.form.parameters if parameter.kind in (*LOCALS, "global")]

    def element_bytes(self, tensor: Parameter) -> int:
        """The size of an element of an operand."""
        return DTYPES[self.dtypes[tensor.variable]].bytes

    @property
    def globals(self) -> set[str]:
        """The element types of the global tensors; the kernel has an argument of each, called `memory_float32`."""
        kinds = {tensor.variable for tensor in self.form.parameters if tensor.kind in ("global", "address")}
        return {self.dtypes[variable] for variable in kinds}

    @property
    def lines(self) -> list[str]:
        """The tensors."""
        made = []
        for slot, tensor in enumerate(self.tensors):
            name, dtype, size = f"{self.name}_{tensor.name}", *self._elements(tensor)
            if tensor.kind == "global":
                made += [
                    f"{name} = asc.GlobalTensor()",
                    f"{name}.set_global_buffer(memory_{dtype}, size{slot})",
                ]
            else:
                all_of_it = f"{memory_of(tensor).lower()}.get_with_offset({size}, start{slot}, asc.{dtype})"
                made.append(f"{name} = {all_of_it}[{size} - size{slot} :]")
        return made

    @property
    def text(self) -> str:
        """The call."""
        texts = {name: self._own(name, text) for name, text in self.arguments.items()}
        own = texts.pop("self", "asc")
        called = f"{own}.{self.row.short if self.row.owner else self.row.name}"
        called = f"{self.name} = {called}" if self.form.result else called
        return f"{called}({', '.join(f'{name}={text}' for name, text in texts.items())})"

    def _own(self, name: str, text: str) -> str:
        is_tensor = name in {tensor.name for tensor in self.tensors}
        return f"{self.name}_{name}" if is_tensor else text

    def before(self, room: int) -> list[str]:
        """Writes, on another pipe than that of the call, what it touches."""
        if self.tensors and all(tensor.kind == "global" for tensor in self.tensors):
            other, dtype, size = f"{self.name}_other", *self._elements(self.tensors[0])
            source = f"ub.get_with_offset({size}, 0, asc.{dtype})"
            made = [f"{other} = asc.GlobalTensor()", f"{other}.set_global_buffer(memory_{dtype}, {size})"]
            return [*made, f"asc.data_copy({other}, {source}, {size})"]
        if self.form.pipe == "PIPE_MTE2":
            return [f"asc.duplicate(words, 0, {room // 4})"]
        return [f"asc.data_copy(whole, m_gm, {room})"]

    def _elements(self, tensor: Parameter) -> tuple[str, int]:
        """The element type of an operand, and how many there is room for."""
        dtype = self.dtypes[tensor.variable]
        return dtype, ROOM // DTYPES[dtype].bytes

    @property
    def after(self) -> list[str]:
        """Uses a result: what only has a result, which nobody uses, is not called."""
        is_number = self.form.result and not self.form.result.startswith(("object", "local", "global"))
        return [f"words.set_value(0, int({self.name}))"] if is_number else []

    def kernel(self) -> str:
        """A kernel of this call alone."""
        return kernel_of([self], self.soc, ", kernel_type='mix_1_2'" * is_of_matrix(self.form))


def position_in(memory: str) -> str:
    """A position in a memory; of UB the one that no copy is tied to."""
    return [position.name for position, one in MEMORY_OF.items() if one == memory][-1]


def memory_of(tensor: Parameter) -> str:
    """A memory in which an operand may lie."""
    return MEMORIES_OF_KIND.get(tensor.kind, ("UB",))[0]


def is_of_matrix(form: Form) -> bool:
    """Whether a form takes tensors in the memories of the matrix unit."""
    return any(parameter.kind in MEMORIES_OF_KIND and parameter.kind != "ub" for parameter in form.parameters)


def kernel_of(calls: list[Made], soc: str, options: str = "") -> str:
    """A kernel that makes one of some calls, `which`; unless `waits`, without waiting for what fills UB before it."""
    slots = range(_slots(calls))
    globals_of_all = sorted(set().union(*(call.globals for call in calls)))
    parameters = ["m: asc.GlobalAddress", *(f"memory_{dtype}: asc.GlobalAddress" for dtype in globals_of_all)]
    parameters += ["which: int", "waits: int", *(f"start{slot}: int, size{slot}: int" for slot in slots)]
    room = room_of(calls)
    lines = [
        "from opwright import asc",
        "",
        "",
        f"@asc.jit(soc={soc!r}{options})",
        f"def calls({', '.join(parameters)}):",
        "    pipe = asc.TPipe()",  # some of the calls ask for it
        *(f"    {line}" for memory in _memories(calls) for line in _buffer(memory, room, soc)),
        "    m_gm = asc.GlobalTensor()",
        f"    m_gm.set_global_buffer(m, {room})",
        f"    whole = ub.get(asc.uint8, {room})",
        f"    words = ub.get(asc.int32, {room // 4})",
        f"    asc.data_copy(whole, m_gm, {room})",
        "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
    ]
    for number, call in enumerate(calls):
        lines.append(f"    if which == {number}:")
        lines += [f"        {line}" for line in call.lines]
        lines += [f"        {line}" for line in call.before(room)]
        lines += ["        if waits:", "            asc.pipe_barrier(asc.PipeID.PIPE_ALL)"]
        lines += [f"        {call.text}", "        asc.pipe_barrier(asc.PipeID.PIPE_ALL)"]
        lines += [f"        {line}" for line in call.after]
    return "\n".join(lines) + "\n"


def _memories(calls: list[Made]) -> list[str]:
    """The memories in which operands of some calls lie, and UB."""
    tensors = [tensor for call in calls for tensor in call.tensors if tensor.kind != "global"]
    return sorted({"UB", *map(memory_of, tensors)})


def _buffer(memory: str, room: int, soc: str) -> list[str]:
    """Makes the buffer of a memory, of the same name; tensors of it start where they would without a pipe."""
    name, size = memory.lower(), min(room, SOCS[soc].usable(memory))
    return [f"{name} = asc.TBuf(asc.TPosition.{position_in(memory)})", f"pipe.init_buffer({name}, {size})"]


def room_of(calls: list[Made]) -> int:
    """Bytes of `m`: one tensor more than there are, since what starts later may end later."""
    return STEP * min(1 + _slots(calls), MOST)


def _slots(calls: list[Made]) -> int:
    return max((len(call.tensors) for call in calls), default=0)


def candidates(row: Row, number: int, soc: str, name: str, forced: Mapping[str, str] | None = None) -> Iterator[Made]:
    """Calls of a form, the likeliest first; what the front end refuses is for the caller to skip.

    `forced`: element types of some variables, legal or not.
    """
    form = row.forms[number]
    kinds = row.dtypes_of(form)
    used = sorted({parameter.variable for parameter in form.parameters} - {""})
    types = [[forced[one]] if forced and one in forced else _by_preference(kinds[one].by_soc[soc]) for one in used]
    passed = [parameter for parameter in form.parameters if parameter.kind != "rest"]
    for chosen in product(*types):
        dtypes = dict(zip(used, chosen, strict=True))
        choices = [list(dict.fromkeys(_choices(row, form, parameter, dtypes))) for parameter in passed]
        for texts in product(*choices):
            arguments = {parameter.name: text for parameter, text in zip(passed, texts, strict=True)}
            yield Made(row, number, soc, dtypes, arguments, name)


def _by_preference(dtypes: tuple[str, ...]) -> list[str]:
    return sorted(dtypes, key=lambda name: PREFERRED.index(name) if name in PREFERRED else len(PREFERRED))


def _choices(row: Row, form: Form, parameter: Parameter, dtypes: Mapping[str, str]) -> Iterator[str]:
    """What an argument may be."""
    kind = parameter.kind
    if parameter.is_tensor:
        yield f"memory_{dtypes[parameter.variable]}" if kind == "address" else parameter.name
        return
    if kind == "dtype":
        yield f"asc.{dtypes[parameter.variable]}"
        return
    if kind == "object":
        yield object_text(parameter, dtypes)
        return
    if kind == "array":
        most = (1 << 64) - 1 if parameter.name == "mask" else 1
        yield str([most] * parameter.length)
        return
    if kind == "bool" and parameter.template:
        yield "True"  # does more
    if parameter.default is not REQUIRED and not parameter.template:
        yield _text(parameter.default)
    yield from hints(row.name, parameter)
    if kind in ENUMS:
        yield from (f"asc.{value}" for value in ENUMS[kind].python if value is not TPosition.GM)
    elif kind == "bool":
        yield from ("False", "True")
    elif kind == "text":
        yield "'text'"
    else:
        lowest = [rule.low for rule in form.rules if isinstance(rule, Range) and rule.operand == parameter.name]
        yield USUAL.get(parameter.name, "1")
        yield str(max([1, *lowest]))


def _text(value: object) -> str:
    return f"asc.{value}" if type(value).__name__ in ENUMS else repr(value)


def object_text(parameter: Parameter, dtypes: Mapping[str, str]) -> str:
    """How an object of a class is made: as some example makes it, or from its own parameters."""
    made_by = ROWS[parameter.made_by]
    if parameter.variable:
        types = {made_by.forms[0].parameters[0].variable: dtypes[parameter.variable]}
    else:
        types = {}
        for example in _calls_in_examples():
            if example.name == made_by.name and example.is_constant:
                return example.text
    own = [one for one in made_by.forms[0].parameters if one.kind != "rest" and one.default is REQUIRED]
    arguments = [next(_choices(made_by, made_by.forms[0], one, types)) for one in own]
    # Tensors of a list lie one after the other behind the first operand, the one that is written.
    for place, one in enumerate(own):
        if one.is_tensor:
            start = ROOM + place * ROOM // 16
            arguments[place] = f"ub.get_with_offset({ROOM // 64}, {start}, asc.{types[one.variable]})"
    return f"asc.{made_by.name}({', '.join(arguments)})"


@dataclass(frozen=True)
class InExample:
    """A call in an example: its name, its arguments by name or position, and whether they are all constants."""

    name: str
    text: str
    arguments: Mapping[int | str, str]
    is_constant: bool


@cache
def _calls_in_examples() -> list[InExample]:
    found = []
    for row in ROWS.values():
        for node in ast.walk(ast.parse(row.example)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            arguments: dict[int | str, str] = {place: ast.unparse(value) for place, value in enumerate(node.args)}
            arguments |= {keyword.arg or "": ast.unparse(keyword.value) for keyword in node.keywords}
            names = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            found.append(InExample(node.func.attr, ast.unparse(node), arguments, names == {"asc"}))
    return found


def hints(name: str, parameter: Parameter) -> Iterator[str]:
    """What the examples pass for a parameter of this name to this call; only what needs no other name."""
    method = name.rpartition(".")[2]
    for example in _calls_in_examples():
        if example.name != method:
            continue
        for form in ROWS[name].forms:
            named = [one.name for one in form.parameters if one.name != "self"]
            for place, text in example.arguments.items():
                is_it = place == parameter.name or (
                    isinstance(place, int) and place < len(named) and named[place] == parameter.name
                )
                if is_it and _fits(text, parameter):
                    yield text


def _fits(text: str, parameter: Parameter) -> bool:
    tree = ast.parse(text, mode="eval").body
    if parameter.kind in ENUMS:
        return text.startswith(f"asc.{parameter.kind}.")
    if not isinstance(tree, ast.Constant) or isinstance(tree.value, str):
        return False
    return isinstance(tree.value, bool) == (parameter.kind == "bool")
