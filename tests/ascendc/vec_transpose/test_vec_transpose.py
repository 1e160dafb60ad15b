"""Transpositions against NumPy on an image of UB; see `image.py`."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from image import NUMPY, Image, load, noise, same

from opwright.errors import OpwrightError, OutOfRange, RaceError, RuleBroken, RuleError, WrongDtype

K = 1024
SIZE = 64 * K
TYPES = ("int8", "uint8", "int16", "uint16", "float16", "int32", "uint32", "float32")
CHECKED = "uint16"  # the type whose kernels run under the checked twin too
NAMES = {0: "TRANSPOSE_TYPE_NONE", 1: "TRANSPOSE_NCHW2NHWC", 2: "TRANSPOSE_NHWC2NCHW", 3: "TRANSPOSE_ND2ND_B16"}
SHAPES = [(1, 2, 1, 32), (3, 5, 4, 16), (2, 1, 8, 8), (1, 7, 2, 64), (0, 3, 4, 16), (2, 0, 4, 16)]


@pytest.mark.parametrize("dtype", TYPES)
def test_transpose(dtype: str, tmp_path: Path, ran: Callable[[str, int, str], None]) -> None:
    size = NUMPY[dtype].itemsize
    parts = {"z": (dtype, 0, 16 * K), "x": (dtype, 16 * K, 16 * K), "t": ("uint8", 32 * K, 32 * K)}
    calls = [
        f"asc.transpose(z, x, t, asc.TransposeParamsExt(n, c, h, w, asc.TransposeType.{name}))"
        for name in NAMES.values()
    ]
    if size == 2:
        calls += ["asc.transpose(z, x)", "asc.transpose(x, x)"]
    kernel = Image(tmp_path, f"transpose_{dtype}", SIZE, parts, "n: int, c: int, h: int, w: int", calls)
    for seed, (n, c, h, w) in enumerate(SHAPES):
        for which in (0, 1, 2):
            image = noise(SIZE, seed)
            wanted = image.copy()
            count = n * c * h * w
            source = kernel.part(image, "x")[:count]
            if which == 1:
                result = source.reshape(n, c, h, w).transpose(0, 2, 3, 1)
            else:
                result = source.reshape(n, h, w, c).transpose(0, 3, 1, 2)
            if which:
                kernel.part(wanted, "z")[:count] = result.reshape(-1)
                tiles = c + 2 if which == 1 else 2 * c + 1
                kernel.part(wanted, "t")[: tiles * (32 if size == 1 else 16) * 32] = 0xFF
            got = kernel.run(image, which, n, c, h, w, check=dtype == CHECKED)
            same(got, wanted, (NAMES[which], n, c, h, w))
    ran("transpose", 1, dtype)
    ran("TransposeParamsExt", 0, "")
    if size == 2:
        for which, to in ((4, "z"), (5, "x"), *(((3, "z"),) if dtype == "uint16" else ())):
            image = noise(SIZE, which)
            wanted = image.copy()
            kernel.part(wanted, to)[:256] = kernel.part(image, "x")[:256].reshape(16, 16).T.reshape(-1)
            same(kernel.run(image, which, 0, 0, 16, 16, check=dtype == CHECKED), wanted, which)
        ran("transpose", 0, dtype)


WRONG = """\
from opwright import asc

@asc.jit
def kernel(x: asc.GlobalAddress, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 512)
    a = asc.LocalTensor(asc.uint16, asc.TPosition.VECCALC, 0, 512)
    f = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 256)
    z = asc.LocalTensor(asc.uint16, asc.TPosition.VECCALC, 1024, 256)
    t = asc.LocalTensor(asc.uint8, asc.TPosition.VECCALC, 2048, 2048)
    asc.data_copy(a, x_gm, 512)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    {}
"""
EXT = "asc.TransposeParamsExt({}, asc.TransposeType.TRANSPOSE_{})"
REFUSED = [
    ("asc.transpose(f, f)", WrongDtype, "16 bits"),
    ("asc.transpose(z[8:], a)", RuleBroken, "multiple of 32 bytes"),
    ("asc.transpose(z[16:], a)", OutOfRange, "dst is used for 512"),
    ("asc.transpose(a[16:], a)", RuleError, "overlaps"),
    ("asc.transpose(z, a)\n    asc.data_copy(x_gm, z, 16)", RaceError, ""),
    (f"asc.transpose(z, a, t, {EXT.format('1, 1, 1, n', 'NCHW2NHWC')})", RuleError, "whole blocks"),
    (f"asc.transpose(z, a, t, {EXT.format('1, 1, 1, 15', 'NCHW2NHWC')})", RuleBroken, "whole blocks"),
    (f"asc.transpose(z, a, t, {EXT.format('1, 1, n, 1024', 'NCHW2NHWC')})", RuleError, "4095"),
    (f"asc.transpose(a, a, t, {EXT.format('n, 1, 1, 16', 'NCHW2NHWC')})", RuleError, "dst must not be src"),
    (f"asc.transpose(z, a, t, {EXT.format('1, 1, n, 16', 'ND2ND_B16')})", RuleError, "16 x 16"),
    (f"asc.transpose(z, a, t, {EXT.format('1, 1, 64, 64', 'NCHW2NHWC')})", RuleBroken, "4095"),
    (f"asc.transpose(a, a, t, {EXT.format('1, 1, 1, 16', 'NCHW2NHWC')})", RuleBroken, "dst must not be src"),
    (f"asc.transpose(z, a, t, {EXT.format('1, 1, 1, 16', 'ND2ND_ONLY')})", RuleBroken, "transpose_type"),
    (f"asc.transpose(z, a, t, {EXT.format('1, 1, 8, 16', 'ND2ND_B16')})", RuleBroken, "16 x 16"),
    (f"asc.transpose(z, a, t, {EXT.format('1, 4, 1, 16', 'NCHW2NHWC')})", OutOfRange, "shared_tmp_buffer is used"),
    (
        f"asc.transpose(z, a, t, {EXT.format('1, 1, 1, 16', 'NCHW2NHWC')})\n    asc.data_copy(a, x_gm, 16)",
        RaceError,
        "",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), REFUSED, ids=lambda value: str(value)[:60])
def test_wrong(call: str, error: type[OpwrightError], words: str, tmp_path: Path) -> None:
    kernel = load(tmp_path, "wrong", WRONG.format(call)).kernel
    with pytest.raises(error) as caught:
        kernel.check[1](np.ones(512, np.uint16), 15)
    assert words in str(caught.value), caught.value


# Lists of blocks ----------------------------------------------------------------------------------------------

LISTS = """\
rows = asc.TensorList(asc.{0}, {1})
columns = asc.TensorList(asc.{0}, {2})
asc.trans_data_to_5hd(rows, columns, asc.TransDataTo5HDParams({3}, {4}, repeats, dst_step, src_step))"""


@pytest.mark.parametrize("dtype", TYPES)
def test_lists(dtype: str, tmp_path: Path, ran: Callable[[str, int, str], None]) -> None:
    """Blocks of any order, with steps between repeats; a single repeat starts one step further on."""
    size = NUMPY[dtype].itemsize
    parts = {"z": (dtype, 0, 16 * K), "x": (dtype, 16 * K, 16 * K)}
    order = np.random.default_rng(size).permutation(16)
    rows = ", ".join(f"z[{block * 512 // size}:]" for block in order)
    columns = ", ".join(f"x[{block * 512 // size}:]" for block in reversed(order))
    halves = [(False, False), (True, False), (False, True), (True, True)] if size == 1 else [(False, False)]
    calls = [LISTS.format(dtype, rows, columns, *half) for half in halves]
    kernel = Image(tmp_path, f"lists_{dtype}", 32 * K, parts, "repeats: int, dst_step: int, src_step: int", calls)
    for seed, (repeats, dst_step, src_step) in enumerate([(1, 0, 0), (1, 2, 3), (4, 1, 3), (0, 1, 1), (16, 1, 0)]):
        for which, (dst_high, src_high) in enumerate(halves):
            image = noise(32 * K, seed)
            wanted = image.copy()
            x, z = kernel.part(image, "x"), kernel.part(wanted, "z")
            in_block = 32 // size
            for repeat in range(repeats):
                turn = 1 if repeats == 1 else repeat
                source = [int(block) * 512 // size + turn * src_step * in_block for block in reversed(order)]
                target = [int(block) * 512 // size + turn * dst_step * in_block for block in order]
                if size == 2:
                    for i in range(16):
                        z[target[i] : target[i] + 16] = [x[source[j] + i] for j in range(16)]
                elif size == 4:
                    for i in range(8):
                        z[target[2 * i] : target[2 * i] + 8] = [x[source[j] + i] for j in range(8)]
                        z[target[2 * i + 1] : target[2 * i + 1] + 8] = [x[source[8 + j] + i] for j in range(8)]
                else:
                    for i in range(16):
                        to = target[i] + 16 * dst_high
                        z[to : to + 16] = [x[source[j] + 16 * src_high + i] for j in range(16)]
            got = kernel.run(image, which, repeats, dst_step, src_step, check=dtype == CHECKED)
            same(got, wanted, (repeats, dst_step, src_step, dst_high, src_high))
    ran("trans_data_to_5hd", 0, dtype)
    ran("TransDataTo5HDParams", 0, "")


def listed(tensor: str, step: int = 16) -> str:
    return "asc.TensorList(asc.uint16, " + ", ".join(f"{tensor}[{step * row}:]" for row in range(16)) + ")"


@pytest.mark.parametrize(
    ("rows", "columns", "after", "error", "words"),
    [
        (listed("z"), listed("a"), "asc.data_copy(a, x_gm, 16)", RaceError, ""),
        (listed("z"), listed("a", 8), "", RuleError, "every tensor of a list"),
        (listed("z"), listed("z"), "", RuleError, "overlaps"),
        (listed("z[16:]"), listed("a"), "", OutOfRange, "dst_list is used for 32 bytes"),
    ],
)
def test_wrong_lists(
    rows: str, columns: str, after: str, error: type[OpwrightError], words: str, tmp_path: Path
) -> None:
    call = f"rows = {rows}\n    columns = {columns}\n"
    call += f"    asc.trans_data_to_5hd(rows, columns, asc.TransDataTo5HDParams())\n    {after}"
    kernel = load(tmp_path, "wrong", WRONG.format(call)).kernel
    with pytest.raises(error) as caught:
        kernel.check[1](np.ones(512, np.uint16), 15)
    assert words in str(caught.value), caught.value
