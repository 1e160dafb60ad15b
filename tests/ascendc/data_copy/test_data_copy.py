"""All forms of copies with all element types against a byte image in NumPy; what no copy touches keeps what it held."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from call_kernels import NUMPY, Calls, Tensor, calls, same
from copy_cases import Slice, counted, moved, padded, pieces, sliced, unpadded

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.errors import NoForm, OutOfRange, RaceError, RuleBroken, RuleError

BYTES = 264 * 32


def _list(side: str) -> str:
    """A list of three slices, whose fields are arguments."""
    fields = [", ".join(f"{side}{dimension}{field}" for field in "abcde") for dimension in range(3)]
    return f"[{', '.join(f'asc.SliceInfo({each})' for each in fields)}]"


_SLICES = f"{_list('t')}, {_list('s')}"
_PIECES = "asc.DataCopyParams(n, length, src_gap, dst_gap)"
_EXTENDED = "asc.DataCopyExtParams(n, size, src_gap, dst_gap)"
_SHORT = "asc.DataCopyParams(n, size, src_gap, dst_gap)"
_PADS = "asc.DataCopyPadExtParams(asc.{0}, {1}, left, right, {2})"
_FIELDS = [f"{side}{d}{field}" for side in "ts" for d in range(3) for field in "abcde"]
_NUMBERS = ["count", "n", "length", "size", "src_gap", "dst_gap", "left", "right", "dims", *_FIELDS]
PARAMETERS = ", ".join(f"{name}: int" for name in _NUMBERS)

# Call, form, whether it writes to global memory, and its arguments after the tensors.
FORMS = [
    ("data_copy", 0, "in", "count"),
    ("data_copy", 1, "out", "count"),
    ("data_copy", 2, "local", "count"),
    ("data_copy", 3, "in", _PIECES),
    ("data_copy", 4, "out", _PIECES),
    ("data_copy", 5, "local", _PIECES),
    ("data_copy", 6, "in", f"{_PIECES}, asc.DataCopyEnhancedParams()"),
    ("data_copy", 7, "out", f"{_PIECES}, asc.DataCopyEnhancedParams()"),
    ("data_copy", 8, "local", f"{_PIECES}, asc.DataCopyEnhancedParams()"),
    ("data_copy", 9, "out", f"{_SLICES}, dims"),
    ("data_copy", 10, "in", f"{_SLICES}, dims"),
    ("data_copy_pad", 0, "in", f"{_EXTENDED}, {_PADS}"),
    ("data_copy_pad", 1, "out", _EXTENDED),
    ("data_copy_pad", 2, "in", f"{_SHORT}, asc.DataCopyPadParams({{1}}, left, right, {{3}})"),
    ("data_copy_pad", 3, "out", _SHORT),
    ("set_pad_value", 0, "in", f"{_EXTENDED}, asc.DataCopyPadExtParams(asc.{{0}}, False, left, right)"),
    ("set_pad_value", 1, "in", f"{_EXTENDED}, asc.DataCopyPadExtParams(asc.{{0}}, False, left, right)"),
]
SET = {0: "asc.set_pad_value(-5)\n", 1: "asc.set_pad_value(2.5, asc.TPosition.VECIN)\n"}
REGISTER = {0: (-5).to_bytes(8, "little", signed=True), 1: np.float32(2.5).tobytes() + bytes(4)}

COUNTS = [0, 1, 31, 32, 33, 255 * 32, BYTES - 1]  # bytes, of which whole elements are taken
# Pieces, blocks of each, gaps in the source and in the destination.
PIECES = [(0, 3, 0, 0), (1, 1, 0, 0), (3, 2, 1, 2), (5, 0, 1, 1), (255, 1, 0, 0), (2, 20, 7, 0), (4, 9, 0, 30)]
# The same with bytes, which of padding, in elements: left and right, and whether it has a value.
PADDED = [
    ((0, 7, 0, 0), (0, 0)),
    ((1, 24, 0, 0), (0, 1)),
    ((3, 40, 8, 1), (1, 2)),
    ((2, 0, 8, 1), (0, 0)),
    ((5, 33, 7, 0), (0, 0)),
    ((4, 64, 0, 2), (4, 4)),
    ((255, 8, 0, 0), (0, 0)),
]
# Slices in blocks of the innermost dimension, so that they fit every type: of the destination and of the source.
SLICES: list[tuple[list[Slice], list[Slice]]] = [
    ([(0, 3, 0, 1, 4)], [(2, 8, 1, 1, 9)]),
    ([(0, 5, 0, 3, 6), (0, 1, 0, 1, 2)], [(2, 8, 1, 3, 12), (0, 2, 1, 1, 3)]),
    ([(1, 3, 0, 1, 5), (0, 3, 2, 1, 4), (1, 2, 0, 1, 3)], [(0, 4, 1, 1, 5), (1, 2, 0, 1, 4), (0, 3, 2, 1, 4)]),
    ([(0, 0, 0, 0, 4)], [(0, 0, 0, 0, 4)]),  # pieces of no blocks
]


@cache
def made(folder: Path, soc: str, dtype: str) -> Calls:
    elements = BYTES // NUMPY[dtype].itemsize
    tensors = [
        Tensor("z", dtype, elements, written=True),
        Tensor("o", dtype, elements, written=True),
        Tensor("x", dtype, elements),
    ]
    value, bits = padding(dtype)
    texts = []
    for call, form, way, arguments in variants():
        given = arguments.format(dtype, way[0] == "p", value, bits)
        name = "data_copy_pad" if call == "set_pad_value" else call
        out = f"o_gm[{len(texts) * elements}:]"
        dst, src = {"in": ("z_ub", "x_gm"), "out": (out, "x_ub"), "local": ("z_ub", "x_ub")}[way.removeprefix("p")]
        text = f"asc.{name}({dst}, {src}, {given})"
        if dst == out:  # what is in global memory is seen through a tensor that is copied back
            text += f"\nasc.pipe_barrier(asc.PipeID.PIPE_ALL)\nasc.data_copy(o_all, {out}, {elements})"
        texts.append((SET[form] if call == "set_pad_value" else "") + text)
    return calls(folder, f"copying_{soc}_{dtype}", soc, tensors, PARAMETERS, texts)


def variants() -> list[tuple[str, int, str, str]]:
    """Forms that pad stand there twice: "pin" has a padding value."""
    both = [(call, form, "pin", text) for call, form, way, text in FORMS if call == "data_copy_pad" and way == "in"]
    return [*FORMS, *both]


def padding(dtype: str) -> tuple[str, int]:
    """A padding value as the kernel says it, and its bits. Elements of 64 bits can have 0 only."""
    kind = NUMPY[dtype]
    number = 0 if kind.itemsize == 8 else 1.5 if DTYPES[dtype].is_float() else 37
    return str(number), int.from_bytes(np.array(number, kind).tobytes(), "little")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("copying")


def contents(dtype: str) -> dict[str, np.ndarray]:
    kind = NUMPY[dtype]
    x = np.random.default_rng(3).integers(0, 256, BYTES, dtype=np.uint8).view(kind)
    fill = np.full(len(x), np.nan if DTYPES[dtype].is_float() else 99, kind)
    return {"z": fill, "o": fill, "x": x}


def in_elements(slices: list[Slice], item: int) -> list[Slice]:
    """The innermost dimension counts elements."""
    (start, end, stride, burst, shape), *outer = slices
    each = 32 // item
    inner = (start * each, end * each + each - 1, stride * each, burst, shape * each)
    return [inner, *outer]


def case(number: int, item: int) -> dict[str, object]:
    """The run-time arguments of one turn."""
    dst, src = (in_elements(side, item) for side in SLICES[number % len(SLICES)])
    shape, pads = PADDED[number]
    given = {"count": COUNTS[number] // item, "pieces": PIECES[number], "padded": shape, "pads": pads}
    return {**given, "dst": dst, "src": src}


def arguments_of(given: dict, form: str = "") -> list[int]:
    """In the order of PARAMETERS. `form` says whose gaps they are."""
    n, length, src_gap, dst_gap = given["pieces"]
    size = 0
    if form == "data_copy_pad":
        length = 0
        n, size, src_gap, dst_gap = given["padded"]
    lists = [[*side, *[(0, 0, 0, 1, 1)] * (3 - len(side))] for side in (given["dst"], given["src"])]
    flat = [field for side in lists for one in side for field in one]
    return [given["count"], n, length, size, src_gap, dst_gap, *given["pads"], len(given["dst"]), *flat]


def expected(call: str, form: int, way: str, given: dict, held: dict[str, np.ndarray], bits: int) -> np.ndarray:
    into, x = held["o" if way == "out" else "z"], held["x"]
    item = x.itemsize
    if call == "data_copy":
        if form < 3:
            return moved(into, x, counted(given["count"], item))
        return moved(into, x, pieces(*given["pieces"]) if form < 9 else sliced(given["dst"], given["src"], item))
    if way == "out":
        return unpadded(into, x, given["padded"])
    left, right = given["pads"]
    fill = bytes([255] * item)
    if call == "set_pad_value":
        fill = REGISTER[form][:item]
    elif way == "pin":
        fill = bits.to_bytes(item, "little")
    return padded(into, x, given["padded"], left, right, fill if left or right else None)


@pytest.mark.parametrize("dtype", DTYPES)
def test_copies(dtype: str, folder: Path, ran: Callable, asserted: Callable) -> None:
    held, item, (_, bits) = contents(dtype), NUMPY[dtype].itemsize, padding(dtype)
    for number in range(len(COUNTS)):
        given = case(number, item)
        if item * max(given["pads"]) > 32:
            given["pads"] = (0, 0)
        for family in ("data_copy", "data_copy_pad"):
            wide = family == "data_copy_pad"
            out = made(folder, "ascend910b", dtype).run(held, arguments_of(given, family))
            for index, (call, form, way, _) in enumerate(variants()):
                if (call == "data_copy") == wide:
                    continue
                got = out["o" if way == "out" else "z"][index]
                same(got, expected(call, form, way, given, held, bits), f"{call} {form} {way} {dtype} {given}")
                ran(call, form, "" if call == "set_pad_value" else dtype)
    ran("DataCopyPadExtParams", 0, dtype)
    for name in ("DataCopyParams", "DataCopyExtParams", "DataCopyPadParams", "DataCopyPadExtParams", "SliceInfo"):
        asserted(name)
    for name in ("DataCopyEnhancedParams", "BlockMode.BLOCK_MODE_NORMAL", "DeqScale.DEQ_NONE", "pad_t.PAD_NONE"):
        asserted(name)


USUAL = arguments_of(case(2, 4) | {"count": 64})
PADS = arguments_of(case(2, 4) | {"count": 64}, "data_copy_pad")


def test_wrong_uses(folder: Path) -> None:
    copies, held = made(folder, "ascend910b", "float32"), contents("float32")
    for arguments in (USUAL, PADS):
        copies.run(held, arguments, checked=True)
        assert not copies.watched.check.report().findings
    for number, (call, _, way, _) in enumerate(variants()):
        arguments = USUAL if call == "data_copy" else PADS
        local = {"in": [("z", "dst")], "out": [("x", "src")], "local": [("z", "dst"), ("x", "src")]}
        for name, parameter in local[way.removeprefix("p")]:
            with pytest.raises(OutOfRange):
                copies.run(held, arguments, only=number, sizes={name: 15})
            with pytest.raises(RuleError, match=f"{parameter} must start at a multiple of 32 bytes"):
                copies.run(held, arguments, only=number, moved={name: 4})
        with pytest.raises(RaceError):
            copies.run(held, arguments, only=number, is_right=False, checked=True)


@pytest.mark.parametrize(
    ("dst", "src", "words"),
    [
        ([(0, 7, 0, 1, 8)], [(9, 7, 0, 1, 8)], "end_index must not be below start_index"),
        ([(0, 7, 0, 1, 8), (0, 1, 0, 1, 2)], [(0, 7, 0, 1, 7), (0, 1, 0, 1, 2)], "end_index must be below shape_value"),
        ([(0, 7, 0, 1, 8), (0, 1, 0, 1, 2)], [(0, 7, 0, 1, 8), (0, 1, 0, 2, 2)], "all but the first slice must be 1"),
        ([(4, 11, 0, 1, 16)], [(0, 7, 0, 1, 8)], "must start at multiples of 32 bytes"),
        ([(0, 15, 0, 1, 16)], [(0, 7, 0, 1, 8)], "the same number of pieces, with equal burst_len"),
        ([(0, 15, 0, 2, 16)], [(0, 15, 0, 1, 16)], "the same number of pieces, with equal burst_len"),
    ],
)
def test_wrong_slices(dst: list[Slice], src: list[Slice], words: str, folder: Path) -> None:
    copies, held = made(folder, "ascend910b", "float32"), contents("float32")
    given = {"count": 0, "pieces": (0, 0, 0, 0), "pads": (0, 0), "dst": dst, "src": src}
    with pytest.raises(RuleError, match=words):
        copies.run(held, arguments_of(given), only=10)


def test_wrong_numbers_of_dimensions(folder: Path) -> None:
    copies, held = made(folder, "ascend910b", "float32"), contents("float32")
    for dims in (0, 4):
        arguments = [*USUAL[:8], dims, *USUAL[9:]]
        with pytest.raises(RuleError, match="dim_value must lie between 1 and the number of slices"):
            copies.run(held, arguments, only=10)


def test_slices_out_of_global_memory(folder: Path) -> None:
    copies, held = made(folder, "ascend910b", "float32"), contents("float32")
    far = [(BYTES // 4 - 7, BYTES // 4, 0, 1, BYTES)]
    given = {"count": 0, "pieces": (0, 0, 0, 0), "pads": (0, 0), "dst": [(0, 7, 0, 1, 8)], "src": far}
    with pytest.raises(OutOfRange):
        copies.run(held, arguments_of(given), only=10)


@asc.jit
def added_slices(x: asc.GlobalAddress, z: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(a, x_gm, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.set_atomic_add(asc.float32)
    asc.data_copy(z_gm, a, [asc.SliceInfo(3, 29, 11, 1, 64)], [asc.SliceInfo(8, 31, 8, 1, 64)])
    asc.set_atomic_none()


def test_slices_are_added() -> None:
    x, z = np.arange(64, dtype=np.float32), np.full(64, 0.5, np.float32)
    added_slices[1](x, z)
    wanted = np.full(64, 0.5, np.float32)
    wanted[3:11] += x[8:16]
    wanted[22:30] += x[24:32]
    np.testing.assert_array_equal(z, wanted)
    added_slices.check(perturb=4)[1](x, z)
    assert not added_slices.check.report().findings


@asc.jit
def no_slices(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(a, x_gm, [asc.SliceInfo(), 3], [asc.DataCopyParams()], 1)


def test_lists_of_something_else() -> None:
    with pytest.raises(NoForm) as caught:
        no_slices[1](np.zeros(64, np.float32))
    for name in ("slice_list1", "slice_list2"):
        assert f"{name} must be a list of asc.SliceInfo" in str(caught.value)


@asc.jit
def never_set(x: asc.GlobalAddress, z: asc.GlobalAddress, block_mode: asc.ConstExpr):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 64)
    asc.data_copy(a, x_gm, asc.DataCopyParams(1, 1), asc.DataCopyEnhancedParams(block_mode))


@pytest.mark.parametrize("mode", list(asc.BlockMode)[1:])
def test_modes_of_the_matrix_unit_are_refused(mode: asc.BlockMode) -> None:
    x = np.zeros(64, np.float32)
    with pytest.raises(RuleBroken, match="block_mode must be one of BLOCK_MODE_NORMAL"):
        never_set[1](x, x.copy(), mode)
