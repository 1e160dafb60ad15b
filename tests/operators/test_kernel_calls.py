"""Kernels in the operators' library: the numbers of a launch from Python, no Python on the way, words for the rest."""

import os
import subprocess
import sys

import pytest
import torch

import opwright.ops
from opwright.errors import NotSupported
from opwright.frameworks.torch.serve import view
from opwright.native.library import CpuLibrary, opened
from opwright.operators import _kernels
from opwright.operators._operator import Operator, operators


def is_served(found: Operator) -> bool:
    """Whether the library has its kernels: calls come to them before the reference."""
    order = found.orders.get("cpu", ())
    return bool(found.kernels) and "kernel" in order[: order.index("reference")]


SERVED = {name: found for name, found in operators().items() if name.startswith("opwright::") and is_served(found)}
SHAPES = ((0, 8), (3, 0), (1, 2), (5, 34), (2, 3, 66), (41, 4098))


@pytest.fixture(scope="module")
def library() -> CpuLibrary:
    found = opened()
    if isinstance(found, str):
        pytest.skip(found)
    return found


def arguments(found: Operator, x: torch.Tensor, weight: torch.dtype) -> list[object]:
    """A call of an operator: its first tensor, a weight, and small numbers."""
    made: list[object] = [x]
    for argument in found.schema.arguments[1:]:
        if argument.kind == "Tensor":
            made.append(torch.randn(x.shape[-1], generator=torch.Generator().manual_seed(1)).to(weight))
        else:
            made.append(None if argument.is_optional else 1e-6)
    return made


def by_kernel(library: CpuLibrary, found: Operator, values: list[object], out: torch.Tensor) -> torch.Tensor:
    given = [view(value) for value in values]
    library.run(found.schema.qualified, given, [view(out)], "kernel")
    return out


def blank(found: Operator, values: list[object]) -> torch.Tensor:
    """A result full of NaN."""
    return torch.full_like(found.functions["reference"](*values), torch.nan)


def test_there_are_some(library: CpuLibrary) -> None:
    assert {"opwright::silu_and_mul", "opwright::gelu_tanh_and_mul"} <= SERVED.keys()
    for name in SERVED:
        assert "kernel" in library.providers(name)


@pytest.mark.parametrize("name", SERVED)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
def test_near_the_reference(library: CpuLibrary, name: str, dtype: torch.dtype) -> None:
    found = SERVED[name]
    for weight in {dtype, torch.float32}:
        for shape in SHAPES:
            x = torch.randn(shape, generator=torch.Generator().manual_seed(0)).to(dtype)
            values = arguments(found, x, weight)
            wanted = found.functions["reference"](*values)
            absolute, relative = found.tolerance[dtype]
            made = by_kernel(library, found, values, blank(found, values))
            torch.testing.assert_close(made, wanted, atol=absolute, rtol=relative)


# Each compiles a kernel again, so these are few.
@pytest.mark.parametrize(
    ("name", "dtype"),
    [("silu_and_mul", torch.float16), ("silu_and_mul", torch.float32), ("gelu_tanh_and_mul", torch.bfloat16)],
)
def test_the_bits_of_a_launch(library: CpuLibrary, name: str, dtype: torch.dtype) -> None:
    found = SERVED[f"opwright::{name}"]
    for shape in SHAPES:
        values = arguments(found, torch.randn(shape, generator=torch.Generator().manual_seed(2)).to(dtype), dtype)
        made = by_kernel(library, found, values, blank(found, values))
        assert torch.equal(made, _kernels.run(found, *values))


@pytest.mark.parametrize("name", SERVED)
def test_layouts(library: CpuLibrary, name: str) -> None:
    """Tensors with gaps, at odd addresses, and results in the place of an argument."""
    found = SERVED[name]
    dense = torch.randn(6, 40, generator=torch.Generator().manual_seed(3))
    for x in (dense[:, ::2], dense.t()[:, :4], dense[::2, :8], dense.flatten()[1:].narrow(0, 0, 200).view(5, 40)):
        values = arguments(found, x, torch.float32)
        wanted = found.functions["reference"](*values)
        wide = torch.full((*wanted.shape, 2), torch.nan)
        by_kernel(library, found, values, wide[..., 0])
        torch.testing.assert_close(wide[..., 0], wanted)
        assert wide[..., 1].isnan().all()
        if wanted.shape == x.shape:
            same = x.clone()
            by_kernel(library, found, [same, *values[1:]], same)
            torch.testing.assert_close(same, wanted)


@pytest.mark.parametrize("name", SERVED)
def test_what_no_variant_takes(library: CpuLibrary, name: str) -> None:
    found = SERVED[name]
    values = arguments(found, torch.ones(2, 4, dtype=torch.float64), torch.float64)
    with pytest.raises(NotSupported, match="has no variant for float64"):
        by_kernel(library, found, values, blank(found, values))
    out = blank(found, values)
    if "native" not in library.providers(name):
        return
    library.run(name, [view(value) for value in values], [view(out)])  # another provider takes it
    torch.testing.assert_close(out, found.functions["reference"](*values))


_FILES = """
import sys, torch, opwright.ops
mode = torch.inference_mode()  # which ends with the object
mode.__enter__()
name, threads = sys.argv[1], int(sys.argv[2])
x = torch.randn(512, 2048, generator=torch.Generator().manual_seed(4))
call = getattr(torch.ops.opwright, name)
torch.set_num_threads(threads)
called = set()
sys.setprofile(lambda frame, event, _: called.add(frame.f_code.co_filename) if event == "call" else None)
y = call(x)
sys.setprofile(None)
print(len([file for file in called if "/opwright/" in file]), float(y.double().sum()))
"""


def files_and_sum(name: str, threads: int = 1, **variables: str) -> tuple[int, float]:
    """How many of our files a call runs, in a process of its own, and the sum of its result."""
    plain = {name: value for name, value in os.environ.items() if name != "OPWRIGHT_CHECK"}
    command = [sys.executable, "-c", _FILES, name, str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, env={**plain, **variables}, check=False)
    assert done.returncode == 0, done.stderr
    count, total = done.stdout.split()
    return int(count), float(total)


@pytest.mark.parametrize("name", ["silu_and_mul", "gelu_tanh_and_mul"])
def test_no_python_on_the_way(name: str) -> None:
    """Not in one thread, nor where parts of a call are done by PyTorch's threads, which give the same numbers."""
    chosen = {"OPWRIGHT_PROVIDERS": f"{name}=kernel"}
    one, many = (files_and_sum(name, threads, **chosen) for threads in (1, 2))
    assert one == many and one[0] == 0
    x = torch.randn(512, 2048, generator=torch.Generator().manual_seed(4))
    with opwright.using(name, "kernel"):
        assert one[1] == float(getattr(opwright.ops, name)(x).double().sum())


def test_checked_launches_come_from_python() -> None:
    """With OPWRIGHT_CHECK=1 the library may not serve a kernel: nothing would be checked."""
    checked = {"OPWRIGHT_PROVIDERS": "gelu_tanh_and_mul=kernel", "OPWRIGHT_CHECK": "1"}
    assert files_and_sum("gelu_tanh_and_mul", **checked)[0] > 0
