"""With and without copy elision every kernel gives the same bits, and elision does happen where it may."""

from __future__ import annotations

import dataclasses
import importlib.util
import random
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from opwright.errors import OutOfRange, RunError
from opwright.settings import settings
from opwright.store.store import Store
from opwright.twin.build import build_kernel, entry_text
from opwright.twin.launch import load_entry
from opwright.twin.toolchain import toolchain

N = 2048


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def kernels() -> ModuleType:
    return load(Path(__file__).with_name("elision_kernels.py"))


def numbers(length: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(length).astype(np.float32)


def both(run) -> None:
    """Runs with and without elision from the same start and compares every array bit for bit."""
    results = []
    for elide in (False, True):
        with settings.scope(elide=elide, threads=2):
            results.append([array.view(np.uint32).copy() for array in run()])
    for plain, elided in zip(*results, strict=True):
        np.testing.assert_array_equal(plain, elided)


def test_in_place(kernels):
    x = numbers(N)

    def run():
        array = x.copy()
        kernels.in_place[1](array, N)
        np.testing.assert_array_equal(array, x + (x + x))
        return [array]

    both(run)


def test_overlapping_arguments(kernels):
    start = numbers(3 * N)
    for shift in (0, 8, N // 2, N):

        def run(shift=shift):
            memory = start.copy()
            x, z = memory[:N], memory[shift : shift + N]
            kernels.overlapping[1](x, z, N)
            np.testing.assert_array_equal(z, start[:N] + np.float32(1))
            return [memory]

        both(run)


def test_two_cores(kernels):
    start = numbers(N)

    def run():
        x, z = start.copy(), np.full(N, np.nan, np.float32)
        kernels.two_cores[2](x, z, N)
        np.testing.assert_array_equal(z, start + np.float32(1))
        np.testing.assert_array_equal(x, np.full(N, 9, np.float32))
        return [x, z]

    both(run)


def test_partial_write(kernels):
    x = numbers(4 * N)

    def run():
        z = np.full(4 * N, np.nan, np.float32)
        kernels.partial_write[1](x, z)
        expected = x.copy()
        expected[N : 3 * N] = 5
        np.testing.assert_array_equal(z, expected)
        return [z]

    both(run)


def test_straddle(kernels):
    x = numbers(4 * N)

    def run():
        z = np.full(4 * N, np.nan, np.float32)
        kernels.straddle[1](x, z)
        expected = np.full(4 * N, 3, np.float32)
        expected[:N], expected[N : 2 * N] = x[N : 2 * N], x[2 * N : 3 * N]
        expected[: 3 * N] += np.float32(1)
        np.testing.assert_array_equal(z, expected)
        return [z]

    both(run)


def test_more_copies_than_aliases(kernels):
    x = numbers(16 * N)

    def run():
        z = np.full(16 * N, np.nan, np.float32)
        kernels.many[1](x, z)
        return [z]

    both(run)


def test_written_argument_known_only_in_the_run(kernels):
    start = numbers(2 * N)
    for swap in (0, 1):

        def run(swap=swap):
            x, y, z = start[:N].copy(), start[N:].copy(), np.full(N, np.nan, np.float32)
            kernels.through_variable[1](x, y, z, swap)
            np.testing.assert_array_equal(z, start[:N] + start[N:])
            return [x, y, z]

        both(run)


def program(seed: int, core: int) -> tuple[list[str], list[tuple]]:
    """A random sequence of copies and sums over 16 pieces of UB, as Python lines and as steps for NumPy."""
    rng = random.Random(seed * 1000 + core)
    lines, steps = [], []
    for _ in range(24):
        size = rng.choice((1, 1, 2, 3, 5))
        to, source, other = (rng.randrange(16 - size + 1) for _ in range(3))
        apart = [place for place in (source, other) if place == to or abs(place - to) >= size]
        match rng.choice(("in", "in", "in", "out", "add", "fill", "move")):
            case "in":
                argument = rng.choice("xyw")
                params = f"asc.DataCopyExtParams({size}, N * 4), asc.DataCopyPadExtParams(asc.float32)"
                call, what = rng.choice((("data_copy", f"{size} * N"), ("data_copy_pad", params)))
                lines.append(f"asc.{call}(ub[{to} * N :], {argument}_gm[(base + {source}) * N :], {what})")
                steps.append(("in", argument, to, source, size))
            case "out":
                lines.append(f"asc.data_copy(w_gm[(base + {to}) * N :], ub[{source} * N :], {size} * N)")
                steps.append(("out", to, source, size))
            case "add" if len(apart) == 2:
                lines.append(f"asc.add(ub[{to} * N :], ub[{source} * N :], ub[{other} * N :], {size} * N)")
                steps.append(("add", to, source, other, size))
            case "move" if source in apart:
                lines.append(f"asc.data_copy(ub[{to} * N :], ub[{source} * N :], {size} * N)")
                steps.append(("move", to, source, size))
            case _:
                lines.append(f"asc.duplicate(ub[{to} * N :], {core}.5, {size} * N)")
                steps.append(("fill", to, core + 0.5, size))
    return lines, steps


def simulate(steps: list[tuple], memory: dict[str, np.ndarray], base: int) -> None:
    """The same steps on NumPy arrays."""
    ub = np.zeros(16 * N, np.float32)

    def piece(array: np.ndarray, start: int, size: int) -> np.ndarray:
        return array[start * N : (start + size) * N]

    for step in steps:
        match step:
            case ("in", argument, to, source, size):
                piece(ub, to, size)[:] = piece(memory[argument], base + source, size)
            case ("out", to, source, size):
                piece(memory["w"], base + to, size)[:] = piece(ub, source, size)
            case ("add", to, source, other, size):
                piece(ub, to, size)[:] = piece(ub, source, size) + piece(ub, other, size)
            case ("move", to, source, size):
                piece(ub, to, size)[:] = piece(ub, source, size).copy()
            case ("fill", to, value, size):
                piece(ub, to, size)[:] = value


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_random_programs(seed, tmp_path):
    """Forty programs in one kernel, one per core; each also against NumPy."""
    cores = 40
    programs = [program(seed, core) for core in range(cores)]
    barrier = "asc.pipe_barrier(asc.PipeID.PIPE_ALL)"
    body = "".join(
        f"    if asc.get_block_idx() == {core}:\n" + "".join(f"        {barrier}\n        {line}\n" for line in lines)
        for core, (lines, _) in enumerate(programs)
    )
    source = tmp_path / f"random_program_{seed}.py"
    source.write_text(
        "from opwright import asc\n\nN = 2048\n\n\n@asc.jit\n"
        "def kernel(x: asc.GlobalAddress, y: asc.GlobalAddress, w: asc.GlobalAddress):\n"
        "    base = asc.get_block_idx() * 16\n"
        + "".join(f"    {name}_gm = asc.GlobalTensor()\n    {name}_gm.set_global_buffer({name})\n" for name in "xyw")
        + "    ub = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 16 * N)\n"
        "    asc.duplicate(ub, 0.0, 16 * N)\n" + body
    )
    kernel = load(source).kernel
    start = {name: numbers(cores * 16 * N, seed * 10 + place) for place, name in enumerate("xyw")}

    def run():
        arrays = {name: array.copy() for name, array in start.items()}
        kernel[cores](*arrays.values())
        expected = {name: array.copy() for name, array in start.items()}
        for core, (_, steps) in enumerate(programs):
            simulate(steps, expected, core * 16)
        np.testing.assert_array_equal(arrays["w"], expected["w"])
        return [arrays["w"]]

    both(run)


def test_which_arguments_count_as_written(kernels):
    uses = kernels.partial_write.compiled(np.ones(4 * N, np.float32), np.ones(4 * N, np.float32)).uses
    assert uses == ((True, False), (False, True))
    assert kernels.in_place.compiled(np.ones(N, np.float32), N).uses[0] == (True, True)
    # The written one of two arguments is unknown before the run: both count as written.
    arrays = [np.ones(N, np.float32) for _ in range(3)]
    both_written = ((True, True), (True, True), (False, True), (False, False))
    assert kernels.through_variable.compiled(*arrays, 0).uses == both_written


def test_a_write_does_not_stray_into_an_argument_that_is_only_read(kernels):
    """Neither elision nor the check for read-only arrays would know of it."""
    memory = np.arange(2 * N, dtype=np.float32)
    for elide in (False, True):
        with (
            settings.scope(elide=elide),
            pytest.raises(OutOfRange, match="dst writes into argument x, which this kernel only reads"),
        ):
            kernels.stray[1](memory[:N], memory[N:], -N)
        np.testing.assert_array_equal(memory, np.arange(2 * N, dtype=np.float32))


PEEK = """
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void peek(GM_ADDR x, GM_ADDR z) {
    AscendC::GlobalTensor<float> x_gm;
    x_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x), 2048);
    AscendC::GlobalTensor<float> z_gm;
    z_gm.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z), 2048);
    AscendC::LocalTensor<float> a(AscendC::TPosition::VECCALC, 0, 2048);
    AscendC::DataCopy(a, x_gm, 2048);
    AscendC::printf("%d ", opwright::current_core().alias_count);
    AscendC::Adds(a, a, 1.0f, 1024);
    AscendC::printf("%d\\n", opwright::current_core().alias_count);
    AscendC::DataCopy(z_gm, a, 2048);
}
"""


def test_elision_happens(kernels, tmp_path, capsys):
    """The number of aliases after a copy, and after a write to half of it, in a text that looks at it."""
    x, z = numbers(N), np.full(N, np.nan, np.float32)
    compiled = kernels.partial_write.compiled(np.ones(4 * N, np.float32), np.ones(4 * N, np.float32))
    store = Store(settings.cache_dir)
    built = build_kernel(toolchain(store), PEEK, entry_text("peek", ["float32", "float32"]), tmp_path)
    path = tmp_path / "peek.so"
    path.write_bytes(built.data)
    peek = dataclasses.replace(compiled, entries={"aiv": load_entry(path)})
    expected = x.copy()
    expected[:1024] += np.float32(1)
    for elide, said in ((True, "1 0\n"), (False, "0 0\n")):
        with settings.scope(elide=elide):
            peek.run(1, kernels.partial_write.binder.bind((x, z), {}))
        assert capsys.readouterr().out == said
        np.testing.assert_array_equal(z, expected)
    # Written arguments are never aliased.
    with settings.scope(elide=True):
        dataclasses.replace(peek, uses=((True, True), (False, True))).run(
            1, kernels.partial_write.binder.bind((x, z), {})
        )
    assert capsys.readouterr().out == "0 0\n"


@pytest.mark.parametrize(
    ("size", "offset", "count", "message"),
    [
        (N, 0, N, ""),
        (N, 8, N - 8, ""),
        (N, 0, N + 8, "src is used for 8224 bytes, but its tensor has only 8192 from there"),
        (N, 8, N, "src is used for 8192 bytes, but its tensor has only 8160 from there"),
        (N, N + 1, 8, "offset 2049 is outside the tensor"),
        (N, -8, 8, "offset -8 is outside the tensor"),
        (N, 2**62, 8, f"offset {2**62} is outside the tensor"),
        (4 * N + 1, 0, 8, "buffer touches bytes 0 to 32772 of argument x, which has 32768"),
        (-1, 0, 8, "buffer_size of asc.GlobalTensor.set_global_buffer does not fit its type"),
        (2**60, 0, 8, "buffer_size of asc.GlobalTensor.set_global_buffer does not fit its type"),
    ],
)
def test_a_global_tensor_has_the_size_it_was_given(kernels, size, offset, count, message):
    x, z = numbers(4 * N), np.full(4 * N, np.nan, np.float32)
    if not message:
        kernels.bounded[1](x, z, size, offset, count)
        np.testing.assert_array_equal(z[:count], x[offset : offset + count])
    else:
        with pytest.raises(RunError, match=message):
            kernels.bounded[1](x, z, size, offset, count)


@pytest.mark.parametrize("offset", [-8, N + 8, 2**30, 2**32, 2**61, 2**62, -(2**62), 2**63 - 8])
def test_an_offset_does_not_wrap(kernels, offset):
    with pytest.raises(RunError, match=rf"offset {offset} is outside the tensor \(2048 elements\)"):
        kernels.local_offset[1](np.zeros(N, np.float32), offset)
