"""A core starts as another kernel left it: what depends on that before anything is set is found, and told once."""

import numpy as np
import pytest

from opwright import asc
from opwright.asc import HardEvent, TPosition
from opwright.errors import StateError
from opwright.frontend import compile as frontend
from opwright.runtime.jit import JitFunction


@asc.jit
def vectors(z: asc.GlobalAddress, way: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    a = asc.LocalTensor(z.dtype, TPosition.VECCALC, 0, 64)
    if way == 0:
        asc.duplicate(a, 1.0, 64, 1, 1, 8)  # the mode of the mask
    if way == 1:
        asc.set_mask_norm()
        asc.duplicate(a, 1.0, 64, 1, 1, 8, is_set_mask=False)  # the mask
    if way == 2:
        asc.set_atomic_type(z.dtype)  # whether copies are atomic
    if way == 4:
        asc.set_atomic_none()
    if way == 5:
        asc.init_soc_state()
    asc.duplicate(a, 1.0, 64)
    asc.duplicate(a, 1.0, 64, 1, 1, 8)
    asc.set_flag(HardEvent.V_MTE3, 0)
    asc.wait_flag(HardEvent.V_MTE3, 0)
    asc.data_copy(z_gm[asc.get_block_idx() * 64 :], a, 64)  # whether copies are atomic, again
    asc.set_atomic_none()


@asc.jit(kernel_type="cube")
def images(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    l1 = asc.LocalTensor(x.dtype, TPosition.A1, 0, 256)
    l0a = asc.LocalTensor(x.dtype, TPosition.A2, 0, 256)
    asc.data_copy(l1, x_gm, 256)
    asc.set_flag(HardEvent.MTE2_MTE1, 0)
    asc.wait_flag(HardEvent.MTE2_MTE1, 0)
    asc.load_data(l0a, l1, asc.LoadData3DParamsV2([0, 0, 0, 0], 4, 4, 16, 16, 16))  # the settings of loads of images


@asc.jit
def a_pipe_too_late(z: asc.GlobalAddress):
    a = asc.LocalTensor(z.dtype, TPosition.VECCALC, 0, 64)
    asc.duplicate(a, 1.0, 64, 1, 1, 8)  # the mode of the mask
    asc.inline("AscendC::TPipe late;")  # in C++: Python's are refused beside tensors that are placed by hand


@pytest.fixture
def without_the_first_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels as an author of Ascend C may write them; those of this file are compiled nowhere else."""
    monkeypatch.setattr(frontend, "enclose", lambda module: None)


def first_finding(kernel: JitFunction, *arguments: object) -> tuple[str, str]:
    """What is said about a kernel on two cores, and the state that the line says it depends on."""
    with pytest.raises(StateError) as caught:
        kernel.check[2](*arguments)
    (finding,) = kernel.check.report()
    assert finding.kind is StateError and finding.cores == 2
    assert caught.value.at is not None
    return str(caught.value), caught.value.at.text.partition("  # ")[2].strip()


@pytest.mark.usefixtures("without_the_first_line")
@pytest.mark.parametrize(
    "way, call",
    [(0, "duplicate"), (1, "duplicate"), (2, "set_atomic_type"), (3, "data_copy")],
)
def test_what_a_call_depends_on_is_told(way: int, call: str) -> None:
    message, state = first_finding(vectors, np.zeros(128, np.float32), way)
    state = state.removesuffix(", again")
    assert f"asc.{call} depends on {state}, which here is what the kernel before left on this core" in message
    assert "hint: call asc.init_soc_state(), or make the asc.TPipe, before anything else" in message


@pytest.mark.usefixtures("without_the_first_line")
@pytest.mark.parametrize("way", [4, 5])
def test_what_a_kernel_sets_itself_is_set(way: int) -> None:
    vectors.check[1](np.zeros(128, np.float32), way)
    assert not vectors.check.report().findings


@pytest.mark.usefixtures("without_the_first_line")
def test_loads_of_images_depend_on_settings() -> None:
    message, state = first_finding(images, np.zeros(256, np.float16))
    assert f"asc.load_data depends on {state}, which" in message


@pytest.mark.usefixtures("without_the_first_line")
def test_a_pipe_initialises_from_where_it_is_made() -> None:
    message, state = first_finding(a_pipe_too_late, np.zeros(128, np.float32))
    assert f"asc.duplicate depends on {state}, which" in message
