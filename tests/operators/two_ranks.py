"""One of two processes that share tensors by DTensor: operators on parts of tensors, compared with whole ones.

In: the rank, and a file through which the two find each other. Out: one line on stdout for each thing that was asked,
"ok" or what is wrong. Rank 0 imports opwright.ops first, rank 1 DTensor.
"""

import importlib
import sys
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

DTENSOR = "torch.distributed.tensor"


def main(rank: int, meeting_place: str) -> None:
    torch.set_num_threads(1)
    if rank == 0:
        importlib.import_module("opwright.ops")
        say("opwright.ops does not import DTensor", DTENSOR not in sys.modules)
    importlib.import_module(DTENSOR)
    dist.init_process_group("gloo", init_method=f"file://{meeting_place}", rank=rank, world_size=2)
    ask()
    dist.destroy_process_group()


def say(what: str, is_right: bool) -> None:
    print(f"{'ok' if is_right else 'WRONG'}: {what}", flush=True)


def ask() -> None:
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor, init_device_mesh

    ops: Any = importlib.import_module("opwright.ops")
    mesh = init_device_mesh("cpu", (2,))
    torch.manual_seed(0)
    x, weight = torch.randn(4, 6, 8), torch.randn(8)

    def same(name: str, dim: int, *more: Any, wanted: Any = None, **named: Any) -> None:
        """Forward and backward, sharded along a dimension, are those of whole tensors."""
        function = getattr(ops, name)
        tensors = [x, *(one for one in more if isinstance(one, Tensor))]
        whole = [one.clone().requires_grad_() for one in tensors]
        parts = [
            distribute_tensor(one, mesh, [Replicate() if i else Shard(dim)]).requires_grad_()
            for i, one in enumerate(tensors)
        ]
        others = [one for one in more if not isinstance(one, Tensor)]
        result, like = function(*parts, *others, **named), function(*whole, *others, **named)
        what = f"{name} along {dim}"
        say(f"placement of {what}", result.placements == (wanted or Shard(dim),))
        say(f"values of {what}", torch.equal(result.full_tensor(), like))
        if like.requires_grad:
            result.backward(result.detach())
            like.backward(like.detach())
            for i, (part, one) in enumerate(zip(parts, whole, strict=True)):
                is_close = torch.allclose(part.grad.full_tensor(), one.grad, rtol=1e-5, atol=1e-5)
                say(f"gradient {i} of {what}", is_close)

    for dim in (0, 1):
        same("rms_norm", dim, weight, 1e-6)
        same("rms_norm", dim, None, 1e-6)
        same("silu_and_mul", dim)
        same("gelu_tanh_and_mul", dim)
        same("encode_to_hifloat8", dim, overflow="inf")
    same("rms_norm", 2, weight, 1e-6, wanted=Replicate())

    codes = torch.arange(64, dtype=torch.uint8).view(4, 16)
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        values = ops.decode_from_hifloat8(distribute_tensor(codes, mesh, [Shard(0)]), dtype)
        is_right = torch.equal(values.full_tensor(), ops.decode_from_hifloat8(codes, dtype)) and values.dtype == dtype
        say(f"decode_from_hifloat8 to {dtype}", is_right)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
