"""The example of every row, within a small kernel that sets up the names it uses; a test runs them on the twin.

In: a row. Out: `Example`: the kernel, the Ascend C of the example's line, what went in and what came out. What only a
run tells is stored in `example_outcomes.json`: a test runs every kernel and compares, and pages are made from it. Names
have a meaning here: `x` is an address, `x_gm` the tensor of its memory, `x_local` a tensor in the unified buffer,
`x_l1` one in L1 and so on (`MATRIX`), and the letter says the element type (`LETTERS`); anything else stands in
`OBJECTS`. An example with tensors of the matrix unit runs on a cube core; those in L1 are filled and shown, for others
see `AROUND`. What threads call stands in a function of theirs, in which `thread` is the index of the thread. Refuses an
example with another name, and a row without outcome.
"""

from __future__ import annotations

import ast
import contextlib
import fcntl
import importlib.util
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import ml_dtypes  # noqa: F401  # NumPy knows bfloat16 then
import numpy as np

from opwright.ascendc.document import Example
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.kernel_types import AIC
from opwright.ascendc.row import CORE, NAMESPACES, TENSORS, Form, Row
from opwright.ascendc.socs import A5, SOCS
from opwright.ascendc.table import ROWS
from opwright.ascendc.traits import Binds, GivesBack
from opwright.errors import TrapError

OUTCOMES = Path(__file__).with_name("example_outcomes.json")
LENGTH = 128  # elements of every array and tensor
SHOWN = 6  # of them on the page
# Letter -> element type. Whatever an example reads is filled with numbers, and with NaN or -1 what it only writes.
LETTERS = {
    "x": "float32",
    "y": "float32",
    "z": "float32",
    "i": "int16",
    "j": "int16",
    "k": "int16",
    "h": "float16",
    "r": "float16",
    "s": "float16",
    "b": "uint8",
    "u": "uint32",
    "v": "uint32",
    "w": "uint32",
    "t": "uint64",
    "m": "int32",
    "n": "int32",
    "c": "int8",
    "q": "int32",
    "l": "uint64",
    "f": "bfloat16",
    "e": "bfloat16",
    "g": "uint16",
    "d": "uint16",
    "a": "int64",
    "p": "int64",
    "o": "uint64",
}
LIST = "l"  # starts as a list of one tensor: 2 dimensions, 8 and 16, over its own bytes
WORKSPACE = "q"  # starts as zeros
# How a name ends -> the class of what it stands for.
CLASSES = {"gm": "GlobalTensor", "local": "LocalTensor"}
# How the name of a tensor in a memory of the matrix unit ends -> its position.
MATRIX = {"l1": "A1", "l0a": "A2", "l0b": "B2", "l0c": "CO1", "bt": "C2", "fb": "C2PIPE2GM"}
# Elements of such a tensor: a whole fractal of 512 bytes, or of 1024, fits.
MATRIX_LENGTH = {"l1": 1024, "l0a": 1024, "l0b": 1024, "l0c": 1024, "bt": LENGTH, "fb": LENGTH}
# Other names -> the lines that make them. What these lines use is set up before.
OBJECTS = {
    "pipe": "pipe = asc.TPipe()",
    "queue": "queue = asc.TQue(asc.TPosition.VECIN, 1)\npipe.init_buffer(queue, 2, 1024)",
    "allocator": "allocator = asc.LocalMemAllocator()",
    "lists": "lists = asc.TensorList(asc.float16, "
    + ", ".join(f"s_local[{16 * (row % 8)}:]" for row in range(16))
    + ")",
    "others": "others = asc.TensorList(asc.float16, "
    + ", ".join(f"r_local[{16 * (row % 8)}:]" for row in range(16))
    + ")",
    "tensors": "tensors = asc.ListTensorDesc(l)",
    "sizes": "sizes = asc.array(asc.uint64, 8)",
    "desc": "desc = asc.TensorDesc(asc.float32)\ndesc.set_shape_addr(sizes)\ntensors.get_desc(desc, 0)",
    "pool": "pool = asc.TBufPool(asc.TPosition.VECCALC, 4)\npipe.init_buf_pool(pool, 4096)",
    "buffer": "buffer = asc.TBuf(asc.TPosition.VECCALC)\npipe.init_buffer(buffer, 1024)",
}
# Functions of threads that examples start.
FUNCTIONS = {
    "run": "@simt\ndef run(x: asc.GlobalAddress, y: asc.GlobalAddress):\n"
    "    y[simt.threadIdx.x] = 2.0 * x[simt.threadIdx.x]\n\n\n",
}
THREADS = 32  # of an example that threads run: one warp
# A product in L0C, as what leaves it.
_PRODUCT = (
    "asc.load_data(h_l0a, h_l1, asc.LoadData2DParams(0, 1, 1))\n"
    "asc.load_data(r_l0b, r_l1, asc.LoadData2DParams(0, 1, 1))\n"
    "asc.pipe_barrier(asc.PipeID.PIPE_ALL)\n"
    "asc.mmad(y_l0c, h_l0a, r_l0b, asc.MmadParams(8, 8, 16))\n"
    "asc.pipe_barrier(asc.PipeID.PIPE_ALL)"
)
# Row -> what must be done before its example, and after it.
AROUND = {
    "add_deq_relu": ("asc.set_deq_scale(0.5)", ""),
    "BinaryRepeatParams": ("", "asc.add(z_local, x_local, y_local, 64, 1, params)"),
    **dict.fromkeys(("fixpipe", "FixpipeParamsV220", "FixpipeParamsArch3510", "DataCopyCO12DstParams"), (_PRODUCT, "")),
    "get_hccl_context": ("asc.set_hccl_context(0, b)", ""),
    "get_sys_workspace": ("asc.set_sys_workspace(b)", ""),
    "get_tpipe_ptr": ("pipe.alloc_event_id(asc.HardEvent.V_S)", ""),
    "GlobalTensor.get_shape_info": ("x_gm.set_shape_info(asc.ShapeInfo([8, 16]))", ""),
    "LocalTensor.get_shape_info": ("x_local.set_shape_info(asc.ShapeInfo([8, 16]))", ""),
    "TBufPool.init_buf_pool": ("pipe.init_buf_pool(pool, 4096)", ""),
    "ib_wait": ("asc.ib_set(q_gm, q_local, 0, 0)\nasc.ib_set(q_gm, q_local, 0, 1)", ""),
    "wait_pre_block": ("asc.notify_next_block(q_gm, q_local)", ""),
    "UnaryRepeatParams": ("", "asc.adds(z_local, x_local, 2, 64, 1, params)"),
    "TPipe.release_event_id": ("pipe.alloc_event_id(asc.HardEvent.V_S)", ""),
    "TQueBind.deque": ("queue.enque(queue.alloc_tensor(asc.float16))", ""),
    "TQueBind.enque": ("", "queue.free_tensor(queue.deque(asc.float16))"),
}


@dataclass(frozen=True)
class Array:
    """An argument of the kernel."""

    name: str
    letter: str
    is_input: bool

    def fresh(self) -> np.ndarray[Any, Any]:
        """Its content before the run: easy numbers if it is read, otherwise NaN or -1, so that every write shows."""
        kind = LETTERS[self.letter]
        if self.letter == WORKSPACE:
            return np.zeros(LENGTH, kind)
        if self.letter == LIST:
            made = np.array([32, 2, 8, 16, *[0] * (LENGTH - 4)], kind)
            made[4] = made.ctypes.data
            return made
        if not self.is_input:
            return np.full(LENGTH, np.nan if DTYPES[kind].is_float() else -1).astype(kind)
        if DTYPES[kind].is_unsigned():  # bits, indices or bytes at which whole blocks start
            return (np.arange(LENGTH) * 32 % 256).astype(kind)
        if list(LETTERS).index(self.letter) % 3:
            return np.resize([2, -3, 1, 4], LENGTH).astype(kind)
        steps = np.arange(1, LENGTH + 1)  # 1, -2, 3, -4, ... or the halves of these
        return (np.where(steps % 2, steps, -steps) * (0.5 if DTYPES[kind].is_float() else 1)).astype(kind)


def calls_of(tree: ast.AST) -> Iterator[tuple[Row, Form, dict[str, str]]]:
    """The calls in an example: row, form, and the name that stands for each parameter that is a tensor."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner, method = base_name(node.func.value), node.func.attr
        if owner in NAMESPACES:
            owner, method = "asc", f"{owner}.{method}"
        if isinstance(node.func.value, ast.Attribute) and node.func.value.attr in NAMESPACES:
            owner, method = "asc", f"{node.func.value.attr}.{method}"
        name = method if owner == "asc" else f"{CLASSES.get(owner.partition('_')[2], '')}.{method}"
        found = [row for own, row in ROWS.items() if own == name or (name[0] == "." and own.endswith(name))]
        arguments = [] if owner == "asc" else [owner]
        arguments += [base_name(argument) for argument in node.args]
        for row in found[:1]:
            form = next((form for form in row.forms if _fits(form, arguments)), row.forms[0])
            names = dict(zip((parameter.name for parameter in form.parameters), arguments, strict=False))
            names |= {keyword.arg: base_name(keyword.value) for keyword in node.keywords if keyword.arg}
            yield row, form, {name: argument for name, argument in names.items() if argument}


def base_name(node: ast.expr) -> str:
    """The name that a tensor expression starts with: x_local of x_local[64:] and of x_local.reinterpret_cast(...)."""
    while True:
        match node:
            case ast.Subscript(value=inner) | ast.BinOp(left=inner):
                node = inner
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name) as inner)) if name != "asc":
                node = inner
            case ast.Name(id=name):
                return name
            case _:
                return ""


def _fits(form: Form, arguments: Sequence[str]) -> bool:
    """Whether the tensors are of the kind that the form takes."""
    for parameter, argument in zip(form.parameters, arguments, strict=False):
        memory = argument.rpartition("_")[2]
        kinds = {"local": ("ub", "local"), "gm": ("global",), **{name: (name, name[:2], "local") for name in MATRIX}}
        if memory in kinds and parameter.kind not in kinds[memory]:
            return False
        if argument == "" and parameter.kind in TENSORS:
            return False
    return True


class Surrounding:
    """The kernel around one example."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.example = row.example.splitlines()
        self.needs = [text.splitlines() for text in AROUND.get(row.name, ("", ""))]
        tree = ast.parse("\n".join([*self.needs[0], *self.example, *self.needs[1]]))
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id not in ("asc", *FUNCTIONS)]
        self.functions = "".join(text for name, text in FUNCTIONS.items() if f"({name}," in row.example)
        self.made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
        self.used = sorted({node.id for node in names if isinstance(node.ctx, ast.Load)} - self.made)
        self.written: set[str] = set()
        self.read: set[str] = set()
        self.bound: set[str] = set()  # global tensors that the example itself binds
        self.values: list[str] = []  # lines that print the scalars that the example makes
        self.called: list[Row] = []
        self.needs_pipe = False
        self.is_cube = False
        for row_called, form, arguments in calls_of(tree):
            self.called.append(row_called)
            self.needs_pipe |= bool(form.needs_tpipe)
            self.is_cube |= form.only == AIC
            for access in form.accesses:
                (self.written if access.writes else self.read).add(arguments.get(access.operand, ""))
            if binds := form.get(Binds):
                self.bound.add(arguments[binds.tensor])
            kind = (form.result.split() or [""])[0]
            if row_called is row and (form.get(GivesBack) or kind in (*DTYPES, "integer", "number", "bool")):
                shown = ('%f\\n", float({})' if kind == "number" else '%d\\n", {}').format
                self.values += [f'asc.printf("{name} = {shown(name)})' for name in sorted(self.made)]
        self.before: list[str] = []
        self.after: list[str] = []
        self.arrays: dict[str, Array] = {}
        self._declared: set[str] = set()
        self._locals = 0
        self._copied_in = False
        self.is_cube |= any(name.rpartition("_")[2] in MATRIX for name in self.used)
        # Only copies from L1 and from the unified buffer show what is written to a tensor on the chip.
        hidden = {*MATRIX} - {"l1"}
        self.written = {name for name in self.written - self.made if name.rpartition("_")[2] not in hidden}
        if self.needs_pipe:
            self._set_up("pipe")
        for name in self.used:
            self._set_up(name)
        self._finish()

    def _set_up(self, name: str) -> None:
        """Adds the lines that make a name, after those of what it needs."""
        letter, _, kind = name.partition("_")
        if name in self._declared or name in self.made:
            return
        self._declared.add(name)
        if name in OBJECTS:
            for node in ast.walk(ast.parse(OBJECTS[name])):
                if isinstance(node, ast.Name) and node.id not in ("asc", name):
                    self._set_up(node.id)
            # What the example is there to show, it does itself.
            own = f".{self.row.name.rpartition('.')[2]}("
            self.before += [line for line in OBJECTS[name].splitlines() if own not in line]
        elif letter not in LETTERS or kind not in ("", "gm", "local", *MATRIX):
            raise LookupError(f"asc.{self.row.name}: the example uses {name}: add it to LETTERS or OBJECTS")
        elif kind == "local":
            self._set_up_local(name, letter)
        elif kind in MATRIX:
            self._set_up_matrix(name, letter, kind)
        else:
            self._array(letter, letter, is_input=f"{letter}_gm" not in self.written)
            if kind == "gm":
                self._global(name, letter, bind=name not in self.bound)

    def _set_up_local(self, name: str, letter: str) -> None:
        """A local tensor, filled from an array; a written one is copied back to it at the end."""
        taken = letter in self.used or f"{letter}_gm" in {*self.used, *self.made}
        array = (f"{letter}_out" if name in self.written else f"{letter}_in") if taken else letter
        self._array(array, letter, is_input=name in self.read)
        self._global(f"{array}_gm", array, bind=True)
        self._local(name, letter)
        self.before.append(f"asc.data_copy({name}, {array}_gm, {LENGTH})")
        self._copied_in = True
        if name in self.written:
            self.after.append(f"asc.data_copy({array}_gm, {name}, {LENGTH})")

    def _set_up_matrix(self, name: str, letter: str, memory: str) -> None:
        """A tensor in a memory of the matrix unit; one in L1 is filled from an array and copied back to it."""
        kind, number = DTYPES[LETTERS[letter]], sum(one.endswith(f"_{memory}") for one in self._declared) - 1
        size = MATRIX_LENGTH[memory]
        position = f"asc.TPosition.{MATRIX[memory]}"
        self.before.append(f"{name} = asc.LocalTensor(asc.{kind.name}, {position}, {number * size * 8}, {size})")
        if memory != "l1":
            return
        taken = letter in self.used or f"{letter}_gm" in {*self.used, *self.made}
        array = (f"{letter}_out" if name in self.written else f"{letter}_in") if taken else letter
        self._array(array, letter, is_input=name in self.read)
        self._global(f"{array}_gm", array, bind=True)
        blocks = f"asc.DataCopyParams(1, {LENGTH * kind.bytes // 32}, 0, 0)"
        self.before.append(f"asc.data_copy({name}, {array}_gm, {blocks})")
        self._copied_in = True
        if name in self.written:
            self.after.append(f"asc.data_copy({array}_gm, {name}, {blocks})")

    def _array(self, name: str, letter: str, is_input: bool) -> None:
        self.arrays.setdefault(name, Array(name, letter, is_input))

    def _global(self, name: str, array: str, bind: bool) -> None:
        self.before.append(f"{name} = asc.GlobalTensor()")
        if bind:
            self.before.append(f"{name}.set_global_buffer({array}, {LENGTH})")

    def _local(self, name: str, letter: str) -> None:
        kind = DTYPES[LETTERS[letter]]
        if self.needs_pipe:
            buffer = f"{name.partition('_')[0]}_buffer"
            self.before += [
                f"{buffer} = asc.TBuf(asc.TPosition.VECCALC)",
                f"pipe.init_buffer({buffer}, {LENGTH * kind.bytes})",
                f"{name} = {buffer}.get(asc.{kind.name})",
            ]
            return
        self.before.append(
            f"{name} = asc.LocalTensor(asc.{kind.name}, asc.TPosition.VECCALC, {512 * self._locals}, {LENGTH})"
        )
        self._locals += 1

    def _finish(self) -> None:
        """What shows the effect: copies of global tensors that the example makes or binds, values, partners."""
        for name in sorted(self.bound | {name for name in self.made if name.endswith("_gm")}):
            letter = name.partition("_")[0]
            self._array(letter, letter, is_input=True)
            self._array("out", letter, is_input=False)
            self._global("out_gm", "out", bind=True)
            self._local("out_local", letter)
            self.after += [f"{name}.set_global_buffer({letter}, {LENGTH})"] if name not in self.bound else []
            self.after += [
                f"asc.data_copy(out_local, {name}, 64)",
                "asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
                "asc.data_copy(out_gm, out_local, 64)",
            ]
        if self._copied_in:
            self.before.append("asc.pipe_barrier(asc.PipeID.PIPE_ALL)")
        if self.after and self.written:
            self.after.insert(0, "asc.pipe_barrier(asc.PipeID.PIPE_ALL)")
        before, after = self.needs
        self.before += before
        self.after = [*self.values, *after, *self.after]
        # A wait needs its set before it, and a set its wait after it.
        name = self.row.name
        if "wait_" in name and (partner := name.replace("wait_", "set_")) in ROWS:
            self.before += [line.replace(name, partner) for line in self.example]
        elif "set_" in name and (partner := name.replace("set_", "wait_")) in ROWS:
            self.after = [line.replace(name, partner) for line in self.example] + self.after

    @property
    def lines(self) -> range:
        """The lines of the kernel, from 1, that are the example itself."""
        first = 3 + len(self.functions.splitlines()) + len(self.before)
        return range(first, first + len(self.example))

    def kernel(self, *options: str) -> str:
        """The whole kernel."""
        lines = [*self.before, *self.example, *self.after]
        # An example that asks for the kind of core runs on a group of both kinds.
        kernel_type = "mix_1_2" if "if asc.ascend_is_" in self.row.example else "cube" if self.is_cube else ""
        options = (*options, f'kernel_type="{kernel_type}"') if kernel_type else options
        mark = f"@asc.jit({', '.join(options)})" if options else "@asc.jit"
        return f"{self.functions}{mark}\n{_function(self.arrays, lines)}"

    @property
    def socs(self) -> tuple[str, ...]:
        """The SoCs that it can show the result on."""
        copies_back = any(name.endswith("_l1") for name in self.written)
        there = [
            soc for soc in SOCS if all(any(soc not in row.not_on(form) for form in row.forms) for row in self.called)
        ]
        return tuple(soc for soc in there if soc not in A5 or not copies_back)

    def shape(self) -> int | tuple[int, int]:
        """On how many cores it runs."""
        return 1 if self.arrays else 2


class ThreadSurrounding:
    """The function of threads around one example: a kernel of one block."""

    def __init__(self, row: Row) -> None:
        self.example = row.example.splitlines()
        tree = ast.parse(row.example)
        elements = [node for node in ast.walk(tree) if isinstance(node, ast.Subscript)]
        self.written = {base_name(node) for node in elements if isinstance(node.ctx, ast.Store)}
        self.read = {base_name(node) for node in elements if isinstance(node.ctx, ast.Load)}
        for _, form, arguments in calls_of(tree):
            touched = {arguments.get(access.operand, "") for access in form.accesses if access.writes}
            self.written |= touched
            # What a call only writes, its address does not read.
            self.read -= touched - {arguments.get(access.operand, "") for access in form.accesses if not access.writes}
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        if unknown := names - {"asc", "simt", "thread", "int", *LETTERS}:
            raise LookupError(f"asc.{row.name}: the example uses {', '.join(sorted(unknown))}: add it to LETTERS")
        used = sorted(names & {*LETTERS})
        self.arrays = {name: Array(name, name, is_input=name in self.read or name not in self.written) for name in used}
        self.before = ["thread = simt.threadIdx.x"] if "thread" in names else []

    @property
    def lines(self) -> range:
        """The lines of the function, from 1, that are the example itself."""
        first = 3 + len(self.before)
        return range(first, first + len(self.example))

    def kernel(self, *options: str) -> str:
        """The whole function; it takes no options."""
        return f"@simt\n{_function(self.arrays, [*self.before, *self.example])}"

    @property
    def socs(self) -> tuple[str, ...]:
        """The SoCs that it can show the result on."""
        return tuple(SOCS)

    def shape(self) -> int | tuple[int, int]:
        """How many blocks run it, of how many threads."""
        return (1, THREADS)


def _function(arrays: Mapping[str, Array], lines: Sequence[str]) -> str:
    parameters = ", ".join(f"{name}: asc.GlobalAddress" for name in arrays)
    return f"def example({parameters}):\n" + "".join(f"    {line}\n" for line in lines)


@dataclass(frozen=True)
class Outcome:
    """What only a run can tell about an example."""

    text: str  # Ascend C of its own lines
    results: tuple[str, ...] = ()
    printed: str = ""
    error: str = ""


class Framed:
    """An example within its kernel, with its arguments."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.around = Surrounding(row) if CORE in row.called_by else ThreadSurrounding(row)
        self.soc = next(soc for soc in SOCS if any(soc not in row.not_on(form) for form in row.forms))
        self.arguments = {name: array.fresh() for name, array in self.around.arrays.items()}

    def example(self, outcome: Outcome) -> Example:
        """What its page shows."""
        arrays = self.around.arrays
        return Example(
            soc=self.soc,
            kernel=self.around.kernel(),
            lines=tuple(self.around.lines),
            launch=f"example[{str(self.around.shape()).strip('()')}]({', '.join(arrays)})",
            text=outcome.text,
            given=tuple(_given(arrays[name], self.arguments[name]) for name in arrays if arrays[name].is_input),
            results=outcome.results,
            printed=outcome.printed,
            error=outcome.error,
        )


class Prepared(Framed):
    """An example as a kernel that can be compiled and run."""

    def __init__(self, row: Row, folder: Path) -> None:
        super().__init__(row)
        path = folder / f"example_{row.name.replace('.', '_')}.py"
        # Each runs once: what a compiler saves by trying less is most of the time that a page takes.
        marked = self.around.kernel(f"soc={self.soc!r}", "opt_level=0").replace("@simt\n", "@simt(opt_level=0)\n")
        path.write_text(f"from opwright import asc\nfrom opwright.asc import simt\n\n\n{marked}")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.kernel = module.example

    def run(self) -> Outcome:
        """Runs it once, on arrays of its own."""
        arguments = {name: array.fresh() for name, array in self.around.arrays.items()}
        given = {name: array.copy() for name, array in arguments.items()}
        printed, error = io.StringIO(), ""
        with contextlib.redirect_stdout(printed):
            try:
                self.kernel[self.around.shape()](*arguments.values())
            except TrapError as trapped:
                if self.row.name != "trap":
                    raise
                error = str(trapped).splitlines()[0]
        changed = {name: array for name, array in arguments.items() if _differs(array, given[name])}
        results = tuple(_show(name, array, given[name]) for name, array in changed.items())
        return Outcome(self._text(), results, printed.getvalue(), error)

    def _text(self) -> str:
        """The lines of Ascend C that the example became."""
        lines = self.kernel.emit(*self.arguments.values()).splitlines()
        places = self.kernel.compiled(*self.arguments.values()).places
        # What the kernel is set up with stands in no line of it.
        numbers = [
            number for number, place in places.items() if place.at and int(place.at.split(":")[0]) in self.around.lines
        ]
        found = [lines[number - 1].strip() for number in sorted(numbers)]
        # What has no place of its own, such as a value, is found by its name.
        word = self.row.cpp.removesuffix("[]") or "["
        return "\n".join(found or [line.strip() for line in lines if word in line][:1])


def _differs(now: np.ndarray[Any, Any], before: np.ndarray[Any, Any]) -> bool:
    return now.tobytes() != before.tobytes()


def _show(name: str, array: np.ndarray[Any, Any], before: np.ndarray[Any, Any] | None = None) -> str:
    """The first elements, or the first that differ from before."""
    start = 0
    if before is not None:
        start = next(i for i in range(LENGTH) if _differs(array[i : i + 1], before[i : i + 1]))
    part = f"[{start}:{start + SHOWN}]" if start else ""
    numbers = ", ".join(str(value) for value in array[start : start + SHOWN])
    return f"{name}{part} = [{numbers}, ...]"


def _given(array: Array, values: np.ndarray[Any, Any]) -> str:
    """What goes in; an address is another in every run."""
    shown = _show(array.name, values)
    return shown if array.letter != LIST else shown.replace(str(values[4]), "<address>")


def read_outcomes(text: str) -> dict[str, Outcome]:
    """What came out when the examples were run, by row."""
    noted = json.loads(text or "{}")
    return {name: Outcome(**{**one, "results": tuple(one.get("results", ()))}) for name, one in noted.items()}


def note_outcome(name: str, outcome: Outcome) -> None:
    """Writes down what came out for a row, and forgets rows that are no more; tests do so side by side."""
    with OUTCOMES.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        noted = {**read_outcomes(file.read()), name: outcome}
        kept = {
            name: {key: value for key, value in asdict(noted[name]).items() if value}
            for name in sorted(noted.keys() & ROWS.keys())
        }
        file.truncate(0)
        file.write(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")


def stored_examples() -> dict[str, Example]:
    """Every row's example, with what came out when it was run last. Refuses a row that was not run."""
    outcomes = read_outcomes(OUTCOMES.read_text(encoding="utf-8"))
    if missing := ROWS.keys() - outcomes.keys():
        names = ", ".join(sorted(missing))
        raise LookupError(f"{OUTCOMES.name} lacks {names}: pytest tests/ascendc/test_examples.py --update-golden")
    return {name: Framed(row).example(outcomes[name]) for name, row in ROWS.items()}
