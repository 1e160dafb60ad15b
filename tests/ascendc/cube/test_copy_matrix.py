"""Copies of the matrix unit with every element type against NumPy, byte by byte: L1, tables, fractals and back."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from call_kernels import NUMPY, Tensor
from call_kernels import calls as vector_calls
from matrix_kernels import BYTES, UNTOUCHED, Call, Calls, calls, form_of, note, takes

from opwright.ascendc.dtypes import DTYPES, ELEMENTS

SOCS = ("ascend910b", "ascend950")
ROW = "data_copy"
_PIECES = "asc.DataCopyParams(p0, p1, p2, p3)"
_ND = "asc.Nd2NzParams(p0, p1, p2, p3, p4, p5, p6, p7)"
_OTHER = "l1.reinterpret_cast(asc.{other})"

MADE = {
    "in": Call("asc.data_copy(l1, g_gm, p0)", "l1", ROW, form_of(ROW, "dst: l1 T, src: global T", "count")),
    "out": Call("asc.data_copy(g_gm, l1, p0)", "bt", ROW, form_of(ROW, "dst: global T, src: l1 T", "count")),
    "pieces in": Call(
        f"asc.data_copy(l1, g_gm, {_PIECES})", "l1", ROW, form_of(ROW, "dst: l1 T, src: global T", "repeat")
    ),
    "pieces out": Call(f"asc.data_copy(g_gm, l1, {_PIECES})", "bt", ROW, form_of(ROW, "global T, src: l1 T", "repeat")),
    "bias": Call("asc.data_copy(bt, l1, p0)", "bt", ROW, form_of(ROW, "bt T, src: l1 T", "count")),
    "pieces of bias": Call(f"asc.data_copy(bt, l1, {_PIECES})", "bt", ROW, form_of(ROW, "bt T, src: l1 T", "repeat")),
    "scales": Call("asc.data_copy(fb, l1, p0)", "fb", ROW, form_of(ROW, "fb T", "count")),
    "pieces of scales": Call(f"asc.data_copy(fb, l1, {_PIECES})", "fb", ROW, form_of(ROW, "fb T", "repeat")),
    "fractals": Call(f"asc.data_copy(l1, g_gm, {_ND})", "l1", ROW, form_of(ROW, "src: global T", "Nd2NzParams")),
    "turned": Call(f"asc.data_copy(l1, g_gm, {_ND.replace('Nd', 'Dn')})", "l1", ROW, form_of(ROW, "Dn2NzParams")),
}
WIDENED = form_of(ROW, "src: l1 U")
BACK = form_of(ROW, "Nz2NdParamsFull")
SPARSE = {
    name: Call(
        "asc.load_data_with_sparse(l0b, l1, l1[32768:].reinterpret_cast(asc.uint8), asc.LoadData2DParams(p0, p1))",
        name,
        "load_data_with_sparse",
        0,
    )
    for name in ("l0b", "indices")
}


@cache
def kernel(folder: Path, soc: str, dtype: str) -> Calls:
    return calls(folder, f"copying_{soc}_{dtype}", soc, dtype, MADE, 8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("copying")


def content(seed: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, BYTES["l1"], dtype=np.uint8)


def moved(size: int, source: np.ndarray, moves: list[tuple[int, int, int]]) -> np.ndarray:
    """Untouched bytes after pieces went (to, from, bytes)."""
    wanted = np.full(size, UNTOUCHED, np.uint8)
    for to, start, count in moves:
        wanted[to : to + count] = source[start : start + count]
    return wanted


def bias_moves(
    soc: str, n: int, length: int, src_gap: int, dst_gap: int, widens: int = 1
) -> list[tuple[int, int, int]]:
    unit = 32 if soc == "ascend950" else 64
    size = unit * length
    return [(i * (size * widens + dst_gap * unit), i * (size + 32 * src_gap), size) for i in range(n)]


Noted = Callable[[str, int, str], None]
Counted = Callable[[int], None]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("soc", SOCS)
class TestCopies:
    def test_to_and_from_l1(self, folder: Path, soc: str, dtype: str, ran: Noted, compared: Counted) -> None:
        item = DTYPES[dtype].bytes
        for name in ("in", "out", "pieces in", "pieces out"):
            if not takes(MADE[name], soc, dtype):
                continue
            given = [(0,), (32 // item,), (33,), (4000 // item,)]
            if "pieces" in name:
                given = [(0, 3, 1, 1), (1, 4, 0, 0), (3, 2, 1, 2), (2, 0, 1, 1), (7, 20, 0, 3)]
            for arguments in given:
                data = content()
                target = np.full(BYTES["l1"], UNTOUCHED, np.uint8) if "out" in name else content(9)
                moves = [(0, 0, arguments[0] * item // 32 * 32)]
                if "pieces" in name:
                    n, length, src_gap, dst_gap = arguments
                    moves = [(32 * i * (length + dst_gap), 32 * i * (length + src_gap), 32 * length) for i in range(n)]
                image = kernel(folder, soc, dtype).run(name, data, target.view(NUMPY[dtype]), arguments)
                source, got = (data, target) if "out" in name else (target, image)
                np.testing.assert_array_equal(got, moved(got.size, source, moves), err_msg=f"{name} {arguments}")
                compared(got.size)
            note(ran, MADE[name], dtype)

    def test_tables(self, folder: Path, soc: str, dtype: str, ran: Noted, compared: Counted) -> None:
        item, data = DTYPES[dtype].bytes, content()
        for name in ("bias", "pieces of bias", "scales", "pieces of scales"):
            if not takes(MADE[name], soc, dtype):
                continue
            given = [(0,), (128 // item,), (1024 // item,)]
            if name == "pieces of bias":
                given = [(0, 2, 0, 0), (1, 4, 0, 0), (3, 2, 1, 2), (2, 0, 1, 1), (2, 6, 5, 0)]
            if name == "pieces of scales":
                given = [(0, 2, 1, 1), (1, 4, 0, 0), (3, 2, 9, 3), (2, 1, 4, 1)]
            for arguments in given:
                moves = [(0, 0, arguments[0] * item)]
                if name == "pieces of bias":
                    moves = bias_moves(soc, *arguments)
                if name == "pieces of scales":  # from start to start
                    n, length, src_step, dst_step = arguments
                    moves = [(128 * dst_step * i, 32 * src_step * i, 128 * length) for i in range(n)]
                got = kernel(folder, soc, dtype).run(name, data, data.view(NUMPY[dtype]), arguments)
                np.testing.assert_array_equal(got, moved(got.size, data, moves), err_msg=f"{name} {arguments}")
                compared(got.size)
            note(ran, MADE[name], dtype)

    def test_fractals(self, folder: Path, soc: str, dtype: str, ran: Noted, compared: Counted) -> None:
        data = content().view(NUMPY[dtype]) if dtype in NUMPY else content()
        for name in ("fractals", "turned"):
            if takes(MADE[name], soc, dtype):
                for arguments in ND:
                    got = kernel(folder, soc, dtype).run(name, content(), data, arguments)
                    bits = data.view(np.dtype(f"u{data.itemsize}"))
                    wanted = in_fractals(bits, arguments, name == "turned")
                    np.testing.assert_array_equal(got, wanted, err_msg=f"{name} {arguments}")
                    compared(got.size)
                note(ran, MADE[name], dtype)


# Matrices, rows, columns, and for turned ones columns and rows; source: from matrix to matrix and row to row; fractals:
# from column to column and row to row in blocks, and from matrix to matrix in elements.
ND = [
    (1, 16, 64, 0, 64, 16, 1, 0),
    (1, 5, 70, 0, 71, 7, 1, 0),
    (2, 3, 33, 1000, 40, 4, 1, 2048),
    (1, 1, 1, 0, 1, 1, 1, 0),
    (3, 4, 32, 0, 32, 16, 2, 4096),
    (2, 31, 7, 300, 31, 32, 1, 1024),
    (0, 4, 32, 0, 32, 16, 1, 0),
    (1, 0, 32, 0, 32, 16, 1, 0),
    (1, 4, 0, 0, 32, 16, 1, 0),
]


def in_fractals(data: np.ndarray, arguments: tuple[int, ...], turned: bool) -> np.ndarray:
    """Matrices cut into columns of 32 bytes, which are written row by row."""
    number, rows, columns, matrix, row, to_column, to_row, to_matrix = arguments
    lanes = 32 // data.itemsize
    wanted = np.full(BYTES["l1"], UNTOUCHED, np.uint8).view(data.dtype)
    for i in range(number):
        whole = np.lib.stride_tricks.as_strided(
            data[i * matrix :],
            (columns, rows) if turned else (rows, columns),
            (row * data.itemsize, data.itemsize),
        )
        whole = whole.T if turned else whole
        filled = np.pad(whole, [(0, 0), (0, -columns % lanes)])
        for column, block in enumerate(np.split(filled, filled.shape[1] // lanes, axis=1) if columns else []):
            for r, piece in enumerate(block):
                start = i * to_matrix + (column * to_column + r * to_row) * lanes
                wanted[start : start + lanes] = piece
    return wanted.view(np.uint8)


@pytest.mark.parametrize(
    ("soc", "other"), [("ascend910b", "float16"), ("ascend950", "float16"), ("ascend950", "bfloat16")]
)
def test_bias_becomes_float32(folder: Path, soc: str, other: str, ran: Noted) -> None:
    call = Call(f"asc.data_copy(bt, {_OTHER.format(other=other)}, {_PIECES})", "bt", ROW, WIDENED)
    made = calls(folder, f"widening_{soc}_{other}", soc, "float32", {"widen": call}, 4)
    numbers = np.random.default_rng(2).normal(size=2048).astype(NUMPY[other])
    data = numbers.view(np.uint8)
    for n, length, src_gap, dst_gap in ((0, 1, 0, 0), (1, 4, 0, 0), (3, 1, 1, 2), (2, 2, 3, 0)):
        got = made.run("widen", data, data, [n, length, src_gap, dst_gap])
        wanted = np.full(BYTES["bt"], UNTOUCHED, np.uint8)
        for to, start, count in bias_moves(soc, n, length, src_gap, dst_gap, widens=2):
            wanted[to : to + 2 * count] = (
                data[start : start + count].view(NUMPY[other]).astype(np.float32).view(np.uint8)
            )
        np.testing.assert_array_equal(got, wanted, err_msg=f"{n, length, src_gap, dst_gap}")
    ran(ROW, WIDENED, other)
    ran(ROW, WIDENED, "float32")


def test_sparse_weights_and_their_indices(folder: Path, ran: Noted) -> None:
    made = calls(folder, "sparse", "ascend910b", "int8", SPARSE, 2)
    data = content()
    for start, times in ((0, 0), (0, 1), (3, 20), (1, 60)):
        moves = [(0, 512 * start, 512 * times)]
        np.testing.assert_array_equal(made.run("l0b", data, data, [start, times]), moved(BYTES["l0b"], data, moves))
        moves = [(0, 32768 + 128 * start, 128 * times)]
        np.testing.assert_array_equal(
            made.run("indices", data, data, [start, times]), moved(BYTES["indices"], data, moves)
        )
    for dtype in ("int8", "uint8"):
        ran("load_data_with_sparse", 0, dtype)


@pytest.mark.parametrize("dtype", ["int16", "uint16", "float16", "bfloat16", "int32", "uint32", "float32"])
@pytest.mark.parametrize("soc", SOCS)
def test_back_to_rows(tmp_path: Path, soc: str, dtype: str, ran: Noted) -> None:
    elements = 4096
    tensors = [Tensor("o", dtype, elements, written=True), Tensor("x", dtype, elements)]
    copy = "asc.data_copy(o_gm, x_ub, asc.Nz2NdParamsFull(n, rows, columns, a, b, c, d))"
    text = f"{copy}\nasc.pipe_barrier(asc.PipeID.PIPE_ALL)\nasc.data_copy(o_all, o_gm, {elements})"
    numbers = "n: int, rows: int, columns: int, a: int, b: int, c: int, d: int"
    made = vector_calls(tmp_path, f"back_{soc}_{dtype}", soc, tensors, numbers, [text], opt_level=1)
    bits = np.dtype(f"u{ELEMENTS[dtype].bytes}")
    x = np.random.default_rng(4).integers(0, 60000, elements).astype(bits)
    for arguments in (
        (1, 4, 32, 1, 4, 32, 1),
        (2, 17, 40, 6, 20, 45, 1000),
        (3, 1, 1, 1, 1, 1, 50),
        (0, 4, 4, 1, 4, 4, 1),
        (1, 5, 16, 0, 5, 20, 0),
    ):
        fill = np.full(elements, 99, bits)
        number, rows, columns, matrix, column, row, to_matrix = arguments
        wanted = fill.copy()
        for i in range(number):
            own = x[i * matrix * 256 :]
            strips = [own[16 * column * k :][: 16 * rows].reshape(rows, 16) for k in range(-(-columns // 16))]
            for r, line in enumerate(np.concatenate(strips, axis=1)[:, :columns]):
                wanted[i * to_matrix + r * row : i * to_matrix + r * row + columns] = line
        given = {"o": fill.view(NUMPY[dtype]), "x": x.view(NUMPY[dtype])}
        got = made.run(given, arguments)["o"][0]
        np.testing.assert_array_equal(got.view(bits), wanted, err_msg=f"{arguments}")
    ran(ROW, BACK, dtype)
    ran("Nz2NdParamsFull", 0, "")
