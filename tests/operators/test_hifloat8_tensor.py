"""HiFloat8Tensor: what stays codes, what is dequantised, what is refused, and how models keep and load it."""

import copy
import io
import itertools
import re
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch import nn  # noqa: E402

import opwright.ops  # noqa: E402
from opwright import hifloat8_tensor  # noqa: E402
from opwright.hifloat8_tensor import HiFloat8Tensor, HiFloat8WeightOnlyConfig, quantize_  # noqa: E402
from opwright.operators import _hifloat8 as hifloat8  # noqa: E402
from opwright.operators import _hifloat8_checks as checks  # noqa: E402
from opwright.operators import _hifloat8_products, _hifloat8_shown  # noqa: E402

FLOATS = [torch.float16, torch.bfloat16, torch.float32]


def numbers(*shape: int, dtype: "torch.dtype" = torch.float32, seed: int = 0) -> "torch.Tensor":
    return torch.from_numpy(np.array(np.random.default_rng(seed).standard_normal(shape) * 3)).to(dtype)


def made(shape: tuple[int, ...], block_size: list[int], seed: int = 0) -> HiFloat8Tensor:
    return HiFloat8Tensor.from_float(numbers(*shape, seed=seed), block_size)


def linear(dtype: "torch.dtype" = torch.float32, seed: int = 0, bias: bool = True) -> nn.Linear:
    """A layer of 12 inputs and 8 outputs whose weight is one of ours."""
    torch.manual_seed(seed)
    layer = nn.Linear(12, 8, bias=bias, dtype=dtype)
    layer.weight = nn.Parameter(HiFloat8Tensor.from_float(layer.weight, [1, -1]), requires_grad=False)
    return layer


def by_hand(layer: nn.Linear, x: "torch.Tensor") -> "torch.Tensor":
    weight = hifloat8.dequantize(layer.weight.codes, layer.weight.scale, layer.weight.block_size, layer.weight.dtype)
    return nn.functional.linear(x, weight, layer.bias)


def fits(tensor: HiFloat8Tensor) -> None:
    """Whether its parts would be taken by the constructor."""
    checks.check_block_size("test", tensor.block_size, tensor.codes.shape)
    checks.check_scale("test", tensor.scale, tensor.block_size, tensor.codes)
    assert (tensor.shape, tensor.stride()) == (tensor.codes.shape, tensor.codes.stride())


# Making one


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_of_numbers(dtype: "torch.dtype") -> None:
    x = numbers(6, 10, dtype=dtype)
    tensor = HiFloat8Tensor.from_float(x.requires_grad_(), [2, 4], target_max=8.0, overflow="inf")
    fits(tensor)
    assert (tensor.dtype, tensor.device, tensor.requires_grad) == (dtype, x.device, False)
    assert (tensor.block_size, tensor.overflow) == ((2, 4), "inf")
    assert torch.equal(tensor.scale, hifloat8.scale_of(x.detach(), [2, 4], 8.0))
    assert torch.equal(tensor.codes, hifloat8.quantize(x.detach(), tensor.scale, [2, 4], "inf"))
    assert tensor.dequantize().dtype == dtype
    for to in FLOATS:
        assert torch.equal(tensor.dequantize(to), hifloat8.dequantize(tensor.codes, tensor.scale, [2, 4], to))


def test_of_parts() -> None:
    codes, scale = torch.full((3, 4), 8, dtype=torch.uint8), torch.tensor([[1.0], [2.0], [3.0]])
    tensor = HiFloat8Tensor(codes, scale, [1, -1], torch.float16)
    assert tensor.dequantize().tolist() == [[1.0] * 4, [2.0] * 4, [3.0] * 4]
    assert HiFloat8Tensor(codes, scale, [1, -1]).dtype == torch.bfloat16
    for word in ("HiFloat8Tensor", "[3, 4]", "[1, -1]", "torch.float16", "'saturate'"):
        assert word in repr(tensor)


def test_repr_has_values() -> None:
    """A20: values, and not every code and scale."""
    codes, scale = torch.full((3, 4), 8, dtype=torch.uint8), torch.tensor([[1.0], [2.0], [3.0]])
    shown = repr(HiFloat8Tensor(codes, scale, [1, -1], torch.float16))
    assert "[2., 2., 2., 2.]" in shown and "3 scales" in shown and "uint8" not in shown
    large = HiFloat8Tensor(torch.zeros(64, 1024, dtype=torch.uint8), torch.ones(64, 1024), [1, 1])
    assert len(repr(large)) < 1000


@pytest.mark.parametrize("shape", [(3, 4), (4096,), (300, 7), (7, 300), (300, 400), (5, 40, 41), (0, 3), ()], ids=str)
@pytest.mark.parametrize("block", [-1, 1, 9])
def test_repr_shows_values_as_pytorch_does(shape: tuple[int, ...], block: int) -> None:
    for options in ({}, {"edgeitems": 1, "threshold": 20}):
        with torch._tensor_str.printoptions(**options):
            tensor = made(shape, [block] * len(shape))
            values = str(tensor.dequantize()).removeprefix("tensor(").removesuffix(")")
            assert values in repr(tensor)


def test_repr_of_a_large_one_looks_at_few(monkeypatch: pytest.MonkeyPatch) -> None:
    real, tensor = _hifloat8_shown._own, made((2048, 2048), [-1, 128])

    class Noted:
        def dequantize_from_hifloat8(self, codes: "torch.Tensor", *arguments: object, **keywords: object) -> object:
            assert codes.numel() == 49
            return real.dequantize_from_hifloat8(codes, *arguments, **keywords)

    monkeypatch.setattr(_hifloat8_shown, "_own", Noted())
    assert repr(tensor).count("...") == 7  # in six rows and between them


@pytest.mark.parametrize(
    ("block_size", "text"),
    [
        ([1, -1], "4 scales, one for each row"),
        ([-1, 1], "6 scales, one for each column"),
        ([2, 3], "4 scales, one for each block"),
        ([-1, -1], "1 scale"),
    ],
)
def test_repr_says_which_scales(block_size: list[int], text: str) -> None:
    assert repr(made((4, 6), block_size)).endswith(f"{text})")
    assert repr(made((4, 6), block_size).to("meta")).endswith(f"{text})")


@pytest.mark.parametrize(
    ("kind", "text", "make"),
    [
        (TypeError, "codes is int8", lambda c, s: HiFloat8Tensor(c.to(torch.int8), s, [1, -1])),
        (TypeError, "dtype is float64", lambda c, s: HiFloat8Tensor(c, s, [1, -1], torch.float64)),
        (TypeError, "scale is float64", lambda c, s: HiFloat8Tensor(c, s.double(), [1, -1])),
        (ValueError, "needs [3, 1]", lambda c, s: HiFloat8Tensor(c, s.t(), [1, -1])),
        (ValueError, "has 1 entry", lambda c, s: HiFloat8Tensor(c, s, [1])),
        (ValueError, "did you mean 'saturate'", lambda c, s: HiFloat8Tensor(c, s, [1, -1], overflow="saturates")),
        (TypeError, "numbers is float64", lambda c, s: HiFloat8Tensor.from_float(s.double(), [1, -1])),
        (ValueError, "target_max is -1", lambda c, s: HiFloat8Tensor.from_float(s, [1, -1], target_max=-1)),
        (ValueError, "has 0 at 0", lambda c, s: HiFloat8Tensor.from_float(s, [0, 1])),
        (TypeError, "dtype is int32", lambda c, s: HiFloat8Tensor(c, s, [1, -1]).dequantize(torch.int32)),
    ],
)
def test_not_made(kind: type[Exception], text: str, make: Callable[..., object]) -> None:
    with pytest.raises(kind, match=re.escape(text)):
        make(torch.zeros(3, 4, dtype=torch.uint8), torch.ones(3, 1))


# Copies


def test_copies() -> None:
    tensor = made((6, 8), [2, -1])
    for other in (tensor.detach(), tensor.clone(), copy.deepcopy(tensor), tensor.to("cpu", copy=True)):
        fits(other)
        assert type(other) is HiFloat8Tensor
        assert torch.equal(other.codes, tensor.codes)
        assert torch.equal(other.scale, tensor.scale)
        assert (other.block_size, other.overflow, other.dtype) == ((2, -1), "saturate", torch.float32)
    assert tensor.detach().codes.data_ptr() == tensor.codes.data_ptr()
    assert tensor.clone().codes.data_ptr() != tensor.codes.data_ptr()
    assert tensor.clone().scale.data_ptr() != tensor.scale.data_ptr()
    assert tensor.to("meta").codes.device == tensor.to("meta").scale.device == torch.device("meta")
    turned = tensor.t()
    assert not turned.is_contiguous()
    assert turned.contiguous().is_contiguous()
    assert torch.equal(turned.contiguous().dequantize(), tensor.dequantize().t())


def test_another_type_is_only_said() -> None:
    """The codes stay: to another type and back nothing is lost."""
    tensor = made((6, 8), [2, -1])
    half = tensor.half()
    assert (half.dtype, half.dequantize().dtype) == (torch.float16, torch.float16)
    assert torch.equal(half.float().dequantize(), tensor.dequantize())
    with pytest.raises(TypeError, match="dtype is float64"):
        tensor.double()


# Views


@pytest.mark.parametrize("block_size", [[1, -1, 1], [2, 4, 3], [-1, -1, -1], [3, 1, 100]], ids=str)
def test_transposed(block_size: list[int]) -> None:
    tensor = made((4, 6, 5), block_size)
    values = tensor.dequantize()
    for dims in itertools.permutations(range(3)):
        turned = tensor.permute(dims)
        fits(turned)
        assert turned.block_size == tuple(block_size[dim] for dim in dims)
        assert torch.equal(turned.dequantize(), values.permute(dims))
    assert torch.equal(tensor.transpose(-1, 0).dequantize(), values.transpose(-1, 0))
    assert torch.equal(made((3, 5), [1, 2]).t().dequantize(), made((3, 5), [1, 2]).dequantize().t())


def cuts(start: int, end: int, step: int, size: int, length: int) -> bool:
    """Whether the blocks of the elements that a slice takes do not follow each other as blocks must."""
    taken = range(size)[start:end:step]
    length = size if length == -1 else length
    found = [index // length for index in taken]
    wanted = [found[0] + position // length for position in range(len(taken))] if found else []
    if length == 1 and step > 1:
        return False
    return found != wanted and len(set(found)) > 1


def test_every_slice() -> None:
    """Of one dimension of 7, in blocks of every length: it is right, or refused where blocks are cut."""
    refused = 0
    for length in (-1, 1, 2, 3, 7, 9):
        tensor = made((7, 3), [length, 2])
        values = tensor.dequantize()
        for start, end, step in itertools.product(range(-8, 9), range(-8, 9), (1, 2, 3)):
            if cuts(start, end, step, 7, length):
                refused += 1
                with pytest.raises(ValueError, match="cuts blocks"):
                    tensor[start:end:step]
                continue
            part = tensor[start:end:step]
            fits(part)
            assert torch.equal(part.dequantize(), values[start:end:step])
    assert refused > 100


def test_slices_of_several_dimensions() -> None:
    tensor = made((6, 9, 4), [1, 3, -1])
    values = tensor.dequantize()
    assert torch.equal(tensor[2:5, 3:8, 1:].dequantize(), values[2:5, 3:8, 1:])
    assert torch.equal(tensor.narrow(1, 6, 3).dequantize(), values.narrow(1, 6, 3))
    assert torch.equal(tensor[1:, 3:][:2, 3:].dequantize(), values[1:, 3:][:2, 3:])


@pytest.mark.parametrize(
    ("shape", "block_size", "into", "wanted"),
    [
        ((2, 3, 8), [1, 1, -1], (6, 8), [1, -1]),
        ((6, 8), [1, 4], (2, 3, 8), [1, 1, 4]),
        ((6, 8), [1, 4], (6, 1, 8), [1, 1, 4]),
        ((6, 1, 8), [1, 1, 4], (6, 8), [1, 4]),
        ((6, 8), [-1, -1], (4, 12), [-1, -1]),
        ((6, 8), [6, 100], (48,), [-1]),
        ((6, 8), [2, 4], (6, 8), [2, 4]),
        ((6, 8), [2, -1], (6, 2, 4), [2, -1, -1]),
        ((8, 2), [2, -1], (4, 2, 2), [1, -1, -1]),
        ((6, 8), [1, 1], (48,), [1]),
        ((1,), [1], (1, 1), [1, 1]),
        ((1, 1), [-1, 1], (), []),
        ((), [], (1,), [1]),
        ((0, 5), [1, 2], (0, 7), [1, 1]),
        # A block that is a run of elements stays one.
        ((6, 8), [1, -1], (48,), [8]),
        ((48,), [8], (6, 8), [1, -1]),
        ((2, 3, 8), [1, -1, -1], (6, 8), [3, -1]),
        ((6, 8), [1, 4], (6, 2, 4), [1, 1, -1]),
        ((6, 8), [1, 4], (6, 4, 2), [1, 2, -1]),
        ((6, 8), [1, 4], (2, 24), [1, 4]),
        ((6, 8), [2, -1], (3, 16), [1, -1]),
        ((10, 4), [3, -1], (40,), [12]),
        ((40,), [12], (10, 4), [3, -1]),
        ((6, 8), [2, 4], (2, 3, 8), None),
        ((6, 7), [1, 4], (42,), None),
        ((6, 8), [2, 4], (48,), None),
        ((40,), [12], (8, 5), None),
        ((6, 8), [2, -1], (2, 24), None),
        ((4, 6), [-1, 1], (24,), None),
    ],
    ids=str,
)
def test_views(shape: tuple[int, ...], block_size: list[int], into: tuple[int, ...], wanted: list[int] | None) -> None:
    tensor = made(shape, block_size)
    if wanted is None:
        with pytest.raises(ValueError, match="cuts blocks"):
            tensor.view(into)
        return
    seen = tensor.view(into)
    fits(seen)
    assert seen.block_size == tuple(wanted)
    assert seen.codes.data_ptr() == tensor.codes.data_ptr()
    assert torch.equal(seen.dequantize(), tensor.dequantize().view(into))
    assert torch.equal(tensor.reshape(into).dequantize(), tensor.dequantize().view(into))


def test_parts_are_written_where_they_have_scales_of_their_own() -> None:
    tensor = made((8, 6), [2, -1])
    wanted = tensor.dequantize()
    for part, other in ((slice(2, 6), made((4, 6), [2, -1], seed=1)), (slice(6, None), made((2, 6), [2, -1], seed=2))):
        tensor[part].copy_(other)
        wanted[part] = other.dequantize()
        assert torch.equal(tensor.dequantize(), wanted)
    for part in (tensor[:3], tensor[:, 1:], tensor.t()[:2], tensor[:, :2].view(4, 2, 2)[:1], tensor[:3].detach()):
        with pytest.raises(ValueError, match="has scales in common with the rest"):
            part.copy_(torch.zeros(part.shape))
    assert torch.equal(tensor.dequantize(), wanted)
    own = tensor[:3].clone()
    own.copy_(torch.zeros(3, 6))
    assert own.dequantize().count_nonzero() == 0


# Products


@pytest.mark.parametrize("shape", [(6, 11), (3, 5, 20), (4, 1, 9), (7, 1), (1, 7), (2, 40000)], ids=str)
@pytest.mark.parametrize("lengths", [[-1], [1], [4], [1, -1], [3, 8], [-1, 1]], ids=str)
@pytest.mark.parametrize("has_output", [False, True])
def test_in_any_order_without_copies(shape: tuple[int, ...], lengths: list[int], has_output: bool) -> None:
    """Codes, numbers and scales that were transposed together are walked where they lie."""
    block_size = ([1] * 3 + lengths)[-len(shape) :]
    x, dims = numbers(*shape), range(len(shape))
    scale = hifloat8.scale_of(x, block_size)
    codes = hifloat8.quantize(x, scale, block_size)
    for order in itertools.permutations(dims):
        turned = [one.permute(order) for one in (x, scale, codes)]
        lengths = [block_size[dim] for dim in order]
        opwright.calls(reset=True)
        for name, input, wanted in (
            ("quantize_to_hifloat8", turned[0], codes),
            ("dequantize_from_hifloat8", turned[2], hifloat8.dequantize(codes, scale, block_size)),
            ("fake_quantize_hifloat8", turned[0], hifloat8.fake_quantize(x, scale, block_size)),
        ):
            out = {"out": torch.full_like(wanted, 77).permute(order)} if has_output else {}
            got = getattr(opwright.ops, name)(input, turned[1], lengths, **out)
            assert torch.equal(got, wanted.permute(order)), (name, order)
            assert got.stride() == torch.empty_like(input).stride()
            counts = opwright.calls()[name]
            assert [(who, count.copied) for who, count in counts.items()] == [("native", 0)], (name, order)


@pytest.mark.parametrize("inference", [False, True])
def test_linear_copies_no_codes(inference: bool) -> None:
    """B2: outside of inference mode autograd hands the weight on transposed."""
    weight = made((8, 16), [1, -1])
    expected, x = weight.dequantize(), numbers(4, 16)
    opwright.calls(reset=True)
    with torch.inference_mode(inference):
        assert torch.equal(nn.functional.linear(x, weight), nn.functional.linear(x, expected))
        assert torch.equal(weight.t().dequantize(), expected.t())
        assert torch.equal(x @ weight.t(), x @ expected.t())
    counts = opwright.calls()["dequantize_from_hifloat8"]
    assert {who: (count.served, count.copied) for who, count in counts.items()} == {"native": (3, 0)}


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("bias", [True, False])
def test_linear(dtype: "torch.dtype", bias: bool) -> None:
    layer = linear(dtype, bias=bias)
    for shape in ((12,), (3, 12), (2, 3, 12), (0, 12)):
        x = numbers(*shape, dtype=dtype)
        assert torch.equal(layer(x), by_hand(layer, x))
        with torch.inference_mode():
            assert torch.equal(layer(x), by_hand(layer, x))


def test_products() -> None:
    a, b = made((4, 6), [1, -1]), made((6, 5), [-1, 1])
    x, y = a.dequantize(), b.dequantize()
    plain = numbers(4, 5)
    assert torch.equal(a @ b, x @ y)
    assert torch.equal(torch.mm(a, y), x @ y)
    assert torch.equal(torch.mm(x, b), x @ y)
    assert torch.equal(torch.addmm(plain, x, b), torch.addmm(plain, x, y))
    assert torch.equal(b.t() @ a.t(), y.t() @ x.t())
    assert torch.equal(a @ y[:, 0], x @ y[:, 0])
    c = made((2, 4, 6), [1, 1, -1])
    assert torch.equal(torch.bmm(c, y.expand(2, 6, 5)), torch.bmm(c.dequantize(), y.expand(2, 6, 5)))


def test_gradients_of_what_it_is_multiplied_with() -> None:
    layer = linear()
    x, same_x = numbers(3, 12).requires_grad_(), numbers(3, 12).requires_grad_()
    towards = numbers(3, 8, seed=4)
    layer(x).backward(towards)
    by_hand(layer, same_x).backward(towards)
    assert torch.equal(x.grad, same_x.grad)
    assert layer.bias.grad is not None


def test_imported_alone() -> None:
    """The operators that it calls are registered by itself."""
    code = (
        "import torch\nfrom opwright.hifloat8_tensor import HiFloat8Tensor as made\nmade.from_float(torch.ones(2), [1])"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)


@pytest.mark.parametrize("is_made_inside", [False, True])
def test_seen_in_other_ways_in_inference_mode(is_made_inside: bool) -> None:
    """Views of what was made outside failed: "Cannot set version_counter for inference tensor"."""
    with torch.inference_mode(is_made_inside):
        tensor = made((4, 6), [1, -1])
    with torch.inference_mode():
        for seen in (tensor.t().t(), tensor[:4], tensor.view(2, 2, 6).view(4, 6), tensor.detach()):
            assert torch.equal(seen.dequantize(), tensor.dequantize())
        assert torch.equal(numbers(2, 6) @ tensor.t(), numbers(2, 6) @ tensor.dequantize().t())


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many elements became floats at a time, in matrices whose parts have at most 64."""
    real, seen = hifloat8_tensor._own, []

    class Noted:
        hifloat8_scale, quantize_to_hifloat8 = real.hifloat8_scale, real.quantize_to_hifloat8

        def dequantize_from_hifloat8(self, codes: "torch.Tensor", *arguments: object, **keywords: object) -> object:
            seen.append(codes.numel())
            return real.dequantize_from_hifloat8(codes, *arguments, **keywords)

    monkeypatch.setattr(_hifloat8_products, "_PART", 64)
    monkeypatch.setattr(hifloat8_tensor, "_own", Noted())
    return seen


def close(got: "torch.Tensor", wanted: "torch.Tensor") -> None:
    """Up to the order in which a library sums up."""
    torch.testing.assert_close(got, wanted, rtol=1e-5, atol=1e-4)


BLOCKS = [[1, -1], [-1, 1], [-1, -1], [3, 5], [40, 7], [1, 1], [100, 100]]


@pytest.mark.parametrize("block_size", BLOCKS, ids=str)
@pytest.mark.parametrize("inference", [False, True])
def test_large_matrices_are_multiplied_in_parts(parts: list[int], inference: bool, block_size: list[int]) -> None:
    w = made((41, 16), block_size)
    numbers_of_w, x, y = hifloat8.dequantize(w.codes, w.scale, block_size, w.dtype), numbers(7, 16), numbers(7, 41)
    cases: list[tuple[Callable[..., torch.Tensor], tuple[object, ...]]] = [
        (lambda w, x: nn.functional.linear(x, w), (x,)),
        (lambda w, x, b: nn.functional.linear(x, w, b), (x, numbers(41))),
        (lambda w, x, b: nn.functional.linear(x, w, b), (numbers(2, 3, 16), numbers(41))),
        (lambda w, x: nn.functional.linear(x, w), (numbers(16),)),
        (lambda w, x: x @ w.t(), (numbers(2, 3, 16),)),
        (lambda w, y: y @ w, (y,)),
        (lambda w, x: w @ x, (x.t(),)),
        (lambda w, x: w @ x, (x[0],)),
        (lambda w, a, y: torch.addmm(a, y, w, beta=2, alpha=3), (numbers(7, 16), y)),
        (lambda w, a, y: torch.addmm(a, y, w), (numbers(7, 1), y)),
        (lambda w, a, x: torch.addmm(a, w, x), (numbers(41, 1), x.t())),
        (lambda w, a, x: torch.addmm(a, w, x), (numbers(7), x.t())),
    ]
    for case, arguments in cases:
        parts.clear()
        with torch.inference_mode(inference):
            close(case(w, *arguments), case(numbers_of_w, *arguments))
        assert len(parts) > 1 or block_size == [100, 100] or 40 in block_size, (case, parts)
        assert sum(parts) == w.numel()
        if block_size in ([1, -1], [-1, 1], [-1, -1], [1, 1]):
            assert max(parts) <= 64


def test_both_factors_in_parts(parts: list[int]) -> None:
    a, b = made((32, 16), [1, -1]), made((16, 24), [-1, 1])
    close(a @ b, hifloat8.dequantize(a.codes, a.scale, [1, -1], a.dtype) @ b.dequantize())
    assert len(parts) > 2


def test_gradients_with_parts(parts: list[int]) -> None:
    weight = made((41, 16), [1, -1])
    plain = hifloat8.dequantize(weight.codes, weight.scale, [1, -1], weight.dtype)
    x, same_x, bias = (numbers(7, n, seed=n).requires_grad_() for n in (16, 16, 41))
    towards = numbers(7, 41, seed=4)
    bias = bias[0].detach().requires_grad_()
    nn.functional.linear(x, weight, bias).backward(towards)
    nn.functional.linear(same_x, plain, bias).backward(towards)
    close(x.grad, same_x.grad)
    close(bias.grad, 2 * towards.sum(0))
    assert max(parts) <= 64


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("aten.add.Tensor", lambda tensor: tensor + 1),
        ("aten.relu.default", lambda tensor: torch.relu(tensor)),
        ("aten.add_.Tensor", lambda tensor: tensor.add_(1)),
        ("aten.cat.default", lambda tensor: torch.cat([tensor, tensor])),
        ("aten.embedding.default", lambda tensor: nn.functional.embedding(torch.tensor([0]), tensor)),
    ],
)
def test_other_operators_are_refused(name: str, call: Callable[[HiFloat8Tensor], object]) -> None:
    text = rf"^HiFloat8Tensor: {re.escape(name)} does not take a HiFloat8Tensor; call its"
    with pytest.raises(NotImplementedError, match=text):
        call(made((4, 6), [1, -1]))


# Models


def saved_and_loaded(state: object) -> object:
    file = io.BytesIO()
    torch.save(state, file)
    file.seek(0)
    return torch.load(file, weights_only=True)


def test_saved_and_loaded() -> None:
    layer, x = linear(), numbers(3, 12)
    state = saved_and_loaded(layer.state_dict())
    assert type(state["weight"]) is HiFloat8Tensor
    assert (state["weight"].block_size, state["weight"].overflow) == ((1, -1), "saturate")
    for assign in (False, True):
        other = linear(seed=1)
        assert not torch.equal(other(x), layer(x))
        other.load_state_dict(state, assign=assign)
        assert type(other.weight.data) is HiFloat8Tensor
        assert torch.equal(other(x), layer(x))
    part = saved_and_loaded(made((4, 6), [2, 3])[:2].t())
    assert torch.equal(part.dequantize(), made((4, 6), [2, 3]).dequantize()[:2].t())


def test_numbers_and_codes_load_each_other() -> None:
    plain, layer = nn.Linear(12, 8), linear()
    layer.load_state_dict(plain.state_dict())
    assert torch.equal(layer.weight.dequantize(), HiFloat8Tensor.from_float(plain.weight, [1, -1]).dequantize())
    plain.load_state_dict(linear(seed=3).state_dict())
    assert torch.equal(plain.weight, linear(seed=3).weight.dequantize())


def test_not_copied() -> None:
    tensor = made((4, 6), [1, -1])
    with pytest.raises(ValueError, match=r"blocks of \[2, -1\] cannot be copied to blocks of \[1, -1\]"):
        tensor.copy_(made((4, 6), [2, -1]))
    with pytest.raises(ValueError, match=r"blocks of \[4, 4\] cannot be copied to blocks of \[4, 5\]"):
        made((4, 6), [4, 5]).copy_(made((4, 6), [4, 4]))
    tensor.copy_(made((4, 6), [1, 6], seed=3))
    assert torch.equal(tensor.dequantize(), made((4, 6), [1, -1], seed=3).dequantize())
    with pytest.raises(ValueError, match=r"shape \[6\] cannot be copied to a tensor of \[4, 6\]"):
        tensor.copy_(numbers(6))


def test_moved_with_its_module() -> None:
    layer = linear().to(torch.float16)
    assert (type(layer.weight.data), layer.weight.dtype) == (HiFloat8Tensor, torch.float16)
    x = numbers(3, 12, dtype=torch.float16)
    assert torch.equal(layer(x), by_hand(layer, x))
    assert linear().to("meta").weight.codes.device == torch.device("meta")


def test_compiled() -> None:
    torch._dynamo.reset()
    layer = linear()
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True, dynamic=True)
    with torch._dynamo.config.patch(error_on_recompile=True):
        for tokens in (3, 5, 9):
            x = numbers(tokens, 12)
            assert torch.equal(compiled(x), by_hand(layer, x))
        # New numbers in the same place: nothing of them is part of what was compiled.
        layer.weight.copy_(numbers(8, 12, seed=9))
        assert torch.equal(compiled(x), by_hand(layer, x))


def test_made_and_seen_in_other_ways_while_compiling() -> None:
    def function(x: "torch.Tensor", w: "torch.Tensor") -> "torch.Tensor":
        tensor = HiFloat8Tensor.from_float(w, [2, -1])
        return x @ tensor[2:].t() + tensor.view(-1, 2, 6)[:, 1:].clone().dequantize().sum()

    torch._dynamo.reset()
    x, w = numbers(3, 12), numbers(8, 12)
    wanted = function(x, w)
    got = torch.compile(function, backend="aot_eager", fullgraph=True)(x, w)
    torch.testing.assert_close(got, wanted, rtol=0, atol=0)


@pytest.mark.slow
def test_compiled_by_inductor() -> None:
    torch._dynamo.reset()
    layer, x = linear(torch.bfloat16), numbers(3, 12, dtype=torch.bfloat16)
    torch.testing.assert_close(torch.compile(layer, fullgraph=True)(x), by_hand(layer, x))


@pytest.mark.filterwarnings("ignore:.*LeafSpec")
@pytest.mark.parametrize("strict", [False, True])
def test_exported(strict: bool) -> None:
    layer, x = linear(), numbers(3, 12)
    tokens = {0: torch.export.Dim("tokens")}
    program = torch.export.export(layer, (x,), dynamic_shapes=(tokens,), strict=strict)
    many = numbers(7, 12)
    assert torch.equal(program.module()(many), by_hand(layer, many))
    plain = program.run_decompositions()
    kept = {name: tensor.dtype for name, tensor in plain.state_dict.items()}
    assert sorted(map(str, kept.values())) == ["torch.float32", "torch.float32", "torch.uint8"]
    file = io.BytesIO()
    torch.export.save(plain, file)
    file.seek(0)
    assert torch.equal(torch.export.load(file).module()(many), by_hand(layer, many))


def model(dtype: "torch.dtype" = torch.float32) -> nn.Sequential:
    torch.manual_seed(0)
    inner = nn.Sequential(nn.Linear(12, 24), nn.LayerNorm(24))
    return nn.Sequential(nn.Linear(12, 12), nn.GELU(), inner, nn.Linear(24, 4)).to(dtype)


def codes_of(model: nn.Module) -> list[str]:
    return [name for name, one in model.named_parameters() if isinstance(one, HiFloat8Tensor)]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_model(dtype: "torch.dtype") -> None:
    quantised, x = model(dtype), numbers(5, 12, dtype=dtype)
    assert quantize_(quantised) is None
    assert codes_of(quantised) == ["0.weight", "2.0.weight", "3.weight"]
    by_floats = model(dtype)
    for name in codes_of(quantised):
        made_of = HiFloat8Tensor.from_float(by_floats.get_parameter(name), [1, -1])
        assert torch.equal(quantised.get_parameter(name).codes, made_of.codes)
        by_floats.get_parameter(name).data = made_of.dequantize()
        assert not quantised.get_parameter(name).requires_grad
    assert torch.equal(quantised(x), by_floats(x))
    assert not torch.equal(quantised(x), model(dtype)(x))
    torch._dynamo.reset()
    compiled = torch.compile(quantised, backend="aot_eager", fullgraph=True)
    with torch.no_grad():
        assert torch.equal(compiled(x), by_floats(x))
    before = quantised[0].weight
    quantize_(quantised)
    assert quantised[0].weight is before


def test_model_saved_and_loaded() -> None:
    quantised, x = model(), numbers(5, 12)
    quantize_(quantised)
    state = saved_and_loaded(quantised.state_dict())
    with torch.device("meta"):
        empty = model()
    empty.load_state_dict(state, assign=True)
    assert codes_of(empty) == codes_of(quantised) and torch.equal(empty(x), quantised(x))
    other = nn.Sequential(*[copy.deepcopy(layer) for layer in model()])
    quantize_(other)
    other[0].weight.copy_(numbers(12, 12))
    other.load_state_dict(state)
    assert torch.equal(other(x), quantised(x))


def test_model_by_filter_and_config() -> None:
    asked: list[str] = []

    def is_chosen(module: nn.Module, name: str) -> bool:
        assert isinstance(module, nn.Linear)
        asked.append(name)
        return name != "2.0"

    quantised = model()
    quantize_(quantised, HiFloat8WeightOnlyConfig([-1, 4], 8.0, "inf"), filter_fn=is_chosen, device="cpu")
    assert asked == ["0", "2.0", "3"] and codes_of(quantised) == ["0.weight", "3.weight"]
    weight, wanted = quantised[0].weight, HiFloat8Tensor.from_float(model()[0].weight, [-1, 4], target_max=8.0)
    assert (list(weight.block_size), weight.overflow) == ([-1, 4], "inf")
    assert torch.equal(weight.scale, wanted.scale) and torch.equal(weight.codes, wanted.codes)
    moved = model()
    quantize_(moved, device="meta")
    assert moved[0].weight.codes.is_meta and moved[2][1].weight.is_meta
    alone = nn.Linear(3, 2)
    quantize_(alone)
    assert codes_of(alone) == ["weight"]


def test_model_with_shared_weights_and_attention() -> None:
    tied = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    tied[1].weight = tied[0].weight
    quantize_(tied)
    assert tied[1].weight is tied[0].weight and codes_of(tied) == ["0.weight"]
    attention = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    quantize_(attention)
    assert codes_of(attention) == []


def test_model_is_refused_before_it_is_changed() -> None:
    mixed = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4).double())
    with pytest.raises(TypeError, match=r"1\.weight is float64"):
        quantize_(mixed)
    with pytest.raises(ValueError, match="has 1 entry"):
        quantize_(mixed[0], HiFloat8WeightOnlyConfig([1]))
    assert codes_of(mixed) == []
