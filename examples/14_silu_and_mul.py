"""A gated feed-forward layer whose activation is one operator, trained for some steps and compiled.

Run it: python examples/14_silu_and_mul.py

Not run on an NPU.
"""

import torch

import opwright.ops


class FeedForward(torch.nn.Module):
    """down(silu(gate(x)) * up(x)), gate and up in one matrix product."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.gate_and_up = torch.nn.Linear(width, 2 * hidden, bias=False)
        self.down = torch.nn.Linear(hidden, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(opwright.ops.silu_and_mul(self.gate_and_up(x)))


def main() -> None:
    """The layer learns to give back its input, in eager mode and compiled alike."""
    torch.manual_seed(0)
    layer = FeedForward(16, 64)
    x = torch.randn(128, 16)
    compiled = torch.compile(layer, fullgraph=True)
    optimiser = torch.optim.Adam(layer.parameters(), lr=1e-2)
    losses = []
    for _ in range(60):
        optimiser.zero_grad()
        loss = (compiled(x) - x).square().mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    print(f"loss {losses[0]:.3f} at first, {losses[-1]:.3f} after 60 steps")
    same = torch.allclose(compiled(x), layer(x), atol=1e-5)
    learnt = losses[-1] < losses[0] / 10
    print(f"compiled and eager agree: {same}; it learns: {learnt}" if same and learnt else "WRONG")


if __name__ == "__main__":
    main()
