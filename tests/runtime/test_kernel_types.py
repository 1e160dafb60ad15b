"""Kernels of every type: which cores run them, what each core knows, their blobs in the store, and what they lack."""

import importlib.util
import json
import multiprocessing
import os
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.ascendc.socs import SOCS
from opwright.ascendc.table import ROWS
from opwright.errors import BadOption, FlagError, GridOutOfRange, NoCrossFlags, OutOfRange, WrongCore
from opwright.runtime.jit import JitFunction
from opwright.settings import settings

CORES = 3
WORDS = 16  # of a core, so that no two share a line of a cache
AIC_PLACE = 8  # AICs tell behind the AIVs


def tells(z: asc.GlobalAddress):
    """Every core tells what it knows, at a place of its own."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    place = asc.get_block_idx() * 16
    if asc.ascend_is_aic():
        place += 8 * 16
    z_gm.set_value(place, asc.get_block_idx())
    z_gm.set_value(place + 1, asc.get_sub_block_idx())
    z_gm.set_value(place + 2, asc.get_block_num())
    z_gm.set_value(place + 3, int(asc.ascend_is_aic()) + 2 * int(not asc.ascend_is_aic()))
    asc.data_cache_clean_and_invalid(asc.CacheLine.SINGLE_CACHE_LINE, asc.DcciDst.CACHELINE_OUT, z_gm[place:])


def of_type(kernel_type: str | None) -> JitFunction:
    return asc.jit(kernel_type=kernel_type)(tells)


@pytest.mark.parametrize("kernel_type", KERNEL_TYPES)
def test_which_cores_run(kernel_type: str | None) -> None:
    kind = KERNEL_TYPES[kernel_type]
    z = np.full(16 * WORDS, -1, np.int32)
    of_type(kernel_type)[CORES](z)
    wanted = np.full((16, WORDS), -1, np.int32)
    for block in range(CORES * kind.aiv):
        wanted[block, :4] = (block, block % kind.aiv, CORES, 2)
    for block in range(CORES * kind.aic):
        wanted[AIC_PLACE + block, :4] = (block, 0, CORES, 1)
    np.testing.assert_array_equal(z.reshape(wanted.shape), wanted)


@pytest.mark.quick
def test_words_of_the_text() -> None:
    marks = {None: "__aicore__", "vector": "__vector__", "cube": "__cube__", "mix_1_2": "__mix__(1, 2)"}
    for kernel_type, mark in marks.items():
        assert f'extern "C" __global__ {mark} void tells(GM_ADDR z) {{' in of_type(kernel_type).emit("i32[256]")


@pytest.mark.quick
@pytest.mark.parametrize("kernel_type", ["aic", "mix_2_1", "", 1])
def test_types_that_do_not_exist(kernel_type: object) -> None:
    with pytest.raises(BadOption, match="kernel_type is one of None, vector, cube, mix_0_1"):
        asc.jit(kernel_type=kernel_type)(tells)  # type: ignore[call-overload]


def test_how_many_run_at_once() -> None:
    soc = SOCS["ascend910b"]
    at_once = {name: (kind.groups(soc), kind.cores(soc)) for name, kind in KERNEL_TYPES.items()}
    vector, cube = (48, 48), (24, 24)
    assert at_once == {
        None: vector,
        "vector": vector,
        "cube": cube,
        "mix_0_1": vector,
        "mix_1_0": cube,
        "mix_1_1": (24, 24),
        "mix_1_2": (24, 48),
    }
    with pytest.raises(GridOutOfRange, match="24 groups of 1 AIC and 2 AIV"):
        of_type("mix_1_2")[0](np.zeros(256, np.int32))


# The store ------------------------------------------------------------------------------------------------------


def test_one_text_and_two_blobs(tmp_path: Path) -> None:
    kernel, z = of_type("mix_1_1"), np.zeros(256, np.int32)
    with settings.scope(cache_dir=tmp_path, check=False):  # whatever OPWRIGHT_CHECK says
        kernel[1](z)
        (path,) = (tmp_path / "kernels").iterdir()
        blobs = json.loads(path.read_bytes())["blobs"]
        assert set(blobs) == {"aic.so", "aiv.so", "library.so"} and blobs["aic.so"] != blobs["aiv.so"]
        # Both are verified: who finds one of them changed compiles again. Loaded is the old file, so here is a new one.
        blob = tmp_path / "blobs" / f"{blobs['aic.so']}.so"
        content = blob.read_bytes()
        blob.unlink()
        blob.write_bytes(content[:-1] + b"?")
        again = of_type("mix_1_1")
        z[:] = -1
        again[1](z)
        assert (z[0], z[AIC_PLACE * WORDS + 3]) == (0, 1)
        assert len(list((tmp_path / "quarantine").iterdir())) == 1
        assert json.loads(path.read_bytes())["blobs"] == blobs


def _launch_in_a_child(kernel: JitFunction, results: "multiprocessing.Queue[list[int]]") -> None:
    z = np.full(16 * WORDS, -1, np.int32)
    kernel[CORES](z)
    results.put(z.tolist())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_after_a_fork() -> None:
    kernel, z = of_type("mix_1_2"), np.full(16 * WORDS, -1, np.int32)
    kernel[CORES](z)
    forked = multiprocessing.get_context("fork")
    results = forked.Queue()
    child = forked.Process(target=_launch_in_a_child, args=(kernel, results))
    child.start()
    assert results.get(timeout=60) == z.tolist()
    child.join(timeout=60)
    assert child.exitcode == 0


# What the other kind has ----------------------------------------------------------------------------------------


@asc.jit
def matrix_memory_without_aic():
    asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, 64)


@asc.jit(kernel_type="mix_1_1")
def wrong_side():
    if asc.ascend_is_aic():
        asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 0, 64)


@asc.jit(kernel_type="mix_1_1")
def not_the_other_kind(z: asc.GlobalAddress):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 32)
    if not asc.ascend_is_aic():
        asc.LocalTensor(asc.float16, asc.TPosition.VECIN, 0, 64)
        z_gm.set_value(0, 10)
    if asc.ascend_is_aiv():
        pass
    else:
        asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, 64)
        z_gm.set_value(16, 20)  # in another line of the cache


def test_a_core_that_is_not_of_one_kind_is_of_the_other() -> None:
    text = not_the_other_kind.emit("int32[32]")
    assert "if ASCEND_IS_AIV {" in text
    assert "if ASCEND_IS_AIC {" in text
    assert "!" not in text
    z = np.full(32, -1, np.int32)
    not_the_other_kind[1](z)
    assert z[[0, 16]].tolist() == [10, 20]


@asc.jit
def never_there():
    if asc.ascend_is_aic():
        asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)


@asc.jit(kernel_type="mix_1_1")
def on_both():
    tile = asc.LocalTensor(asc.float16, asc.TPosition.A1, 0, 64)
    asc.printf("%d\n", tile.get_size())


@asc.jit(kernel_type="cube")
def ub_on_a_cube_core():
    asc.LocalMemAllocator()


def test_memories_of_the_other_kind() -> None:
    with pytest.raises(WrongCore, match="L1 belongs to an AIC, and no AIC reaches this line") as caught:
        matrix_memory_without_aic.emit()
    assert '@asc.jit(kernel_type="cube")' in str(caught.value)
    with pytest.raises(WrongCore, match="UB belongs to an AIV, and no AIV reaches this line") as caught:
        wrong_side.emit()
    assert "put it under `if asc.ascend_is_aiv():`" in str(caught.value)
    with pytest.raises(WrongCore, match="UB belongs to an AIV"):
        ub_on_a_cube_core.emit()
    # There an AIC may name the UB of its AIVs: a copy of the matrix unit goes there.
    assert wrong_side.emit(soc="ascend950")
    never_there[1]()


SETTINGS = {row.name: row.example for row in ROWS.values() if any(form.only for form in row.forms)}
SETS = """
from opwright import asc

@asc.jit(soc="ascend910b")
def vector():
    {call}

@asc.jit(kernel_type="cube", soc="ascend910b")
def cube():
    {call}

@asc.jit(kernel_type="mix_1_2", soc="ascend910b")
def both():
    {call}

@asc.jit(soc="ascend910b")
def never():
    if asc.ascend_is_aic():
        {call}
"""


@pytest.mark.quick
@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_the_matrix_unit(name: str, tmp_path: Path) -> None:
    """A vector core ignores them: where no other comes they are refused."""
    path = tmp_path / f"sets_{name}.py"
    path.write_text(SETS.format(call=SETTINGS[name]))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(WrongCore, match=f"asc.{name}: what it sets belongs to an AIC, and no AIC reaches this line"):
        module.vector.emit()
    for kernel in (module.cube, module.both, module.never):
        assert ROWS[name].cpp in kernel.emit()


def test_which_settings_are_those_of_the_matrix_unit() -> None:
    loads = ("set_fmatrix", "set_load_data_boundary", "set_load_data_padding_value", "set_load_data_repeat")
    assert set(SETTINGS) == {"set_fixpipe_nz2nd_flag", *loads}
    with pytest.raises(OutOfRange, match="on_both, AIV 0: L1 belongs to an AIC, and this code runs on an AIV"):
        on_both[2]()


# Flags ----------------------------------------------------------------------------------------------------------


@asc.jit(kernel_type="vector")
def flags_of_vector_cores():
    asc.cross_core_set_flag(0, 0, asc.PipeID.PIPE_MTE3)


@asc.jit(kernel_type="cube")
def flags_of_cube_cores():
    asc.cross_core_wait_flag(0, 0, asc.PipeID.PIPE_FIX)


@asc.jit(kernel_type="vector")
def barrier_of_vector_cores():
    asc.sync_all()


@pytest.mark.quick
def test_flags_between_cores_need_a_type_that_has_them() -> None:
    for kernel, other in ((flags_of_vector_cores, "mix_0_1"), (flags_of_cube_cores, "mix_1_0")):
        with pytest.raises(NoCrossFlags, match="does not start the unit that carries flags") as caught:
            kernel.emit()
        assert f'@asc.jit(kernel_type="{other}")' in str(caught.value)
    with pytest.raises(NoCrossFlags, match=r"asc\.sync_all"):
        barrier_of_vector_cores.emit()


@asc.jit(kernel_type="mix_1_1")
def a_flag_is_inside_a_core():
    if asc.ascend_is_aic():
        asc.set_flag(asc.HardEvent.MTE2_MTE3, 1)
    else:
        asc.wait_flag(asc.HardEvent.MTE2_MTE3, 1)


@asc.jit(kernel_type="mix_1_1")
def each_kind_has_its_flags():
    if asc.ascend_is_aic():
        asc.set_flag(asc.HardEvent.MTE2_MTE3, 1)
        asc.wait_flag(asc.HardEvent.MTE2_MTE3, 1)
    if asc.ascend_is_aiv():
        asc.set_flag(asc.HardEvent.MTE2_MTE3, 1)
        asc.wait_flag(asc.HardEvent.MTE2_MTE3, 1)


def test_flags_of_one_kind_do_not_pair_with_the_other() -> None:
    each_kind_has_its_flags.check[2]()
    assert len(each_kind_has_its_flags.check.report()) == 0
    with pytest.raises(FlagError, match="MTE2_MTE3 1 is still set when the core ends"):
        a_flag_is_inside_a_core.check[1]()
    told = [str(finding) for finding in a_flag_is_inside_a_core.check.report()]
    assert any("waited for, but nothing set it" in one or "is not set" in one for one in told), told


# On ascend950 ---------------------------------------------------------------------------------------------------


@asc.jit(kernel_type="mix_1_2", soc="ascend950")
def reads_the_memory_of_another_core(z: asc.GlobalAddress):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 64)
    if asc.ascend_is_aic():
        tile = asc.LocalTensor(asc.int32, asc.TPosition.VECIN, 0, 64)
        z_gm.set_value(0, tile.get_value(0))


@asc.simt(max_threads=32)
def fills(z: asc.GlobalAddress, value: int):
    z[asc.simt.threadIdx.x] = value


@asc.jit(kernel_type="mix_1_1", soc="ascend950")
def threads_beside_a_cube_core(z: asc.GlobalAddress, value: int):
    if asc.ascend_is_aiv():
        asc.vf_call(fills, 32, z, value)


def test_only_some_calls_reach_the_memory_of_another_core() -> None:
    with pytest.raises(OutOfRange, match="UB belongs to an AIV, and this code runs on an AIC"):
        reads_the_memory_of_another_core[1](np.zeros(64, np.int32))


def test_threads_of_the_vector_cores() -> None:
    z = np.full(32, -1, np.int32)
    threads_beside_a_cube_core[1](z, 7)
    assert z.tolist() == [7] * 32
