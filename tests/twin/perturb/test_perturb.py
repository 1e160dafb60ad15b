"""How the perturbed mode treats kernels: seeds, arguments, printing, scalars, masks, faults, memory."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from perturbing import perturb

from opwright import asc
from opwright.asc import HardEvent, PipeID, TPosition
from opwright.check.perturb import perturbed, run
from opwright.errors import OpwrightError, TrapError
from opwright.kernel.target import Mode
from opwright.settings import settings
from opwright.store.store import Store
from opwright.twin.build import build_kernel, entry_text, kernel_flags
from opwright.twin.launch import load_entry
from opwright.twin.toolchain import toolchain

TILE = 64


@asc.jit
def adds_to_itself(x: asc.GlobalAddress, z: asc.GlobalAddress, early: asc.ConstExpr[bool]):
    """z += x on each core. `early`: the add does not wait for its copies."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x + asc.get_block_idx() * TILE)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z + asc.get_block_idx() * TILE)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, TILE)
    b = asc.LocalTensor(x.dtype, TPosition.VECIN, 256, TILE)
    asc.data_copy(a, x_gm, TILE)
    asc.data_copy(b, z_gm, TILE)
    if not early:
        asc.set_flag(HardEvent.MTE2_V, 0)
        asc.wait_flag(HardEvent.MTE2_V, 0)
    asc.add(b, a, b, TILE)
    asc.set_flag(HardEvent.V_MTE3, 0)
    asc.wait_flag(HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm, b, TILE)


def numbers(count: int) -> np.ndarray:
    return np.random.default_rng(2).random(count, np.float32)


def test_arguments_start_and_end_as_in_program_order() -> None:
    """A result that is read and written is put back before each schedule, and that of the program order stays."""
    x, z = numbers(4 * TILE), numbers(4 * TILE)[::-1].copy()
    sums = x + z
    assert perturb(adds_to_itself, 4, x, z, False).first is None
    assert np.array_equal(z, sums)
    z[:] = sums - x
    expected = x + z
    assert perturb(adds_to_itself, 4, x, z, True).first is not None
    assert np.array_equal(z, expected)


def test_torch_tensors() -> None:
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x, z = torch.rand(TILE), torch.rand(TILE)
    expected, version = x + z, z._version
    first = perturb(adds_to_itself, 1, x, z, True).first
    assert first is not None and (first.argument, first.element) == ("z", 0)
    assert torch.equal(z, expected) and z._version > version


def test_a_seed_is_a_schedule() -> None:
    """A seed gives the same, whatever ran before it; other seeds may give something else."""
    x, z = numbers(4 * TILE), numbers(4 * TILE)
    kernel = adds_to_itself.kernel_for(bound := adds_to_itself.binder.bind((x, z, True), {}), Mode.CHECKED)

    def bytes_of(seed: int) -> bytes:
        z[:] = np.arange(4 * TILE)
        run(kernel, 4, bound, seed)
        return z.tobytes()

    forwards = [bytes_of(seed) for seed in range(40)]
    backwards = [bytes_of(seed) for seed in reversed(range(40))]
    assert forwards == backwards[::-1]
    assert len(set(forwards)) > 3


def test_schedules_start_at_a_seed() -> None:
    x, z = numbers(TILE), numbers(TILE)
    start = z.copy()
    all_of_them = perturb(adds_to_itself, 1, x, z, True, count=24).schedules
    z[:] = start
    assert perturb(adds_to_itself, 1, x, z, True, count=8, seed=16).schedules == all_of_them[16:]


@asc.jit(auto_sync=False)
def scalar_by_hand(x: asc.GlobalAddress, z: asc.GlobalAddress, wrong: asc.ConstExpr[str]):
    """The scalar unit doubles one element of what was copied. `wrong`: the flag that is missing."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, TILE)
    b = asc.LocalTensor(x.dtype, TPosition.VECOUT, 256, TILE)
    asc.data_copy(a, x_gm, TILE)
    if wrong != "MTE2_S":
        asc.set_flag(HardEvent.MTE2_S, 0)
        asc.wait_flag(HardEvent.MTE2_S, 0)
    a.set_value(3, a.get_value(3) * 2.0)
    if wrong != "S_V":
        asc.set_flag(HardEvent.S_V, 0)
        asc.wait_flag(HardEvent.S_V, 0)
    asc.adds(b, a, 1.0, TILE)
    if wrong != "V_S":
        asc.set_flag(HardEvent.V_S, 0)
        asc.wait_flag(HardEvent.V_S, 0)
    b.set_value(5, 7.0)
    if wrong != "S_MTE3":
        asc.set_flag(HardEvent.S_MTE3, 0)
        asc.wait_flag(HardEvent.S_MTE3, 0)
    asc.data_copy(z_gm, b, TILE)


@pytest.mark.parametrize("wrong", ["", "MTE2_S", "S_V", "V_S", "S_MTE3"])
def test_scalars_by_hand(wrong: str) -> None:
    x, z = numbers(TILE), np.full(TILE, np.nan, np.float32)
    first = perturb(scalar_by_hand, 1, x, z, wrong).first
    assert (first is not None) == bool(wrong)
    expected = x.copy()
    expected[3] *= 2
    expected += 1
    expected[5] = 7
    assert np.array_equal(z, expected)


@asc.jit
def scalar_in_order(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """The same without a flag of the scalar unit: the toolchain sets them. Other bytes are not waited for."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, TILE)
    b = asc.LocalTensor(x.dtype, TPosition.VECOUT, 256, TILE)
    asc.data_copy(a, x_gm, TILE)
    asc.set_flag(HardEvent.MTE2_V, 0)
    a.set_value(3, a.get_value(3) * 2.0)
    asc.wait_flag(HardEvent.MTE2_V, 0)
    asc.adds(b, a, 1.0, TILE)
    for i in range(8):
        b.set_value(i, b.get_value(i) + b.get_value(i + 8))
    asc.set_flag(HardEvent.V_MTE3, 0)
    asc.wait_flag(HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm, b, TILE)


def test_scalars_in_order() -> None:
    x, z = numbers(TILE), np.full(TILE, np.nan, np.float32)
    assert perturb(scalar_in_order, 1, x, z).first is None
    expected = x.copy()
    expected[3] *= 2
    expected += 1
    expected[:8] += expected[8:16]
    assert np.array_equal(z, expected)


@asc.jit
def strided(x: asc.GlobalAddress, z: asc.GlobalAddress, late: asc.ConstExpr[bool]):
    """Masks, strides and pieces: odd lanes and even lanes of a tile come from two calls, next to a padded copy."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, 4 * TILE)
    b = asc.LocalTensor(x.dtype, TPosition.VECOUT, 2048, 2 * TILE)
    for turn in range(3):
        asc.data_copy(a, x_gm[turn * 256 :], asc.DataCopyParams(2, 8, 8, 0))
        pad = asc.DataCopyPadExtParams(x.dtype, True, 0, 3, 9.0)
        asc.data_copy_pad(a[2 * TILE :], x_gm[turn * 256 + 64 :], asc.DataCopyExtParams(1, 20, 0, 0, 0), pad)
        asc.set_flag(HardEvent.MTE2_V, 0)
        asc.wait_flag(HardEvent.MTE2_V, 0)
        steps = asc.UnaryRepeatParams(1, 1, 8, 8)
        asc.adds(b, a, 1.0, [0x5555555555555555, 0], 2, steps)
        asc.muls(b, a, 2.0, [0xAAAAAAAAAAAAAAAA, 0], 2, steps)
        asc.adds(b, a[2 * TILE :], 3.0, 8, 1, steps)
        if not late:
            asc.set_flag(HardEvent.V_MTE2, 0)
            asc.wait_flag(HardEvent.V_MTE2, 0)
        asc.set_flag(HardEvent.V_MTE3, 0)
        asc.wait_flag(HardEvent.V_MTE3, 0)
        asc.data_copy(z_gm[turn * 2 * TILE :], b, 2 * TILE)
        asc.set_flag(HardEvent.MTE3_V, 0)
        asc.wait_flag(HardEvent.MTE3_V, 0)


def test_masks_strides_and_pieces() -> None:
    x, z = numbers(768), np.full(384, np.nan, np.float32)
    assert perturb(strided, 1, x, z, False).first is None
    tiles = x.reshape(3, 4, TILE)
    expected = tiles[:, [0, 2]].reshape(3, 128).copy()
    expected[:, ::2] += 1
    expected[:, 1::2] *= 2
    expected[:, :5] = tiles[:, 1, :5] + np.float32(3)
    expected[:, 5:8] = 12
    assert np.array_equal(z, expected.reshape(-1))
    assert perturb(strided, 1, x, z, True).first is not None


@asc.jit(auto_sync=False)
def prints(x: asc.GlobalAddress, waits: asc.ConstExpr[bool]):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, TILE)
    asc.data_copy(a, x_gm[asc.get_block_idx() * 8 :], TILE)
    if waits:
        asc.pipe_barrier(PipeID.PIPE_ALL)
    asc.printf("core %d: %f\n", asc.get_block_idx(), a.get_value(0))


def test_printing(capfd: pytest.CaptureFixture[str]) -> None:
    """What is printed is part of the result; nothing goes to the terminal, and cores come in their own order."""
    x = np.arange(128, dtype=np.float32)
    result = perturb(prints, 3, x, True)
    assert result.first is None
    assert result.printed == "core 0: 0.000000\ncore 1: 8.000000\ncore 2: 16.000000\n"
    first = perturb(prints, 3, x, False).first
    assert first is not None and first.printed and first.argument == ""
    assert capfd.readouterr().out == ""


@asc.jit(auto_sync=False)
def follows(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """Goes where a number of the input says, without waiting for it."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, TILE)
    asc.data_copy(a, x_gm, TILE)
    asc.data_copy(z_gm, a[a.get_value(0) :], 8)


def test_a_schedule_that_fails() -> None:
    """What is read too early is -1, and no tensor goes on from there. In program order nothing is wrong."""
    x, z = np.full(TILE, 8, np.int32), np.zeros(8, np.int32)
    first = perturb(follows, 1, x, z).first
    assert first is not None and isinstance(first.error, OpwrightError)
    assert first.error.at is not None
    assert np.array_equal(z, x[:8])


@asc.jit
def traps(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """Ends while much is held back."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(x.dtype, TPosition.VECIN, 0, TILE)
    for _ in range(10):
        asc.data_copy(a, x_gm, TILE)
        asc.adds(a, a, 1.0, TILE)
        asc.data_copy(z_gm, a, TILE)
    if asc.get_block_idx() == 2:
        asc.trap()
    asc.sync_all()


def test_what_fails_in_program_order_is_raised() -> None:
    with pytest.raises(TrapError, match="core 2"):
        perturb(traps, 4, numbers(TILE), numbers(TILE))


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell how much memory is used")
def test_nothing_is_left_behind() -> None:
    """Neither by kernels that end nor by cores that fail or wait for one that failed."""
    x, z = numbers(4 * TILE), numbers(4 * TILE)
    good = adds_to_itself.kernel_for(first := adds_to_itself.binder.bind((x, z, True), {}), Mode.CHECKED)
    bad = traps.kernel_for(second := traps.binder.bind((x, z), {}), Mode.CHECKED)

    def launch(times: int) -> None:
        for seed in range(times):
            run(good, 4, first, seed)
            with contextlib.suppress(OpwrightError):
                run(bad, 4, second, seed)

    launch(200)
    before = resident_bytes()
    launch(1500)
    assert resident_bytes() - before < 4 << 20  # 12000 cores that left 1 KB each would be three times that


BY_HAND = """\
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void by_hand(GM_ADDR x, GM_ADDR z) {
    InitSocState();
    GlobalTensor<float> x_gm, z_gm;
    x_gm.SetGlobalBuffer((__gm__ float*)x);
    z_gm.SetGlobalBuffer((__gm__ float*)z);
    LocalTensor<float> a(TPosition::VECIN, 0, 64);
    DataCopy(a, x_gm, 64);
    const opwright::At at(__LINE__);
    opwright::issue(at, PIPE_V, [=](const opwright::At& here, auto view) {
        if (view.data()[0] != view.data()[0]) here.fail(opwright::Fault::TRAP);
    }, opwright::reads(a, 0, 64));
    DataCopy(z_gm, a, 64);
}
"""


def test_a_body_that_fails_later(tmp_path: Path) -> None:
    """No call does so yet: one written by hand fails where it reads NaN, that is before the copy."""
    x, z = numbers(TILE), np.full(TILE, np.nan, np.float32)
    bound = traps.binder.bind((x, z), {})
    tools = toolchain(Store(settings.cache_dir))
    entry, flags = entry_text("by_hand", ["float32", "float32"]), kernel_flags(tools, BY_HAND, checked=True)
    data = build_kernel(tools, BY_HAND, entry, tmp_path, flags).data
    (path := tmp_path / "by_hand.so").write_bytes(data)
    kernel = replace(traps.kernel_for(bound, Mode.CHECKED), entries={"aiv": load_entry(path)})
    result = perturbed(kernel, 1, bound, 16)
    failed = [schedule for schedule in result.schedules if schedule.error is not None]
    assert failed and all(isinstance(schedule.error, TrapError) for schedule in failed)
    assert np.array_equal(z, x)
