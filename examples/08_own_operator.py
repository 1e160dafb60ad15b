"""An operator of your own, in forty lines: an Ascend C kernel, a reference, a gradient, inside torch.compile.

Run it: python examples/08_own_operator.py

It belongs to no package. One that does names its module in the entry-point group `opwright.operators`, and
`import opwright.ops` finds it. Not run on an NPU.
"""

import torch

import opwright.ops
from opwright import asc, host
from opwright.operators import operator

# [operator]
scaled = operator(
    "mylib::scaled(Tensor x, float factor) -> Tensor",
    dtypes=(host.float32,),
    gradient="exact",
    providers={"cpu": ("asc", "reference")},
)


@asc.jit
def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int, factor: float):
    x_gm = asc.GlobalTensor()
    y_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, n)
    y_gm.set_global_buffer(y, n)
    tile = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 1024)
    asc.data_copy_pad(tile, x_gm, asc.DataCopyExtParams(1, n * 4, 0, 0, 0), asc.DataCopyPadExtParams(asc.float32))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.muls(tile, tile, factor, n)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy_pad(y_gm, tile, asc.DataCopyExtParams(1, n * 4, 0, 0, 0))


def fits(x, factor):
    return None if len(x.shape) == 1 and 0 < x.shape[0] <= 1024 and x.strides == (1,) else "x is no row of up to 1024"


@scaled.infer
def infer(x, factor):
    host.require_dtype("x", x, (host.float32,))
    return host.like(x)


scaled.reference(lambda x, factor: x * factor)
scaled.backward(lambda grad, needed, x, factor: (grad * factor,))


@scaled.provider("asc", supports=fits)
def by_kernel(x, factor):
    y = torch.empty_like(x)
    kernel[1](x, y, x.numel(), factor)
    return y


scaled_function = opwright.ops.register(scaled)
# [operator end]


def main() -> None:
    """In eager mode, compiled, and differentiated; the kernel serves what it takes, the reference the rest."""
    x = torch.arange(10.0, requires_grad=True)
    compiled = torch.compile(lambda a: torch.ops.mylib.scaled(a + 1, 3.0).relu(), fullgraph=True)
    y = compiled(x)
    y.sum().backward()
    right = torch.equal(y, (x + 1) * 3) and x.grad is not None and torch.equal(x.grad, torch.full((10,), 3.0))
    print(f"compiled, with its gradient: {'right' if right else 'WRONG'}")
    for shape in ((10,), (2, 5)):
        print(opwright.explain("mylib::scaled", torch.ones(shape), 3.0))
        right = right and torch.equal(scaled_function(torch.ones(shape), 3.0), torch.full(shape, 3.0))
    print("WRONG" if not right else "both serve it")


if __name__ == "__main__":
    main()
