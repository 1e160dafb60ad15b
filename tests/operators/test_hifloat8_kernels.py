"""HiFloat8 kernels on the twin of every SoC: all 16-bit numbers, float32 around every limit, rows, scales, any length.

Codes of all 65,536 numbers of a type are compared by digests of tables that an independent search made; everything else
with the codec in NumPy, which has tests of its own. Outputs are filled with other bytes before. Not run on an NPU.
"""

import hashlib
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
import pytest

from opwright.formats import hifloat8
from opwright.formats.rounding import Overflow
from opwright.settings import settings

torch = pytest.importorskip("torch", reason="torch is not installed")
kernels = import_module("opwright.operators._hifloat8_kernels")
statistics = import_module("opwright.operators._hifloat8_statistics")
plan_of = statistics.plan_of

if TYPE_CHECKING:
    from torch import Tensor
    from torch import dtype as Type

SOCS = ("ascend910b", "ascend910_93", "ascend950")
HALF, BRAIN, SINGLE = torch.float16, torch.bfloat16, torch.float32
TYPES = {"float16": HALF, "bfloat16": BRAIN, "float32": SINGLE}
OVERFLOWS: tuple[Overflow, ...] = ("inf", "saturate", "saturate_all")
ENCODED = {
    HALF: ("4e85867f2a96b171", "8ea30fbd881e596d", "bfbaa0bb1cf15ead"),
    BRAIN: ("bca1768faaec90c6", "0b4ba9138ffb58db", "ad1b8c016308b232"),
}
DECODED = {SINGLE: "2ac829ee895e0e5e", HALF: "5521f4c229089641", BRAIN: "b3023dbe5d26a4ad"}
NAN_BITS = {SINGLE: 0x7FC00000, HALF: 0x7E00, BRAIN: 0x7FC0}
LENGTHS = (1, 7, 31, 33, 1000, 70001)
SHAPES = ((1, 1), (5, 7), (3, 4097), (70, 33), (9, 64), (2, 9001))
GUARD = 40  # elements behind a result that must stay as they were


# A kernel takes seconds to compile. What all SoCs have in common is run on one of them with every type.
CODECS = [(soc, name) for soc in SOCS for name in TYPES if (soc, name) != ("ascend910_93", "float32")]
OTHERS = [*(("ascend910b", name) for name in TYPES), ("ascend910_93", "bfloat16"), ("ascend950", "float16")]
WIDE_AND_NARROW = [("ascend910b", "bfloat16"), ("ascend910b", "float32"), ("ascend950", "float16")]


@pytest.fixture
def soc(request: pytest.FixtureRequest) -> Iterator[str]:
    with settings.scope(soc=request.param):
        yield request.param


@pytest.fixture
def dtype(request: pytest.FixtureRequest) -> "Type":
    return TYPES[request.param]


def on(pairs: list[tuple[str, str]]) -> pytest.MarkDecorator:
    """A test on SoCs, each with an element type."""
    return pytest.mark.parametrize(("soc", "dtype"), pairs, indirect=True)


def digest(tensor: "Tensor") -> str:
    return hashlib.sha256(bits(tensor).numpy().tobytes()).hexdigest()[:16]


def bits(tensor: "Tensor") -> "Tensor":
    return tensor.view({1: torch.uint8, 2: torch.int16, 4: torch.int32}[tensor.element_size()])


def single(tensor: "Tensor") -> np.ndarray:
    return tensor.float().numpy()


def codes_of(numbers: np.ndarray, overflow: Overflow) -> np.ndarray:
    with np.errstate(invalid="ignore"):
        return hifloat8.encode(numbers, overflow=overflow)


def values_of(codes: np.ndarray, dtype: "Type", scale: "Tensor | float" = 1.0) -> "Tensor":
    """What codes stand for, times scale, with the one NaN of a type."""
    found = (torch.from_numpy(hifloat8.decode(codes)) * scale).to(dtype)
    is_nan = found.isnan()
    bits(found)[is_nan] = NAN_BITS[dtype]
    return found


def every_number(dtype: "Type") -> "Tensor":
    """All patterns of 16 bits; of float32 every exponent with many fractions, and what lies around each limit."""
    if dtype != SINGLE:
        return torch.arange(-(1 << 15), 1 << 15, dtype=torch.int16).roll(1 << 15).view(dtype)
    random = np.random.default_rng(8)
    tops = np.arange(1 << 13, dtype=np.uint32).repeat(6) << 19
    drawn = (tops | random.integers(0, 1 << 19, tops.size, dtype=np.uint32)).view(np.float32)
    edges = (np.arange(1 << 13, dtype=np.uint32) << 19).view(np.float32)
    known = np.sort(hifloat8.decode(np.arange(0x6F)))
    limits = np.array([40960, 49152, 2**-23, 3.4028235e38], np.float32)
    known = np.concatenate([known, (known[1:] + known[:-1]) / 2, limits])
    with np.errstate(over="ignore"):
        around = [np.nextafter(known, np.float32(limit)) for limit in (0, np.inf)]
    positive = np.concatenate([known, *around])
    low_payload = np.array([0x7F800001, 0xFF800001, 0x7F80FFFF, 1, 0x80000001], np.uint32).view(np.float32)
    return torch.from_numpy(np.concatenate([drawn, edges, positive, -positive, low_payload]).astype(np.float32))


def result(like: "Tensor", dtype: "Type") -> tuple["Tensor", "Tensor"]:
    """Room for a result, full of other bytes, and the whole of it with what lies behind."""
    whole = torch.full((like.numel() + GUARD,), 99, dtype=dtype)
    return whole[: like.numel()].view(like.shape), whole


def same(got: "Tensor", wanted: "Tensor | np.ndarray", whole: "Tensor") -> None:
    """Equal to the bit, and nothing written behind."""
    right = torch.as_tensor(wanted)
    wrong = (bits(got) != bits(right)).flatten().nonzero().flatten()[:5].tolist()
    assert wrong == [], [(at, got.flatten()[at].item(), right.flatten()[at].item()) for at in wrong]
    assert (whole[-GUARD:] == 99).all()


def rows(shape: tuple[int, int], dtype: "Type") -> tuple["Tensor", "Tensor"]:
    """Numbers of all magnitudes with some that are none, and scales from tiny to huge."""
    random = np.random.default_rng(shape[1])
    numbers = random.standard_normal(shape) * np.exp2(random.integers(-24, 17, shape))
    numbers.flat[:: max(numbers.size // 5, 3)] = np.inf
    numbers.flat[1 :: max(numbers.size // 3, 4)] = np.nan
    scale = np.resize([1.0, 0.1, 1e-30, 1e30, 3e-42, 2.0**-9, 7.3], shape[0])
    return torch.from_numpy(numbers).to(dtype), torch.from_numpy(scale).float()


@on(CODECS)
def test_encode(soc: str, dtype: "Type") -> None:
    """All numbers, all lengths, and rows with scales: one kernel."""
    numbers = every_number(dtype)
    for place, overflow in enumerate(OVERFLOWS):
        codes, whole = result(numbers, torch.uint8)
        kernels.encode(numbers, codes, overflow)
        same(codes, codes_of(single(numbers), overflow), whole)
        if dtype in ENCODED:
            assert digest(codes) == ENCODED[dtype][place]
    for length in LENGTHS:
        part = numbers.repeat(2)[-length:].contiguous()
        codes, whole = result(part, torch.uint8)
        kernels.encode(part, codes, "saturate")
        same(codes, codes_of(single(part), "saturate"), whole)
    for place, shape in enumerate(SHAPES):
        x, scale = rows(shape, dtype)
        codes, whole = result(x, torch.uint8)
        overflow = OVERFLOWS[place % 3]
        kernels.quantize(x, scale, codes, overflow)
        with np.errstate(all="ignore"):
            wanted = codes_of(single(x) / scale.numpy()[:, None], overflow)
        same(codes, wanted, whole)


@on(OTHERS)
def test_fake_quantize(soc: str, dtype: "Type") -> None:
    numbers = every_number(dtype)
    for overflow in OVERFLOWS:
        output, whole = result(numbers, dtype)
        kernels.fake_quantize(numbers, None, output, overflow)
        same(output, values_of(codes_of(single(numbers), overflow), dtype), whole)
    for length in LENGTHS:
        part = numbers.repeat(2)[-length:].contiguous()
        output, whole = result(part, dtype)
        kernels.fake_quantize(part, None, output, "inf")
        same(output, values_of(codes_of(single(part), "inf"), dtype), whole)
    for place, shape in enumerate(SHAPES):
        x, scale = rows(shape, dtype)
        output, whole = result(x, dtype)
        overflow = OVERFLOWS[place % 3]
        kernels.fake_quantize(x, scale, output, overflow)
        with np.errstate(all="ignore"):
            codes = codes_of(single(x) / scale.numpy()[:, None], overflow)
        same(output, values_of(codes, dtype, scale[:, None]), whole)


@on([*OTHERS, ("ascend950", "bfloat16")])
def test_decode(soc: str, dtype: "Type") -> None:
    every_code = torch.arange(256).to(torch.uint8)
    output, whole = result(every_code, dtype)
    kernels.decode(every_code, output)
    assert digest(output) == DECODED[dtype]
    assert (whole[-GUARD:] == 99).all()
    for length in LENGTHS:
        codes = every_code.repeat(300)[-length:].contiguous()
        output, whole = result(codes, dtype)
        kernels.decode(codes, output)
        same(output, values_of(codes.numpy(), dtype), whole)
    for shape in SHAPES:
        codes = every_code.repeat(80)[-shape[0] * shape[1] :].reshape(shape).contiguous()
        _, scale = rows(shape, dtype)
        output, whole = result(codes, dtype)
        kernels.dequantize(codes, scale, output)
        same(output, values_of(codes.numpy(), dtype, scale[:, None]), whole)


@on(WIDE_AND_NARROW)
def test_statistics(soc: str, dtype: "Type") -> None:
    for shape in SHAPES:
        x, _ = rows(shape, dtype)
        x[-1].fill_(torch.inf if shape[0] % 2 else -3.0)
        amax, whole = result(x[:, 0], SINGLE)
        kernels.largest(x, amax)
        sizes = np.abs(single(x))
        same(amax, np.where(np.isfinite(sizes), sizes, 0).max(1), whole)
    numbers = every_number(dtype)
    for part in (numbers, *(numbers.repeat(2)[-length:].contiguous() for length in LENGTHS)):
        counts = torch.full((6,), -1, dtype=torch.int64)
        kernels.count(part, counts)
        x = single(part)
        codes, is_finite = codes_of(x, "inf"), np.isfinite(x)
        wanted = [
            np.ones_like(is_finite),
            is_finite & (codes & 0x7F == 0x6F),
            np.isinf(x),
            np.isnan(x),
            is_finite & (x != 0) & (codes == 0),
            is_finite & (codes & 0x7F != 0) & (codes & 0x7F < 8),
        ]
        assert counts.tolist() == [int(which.sum()) for which in wanted]


def test_nothing_to_do() -> None:
    """Without elements nothing is launched; the largest of no numbers is 0."""
    empty = torch.empty(0)
    kernels.encode(empty, empty.byte(), "inf")
    kernels.decode(empty.byte(), empty)
    kernels.fake_quantize(empty.view(3, 0), torch.ones(3), empty.view(3, 0), "inf")
    amax = torch.full((3,), torch.nan)
    kernels.largest(empty.view(3, 0), amax)
    counts = torch.full((6,), -1, dtype=torch.int64)
    kernels.count(empty, counts)
    assert (amax.tolist(), counts.tolist()) == ([0.0] * 3, [0] * 6)


def test_checked() -> None:
    """Every kernel, over several cores, turns of the queues and rows of a tile: nothing is found."""
    x, scale = rows((70, 1033), BRAIN)
    plan = plan_of(x, scale)
    with np.errstate(all="ignore"):
        wanted = codes_of(single(x) / scale.numpy()[:, None], "saturate_all")
    values = values_of(wanted, BRAIN, scale[:, None])
    one_row = torch.arange(9001).to(BRAIN)
    for soc in ("ascend910b", "ascend950"):
        native = soc == "ascend950"
        with settings.scope(soc=soc):
            codes, whole = result(x, torch.uint8)
            for rule in range(3):
                kernels.encode_tiles.check[3](x, scale, codes, plan, rule, True, native)
            same(codes, wanted, whole)
            codes, whole = result(one_row, torch.uint8)
            kernels.encode_tiles.check[2](one_row, scale, codes, plan_of(one_row), 0, False, native)
            same(codes, codes_of(single(one_row), "inf"), whole)
    output, whole = result(x, BRAIN)
    for rule in range(3):
        kernels.encode_tiles.check[2](x, scale, output, plan, rule, True, False)
    same(output, values, whole)
    output, whole = result(x, BRAIN)
    kernels.decode_tiles.check[3](torch.from_numpy(wanted), scale, kernels._values(), output, plan, True, False)
    same(output, values, whole)
    statistics.largest_of_tiles.check[3](x, torch.empty(plan.tiles, 70), plan)
    statistics.count_on_cores.check[3](x, torch.empty(3, 6, dtype=torch.int32), plan_of(x))


@pytest.mark.parametrize("soc", SOCS, indirect=True)
def test_no_element_is_touched_alone(soc: str) -> None:
    """The text has vector calls only; on ascend950 the conversion is the SoC's own."""
    native = soc == "ascend950"
    plan = plan_of(torch.empty(5, 9001), torch.empty(5))
    scales, codes = "f32[5]", "u8[45005]"
    encoding = [
        kernels.encode_tiles.emit(f"{kind}[45005]", scales, z, plan, 1, True, native)
        for kind in ("f16", "bf16", "f32")
        for z in (codes, f"{kind}[45005]")
    ]
    decoding = [
        kernels.decode_tiles.emit(codes, scales, "f32[256]", f"{kind}[45005]", plan, True, native)
        for kind in ("f16", "bf16", "f32")
    ]
    others = [
        statistics.largest_of_tiles.emit("bf16[45005]", "f32[15]", plan),
        statistics.count_on_cores.emit("bf16[45005]", "i32[48]", plan),
    ]
    for text in (*encoding, *decoding, *others):
        assert "GetValue" not in text
        assert "SetValue" not in text
        assert "DataCopyPad" in text
    for text in (*encoding, *decoding):
        assert ("hifloat8_t" in text) == native
        assert ("AscendC::And(" in text or "AscendC::Gather(" in text) != native
