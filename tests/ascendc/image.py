"""Kernels that work on an image of UB: one array of bytes is copied in, a call is made, and all of it is copied out.

In: where tensors lie, and calls as text. Out: a kernel that makes the call of a number. So one compiled kernel serves
many calls and shapes, and what a call must not touch is compared as well as what it writes.
"""

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType

import ml_dtypes
import numpy as np
import tally

from opwright.ascendc.dtypes import DTYPES
from opwright.runtime.jit import JitFunction

NUMPY = {name: np.dtype(getattr(ml_dtypes, name) if name == "bfloat16" else name) for name in DTYPES}
A2, A5 = "ascend910b", "ascend950"

Tensors = Mapping[str, tuple[str, int, int]]  # name -> element type, first byte, bytes


def load(folder: Path, name: str, text: str) -> ModuleType:
    """A module made of text."""
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Image:
    """A kernel over `size` bytes of UB; `calls` may use the names of the tensors and of the parameters."""

    def __init__(
        self, folder: Path, name: str, size: int, tensors: Tensors, parameters: str, calls: Sequence[str], soc: str = A5
    ) -> None:
        self.size, self.tensors = size, tensors
        lines = [
            "from opwright import asc",
            "from opwright.asc import CMPMODE, SelMode",
            f'@asc.jit(soc="{soc}")',
            f"def calls(m: asc.GlobalAddress, which: int{', ' if parameters else ''}{parameters}):",
            "    pipe = asc.TPipe()",  # some of the calls ask for it
            "    m_gm = asc.GlobalTensor()",
            f"    m_gm.set_global_buffer(m, {size})",
            "    ub = asc.TBuf(asc.TPosition.VECCALC)",
            f"    pipe.init_buffer(ub, {size})",
            f"    whole = ub.get(asc.uint8, {size})",
            f"    asc.data_copy(whole, m_gm, {size})",
            "    asc.pipe_barrier(asc.PipeID.PIPE_ALL)",
        ]
        for tensor, (dtype, start, length) in tensors.items():
            count = length // DTYPES[dtype].bytes
            lines.append(f"    {tensor} = ub.get_with_offset({count}, {start}, asc.{dtype})")
        for number, call in enumerate(calls):
            lines += [f"    if which == {number}:", *(f"        {line}" for line in call.splitlines())]
        lines += ["    asc.pipe_barrier(asc.PipeID.PIPE_ALL)", f"    asc.data_copy(m_gm, whole, {size})"]
        self.kernel: JitFunction = load(folder, name, "\n".join(lines) + "\n").calls

    def part(self, image: np.ndarray, tensor: str, start: int = 0) -> np.ndarray:
        """The elements of a tensor, as a view of an image."""
        dtype, first, length = self.tensors[tensor]
        return image[first : first + length].view(NUMPY[dtype])[start:]

    def run(self, image: np.ndarray, which: int, *arguments: int | float, check: bool = False) -> np.ndarray:
        """The image after a call."""
        after = image.copy()
        (self.kernel.check if check else self.kernel)[1](after, which, *arguments)
        return after


def noise(size: int, seed: int) -> np.ndarray:
    """Bytes of every kind."""
    return np.random.default_rng(seed).integers(0, 256, size, dtype=np.uint8)


def numbers(dtype: str, count: int, seed: int) -> np.ndarray:
    """A few values that come up again and again, with the special ones of floats."""
    kind = NUMPY[dtype]
    random = np.random.default_rng(seed)
    if DTYPES[dtype].is_float():
        pool = np.array([0.0, -0.0, 1.0, -1.5, 2.0, np.inf, -np.inf, np.nan, 1e-7, 300.0], np.float32).astype(kind)
    else:
        low, high = DTYPES[dtype].limits
        pool = np.array([0, 1, 2, 7, low, high, high // 2], dtype=object).astype(kind)
    return pool[random.integers(0, len(pool), count)]


def lanes_of(mask: int | tuple[int, int], lanes: int) -> list[int]:
    """The lanes of a repeat that a mask chooses: the first ones, or those whose bits are set."""
    if isinstance(mask, int):
        return list(range(mask))
    return [lane for lane in range(min(lanes, 128)) if mask[lane // 64] >> lane % 64 & 1]


def place(size: int, repeat: int, lane: int, block_stride: int, repeat_stride: int) -> int:
    """The element of a lane, counted from the start of an operand of elements of `size` bytes."""
    byte = lane * size
    return ((repeat * repeat_stride + byte // 32 * block_stride) * 32 + byte % 32) // size


def same(got: np.ndarray, wanted: np.ndarray, what: object = "") -> None:
    """Byte by byte."""
    tally.compared(wanted.size)
    np.testing.assert_array_equal(got, wanted, str(what))
