"""Texts of threads: what passes and the emitter must leave in its place, and who may have what."""

import importlib.util
import re
from pathlib import Path

import pytest

from opwright import asc, passes
from opwright.asc import simt
from opwright.settings import settings


def body(kernel, *arguments: object, name: str = "", **keywords: object) -> list[str]:
    """The statements of the kernel, or of another function of its text."""
    text = kernel.emit(*arguments, **keywords)
    found = re.search(rf"^\S[^\n]*\b{name or kernel.__name__}\([^\n]*\) \{{\n(.*?)^\}}$", text, re.M | re.S)
    assert found, text
    return [line.strip() for line in found[1].splitlines()]


def order(lines: list[str], *parts: str) -> None:
    """Each part stands in a line of its own, further down than the one before."""
    at = [next(i for i, line in enumerate(lines) if part in line) for part in parts]
    assert at == sorted(set(at)), lines


@simt
def strides(x: asc.GlobalAddress, n: int, step: int):
    for i in range(simt.threadIdx.x, n, simt.gridDim.x * simt.blockDim.x):
        x[i] = 0
    for i in range(simt.threadIdx.x, n, simt.warpSize):
        x[i] = 0
    for i in range(simt.threadIdx.x, n, step):
        x[i] = 0
    for i in range(simt.threadIdx.x, n, simt.blockDim.x * step):
        x[i] = 0


@pytest.mark.quick
def test_counts_of_threads_are_no_zero() -> None:
    """Only a step that may be 0 is tested."""
    lines = body(strides, "f32[64]", 64, 2)
    tests = [line for line in lines if line.startswith("if ")]
    assert len(tests) == lines.count("assert(false);") == 2


# What reads keeps its place ----------------------------------------------------------------------------------


@simt
def load_store(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    old = x[n]
    x[n] = 1.0
    y[n] = old + x[n]


@simt
def load_barrier(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    old = x[n]
    simt.syncthreads()
    y[n] = old * x[n]


@simt
def load_fence(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    y[n] = x[n] if n > 3 else 0.0
    simt.threadfence()
    y[n + 1] = x[n]


@simt
def bump(x: asc.GlobalAddress):
    x[0] += 1.0
    return x[0]


@simt
def load_call(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    old = x[0]
    new = bump(x)
    y[n] = old - new


@simt
def load_update(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    """The right-hand side of += may change the element: the old one counts."""
    x[0] += bump(x)


@pytest.mark.quick
@pytest.mark.parametrize("without", [(), *((name,) for name in passes.names()), tuple(passes.names())])
def test_loads_stay_where_they_are(without: tuple[str, ...]) -> None:
    given = ("f32[64]", "f32[64]", 5)
    with settings.scope(without=",".join(without)):
        order(body(load_store, *given), "float old = x[n];", "x[n] = 1.0f;", "y[n] = old + x[n];")
        order(body(load_barrier, *given), "float old = x[n];", "asc_syncthreads();", "y[n] = old * x[n];")
        order(body(load_fence, *given), "= x[n];", "asc_threadfence();", "y[n + 1] = x[n];")
        order(body(load_call, *given), "float old = x[0];", "float new_ = bump(x);", "y[n] = old - new_;")
        order(body(load_update, *given), "= x[0];", "= bump(x);", "x[0] = ")


@simt
def in_a_loop(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    """What threads of a loop wait for changes from turn to turn."""
    for k in range(n):
        y[k] = x[0] * 2.0
        simt.syncthreads()
        x[simt.threadIdx.x] = y[0] + n * n


@pytest.mark.quick
def test_loops_read_anew() -> None:
    lines = body(in_a_loop, "f32[64]", "f32[64]", 5)
    start = next(i for i, line in enumerate(lines) if line.startswith("for ("))
    inside = lines[start:]
    order(inside, "y[k] = x[0] * 2.0f;", "asc_syncthreads();", "x[threadIdx.x] = y[0] + ")
    # Only what is computed of numbers goes before the loop.
    assert lines[:start] and all("[" not in line for line in lines[:start])


@simt
def drops(x: asc.GlobalAddress, n: int):
    _ = x[n] * 3.0
    simt.syncthreads()
    x[n] = 1.0


@pytest.mark.quick
def test_barriers_are_never_dropped() -> None:
    assert body(drops, "f32[64]", 5) == ["asc_syncthreads();", "x[n] = 1.0f;"]


# Starting threads --------------------------------------------------------------------------------------------


@simt
def touch(x: asc.GlobalAddress, y: asc.LocalTensor):
    y[simt.threadIdx.x] = x[simt.threadIdx.x]


@asc.jit(soc="ascend950")
def around(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """The scalar unit reads before and behind; nothing crosses the start."""
    y = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 64)
    before = y.get_value(0)
    asc.vf_call(touch, 64, x, y)
    z_gm.set_value(0, before + y.get_value(0))


@pytest.mark.quick
def test_starting_is_crossed_by_nothing() -> None:
    lines = body(around, "f32[64]", "f32[64]")
    order(lines, "y.GetValue(0)", "asc_vf_call<touch>(dim3(64)", "z_gm.SetValue(0, before + ")


@simt
def both(x: asc.GlobalAddress):
    x[simt.threadIdx.x] += 1.0


@simt
def calls_both(x: asc.GlobalAddress):
    both(x[32:])


@asc.jit(soc="ascend950")
def two_roles(x: asc.GlobalAddress):
    asc.vf_call(both, 32, x)
    asc.vf_call(calls_both, 32, x)
    asc.vf_call(both, (4, 8), x)


@pytest.mark.quick
def test_a_function_may_be_started_and_called() -> None:
    """As what a kernel starts it is another function than as what threads call; each is written once."""
    text = two_roles.emit("f32[64]")
    heads = re.findall(r"^(__simt_\w+__).* void (\w+)\(", text, re.M)
    assert sorted(heads) == [("__simt_callee__", "both_1"), ("__simt_vf__", "both"), ("__simt_vf__", "calls_both")]
    assert text.count("asc_vf_call<both>") == 2
    assert "    both_1(x + 32);\n" in text


@pytest.mark.quick
@pytest.mark.parametrize(
    ("dtypes", "header"),
    [
        (("f32", "i8"), "asc_simt.h"),
        (("f16", "f32"), "asc_fp16.h"),
        (("bf16", "f32"), "asc_bf16.h"),
        (("bf16", "f16"), "asc_bf16.h"),
    ],
)
def test_headers(dtypes: tuple[str, str], header: str) -> None:
    text = load_store.emit(f"{dtypes[0]}[64]", "f32[64]", 3) if dtypes[1] != "i8" else drops.emit("f32[64]", 3)
    if dtypes == ("bf16", "f16"):
        text = copies.emit("bf16[64]", "f16[64]")
    assert text.startswith(f'#include "simt_api/{header}"\n\n#ifndef OPWRIGHT_POINTERS\n')
    assert "kernel_operator" not in text


@simt
def copies(x: asc.GlobalAddress, y: asc.GlobalAddress):
    y[simt.threadIdx.x] = x[simt.threadIdx.x]


@asc.jit
def no_threads(x: asc.GlobalAddress):
    pass


@pytest.mark.quick
def test_texts_without_threads_are_as_before() -> None:
    text = no_threads.emit("f32[64]", soc="ascend950")
    assert "simt" not in text and "OPWRIGHT" not in text


# Names -------------------------------------------------------------------------------------------------------

NAMES = """\
from opwright.asc import simt
from opwright import asc


@simt
def kernel({names}):
    {first}[0] = {sum}
"""


@pytest.mark.parametrize(
    "names",
    [
        ("x", "threadIdx", "blockDim", "dim3"),
        ("x", "gm_pointer", "ub_pointer", "warpSize"),
        ("x", "assert_", "printf", "half", "x_memory"),
        ("x", "asc_syncthreads", "T", "expf", "gridDim", "blockIdx"),
    ],
)
def test_names_of_the_text_are_not_the_author_s(names: tuple[str, ...], tmp_path: Path) -> None:
    """A parameter may be called as what the headers have; the text calls it something else."""
    first, *numbers = names
    path = tmp_path / "names.py"
    declared = ", ".join([f"{first}: asc.GlobalAddress", *(f"{name}: int" for name in numbers)])
    path.write_text(NAMES.format(names=declared, first=first, sum=" + ".join([*numbers, "simt.threadIdx.x"])))
    spec = importlib.util.spec_from_file_location("names_of_threads", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    import numpy as np

    x = np.full(4, -1, np.int64)
    module.kernel[1, 1](x, *range(1, len(names)))
    assert x.tolist() == [sum(range(1, len(names))), -1, -1, -1]
