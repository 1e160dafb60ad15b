"""Kernels for numeric tests of rows: many calls in one kernel, each on fresh tensors, with what they need at run time.

In: the tensors of the kernel, the calls as text. Out: `Calls`: runs all of them or one, and gives what each one wrote.
Tensors can be told to start elsewhere and to be smaller, and the barrier before a call can be left out: the same kernel
shows that a wrong use of each call is found.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import ml_dtypes
import numpy as np
import tally

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.ascendc.row import MASK, Form
from opwright.ascendc.rules import Chosen
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import ROWS
from opwright.runtime.jit import JitFunction

NUMPY = {name: np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name) for name in DTYPES}
ROOM = 32  # bytes between tensors, so that one may start a little later


@dataclass(frozen=True)
class Tensor:
    """A tensor in UB that is filled from global memory before every call; `written` ones are copied back."""

    name: str
    dtype: str
    elements: int  # whole blocks
    written: bool = False

    @property
    def bytes(self) -> int:
        """What it takes."""
        return self.elements * NUMPY[self.dtype].itemsize


@dataclass
class Calls:
    """A kernel with many calls; `watched` is the same one for the checked twin, which is never in a hurry."""

    kernel: JitFunction
    watched: JitFunction
    tensors: Sequence[Tensor]
    calls: Sequence[str]

    def run(
        self,
        contents: Mapping[str, np.ndarray],
        arguments: Sequence[int | float],
        only: int = -1,
        moved: Mapping[str, int] | None = None,
        sizes: Mapping[str, int] | None = None,
        is_right: bool = True,
        checked: bool = False,
    ) -> dict[str, np.ndarray]:
        """What each call leaves in the written tensors, call by call, from the same contents."""
        arrays = []
        for tensor in self.tensors:
            assert contents[tensor.name].shape == (tensor.elements,)
            whole = contents[tensor.name].astype(NUMPY[tensor.dtype], copy=True)
            arrays.append(np.tile(whole, (len(self.calls), 1)) if tensor.written else whole)
        places = []
        for tensor in self.tensors:
            start = (moved or {}).get(tensor.name, 0)
            size = (sizes or {}).get(tensor.name, tensor.elements)
            places += [start, size]
        launcher = self.watched.check[1] if checked else self.kernel[1]
        launcher(*(array.reshape(-1) for array in arrays), *places, only, int(is_right), *arguments)
        written = zip(self.tensors, arrays, strict=True)
        return {tensor.name: array for tensor, array in written if tensor.written}


def calls(
    folder: Path,
    name: str,
    soc: str,
    tensors: Sequence[Tensor],
    parameters: str,
    texts: Sequence[str],
    opt_level: int = 3,
) -> Calls:
    """A kernel of these calls, which use the tensors by name and the parameters.

    What is compiled fast runs slower, and gives the same bits.
    """
    arrays = ", ".join(f"{tensor.name}: asc.GlobalAddress" for tensor in tensors)
    places = ", ".join(f"{tensor.name}_move: int, {tensor.name}_size: int" for tensor in tensors)
    # As much more as the largest takes: a test may move any of them to where the next one lies.
    rooms = [_room(tensor) for tensor in tensors]
    room = min(sum(rooms) + max(rooms), SOCS[soc].usable("UB"))
    lines = [
        "from opwright import asc",
        f"def {name}({arrays}, {places}, only: int, is_right: int{', ' if parameters else ''}{parameters}):",
        "    pipe = asc.TPipe()",  # some of the calls ask for it
        "    ub = asc.TBuf(asc.TPosition.VECCALC)",
        f"    pipe.init_buffer(ub, {room})",
    ]
    start = 0
    for tensor in tensors:
        own = tensor.name
        lines += [
            f"    {own}_gm = asc.GlobalTensor()",
            f"    {own}_gm.set_global_buffer({own})",
            f"    {own}_all = ub.get_with_offset({tensor.elements}, {start}, asc.{tensor.dtype})",
            f"    {own}_ub = ub.get_with_offset({own}_size, {start} + {own}_move, asc.{tensor.dtype})",
        ]
        start += _room(tensor)
    for number, text in enumerate(texts):
        lines.append(f"    if only < 0 or only == {number}:")
        part = {tensor.name: f"[{number * tensor.elements}:]" if tensor.written else "" for tensor in tensors}
        lines += [f"        asc.data_copy({t.name}_all, {t.name}_gm{part[t.name]}, {t.elements})" for t in tensors]
        lines += ["        if is_right:", "            asc.pipe_barrier(asc.PipeID.PIPE_ALL)"]
        lines += [f"        {line}" for line in text.splitlines()]
        lines.append("        asc.pipe_barrier(asc.PipeID.PIPE_ALL)")
        written = [tensor for tensor in tensors if tensor.written]
        lines += [f"        asc.data_copy({t.name}_gm{part[t.name]}, {t.name}_all, {t.elements})" for t in written]
        lines.append("        asc.pipe_barrier(asc.PipeID.PIPE_ALL)")
    path = folder / f"{name}.py"
    path.write_text("\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, name)
    kernel, watched = (asc.jit(soc=soc, opt_level=level)(function) for level in (opt_level, 0))
    return Calls(kernel, watched, tensors, texts)


def _room(tensor: Tensor) -> int:
    """The bytes of UB from the start of a tensor to that of the next."""
    return -(-tensor.bytes // 32) * 32 + ROOM


def takes(name: str, form: int, soc: str, **dtypes: str) -> bool:
    """Whether a form of a call takes element types on a SoC."""
    row = ROWS[name]
    chosen: Form = row.forms[form]
    kinds = row.dtypes_of(chosen)
    return soc not in chosen.not_on and all(dtype in kinds[key].by_soc[soc] for key, dtype in dtypes.items())


def may_leave_mask(form: Form) -> bool:
    """Whether a form may take the mask register as it is."""
    return MASK in form.named and not any(isinstance(rule, Chosen) and rule.operand == MASK for rule in form.rules)


# Calls whose float32 may be the neighbour of the nearest one. Their float16 is the nearest.
BOUNDED = {"exp", "ln"}


def neighbours(got: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where two floats are the same number or next to each other."""
    with np.errstate(all="ignore"):
        return (got == wanted) | (np.nextafter(wanted, got) == got)


def same(got: np.ndarray, wanted: np.ndarray, what: str, bounded: bool = False) -> None:
    """Bit for bit, or within 1 ulp; a NaN is a NaN."""
    tally.compared(wanted.size)
    assert got.dtype == wanted.dtype
    with np.errstate(invalid="ignore"):
        both = (got != got) & (wanted != wanted)
    bits = np.dtype(f"u{got.itemsize}")
    wrong = (got.view(bits) != wanted.view(bits)) & ~both
    if bounded:
        wrong &= ~neighbours(got, wanted)
    first = int(wrong.argmax()) if wrong.any() else 0
    assert not wrong.any(), f"{what}: at {first} got {got[first]}, wanted {wanted[first]}, {wrong.sum()} differ"
