"""Launching kernels of threads: grids and blocks, checked launches, the store, arguments of all kinds."""

import dataclasses
import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from opwright import asc, errors
from opwright.asc import simt
from opwright.runtime.simt import SimtFunction
from opwright.settings import settings

SCALE = 2.0


@dataclasses.dataclass
class Plan:
    count: int
    factor: float
    small: asc.int8 = 3


@simt
def fill(x: asc.GlobalAddress, n: int):
    i = simt.blockIdx.x * simt.blockDim.x + simt.threadIdx.x
    if i < n:
        x[i] = i


@pytest.mark.parametrize(("grid", "block"), [(1, 64), (np.int64(2), np.int32(32)), ((2,), (32,)), ((2, 1, 1), (32, 1))])
def test_shapes(grid, block) -> None:
    x = np.full(64, -1, np.int32)
    fill[grid, block](x, 64)
    np.testing.assert_array_equal(x, np.arange(64))


def test_more_blocks_than_cores() -> None:
    x = np.full(3000 * 32, -1, np.int32)
    fill[3000, 32](x, x.size)
    np.testing.assert_array_equal(x, np.arange(x.size))


def test_the_largest_grid_and_block() -> None:
    x = np.full(65535, -1, np.int32)
    fill[65535, 1](x, 65535)
    np.testing.assert_array_equal(x, np.arange(65535))
    x = np.full(2048, -1, np.int32)
    simt(max_threads=2048)(fill.function)[1, 2048](x, 2048)
    np.testing.assert_array_equal(x, np.arange(2048))


@simt
def arguments(x: asc.GlobalAddress, plan: Plan, wide: asc.uint64, flag: bool, part: asc.ConstExpr[int], r=0.5):
    if flag:
        x[simt.threadIdx.x] = plan.count * plan.factor + plan.small + part + r + (wide >> 60)


def test_arguments_of_every_kind() -> None:
    """The grid stands behind the arguments in the slots, whatever these take."""
    x = np.full(8, np.nan, np.float32)
    arguments[1, 8](x, Plan(3, 0.25), (1 << 64) - 1, True, 7)
    np.testing.assert_array_equal(x, np.full(8, 0.75 + 3 + 7 + 0.5 + 15, np.float32))
    arguments[(1, 1), (2, 2)](x, Plan(4, 1.0, -1), 0, flag=True, part=1, r=2)
    np.testing.assert_array_equal(x[:4], [6, 6, 3 + 7 + 0.5 + 15 + 0.75, 3 + 7 + 0.5 + 15 + 0.75])


def test_no_arguments() -> None:
    nothing[2, 3]()


@simt
def nothing():
    assert simt.gridDim.x == 2 and simt.blockDim.x == 3


def test_torch_tensors() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x = torch.full((64,), -1, dtype=torch.int32)
    fill[2, 32](x, 64)
    assert x.tolist() == list(range(64))


# Checks -------------------------------------------------------------------------------------------------------


def test_checked() -> None:
    x = np.full(64, -1, np.int32)
    fill.check[2, 32](x, 64)
    np.testing.assert_array_equal(x, np.arange(64))
    report = fill.check.report()
    assert (report.kernel, report.cores, report.soc, len(report.findings)) == ("fill", 2, "ascend950", 0)
    with pytest.raises(errors.OutOfRange):
        fill.check[3, 32](x, 96)


def test_setting_checks_every_launch() -> None:
    with settings.scope(check=True), pytest.raises(errors.OutOfRange):
        fill[3, 32](np.zeros(64, np.int32), 96)
    assert fill.check.report().errors()


def test_read_only_and_overlap() -> None:
    x = np.zeros(64, np.int32)
    x.flags.writeable = False
    with pytest.raises(errors.ReadOnlyArgument):
        fill[1, 64](x, 64)
    both = np.zeros(100, np.float32)
    with pytest.raises(errors.PartialOverlap):
        copy[1, 64](both[:64], both[32:96])
    copy[1, 64](both[:64], both[:64])
    simt(may_overlap=True)(copy.function)[1, 64](both[:64], both[32:96])


@simt
def copy(x: asc.GlobalAddress, y: asc.GlobalAddress):
    y[simt.threadIdx.x] = x[simt.threadIdx.x]


def test_only_what_is_read_may_be_read_only() -> None:
    x, y = np.arange(64, dtype=np.float32), np.full(64, np.nan, np.float32)
    x.flags.writeable = False
    copy[1, 64](x, y)
    np.testing.assert_array_equal(x, y)


@simt
def reads_ub(y: asc.LocalTensor, out: asc.GlobalAddress):
    out[simt.threadIdx.x] = y[simt.threadIdx.x]


@asc.jit(soc="ascend950")
def large(out: asc.GlobalAddress, at: int):
    y = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, at, 64)
    asc.duplicate(y, 3.0, 64)
    asc.vf_call(reads_ub, 64, y, out)


@asc.jit(soc="ascend950")
def large_without_threads(at: int):
    y = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, at, 64)
    asc.duplicate(y, 3.0, 64)


def test_threads_leave_less_of_ub() -> None:
    """Their data cache takes 32 KB of it."""
    out = np.full(64, np.nan, np.float32)
    end = 216 * 1024
    large[1](out, end - 256)
    np.testing.assert_array_equal(out, 3)
    with pytest.raises(errors.OpwrightError, match="UB"):
        large[1](out, end - 224)
    large_without_threads[1](end - 224)


# The SoC ------------------------------------------------------------------------------------------------------


def test_the_soc_is_one_with_threads() -> None:
    assert fill.soc().name == "ascend950"
    with settings.scope(soc="ascend910b"):
        with pytest.raises(errors.NoThreads):
            fill[1, 8](np.zeros(8, np.int32), 8)
        simt(soc="ascend950")(fill.function)[1, 8](np.zeros(8, np.int32), 8)
    with pytest.raises(errors.UnknownSoc):
        fill.emit("i32[8]", 8, soc="ascend951")


# The store ----------------------------------------------------------------------------------------------------

FILE = """\
from opwright import asc
from opwright.asc import simt

FACTOR = {factor}


@simt
def helper(a: float):
    return a * FACTOR


@simt(max_threads={most})
def run(x: asc.GlobalAddress):
    x[simt.threadIdx.x] = helper(x[simt.threadIdx.x]) + {plus}


@asc.jit(soc="ascend950")
def kernel(x: asc.GlobalAddress, n: int):
    asc.vf_call(run, n, x)
"""


def load(folder: Path, **words: object):
    path = folder / "stored.py"
    path.write_text(FILE.format(**{"factor": 2, "most": 64, "plus": 0, **words}))
    spec = importlib.util.spec_from_file_location("stored", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("words", [{"factor": 3}, {"most": 32}, {"plus": 1}])
def test_what_a_kernel_is_made_of_is_its_key(words: dict[str, object], tmp_path: Path) -> None:
    """Another constant of a helper, another bound, another text: no old kernel may serve."""
    for given in ({}, words):
        module = load(tmp_path, **given)
        x = np.arange(64, dtype=np.float32)
        threads = given.get("most", 64)
        module.kernel[1](x, 32)
        wanted = np.arange(64) * np.where(np.arange(64) < 32, given.get("factor", 2), 1)
        wanted = wanted + np.where(np.arange(64) < 32, given.get("plus", 0), 0)
        np.testing.assert_array_equal(x, wanted)
        assert f"__launch_bounds__({threads})" in module.kernel.emit("f32[64]", 8)
        x = np.arange(64, dtype=np.float32)
        module.run[1, 32](x)
        np.testing.assert_array_equal(x, wanted)
        if threads == 32:
            with pytest.raises(errors.RunError):
                module.kernel[1](x, 33)


def test_a_changed_global_is_seen(tmp_path: Path) -> None:
    module = load(tmp_path)
    x = np.ones(8, np.float32)
    module.run[1, 8](x)
    module.FACTOR = 5
    module.run[1, 8](x)
    module.kernel[1](x, 8)
    np.testing.assert_array_equal(x, 50)


@pytest.mark.opwright_check(False)  # checking reads the table
def test_a_stored_kernel_needs_neither_front_end_nor_table(tmp_path: Path) -> None:
    module = load(tmp_path)
    x = np.ones(8, np.float32)
    module.run[1, 8](x)
    module.kernel[1](x, 8)
    program = (
        "import sys, numpy\n"
        f"sys.path.insert(0, {str(tmp_path)!r})\n"
        "import stored\n"
        "x = numpy.ones(8, numpy.float32)\n"
        "stored.run[1, 8](x)\n"
        "stored.kernel[1](x, 8)\n"
        "assert x.tolist() == [4] * 8\n"
        "loaded = [name for name in sys.modules if name in ('xdsl', 'opwright.ascendc.table', 'opwright.frontend')]\n"
        "assert not loaded, loaded\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_marks() -> None:
    assert isinstance(fill, SimtFunction) and fill.__name__ == "fill" and fill.max_threads == 1024
    assert asc.simt is simt and repr(simt) == "asc.simt" and repr(simt.syncthreads) == "asc.simt.syncthreads"
    assert {"threadIdx", "syncthreads", "shared", "warpSize"} <= set(dir(simt))
    assert "simt" in asc.__all__ and "vf_call" in asc.__all__ and "syncthreads" not in asc.__all__


def test_registers() -> None:
    """As the public documentation has them, by the bound of the launch."""
    found = {
        most: simt(max_threads=most)(fill.function).registers for most in (1, 256, 257, 512, 513, 1024, 1025, 2048)
    }
    assert found == {1: 127, 256: 127, 257: 64, 512: 64, 513: 32, 1024: 32, 1025: 16, 2048: 16}


LONG = """\
from opwright import asc
from opwright.asc import simt


@simt(opt_level=0)
def long(x: asc.GlobalAddress, y: asc.GlobalAddress, n: int):
    i = simt.threadIdx.x
    total = 0
{lines}
    simt.syncthreads()
    y[i] = total
"""


def long_function(lines: int, folder: Path):
    """A function whose frame, without optimisation, grows with its lines."""
    path = folder / f"long_{lines}.py"
    body = "".join(f"    total += x[(i + {k}) % n] * {k}\n" for k in range(lines))
    path.write_text(LONG.format(lines=body))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.long


def test_stacks_of_threads(tmp_path: Path) -> None:
    """A long function without optimisation fits the stack of a thread, or is refused: it never leaves it."""
    x = np.arange(64, dtype=np.int32)
    expected = [sum(int(x[(i + k) % 64]) * k for k in range(100)) for i in range(64)]
    y = np.full(64, -1, np.int64)
    long_function(100, tmp_path).check[1, 64](x, y, 64)
    assert y.tolist() == expected
    with pytest.raises(errors.CompileFailed, match="frame"):
        long_function(1600, tmp_path).check[1, 64](x, y, 64)


@simt
def numbered(y: asc.GlobalAddress, n: int, stray: int):
    block = simt.blockIdx.x + simt.gridDim.x * (simt.blockIdx.y + simt.gridDim.y * simt.blockIdx.z)
    i = block * simt.blockDim.x + simt.threadIdx.x
    y[i + n if block >= stray else i] = block


@pytest.mark.parametrize("grid", [1, 255, 256, 257, 1000, (10, 10, 11), (257, 1, 3)])
def test_blocks_that_share_a_core(grid) -> None:
    """Blocks share cores of the twin where they are many; each is itself all the same, also where it fails."""
    blocks = int(np.prod(grid))
    for threads in (1, 2):
        with settings.scope(threads=threads):
            y = np.full(blocks * 3, -1, np.int32)
            numbered[grid, 3](y, y.size, blocks)
            assert y.tolist() == [i // 3 for i in range(y.size)]
            stray = blocks * 2 // 3
            with pytest.raises(errors.OutOfRange, match=rf"core {stray}: thread \(0,0,0\)"):
                numbered[grid, 3](y, y.size, stray)
