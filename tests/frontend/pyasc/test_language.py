"""Kernels written as PyAsc's are: what such code says in the language becomes text, or is refused with a way out.

Kernels of our own; each case is the body of one. x and y are f32[256], n is an int, r a float.
"""

import importlib.util
import textwrap
from pathlib import Path

import pytest

from opwright import errors

pytestmark = pytest.mark.quick

HEAD = """\
import enum

from opwright import asc


class Mode(enum.IntEnum):
    FAST = 1
    SAFE = 2


TILE: asc.ConstExpr[int] = 64
SIZES = (16, 32, 64)


@asc.jit
def load(dst: asc.LocalTensor, src: asc.GlobalAddress, count: int):
    asc.data_copy(dst, src, count)


@asc.jit
def part(src: asc.GlobalAddress, tile: int):
    return src[tile * 64 :]


@asc.jit
def moved(src: asc.GlobalAddress, by: int):
    return src + by


@asc.jit
def scaled(value: int, by: asc.ConstExpr[int]) -> int:
    return value * by


@asc.jit
def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int, r: float):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    i = asc.LocalTensor(asc.int32, asc.TPosition.VECIN, 256, 64)
"""

# name: (body, a part of the text)
TAKEN = {
    "tensor for an address": ("load(a, x_gm, 64)", "load(a, x_gm, 64);"),
    "part of a tensor for an address": ("load(a, x_gm[64:], 64)", "load(a, x_gm[64], 64);"),
    "address for an address": ("g = asc.GlobalTensor()\ng.set_global_buffer(moved(x, n))", "= moved("),
    "tensor that a helper gives back": ("load(a, part(x_gm, n), 64)", "= part(x_gm, n);"),
    "list of constants": ("sizes = [16, 32]\nasc.duplicate(a, 1.0, sizes[1])", "Duplicate(a, 1.0f, 32);"),
    "last of a list": ("sizes = [16, 32]\nasc.duplicate(a, 1.0, sizes[-1])", "Duplicate(a, 1.0f, 32);"),
    "tuple of constants": ("sizes = (16, 32)\nasc.duplicate(a, 1.0, sizes[0])", "Duplicate(a, 1.0f, 16);"),
    "tuple from outside": ("asc.duplicate(a, 1.0, SIZES[2])", "Duplicate(a, 1.0f, 64);"),
    "list taken apart": ("first, second = [16, 32]\nasc.duplicate(a, 1.0, second)", "Duplicate(a, 1.0f, 32);"),
    "length of a list": ("sizes = [16, 32]\nasc.duplicate(a, 1.0, len(sizes) * 8)", "Duplicate(a, 1.0f, 16);"),
    "list in a static loop": (
        "sizes = [16, 32]\nfor k in asc.static_range(2):\n    asc.duplicate(a, 1.0, sizes[k])",
        "Duplicate(a, 1.0f, 32);",
    ),
    "list in a list": ("sizes = [[8, 16], [24, 32]]\nasc.duplicate(a, 1.0, sizes[1][0])", "Duplicate(a, 1.0f, 24);"),
    "mask as a list": (
        "mask = [0xFF, 0]\nasc.duplicate(a, 1.0, mask, 1, 1, 8)",
        "uint64_t mask[2] = {",
    ),
    "value of an IntEnum": ("asc.duplicate(a, 1.0, Mode.SAFE * 8)", "Duplicate(a, 1.0f, 16);"),
    "IntEnum as an argument": ("asc.duplicate(a, 1.0, Mode.SAFE)", "Duplicate(a, 1.0f, 2);"),
    "IntEnum and a number of the run": ('asc.printf("%d", n + Mode.SAFE)', "n + 2"),
    "comparison with an IntEnum": ("if n == Mode.FAST:\n    asc.duplicate(a, 1.0, 8)", "if (n == 1) {"),
    "branch on an IntEnum": ("if Mode.SAFE == Mode.FAST:\n    asc.trap()", "x_gm.SetGlobalBuffer"),
    "IntEnum by its value": ("asc.duplicate(a, 1.0, Mode.SAFE.value)", "Duplicate(a, 1.0f, 2);"),
    "constructor of an int32": ("asc.duplicate(i, asc.int32(n), 64)", "Duplicate(i, static_cast<int32_t>(n), 64);"),
    "constructor of a float": ("asc.duplicate(a, asc.float32(n), 64)", "Duplicate(a, static_cast<float>(n), 64);"),
    "constructor of a constant": ("asc.duplicate(a, asc.float32(1.5), 64)", "Duplicate(a, 1.5f, 64);"),
    "constructor that truncates": ("asc.duplicate(i, asc.int32(r), 64)", "static_cast<int32_t>("),
    "constructor of a narrow number": ('k = asc.uint8(n)\nasc.printf("%d", k)', "uint8_t k = static_cast<uint8_t>(n);"),
    "constructor of a 64-bit number": ('asc.printf("%d", asc.int64(n) + 1)', "n + 1"),
    "method cast of a number": ("asc.duplicate(i, n.cast(asc.int32), 64)", "static_cast<int32_t>(n)"),
    "method ceildiv of a number": ('asc.printf("%d", n.ceildiv(64))', "floor_div(-n, 64)"),
    "ceildiv": ('asc.printf("%d", asc.ceildiv(n, TILE))', "floor_div(-n, 64)"),
    "constant with an annotation": ("asc.duplicate(a, 1.0, TILE)", "Duplicate(a, 1.0f, 64);"),
    "unwrapped constant": ("asc.duplicate(a, 1.0, asc.ConstExpr.unwrap(TILE))", "Duplicate(a, 1.0f, 64);"),
    "constant of a helper": ('asc.printf("%d", scaled(n, 3))', "scaled(n)"),
    "range of asc": ("for k in asc.range(4):\n    asc.duplicate(a, 1.0, 8)", "for (int64_t k = 0; k < 4; ++k) {"),
    "range over the cores": (
        "for k in range(asc.get_block_idx(), n, asc.get_block_num()):\n    asc.duplicate(a, 1.0, 8)",
        "for (int64_t k = AscendC::GetBlockIdx(); k < n; k += AscendC::GetBlockNum()) {",
    ),
    "tensor called for a part": ("asc.data_copy(a, x_gm(n), 64)", "x_gm[n]"),
    "size of a data type": ("asc.duplicate(a, 1.0, a.dtype.sizeof() * 4)", "Duplicate(a, 1.0f, 16);"),
    "static assertion": ("asc.static_assert(TILE % 8 == 0)\nasc.duplicate(a, 1.0, 8)", "Duplicate(a, 1.0f, 8);"),
    "array of numbers": ('k = asc.array(asc.int32, [1, 2])\nasc.printf("%d", k[n])', "int32_t k[2] = {1, 2};"),
    "keywords": ("asc.add(dst=a, src0=a, src1=a, count=64)", "AscendC::Add(a, a, a, 64);"),
    "condition of truth values": ("if n > 1 and r > 0.5:\n    asc.duplicate(a, r, 8)", "if (n > 1 && r > 0.5f) {"),
    "flag with its event": ("asc.set_flag(asc.HardEvent.MTE2_V, 0)", "SetFlag<AscendC::HardEvent::MTE2_V>(0);"),
    "barrier": ("asc.pipe_barrier(asc.PipeID.PIPE_ALL)", "PipeBarrier<PIPE_ALL>();"),
}

# name: (body, error, words of the way out)
REFUSED = {
    "list of values of the run": ("k = [n, 1]", "UnsupportedSyntax", "a list holds constants"),
    "value of the run in a list in a list": ("k = [[n, 1], [2, 3]]", "UnsupportedSyntax", "a list holds constants"),
    "changed list": ("k = [1, 2]\nk[0] = 3", "UnsupportedSyntax", "asc.array"),
    "constructor of two numbers": ("k = asc.int32(n, n)", "UnsupportedSyntax", "calling asc.int32"),
    "number for an address": ("load(a, n, 64)", "WrongCall", "argument 'src' must be asc.GlobalAddress"),
    "tensor of a core for an address": ("load(a, a, 64)", "WrongCall", "argument 'src' must be asc.GlobalAddress"),
    "placement by the compiler": (
        "k = asc.LocalTensorAuto(asc.float32, 64)",
        "UnsupportedSyntax",
        "the tile level, which is planned, will place tensors and set flags",
    ),
}


def compiled(folder: Path, body: str) -> str:
    path = folder / "kernels.py"
    path.write_text(HEAD + textwrap.indent(body, "    ") + "\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("kernels_of_pyasc", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel.emit("f32[256]", "f32[256]", 3, 0.5)


@pytest.mark.parametrize("name", TAKEN)
def test_taken(name: str, tmp_path: Path) -> None:
    body, words = TAKEN[name]
    assert words in compiled(tmp_path, body)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    body, kind, words = REFUSED[name]
    with pytest.raises(errors.KernelError) as caught:
        compiled(tmp_path, body)
    assert type(caught.value).__name__ == kind, caught.value
    assert words in str(caught.value), caught.value
