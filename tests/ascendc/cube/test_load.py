"""Loads of fractals, of parts of matrices and of squares, with every element type, against NumPy, byte by byte."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from load_reference import from_nz, turned_squares
from matrix_kernels import BYTES, UNTOUCHED, Call, Calls, calls, form_of, note, takes

from opwright.ascendc.dtypes import ELEMENTS

SOCS = ("ascend910b", "ascend950")
_2D = "asc.LoadData2DParams(p0, p1, p2, 0, p3, {turn}, p4)"
_V2 = "asc.LoadData2DParamsV2(p0, p1, p2, p3, p4, p5, {turn})"
_SQUARES = "asc.LoadData2dTransposeParams(p0, p1, p2, p3, p4)"
_APART = "asc.LoadData2dTransposeParamsV2(p0, p1, p2, p3, p4, p5)"
_FILL = "asc.InitConstValueParams(p0, p1, p2, {value}, {{dtype}})"


def _made() -> dict[str, Call]:
    made = {}
    for turn in (False, True):
        word = "turned" if turn else "plain"
        for side in ("l0a", "l0b"):
            form = form_of("load_data", "dst: l0 T, src: l1 T", " LoadData2DParams,")
            made[f"2d {side} {word}"] = Call(
                f"asc.load_data({side}, l1, {_2D.format(turn=turn)})", side, "load_data", form
            )
            form = form_of("load_data", "dst: l0 T, src: l1 T", " LoadData2DParamsV2,")
            made[f"v2 {side} {word}"] = Call(
                f"asc.load_data({side}, l1, {_V2.format(turn=turn)})", side, "load_data", form
            )
    for side, kind in (("l1", "l1"), ("l0a", "l0"), ("l0b", "l0")):
        form = form_of("load_data", f"dst: {kind} T, src: global T", " LoadData2DParams,")
        made[f"2d {side} global"] = Call(
            f"asc.load_data({side}, g_gm, {_2D.format(turn=False)})", side, "load_data", form
        )
    form = form_of("load_data", "dst: l1 T, src: global T", " LoadData2DParamsV2,")
    made["v2 l1 global"] = Call(f"asc.load_data(l1, g_gm, {_V2.format(turn=False)})", "l1", "load_data", form)
    for side in ("l0a", "l0b"):
        name = "load_data_with_transpose"
        form = form_of(name, f"dst: {side} T", " LoadData2dTransposeParams,")
        made[f"squares {side}"] = Call(f"asc.{name}({side}, l1, {_SQUARES})", side, name, form)
    form = form_of(name, "dst: l0b T", " LoadData2dTransposeParamsV2,")
    made["squares apart"] = Call(f"asc.{name}(l0b, l1, {_APART})", "l0b", name, form)
    name = "init_const_value"
    for side, kind in (("l1", "l1"), ("l0a", "l0"), ("l0b", "l0")):
        text = f"asc.{name}({side}, {_FILL.format(value='-3')})".replace("-3", "VALUE")
        made[f"fill {side}"] = Call(text, side, name, form_of(name, f"dst: {kind} T"))
    return made


MADE = _made()
TYPES = [
    *("int8", "uint8", "int16", "uint16", "float16", "bfloat16", "int32", "uint32", "float32"),
    *("float8_e4m3", "float8_e5m2", "hifloat8"),
]


def bits(dtype: str) -> np.dtype:
    return np.dtype(f"u{ELEMENTS[dtype].bytes}")


def value(dtype: str) -> float:
    return -2.5 if ELEMENTS[dtype].is_float() else 77


@cache
def kernel(folder: Path, soc: str, dtype: str) -> Calls:
    texts = {
        name: Call(one.text.replace("VALUE", str(value(dtype))), one.writes, one.row, one.form)
        for name, one in MADE.items()
    }
    return calls(folder, f"loading_{soc}_{dtype}", soc, dtype, texts, 6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("loading")


def content(dtype: str) -> np.ndarray:
    return np.random.default_rng(5).integers(0, 256, BYTES["l1"], dtype=np.uint8)


def in_fractals(data: np.ndarray, dtype: str) -> np.ndarray:
    lanes = 32 // ELEMENTS[dtype].bytes
    return data.view(bits(dtype)).reshape(-1, 16, lanes)


def fresh(name: str, dtype: str) -> np.ndarray:
    return in_fractals(np.full(BYTES[MADE[name].writes], UNTOUCHED, np.uint8), dtype).copy()


Run = Callable[[str, list[int]], np.ndarray]


@pytest.fixture
def launched(
    folder: Path, soc: str, dtype: str, ran: Callable[[str, int, str], None], compared: Callable[[int], None]
) -> Run:
    """Runs a call and gives the fractals of what it wrote; notes that it ran."""
    data = content(dtype)
    from call_kernels import NUMPY

    def run(name: str, arguments: list[int]) -> np.ndarray:
        typed = data.view(NUMPY[dtype]) if dtype in NUMPY else data
        image = kernel(folder, soc, dtype).run(name, data, typed, arguments)
        note(ran, MADE[name], dtype)
        compared(image.size)
        return in_fractals(image, dtype)

    return run


def names(prefix: str, soc: str, dtype: str) -> list[str]:
    return [name for name, call in MADE.items() if name.startswith(prefix) and takes(call, soc, dtype)]


# start_index, repeat_times, src_stride, dst_gap
FRACTALS = [(0, 0, 1, 0), (0, 1, 0, 0), (3, 5, 2, 1), (1, 100, 1, 0), (0, 4, 0, 2), (0, 3, 30, 31)]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("soc", SOCS)
class TestLoads:
    def test_fractals(self, soc: str, dtype: str, launched: Run) -> None:
        source = in_fractals(content(dtype), dtype)
        for name in names("2d", soc, dtype):
            turns = name.endswith("turned")
            if turns and ELEMENTS[dtype].bytes != 2:
                continue
            for start, times, stride, gap in FRACTALS:
                if soc == "ascend950" and (gap or (start and stride != 1) or (name.endswith("global") and stride != 1)):
                    continue
                wanted = fresh(name, dtype)
                for i in range(times):
                    one = source[start + i * stride]
                    wanted[i * (1 + gap)] = one.T if turns else one
                np.testing.assert_array_equal(launched(name, [start, times, stride, gap]), wanted, err_msg=name)

    def test_fractals_downwards(self, soc: str, dtype: str, launched: Run) -> None:
        if soc == "ascend950" or "2d l1 global" not in names("2d", soc, dtype):
            return
        source = in_fractals(content(dtype), dtype)
        wanted = fresh("2d l1 global", dtype)
        for i in range(4):
            wanted[2 * i] = source[9 - 3 * i]
        np.testing.assert_array_equal(launched("2d l1 global", [9, 4, 3, 1, 1]), wanted)

    def test_parts_of_a_matrix(self, soc: str, dtype: str, launched: Run) -> None:
        size = ELEMENTS[dtype].bytes
        lanes = 32 // size
        source = content(dtype).view(bits(dtype))
        for name in names("v2", soc, dtype):
            turns = name.endswith("turned")
            # Rows of fractals, columns of them, which part, and how many fractals a column has at the destination.
            for rows, columns, m, k, m_step, k_step, stride in (
                (5, 6, 2, 2, 2, 3, 3),
                (8, 4, 0, 0, 8, 4, 8),
                (7, 4, 1, 0, 4, 4, 16),
                (6, 4, 0, 1, 1, 1, 1),
                (4, 4, 0, 0, 0, 4, 4),
                (6, 8, 0, 2, 6, 6, 9),
                (4, 4, 0, 0, 2, 2, 6),
            ):
                if turns and ((size == 1 and m_step % 2) or (size == 4 and k_step % 2)):
                    continue
                matrix = from_nz(source, 16 * rows, columns * lanes, lanes)
                part = matrix[16 * m : 16 * (m + m_step), k * lanes : (k + k_step) * lanes]
                part = part.T if turns else part
                high = part.shape[0] // 16
                if high > stride:
                    continue
                wanted = fresh(name, dtype)
                for column in range(part.shape[1] // lanes):
                    own = part[:, column * lanes : (column + 1) * lanes].reshape(-1, 16, lanes)
                    wanted[column * stride : column * stride + high] = own
                got = launched(name, [m, k, m_step, k_step, rows, stride])
                np.testing.assert_array_equal(
                    got, wanted, err_msg=f"{name} {rows, columns, m, k, m_step, k_step, stride}"
                )

    def test_squares(self, soc: str, dtype: str, launched: Run) -> None:
        source = in_fractals(content(dtype), dtype)
        size = ELEMENTS[dtype].bytes
        each = 1 if size == 2 else 2
        for name in names("squares", soc, dtype):
            for start, times, stride, gap, inner_gap, source_gap in (
                (0, 0, 1, 1, 0, 0),
                (0, 3, 1, 1, 0, 0),
                (2, 7, 3, 2, 0, 0),
                (1, 4, 0, 0, 5, 0),
                (0, 20, 1, 0, 19, 2),
                (3, 5, 4, 3, 1, 1),
            ):
                is_apart = name == "squares apart"
                squares = []
                for i in range(times):
                    first = start + i * stride if is_apart else each * (start + i * stride)
                    step = 1 + source_gap if is_apart else 1
                    squares.append(source[first : first + step * (each - 1) + 1 : step])
                wanted = fresh(name, dtype)
                turned = turned_squares(np.array(squares).reshape(times, each, *source.shape[1:]), 8 * size)
                for i in range(times):
                    for j in range(each):
                        wanted[i * (1 + gap) + j * (1 + inner_gap)] = turned[i, j]
                got = launched(name, [start, times, stride, gap, inner_gap, source_gap])
                np.testing.assert_array_equal(got, wanted, err_msg=f"{name} {start, times, stride, gap, inner_gap}")

    def test_fills(self, soc: str, dtype: str, launched: Run) -> None:
        from call_kernels import NUMPY

        for name in names("fill", soc, dtype):
            number = np.array(value(dtype)).astype(NUMPY[dtype]).view(bits(dtype))
            block = (32 if name == "fill l1" else 512) // ELEMENTS[dtype].bytes
            for times, blocks, gap in ((0, 3, 1), (2, 0, 1), (1, 7, 0), (5, 3, 2), (16, 1, 1)):
                wanted = fresh(name, dtype)
                flat = wanted.reshape(-1)
                for i in range(times):
                    start = i * (blocks + gap) * block
                    flat[start : start + blocks * block] = number
                np.testing.assert_array_equal(launched(name, [times, blocks, gap]), wanted, err_msg=name)
