"""An operator in PyTorch: called, differentiated, compiled, and who serves it.

Run it: python examples/07_rms_norm.py
See who would serve a call: opwright explain rms_norm --arg x=bf16[1024,4096] --arg weight=bf16[4096] --arg epsilon=1e-6

`import opwright.ops` registers the operators in PyTorch. The same call can be served by compiled C++, by plain PyTorch,
or by the Ascend C kernel on the CPU twin, also under its checks. Not run on an NPU.
"""

import torch

import opwright
import opwright.ops
from opwright.operators.rms_norm import rms_norm_rows


def say(what: str, right: bool) -> None:
    """One line, and the end if something is wrong."""
    print(f"{what}: {'right' if right else 'WRONG'}")
    if not right:
        raise SystemExit(1)


def main() -> None:
    """Calls it every way that there is."""
    torch.manual_seed(0)
    x, weight = torch.randn(64, 500), torch.randn(500)
    expected = torch.nn.functional.rms_norm(x, (500,), weight, 1e-6)

    # Who serves this call, and who would not.
    print(opwright.explain("rms_norm", x, weight, 1e-6).provider, "serves it on the CPU")
    say("by default", torch.allclose(opwright.ops.rms_norm(x, weight, 1e-6), expected, atol=1e-5))
    for provider in ("reference", "kernel"):
        with opwright.using("rms_norm", provider):
            say(f"by {provider}", torch.allclose(opwright.ops.rms_norm(x, weight, 1e-6), expected, atol=1e-5))

    # Into a tensor of one's own, and in place.
    y = torch.full_like(x, float("nan"))
    say("into out", opwright.ops.rms_norm(x, weight, 1e-6, out=y) is y and torch.allclose(y, expected, atol=1e-5))
    z = x.clone()
    opwright.ops.rms_norm_(z, weight, 1e-6)
    say("in place", torch.equal(z, y))

    # A row of a larger tensor is read where it lies.
    qkv = torch.randn(64, 1500)
    q = qkv[:, :500]
    say(
        "of a slice",
        torch.equal(opwright.ops.rms_norm(q, weight, 1e-6), opwright.ops.rms_norm(q.clone(), weight, 1e-6)),
    )

    # Gradients, twice over, and forward mode.
    small = torch.randn(3, 7, dtype=torch.float64, requires_grad=True)
    scale = torch.randn(7, dtype=torch.float64, requires_grad=True)
    norm = opwright.ops.rms_norm
    say("gradient", torch.autograd.gradcheck(lambda a, b: norm(a, b, 1e-6), (small, scale), check_forward_ad=True))
    say("gradient of the gradient", torch.autograd.gradgradcheck(lambda a, b: norm(a, b, 1e-6), (small, scale)))
    hessian = torch.func.hessian(lambda a: norm(a, None, 1e-6).pow(3).sum())(small.detach())
    say("Hessian by torch.func", hessian.shape == (3, 7, 3, 7))

    # In a compiled function, for any number of rows.
    compiled = torch.compile(lambda a, b: norm(a * 2, b, 1e-6).relu(), dynamic=True, fullgraph=True)
    for rows in (5, 6, 7):
        part = x[:rows]
        expected = norm(part * 2, weight, 1e-6).relu()
        say(f"compiled, {rows} rows", torch.allclose(compiled(part, weight), expected, atol=1e-6))

    # The kernel under the checked twin: no race, no address out of range, nothing unwritten is read.
    y.fill_(float("nan"))
    rms_norm_rows.check(x, weight, y, 1e-6)
    print("the kernel, checked: nothing found")

    # What is wrong with a call is said in one line.
    try:
        norm(x, torch.ones(400), 1e-6)
    except ValueError as error:
        print("refused:", error)


if __name__ == "__main__":
    main()
