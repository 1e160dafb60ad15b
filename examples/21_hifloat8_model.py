"""A model whose weights are HiFloat8: made by `quantize_`, compared, saved, and loaded into a model without memory.

Run it: python examples/21_hifloat8_model.py

On the CPU; not run on an NPU.
"""

import io

import torch
from torch import nn

from opwright.hifloat8_tensor import HiFloat8Tensor, HiFloat8WeightOnlyConfig, quantize_


def say(what: str, right: bool) -> None:
    """One line, and the end if something is wrong."""
    print(f"{what}: {'right' if right else 'WRONG'}")
    if not right:
        raise SystemExit(1)


def network() -> nn.Sequential:
    """Two hidden layers and an output."""
    return nn.Sequential(nn.Linear(256, 512), nn.GELU(), nn.Linear(512, 512), nn.GELU(), nn.Linear(512, 10))


def size(model: nn.Module) -> int:
    """The bytes of a file with the model's weights."""
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    return file.tell()


def main() -> None:
    """Quantise, compare, save, load."""
    torch.manual_seed(0)
    model, x = network(), torch.randn(64, 256)
    with torch.no_grad():
        expected, before = model(x), size(model)

        # The output layer keeps its floats; scales are those of rows.
        quantize_(model, filter_fn=lambda module, name: name != "4")
        print(model[0].weight)
        got = model(x)
        error = float((got - expected).norm() / expected.norm())
        print(f"relative error {error:.4f}, {before / size(model):.1f} times smaller")
        say("within 5 %", error < 0.05)

        file = io.BytesIO()
        torch.save(model.state_dict(), file)
        file.seek(0)
        with torch.device("meta"):
            loaded = network()
        loaded.load_state_dict(torch.load(file, weights_only=True), assign=True)
        say("loaded as it was saved", torch.equal(loaded(x), got))

        # Scales of blocks of 128 x 128.
        coarse = network()
        quantize_(coarse, HiFloat8WeightOnlyConfig(block_size=(128, 128)))
        weight = coarse[2].weight
        say("blocks", isinstance(weight, HiFloat8Tensor) and weight.scale.shape == (4, 4))


if __name__ == "__main__":
    main()
