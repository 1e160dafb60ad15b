"""The mask register under calls that are not elementwise: copies, fills, sums, comparisons, selects.

The reference goes through lanes one by one. Values are small integers, so that sums are exact in any order.
"""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from image import A2, A5, NUMPY, Image, noise, place, same

from opwright.ascendc.row import MASK
from opwright.ascendc.table import ROWS
from opwright.errors import OutOfRange, RuleError

SIZE = 36864
PLACES = {"a": (0, 8192), "b": (8192, 8192), "z": (16384, 16384)}  # first byte, bytes
PARAMETERS = "counts: int, high: int, low: int, repeats: int"
BINARY = "asc.BinaryRepeatParams(2, 1, 1, 16, 8, 9)"
UNARY = "asc.UnaryRepeatParams(2, 1, 16, 8)"
TENSORS, SCALARS = "SelMode.VSEL_TENSOR_TENSOR_MODE", "SelMode.VSEL_TENSOR_SCALAR_MODE"
# Call -> form and text. The masks that they name themselves mean nothing.
CALLS = {
    "copy": [
        (0, "asc.copy(z, a, 3, repeats, asc.CopyRepeatParams(2, 1, 16, 8), {})"),
        (1, "asc.copy(z, a, [3, 0], repeats, asc.CopyRepeatParams(2, 1, 16, 8), {})"),
    ],
    "duplicate": [
        (1, "asc.duplicate(z, 5, 3, repeats, 2, 16, {})"),
        (2, "asc.duplicate(z, 5, [3, 0], repeats, 2, 16, {})"),
    ],
    "pair_reduce_sum": [
        (0, "asc.pair_reduce_sum(z, a, repeats, 3, 2, 1, 8, {})"),
        (1, "asc.pair_reduce_sum(z, a, repeats, [3, 0], 2, 1, 8, {})"),
    ],
    "repeat_reduce_sum": [(0, "asc.repeat_reduce_sum(z, a, repeats, 3, 0, 1, 3, 8, {})")],
    "whole_reduce_sum": [
        (0, "asc.whole_reduce_sum(z, a, 3, repeats, 3, 1, 8, {})"),
        (1, "asc.whole_reduce_sum(z, a, [3, 0], repeats, 3, 1, 8, {})"),
    ],
    "compare": [
        (1, f"asc.compare(z8, a, b, CMPMODE.LT, 3, repeats, {BINARY}, {{}})"),
        (2, f"asc.compare(z8, a, b, CMPMODE.LT, [3, 0], repeats, {BINARY}, {{}})"),
        (3, f"asc.compare(a, b, CMPMODE.LT, [3, 0], {BINARY}, {{}})\nasc.get_cmp_mask(z)"),
        (4, f"asc.compare(a, b, CMPMODE.LT, 3, {BINARY}, {{}})\nasc.get_cmp_mask(z)"),
    ],
    "compare_scalar": [
        (1, f"asc.compare_scalar(z8, a, 2, CMPMODE.GT, 3, repeats, {UNARY}, {{}})"),
        (2, f"asc.compare_scalar(z8, a, 2, CMPMODE.GT, [3, 0], repeats, {UNARY}, {{}})"),
    ],
    "select": [
        (2, f"asc.select(z, b8, a, 5, {SCALARS}, [3, 0], repeats, {BINARY}, {{}})"),
        (3, f"asc.select(z, b8, a, 5, {SCALARS}, 3, repeats, {BINARY}, {{}})"),
        (5, f"asc.select(z, b8, a, a, {TENSORS}, [3, 0], repeats, {BINARY}, {{}})"),
        (6, f"asc.select(z, b8, a, a, {TENSORS}, 3, repeats, {BINARY}, {{}})"),
    ],
}
FORMS = [(name, form, text) for name, forms in CALLS.items() for form, text in forms]


def with_register(dtype: str, text: str) -> str:
    """A call that takes the register as it is, after it was set, and before it is put right again."""
    lines = [
        "if counts >= 0:",
        "    asc.set_mask_count()",
        f"    asc.set_vector_mask(counts, asc.{dtype}, asc.MaskMode.COUNTER)",
        "else:",
        f"    asc.set_vector_mask(high, low, asc.{dtype}, asc.MaskMode.NORMAL)",
        *text.format("is_set_mask=False").splitlines(),
        "asc.set_mask_norm()",
        "asc.reset_mask()",
    ]
    return "\n".join(lines)


def image_of(folder: Path, dtype: str, soc: str, texts: list[str]) -> Image:
    tensors = {name: (dtype, *where) for name, where in PLACES.items()}
    tensors |= {f"{name}8": ("uint8", *where) for name, where in PLACES.items()}
    return Image(folder, f"masks_{dtype}_{soc}", SIZE, tensors, PARAMETERS, texts, soc)


class Register:
    """A state of the mask register: a number of elements, or words."""

    def __init__(self, size: int, counts: int, words: tuple[int, int], repeats: int) -> None:
        self.most = 256 // size
        self.counts = counts
        self.repeats = -(-counts // self.most) if counts >= 0 else repeats
        self.words = words

    def lanes(self, repeat: int) -> list[int]:
        """The lanes of a repeat that take part."""
        if self.counts >= 0:
            return list(range(min(self.most, self.counts - repeat * self.most)))
        return [lane for lane in range(self.most) if self.words[lane // 64] >> lane % 64 & 1]

    def whole(self, repeat: int) -> list[int]:
        """The same of calls to which bits mean nothing."""
        return self.lanes(repeat) if self.counts >= 0 else list(range(self.most))


def expected(image: Image, before: np.ndarray, name: str, form: int, register: Register, soc: str) -> np.ndarray:
    after = before.copy()
    a, b, z = (image.part(before if tensor != "z" else after, tensor) for tensor in "abz")
    bits = image.part(before, "b8")
    size = a.itemsize
    to_register = np.zeros(128, np.uint8)
    compared: list[int] = []
    for repeat in range(1 if name == "compare" and form > 2 and register.counts < 0 else register.repeats):
        lanes = register.lanes(repeat)
        source = {lane: a[place(size, repeat, lane, 1, 8)] for lane in range(register.most)}
        other = {lane: b[place(size, repeat, lane, 1, 9)] for lane in range(register.most)}
        if name.endswith("reduce_sum") and name != "pair_reduce_sum" and lanes:
            z[3 * repeat] = sum(source[lane] for lane in lanes)
        elif name == "pair_reduce_sum" and lanes:
            for pair in range(register.most // 2):
                parts = [source[lane] for lane in (2 * pair, 2 * pair + 1) if lane in lanes]
                if parts or soc == A5:
                    z[2 * repeat * 128 // size + pair] = sum(parts)
        elif name == "compare" and form > 2:
            held = [lane in lanes and source[lane] < other[lane] for lane in range(register.most)]
            to_register = np.array([*held, *[False] * 128][:128], np.uint8)
        elif name.startswith("compare"):
            holds = {
                lane: source[lane] < other[lane] if name == "compare" else source[lane] > 2
                for lane in register.whole(repeat)
            }
            compared += [int(held) for held in holds.values()]
        for lane in lanes if name in ("copy", "duplicate", "select") else []:
            to = place(size, repeat, lane, 2, 16)
            element = repeat * register.most + lane
            chosen = bits[element // 8] >> element % 8 & 1
            second = 5 if form < 4 else a[place(size, repeat, lane, 1, 9)]
            values = {"copy": source[lane], "duplicate": 5, "select": source[lane] if chosen else second}
            z[to] = values[name]
    z8 = image.part(after, "z8")
    if name == "compare" and form > 2:
        z8[:16] = np.packbits(to_register, bitorder="little")
    elif name.startswith("compare"):
        packed = np.packbits(np.array(compared, np.uint8), bitorder="little")
        z8[: len(packed)] = packed
    return after


def states(size: int) -> list[tuple[int, tuple[int, int], int]]:
    """A count or -1, words, and the repeats that the call is given."""
    most = 256 // size
    return [
        (0, (0, 0), 2),
        (1, (0, 0), 9),
        (most - 1, (0, 0), 0),
        (most, (0, 0), 7),
        (3 * most + 5, (0, 0), 1),
        (-1, (0x5555555555555555, 0xF0F), 3),
        (-1, (1 << 31, 0), 2),
        (-1, (0, 0), 2),
        (-1, ((1 << 63) - 1, (1 << 63) - 1), 4),
    ]


@pytest.mark.parametrize(("dtype", "soc"), [("float32", A2), ("float32", A5), ("float16", A2)])
def test_register(dtype: str, soc: str, tmp_path: Path, ran: Callable[[str, int, str], None]) -> None:
    image = image_of(tmp_path, dtype, soc, [with_register(dtype, text) for _, _, text in FORMS])
    before = noise(SIZE, 3)
    for name in "ab":
        image.part(before, name)[:] = np.random.default_rng(len(name)).integers(0, 5, 8192 // NUMPY[dtype].itemsize)
    image.part(before, "z")[:] = 99
    for counts, words, repeats in states(NUMPY[dtype].itemsize):
        register = Register(NUMPY[dtype].itemsize, counts, words, repeats)
        for which, (name, form, _) in enumerate(FORMS):
            got = image.run(before, which, counts, words[1], words[0], repeats, check=counts in (-1, 1) and soc == A2)
            wanted = expected(image, before, name, form, register, soc)
            same(got, wanted, (name, form, counts, words, repeats))
    for name, form, _ in FORMS:
        ran(name, form, dtype)


def test_every_form_with_the_register_is_tested() -> None:
    """Elementwise ones are in test_masks.py, conversions and deq in the tests of their chapters."""
    others = {"cast", "add_relu_cast", "sub_relu_cast", "mul_cast", "add_deq_relu"}
    here = {(name, form) for name, form, _ in FORMS}
    for name in CALLS:
        assert {(name, n) for n, form in enumerate(ROWS[name].forms) if MASK in form.named} == {
            pair for pair in here if pair[0] == name
        }
    elementwise = {name for name, row in ROWS.items() for form in row.forms if MASK in form.named} - set(CALLS) - others
    assert {"add", "adds", "abs", "axpy"} <= elementwise


def test_count_of_add_deq_relu(tmp_path: Path, ran: Callable[[str, int, str], None]) -> None:
    """Its lanes are those of int32, the wider type; with a count in the register the call's own means nothing."""
    tensors = {"z": ("float16", 0, 1024), "a": ("int32", 1024, 2048), "b": ("int32", 3072, 2048)}
    params = "asc.BinaryRepeatParams(1, 1, 1, 4, 8, 8)"
    call = f"asc.set_deq_scale(0.5)\nasc.add_deq_relu(z, a, b, 3, repeats, {params}, {{}})"
    image = Image(tmp_path, "deq", 5120, tensors, PARAMETERS, [with_register("int32", call)], A2)
    before = np.zeros(5120, np.uint8)
    image.part(before, "z")[:] = 99
    for name in "ab":
        image.part(before, name)[:] = np.random.default_rng(ord(name)).integers(-9, 9, 512)
    for counts, words in ((0, (0, 0)), (70, (0, 0)), (512, (0, 0)), (-1, (0xF0F, 0))):
        lanes = range(counts) if counts >= 0 else [lane for lane in range(64) if words[0] >> lane & 1]
        wanted = before.copy()
        total = image.part(before, "a").astype(np.float32) + image.part(before, "b")
        for lane in lanes:
            image.part(wanted, "z")[lane] = max(total[lane] * 0.5, 0)
        same(image.run(before, 0, counts, words[1], words[0], 1, check=True), wanted, (counts, words))
    ran("add_deq_relu", 1, "float16")
    ran("add_deq_relu", 1, "int32")


@pytest.mark.parametrize(("name", "form", "text"), FORMS, ids=[f"{name}-{form}" for name, form, _ in FORMS])
def test_text(name: str, form: int, text: str, tmp_path: Path) -> None:
    """The template argument stands behind the element types."""
    kernel = image_of(tmp_path, "float32", A2, [with_register("float32", text)]).kernel
    emitted = kernel.emit("uint8[64]", 0, 0, 0, 0, 0)
    tensors = {parameter.variable for parameter in ROWS[name].forms[form].parameters if parameter.is_tensor}
    types = "float, uint8_t" if len(tensors) == 2 else "float"
    assert f"AscendC::{ROWS[name].cpp}<{types}, false>(" in emitted
    plain = image_of(tmp_path, "float32", A2, [text.format("is_set_mask=True")]).kernel
    assert f"AscendC::{ROWS[name].cpp}(" in plain.emit("uint8[64]", 0, 0, 0, 0, 0)


def test_wrong(tmp_path: Path) -> None:
    """A count in the register reaches beyond an operand; and a mask of a call's own is no count."""
    image = image_of(
        tmp_path,
        "float32",
        A2,
        [
            with_register("float32", FORMS[0][2]),
            "asc.set_mask_count()\nasc.copy(z, a, 3, repeats, asc.CopyRepeatParams(2, 1, 16, 8))",
            "asc.set_mask_count()\nasc.compare(z8, a, b, CMPMODE.LT, 3, repeats, " + BINARY + ")",
        ],
    )
    before = np.zeros(SIZE, np.uint8)
    with pytest.raises(OutOfRange, match="is used for"):
        image.run(before, 0, 2049, 0, 0, 1)
    for which in (1, 2):
        with pytest.raises(RuleError, match="would be taken for a number of elements"):
            image.run(before, which, -1, 0, 0, 1)
