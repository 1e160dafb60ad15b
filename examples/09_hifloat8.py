"""HiFloat8: codes of numbers, how far they are from the numbers, scales by token, a Linear whose weight is codes.

Run it: python examples/09_hifloat8.py [picture.png]

The picture shows the relative error of HiFloat8 over all sizes of numbers, beside that of float8_e4m3fn. It needs
matplotlib; everything else does not. Not run on an NPU.
"""

import sys
import tempfile
from pathlib import Path

import torch

import opwright
import opwright.ops
from opwright.hifloat8_tensor import HiFloat8Tensor


def say(what: str, right: bool) -> None:
    """One line, and the end if something is wrong."""
    print(f"{what}: {'right' if right else 'WRONG'}")
    if not right:
        raise SystemExit(1)


def error(numbers: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The relative error of values."""
    return ((values - numbers) / numbers).abs()


def draw(path: Path) -> None:
    """The relative error over the size of numbers, by HiFloat8 and float8_e4m3fn."""
    try:
        import matplotlib
    except ModuleNotFoundError:
        print("no picture: matplotlib is not installed")
        return
    matplotlib.use("Agg")
    from matplotlib import pyplot

    # From 2^-26 to 2^17, a thousand numbers for each octave.
    numbers = torch.cat([2.0**power * torch.linspace(1, 2, 1001)[:-1] for power in range(-26, 17)])
    hifloat8 = opwright.ops.decode_from_hifloat8(opwright.ops.encode_to_hifloat8(numbers), torch.float32)
    float8 = numbers.to(torch.float8_e4m3fn).float()
    figure, axes = pyplot.subplots(figsize=(9, 4.5), layout="constrained")
    # The worst of each octave: single errors would fill the picture.
    for name, values, colour in (("float8_e4m3fn", float8, "tab:orange"), ("HiFloat8", hifloat8, "tab:blue")):
        worst = error(numbers, values).view(-1, 1000).amax(1)
        axes.step(numbers.view(-1, 1000)[:, 0], worst, where="post", label=name, color=colour, linewidth=1.8)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set_ylim(2**-5, 1.3)
    axes.set_xlabel("number")
    axes.set_ylabel("largest relative error")
    axes.set_title("HiFloat8 is exact around 1 and reaches far; float8_e4m3fn is as exact everywhere, and ends at 448")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=120)
    print(f"the picture is {path.name}")


def main() -> None:
    """Codes, scales, statistics, gradients, a Linear, and the picture."""
    torch.manual_seed(0)
    x = torch.randn(64, 256)

    codes = opwright.ops.encode_to_hifloat8(x)
    values = opwright.ops.decode_from_hifloat8(codes, torch.float32)
    print(f"relative error of N(0, 1): {((values - x).square().mean() / x.square().mean()).sqrt():.4f}")
    say("within 1/16, as three bits of mantissa are", bool((error(x, values)[x.abs() > 2**-3] <= 1 / 16).all()))

    # The Ascend C kernel on the twin gives the same bits.
    with opwright.using("encode_to_hifloat8", "kernel"):
        say("the kernel agrees", torch.equal(opwright.ops.encode_to_hifloat8(x), codes))

    # What is too large: the rule is the caller's choice.
    large = torch.tensor([1e6, -1e6, float("inf"), float("nan")])
    for overflow in ("inf", "saturate", "saturate_all"):
        shown = opwright.ops.decode_from_hifloat8(
            opwright.ops.encode_to_hifloat8(large, overflow=overflow), torch.float32
        )
        print(f"{overflow:12} {[f'{value:g}' for value in shown.tolist()]}")
    counts = opwright.ops.hifloat8_stats(torch.cat([large, torch.tensor([1e-9, 1e-6])]))
    names = ("elements", "overflow", "Inf", "NaN", "to 0", "without mantissa")
    print(", ".join(f"{name} {count}" for name, count in zip(names, counts.tolist(), strict=True)))

    # One scale for each token, where tokens differ in size.
    tokens = x * torch.logspace(-9, 9, 64).unsqueeze(1)
    codes, scale = opwright.ops.dynamic_quantize_to_hifloat8(tokens, [1, -1])
    restored = opwright.ops.dequantize_from_hifloat8(codes, scale, [1, -1], dtype=torch.float32)
    relative = (restored - tokens).norm(dim=1) / tokens.norm(dim=1)
    say(f"{scale.numel()} scales: every token within 4 %", bool((relative < 0.04).all()))

    # For training with quantisation the gradient goes straight through.
    leaf = x.clone().requires_grad_()
    opwright.ops.fake_quantize_hifloat8(leaf).sum().backward()
    say("straight through", leaf.grad is not None and torch.equal(leaf.grad, torch.ones_like(leaf)))

    # A layer whose weight is one byte for each number.
    linear = torch.nn.Linear(256, 128)
    weight = HiFloat8Tensor.from_float(linear.weight.detach(), [1, -1])
    expected = torch.nn.functional.linear(x, weight.dequantize(), linear.bias)
    linear.weight = torch.nn.Parameter(weight, requires_grad=False)
    say("a Linear of codes", torch.allclose(linear(x), expected))

    if len(sys.argv) > 1:
        draw(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            draw(Path(folder) / "hifloat8.png")


if __name__ == "__main__":
    main()
