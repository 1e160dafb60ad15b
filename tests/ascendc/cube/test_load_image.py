"""Loads of windows of images, with every element type, against windows that NumPy cuts out; and their settings."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from call_kernels import NUMPY
from load_reference import Windows, loaded
from matrix_kernels import BYTES, UNTOUCHED, Call, Calls, calls, form_of, note, takes

from opwright.ascendc.dtypes import ELEMENTS

SOCS = ("ascend910b", "ascend950")
ROW = "load_data"
_IMAGE = (
    "asc.LoadData3DParamsV2([p0, p1, p2, p3], p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15, p16, "
    "{turn}, PADDING, dtype={{dtype}})"
)
_PRO = "asc.LoadData3DParamsV2Pro(p6, {turn}, ext_config=p17, filter_config=p18)"
_REPEATS = "asc.set_load_data_repeat(asc.LoadDataRepeatParam(p19, p20, p21))\n"
_SETTINGS = f"asc.set_fmatrix(p4, p5, [p0, p1, p2, p3])\nasc.set_load_data_padding_value(PADDING)\n{_REPEATS}"
PARAMETERS = 23


def _made() -> dict[str, Call]:
    made = {}
    for side in ("l0a", "l0b"):
        for turn in (False, True):
            word = "turned" if turn else "plain"
            form = form_of(ROW, f"dst: {side} T", " LoadData3DParamsV2 T,")
            text = f"{_REPEATS}asc.load_data({side}, l1, {_IMAGE.format(turn=turn)})"
            made[f"v2 {side} {word}"] = Call(text, side, ROW, form)
            form = form_of(ROW, f"dst: {side} T", " LoadData3DParamsV2Pro,")
            text = f"{_SETTINGS}asc.load_data({side}, l1, {_PRO.format(turn=turn)})"
            made[f"pro {side} {word}"] = Call(text, side, ROW, form)
    form = form_of(ROW, "dst: l0a T", " LoadData3DParamsV2 T,")
    text = f"asc.load_data(l0a, l1[p22:], {_IMAGE.format(turn=False)})"
    made["wrapped"] = Call(f"asc.set_load_data_boundary(p21)\n{text}", "l0a", ROW, form)
    return made


MADE = _made()
TYPES = [
    *("int8", "uint8", "float16", "bfloat16", "int32", "uint32", "float32", "float8_e4m3", "float8_e5m2", "hifloat8"),
]


def bits(dtype: str) -> np.dtype:
    return np.dtype(f"u{ELEMENTS[dtype].bytes}")


def padding(dtype: str, name: str) -> tuple[str, int]:
    """The padding value as the kernel says it, and the bits of an element."""
    size = 8 * ELEMENTS[dtype].bytes
    if name.startswith("pro"):
        return ("-1.5", 0xBFC00000) if dtype == "float32" else ("0x7b2c", 0x7B2C & ((1 << size) - 1))
    number = -1.5 if ELEMENTS[dtype].is_float() else 113
    return str(number), int(np.array(number).astype(NUMPY[dtype]).view(bits(dtype)))


@cache
def kernel(folder: Path, soc: str, dtype: str) -> Calls:
    texts = {
        name: replace(one, text=one.text.replace("PADDING", padding(dtype, name)[0]))
        for name, one in MADE.items()
        if takes(one, soc, dtype) and (name != "wrapped" or soc != "ascend950")
    }
    return calls(folder, f"images_{soc}_{dtype}", soc, dtype, texts, PARAMETERS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("images")


def content() -> np.ndarray:
    return np.random.default_rng(7).integers(0, 256, BYTES["l1"], dtype=np.uint8)


def cases(lanes: int, is_3510: bool) -> list[tuple[Windows, tuple[int, int, int]]]:
    """Images with what repeats they have: how many, by how much, and which way. The last ones do nothing."""
    one = (1, 0, 0)
    found = [
        (Windows(4, 4, lanes, lanes, 16), one),
        (Windows(1, 32, 2 * lanes, 2 * lanes, 32), one),  # a plain matrix
        (Windows(5, 7, 2 * lanes, 4 * lanes, 32, pads=(1, 2, 2, 1), filters=(3, 2), strides=(2, 1)), one),
        (Windows(9, 6, lanes, 3 * lanes, 16, lanes, 16, filters=(2, 3), dilations=(3, 2), pads=(0, 1, 1, 0)), one),
        (Windows(6, 8, 3 * lanes, 2 * lanes, 16, 5 * lanes, 0, filters=(2, 2), strides=(3, 2), pads=(3, 3, 3, 3)), one),
        (Windows(8, 16, lanes, lanes, 16), (3, 2, 0)),
        (Windows(4, 8, 4 * lanes, lanes, 32), (2, 2, 1)),
        (Windows(3, 3, lanes, 2 * lanes, 32, filters=(2, 1)), one),  # more rows than there are
        (Windows(4, 4, lanes, lanes, 16), (0, 0, 0)),
        (Windows(0, 4, lanes, lanes, 16), one),
        (Windows(4, 4, lanes, 0, 16), one),
    ]
    found += [(Windows(4, 5, held, lanes, 16, lanes, filters=(3, 3), pads=(1, 1, 1, 1)), one) for held in (4,)]
    found += [
        (Windows(3, 4, lanes + held, 2 * lanes, 16, 3 * lanes, filters=(2, 2), pads=(1, 0, 0, 1)), one)
        for held in {4, lanes // 2} - {lanes}
    ]
    if not is_3510:
        found.append((Windows(3, 3, lanes, 2 * lanes, 6, filters=(2, 1)), one))  # rows that end with the matrix
        found.append((Windows(4, 5, 4, 36 - lanes, 16, lanes, filters=(3, 3), pads=(1, 1, 1, 1)), one))
        found.append((Windows(4, 9, lanes, lanes, 16, 0, 5), one))
    return found


def arguments(image: Windows, repeats: tuple[int, int, int]) -> list[int]:
    (stride_w, stride_h), (filter_w, filter_h), (step_w, step_h) = image.strides, image.filters, image.dilations
    extent = image.m_start << 48 | image.k_start << 32 | image.m_extent << 16 | image.k_extent
    filters = step_h << 40 | step_w << 32 | filter_h << 24 | filter_w << 16 | stride_h << 8 | stride_w
    return [
        *(*image.pads, image.height, image.width, image.channels, image.k_extent, image.m_extent, image.k_start),
        *(image.m_start, stride_w, stride_h, filter_w, filter_h, step_w, step_h, extent, filters, *repeats),
    ]


def expected(
    source: np.ndarray, image: Windows, repeats: tuple[int, int, int], name: str, soc: str, fill: int
) -> np.ndarray:
    """The bytes of the destination."""
    times, step, mode = repeats
    lanes = 32 // source.itemsize
    wanted = np.full(BYTES["l0a"], UNTOUCHED, np.uint8)
    if not (times and image.height and image.k_extent):
        return wanted
    matrix = image.matrix(source, lanes, fill)
    moves = [(i * step * 16, 0) if mode == 0 else (0, i * step * lanes) for i in range(times)]
    parts = [image.part(matrix, *move) for move in moves]
    elements = loaded(parts, mode == 0, "l0a" in name or name == "wrapped", "turned" in name, soc == "ascend950", lanes)
    wanted[: elements.nbytes] = elements.view(np.uint8)
    return wanted


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("soc", SOCS)
def test_windows(
    folder: Path, soc: str, dtype: str, ran: Callable[[str, int, str], None], compared: Callable[[int], None]
) -> None:
    lanes = 32 // ELEMENTS[dtype].bytes
    data = content()
    source = data.view(bits(dtype))
    for name, call in MADE.items():
        turned_bytes = lanes == 32 and soc == "ascend910b" and name.endswith("l0a turned")
        if not takes(call, soc, dtype) or name == "wrapped" or turned_bytes:
            continue
        fill = padding(dtype, name)[1]
        for image, repeats in cases(lanes, soc == "ascend950"):
            if name.startswith("pro") and not image.height:
                continue  # set_fmatrix refuses it
            got = kernel(folder, soc, dtype).run(name, data, data, arguments(image, repeats))
            wanted = expected(source, image, repeats, name, soc, fill)
            np.testing.assert_array_equal(got, wanted, err_msg=f"{name} {image} {repeats}")
            compared(got.size)
        note(ran, call, dtype)
        ran("set_load_data_repeat", 0, "")
        if name.startswith("pro"):
            ran("set_fmatrix", 0, "")
            ran("set_load_data_padding_value", int(dtype == "float32"), "")


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32"])
def test_reads_begin_again_at_the_boundary(folder: Path, dtype: str, ran: Callable[[str, int, str], None]) -> None:
    size = ELEMENTS[dtype].bytes
    lanes, data = 32 // size, content()
    image = Windows(4, 16, lanes, 4 * lanes, 32, filters=(2, 2), pads=(1, 0, 1, 0))
    fill = padding(dtype, "wrapped")[1]
    for start, boundary in ((1024, 2048), (0, 4096), (3072, 4096), (1024, 0)):
        # The image as it would lie in one piece.
        whole = np.concatenate([data[start:boundary], data]) if boundary else data[start:]
        wanted = expected(whole.view(bits(dtype)), image, (1, 0, 0), "wrapped", "ascend910b", fill)
        given = [*arguments(image, (1, 0, boundary)), start // size]
        got = kernel(folder, "ascend910b", dtype).run("wrapped", data, data, given)
        np.testing.assert_array_equal(got, wanted, err_msg=f"{start} {boundary}")
    ran("set_load_data_boundary", 0, "")
