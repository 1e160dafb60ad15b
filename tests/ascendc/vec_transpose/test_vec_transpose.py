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
    (f"asc.transpose(z, a, t, {EXT.format('1, 1, 64, 64', 'NCHW2NHWC')})", RuleError, "4095"),
    (f"asc.transpose(a, a, t, {EXT.format('1, 1, 1, 16', 'NCHW2NHWC')})", RuleError, "dst must not be src"),
    (f"asc.transpose(z, a, t, {EXT.format('1, 1, 1, 16', 'ND2ND_ONLY')})", RuleError, "transpose_type"),
    (f"asc.transpose(z, a, t, {EXT.format('1, 1, 8, 16', 'ND2ND_B16')})", RuleError, "16 x 16"),
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
