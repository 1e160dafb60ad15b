"""Kernels on a cube core whose memories are seen as bytes: many calls in one kernel, chosen in the run.

In: calls as text, over tensors `l1`, `l0a`, `l0b`, `bt`, `fb` that start at byte 0 of their memories, `g_gm` in global
memory, and integers `p0`, `p1`, ... Out: `Calls`: runs one of them on given bytes of L1 and of global memory, and gives
the bytes of the memory that it writes. What it does not write is 0xab.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from opwright.ascendc.coverage import dtypes_of
from opwright.ascendc.dtypes import DTYPES, ELEMENTS
from opwright.ascendc.socs import MEMORIES
from opwright.ascendc.table import ROWS
from opwright.runtime.jit import JitFunction

UNTOUCHED = 0xAB
POSITIONS = {"l1": "A1", "l0a": "A2", "l0b": "B2", "bt": "C2", "fb": "C2PIPE2GM"}
BYTES = {"l1": 65536, "l0a": 65536, "l0b": 65536, "bt": 1024, "fb": 2048, "indices": 16384}


@dataclass(frozen=True)
class Call:
    """One call, the memory that it writes, and what of the table it shows."""

    text: str
    writes: str
    row: str
    form: int


@dataclass
class Calls:
    """A kernel with many calls."""

    kernel: JitFunction
    calls: Mapping[str, Call]
    parameters: int

    def run(
        self, name: str, l1: np.ndarray, source: np.ndarray, arguments: Sequence[int], checked: bool = False
    ) -> np.ndarray:
        """The bytes of the memory that a call writes."""
        call = self.calls[name]
        given = [*arguments, *[0] * (self.parameters - len(arguments))]
        memory = "l0b" if call.writes == "indices" else call.writes
        image = np.full(BYTES[call.writes], 0, np.uint8)
        start = np.full(BYTES["l1"], UNTOUCHED, np.uint8)
        if memory != "l1":
            start[: len(l1)] = l1
        launcher = self.kernel.check[1] if checked else self.kernel[1]
        where = MEMORIES.index(memory.upper()), BYTES["l0b"] if call.writes == "indices" else 0
        launcher(start, image, source, *where, list(self.calls).index(name), *given)
        return image


def form_of(row: str, *words: str) -> int:
    """The number of the form whose signature has all of some words."""
    found = [n for n, form in enumerate(ROWS[row].forms) if all(word in f"{form.signature}," for word in words)]
    assert len(found) == 1, (row, words, found)
    return found[0]


def note(ran: Callable[[str, int, str], None], call: Call, dtype: str) -> None:
    """Notes that a call was run and compared, with the structs that it takes."""
    ran(call.row, call.form, dtype)
    for name in re.findall(r"asc\.(\w+Param\w*)\(", call.text):
        ran(name, 0, dtype if ROWS[name].dtypes else "")


def takes(call: Call, soc: str, dtype: str) -> bool:
    """Whether a SoC has a form with an element type, and no other type is involved."""
    row = ROWS[call.row]
    form = row.forms[call.form]
    if soc in form.not_on or dtype not in dtypes_of(row, form):
        return False
    return all(dtype in kinds.by_soc[soc] for variable, kinds in row.dtypes_of(form).items() if variable == "T")


def calls(folder: Path, name: str, soc: str, dtype: str, texts: Mapping[str, Call], parameters: int) -> Calls:
    """A kernel of those calls that a SoC has for an element type. It is compiled fast: the bits are the same."""
    texts = {key: call for key, call in texts.items() if takes(call, soc, dtype)}
    size = ELEMENTS[dtype].bytes
    numbers = [f"p{number}" for number in range(parameters)]
    base = "opwright::current_core().memory"
    lines = [
        "from opwright import asc",
        f'@asc.jit(kernel_type="cube", soc="{soc}", opt_level=1)',
        f"def {name}(x: asc.GlobalAddress, z: asc.GlobalAddress, g: asc.GlobalAddress, memory: int, skipped: int, "
        f"which: int, {', '.join(f'{number}: int' for number in numbers)}):",
        "    z_gm = asc.GlobalTensor()",
        "    z_gm.set_global_buffer(z)",
        "    z_gm.set_value(0, 0)",
        "    g_gm = asc.GlobalTensor()",
        "    g_gm.set_global_buffer(g)",
        f'    asc.inline("__builtin_memset({base}[memory].base + skipped, {UNTOUCHED}, {{bytes}});")',
        f'    asc.inline("__builtin_memcpy({base}[1].base, (const void*)x, {BYTES["l1"]});")',
    ]
    # Small floats are never numbers: their tensors are other tensors, seen so.
    made, seen = (f"asc.{dtype}", "") if dtype in DTYPES else ("asc.uint8", f".reinterpret_cast(asc.{dtype})")
    lines += [
        f"    {own} = asc.LocalTensor({made}, asc.TPosition.{position}, 0, {BYTES[own] // size}){seen}"
        for own, position in POSITIONS.items()
    ]
    for number, call in enumerate(texts.values()):
        lines.append(f"    {'if' if number == 0 else 'elif'} which == {number}:")
        lines += [f"        {line}" for line in call.text.format(dtype=f"asc.{dtype}").splitlines()]
    lines.append("    asc.pipe_barrier(asc.PipeID.PIPE_ALL)")
    for own, index in {own: MEMORIES.index(own.upper()) for own in POSITIONS}.items():
        lines.append(f"    if memory == {index} and skipped == 0:")
        lines.append(f'        asc.inline("__builtin_memcpy((void*)z, {base}[{index}].base, {BYTES[own]});")')
    lines.append("    if skipped != 0:")
    lines.append(f'        asc.inline("__builtin_memcpy((void*)z, {base}[3].base + skipped, {BYTES["indices"]});")')
    # What is filled before is as large as what is seen afterwards.
    sizes = " : ".join(f"memory == {MEMORIES.index(own.upper())} ? {BYTES[own]}" for own in POSITIONS)
    text = "\n".join(lines).replace("{bytes}", f"(skipped ? {BYTES['indices']} : {sizes} : 0)")
    path = folder / f"{name}.py"
    path.write_text(text + "\n")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Calls(getattr(module, name), texts, parameters)
