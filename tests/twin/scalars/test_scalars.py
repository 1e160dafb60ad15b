"""Single elements, sizes and addresses of tensors, memory without a pipe, and what a core knows about itself."""

import re

import ml_dtypes
import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.errors import OutOfRange, RuleBroken, RuleError
from opwright.settings import settings

# The checked twin warns about numbers that wrap: here they are meant.
pytestmark = pytest.mark.filterwarnings("ignore::opwright.errors.CheckWarning")

NUMPY = {name: np.dtype(getattr(ml_dtypes, name) if name == "bfloat16" else name) for name in DTYPES}


@asc.jit(soc="ascend950")
def reverse(x: asc.GlobalAddress, y: asc.GlobalAddress, z: asc.GlobalAddress):
    """Element by element: from global memory and from UB, into both."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(y, 64)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 64)
    local = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 32, 64)
    for i in range(64):
        local.set_value(i, x_gm.get_value(63 - i))
    for i in range(0, 64, 2):
        z_gm.set_value(i, local.get_value(i))
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(y_gm, local, 64)


FIRST = ("int8", "uint64", "float16", "bfloat16")


@pytest.mark.parametrize(
    "dtype", [name if name in FIRST else pytest.param(name, marks=pytest.mark.slow) for name in DTYPES]
)
def test_every_element_type(dtype: str) -> None:
    x = np.arange(-20, 44).astype(NUMPY[dtype])
    y = np.zeros(64, NUMPY[dtype])
    z = np.full(64, 7).astype(NUMPY[dtype])
    reverse[1](x, y, z)
    np.testing.assert_array_equal(y, x[::-1])
    np.testing.assert_array_equal(z[::2], x[::-1][::2])
    np.testing.assert_array_equal(z[1::2].astype(np.float32), 7)


@asc.jit
def numbers_of(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """An element is a number of Python's, not of its own width."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 8)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 8)
    z_gm.set_value(0, x_gm.get_value(0) + x_gm.get_value(1))
    z_gm.set_value(1, -x_gm.get_value(0))
    z_gm.set_value(2, x_gm.get_value(0) * x_gm.get_value(1) * x_gm.get_value(1))
    if x_gm.get_value(0) > -1:
        z_gm.set_value(3, 1)
    z_gm.set_value(4, x_gm.get_size() - 9)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "uint32", "int32"])
def test_elements_widen(dtype: str) -> None:
    most = int(np.iinfo(dtype).max)
    x = np.zeros(8, dtype)
    x[:2] = most
    z = np.full(8, -7, np.int64)
    numbers_of[1](x, z)
    cube = (most**3 + (1 << 63)) % (1 << 64) - (1 << 63)
    assert z.tolist() == [2 * most, -most, cube, 1, -1, -7, -7, -7]


@asc.jit
def between_copies(x: asc.GlobalAddress, z: asc.GlobalAddress):
    """A scalar write after a copy that may be an alias, and a scalar read through one."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    local = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 4096)
    asc.data_copy(local, x_gm, 4096)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    before = local.get_value(100)
    local.set_value(100, before + 0.5)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm, local, 4096)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    z_gm.set_value(101, local.get_value(100) + before)


@pytest.mark.parametrize("elide", [False, True])
def test_scalars_and_aliases(elide: bool) -> None:
    x = np.arange(4096, dtype=np.float32)
    z = np.full_like(x, np.nan)
    with settings.scope(elide=elide):
        between_copies[1](x, z)
    expected = x.copy()
    expected[100:102] = 100.5, 200.5
    np.testing.assert_array_equal(z, expected)
    assert x[100] == 100


@asc.jit
def order(z: asc.GlobalAddress):
    """A value read before a write is the old one, wherever it is used."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 8)
    old = z_gm.get_value(0)
    z_gm.set_value(0, 5)
    z_gm.set_value(1, old)
    z_gm.set_value(2, z_gm.get_value(0))


def test_order() -> None:
    z = np.array([3, 0, 0, 0, 0, 0, 0, 0], np.int32)
    order[1](z)
    assert z[:3].tolist() == [5, 3, 5]


@asc.jit
def reads_only(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 8)
    asc.printf("%d", x_gm.get_value(3))


@asc.jit
def through_an_address(x: asc.GlobalAddress):
    """The written argument is found behind an address of a tensor."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 8)
    y_gm = asc.GlobalTensor()
    y_gm.set_global_buffer(x_gm.get_phy_addr(2), 4)
    w_gm = asc.GlobalTensor()
    w_gm.set_global_buffer(y_gm[1:].get_phy_addr())
    w_gm.set_value(0, 9)


def test_what_is_written(capfd: pytest.CaptureFixture[str]) -> None:
    x = np.arange(8, dtype=np.int32)
    x.flags.writeable = False
    reads_only[1](x)
    assert capfd.readouterr().out == "3"
    y = np.zeros(8, np.int32)
    through_an_address[1](y)
    assert y.tolist() == [0, 0, 0, 9, 0, 0, 0, 0]


@asc.jit
def element(x: asc.GlobalAddress, place: int, local: asc.ConstExpr[bool]):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 8)
    if local:
        asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 16)[8:].set_value(place, 1)
    else:
        x_gm.set_value(place, 1)


@pytest.mark.parametrize("local", [False, True])
def test_elements_out_of_range(local: bool) -> None:
    x = np.zeros(8, np.int32)
    element[1](x, 7, local)
    with pytest.raises(OutOfRange, match="offset 8 is outside the tensor \\(8 elements\\)"):
        element[1](x, 8, local)
    with pytest.raises(RuleError, match=r"(index|offset) of asc.(Local|Global)Tensor.set_value does not fit its type"):
        element[1](x, -1, local)


@asc.jit
def shapes():
    x = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 64, 96)
    part = x[32:]
    bits = part.reinterpret_cast(asc.uint16)
    asc.printf("%d %d %d ", x.get_size(), x.get_length(), x.get_phy_addr())
    asc.printf("%d %d %d ", part.get_size(), part.get_length(), part.get_phy_addr(8))
    asc.printf("%d %d %d", bits.get_size(), bits.get_length(), bits.get_phy_addr(8))


def test_shapes(capfd: pytest.CaptureFixture[str]) -> None:
    shapes[1]()
    assert capfd.readouterr().out == "96 384 64 64 256 224 128 256 208"


@asc.jit
def allocates(first: int, second: int):
    allocator = asc.LocalMemAllocator(asc.Hardware.UB)
    a = allocator.alloc(asc.TPosition.VECIN, asc.float16, 17)
    asc.printf("%d %d ", a.get_size(), allocator.get_cur_addr())
    b = allocator.alloc(asc.TPosition.VECIN, asc.int32, first)
    asc.printf("%d %d ", b.get_phy_addr(), allocator.get_cur_addr())
    c = allocator.alloc(asc.TPosition.VECOUT, data_type=asc.int8, tile_size=second)
    asc.printf("%d", c.get_phy_addr())


def test_allocator(capfd: pytest.CaptureFixture[str]) -> None:
    allocates[1](9, 1)
    assert capfd.readouterr().out == "17 64 64 128 128"
    allocates[1](8, 188416 - 96)
    with pytest.raises(OutOfRange, match="this tensor ends at byte 188417 of UB, which has 188416"):
        allocates[1](8, 188416 - 95)
    with pytest.raises(RuleError, match="tile_size must lie between 1 and 4294967295, got 0"):
        allocates[1](0, 1)


@asc.jit(kernel_type="mix_1_1")
def allocates_in(hard: asc.ConstExpr[asc.Hardware], pos: asc.ConstExpr[asc.TPosition]):
    allocator = asc.LocalMemAllocator(hard)
    allocator.alloc(pos, asc.float16, 16)


@pytest.mark.parametrize(
    ("hard", "pos", "words"),
    [
        (
            asc.Hardware.GM,
            asc.TPosition.A1,
            "asc.LocalMemAllocator: hard must be a position on the chip, got one in GM",
        ),
        (asc.Hardware.UB, asc.TPosition.A1, "pos must be in the memory of self, got one in L1"),
        (asc.Hardware.L1, asc.TPosition.VECIN, "pos must be in the memory of self, got one in UB"),
    ],
)
def test_allocator_of_another_memory(hard: asc.Hardware, pos: asc.TPosition, words: str) -> None:
    with pytest.raises(RuleBroken, match=re.escape(words)):
        allocates_in.emit(hard, pos)


@asc.jit
def core():
    asc.printf(
        "%d%d%d %d ", asc.get_sub_block_idx(), asc.get_sub_block_num(), asc.get_task_ratio(), asc.get_block_idx()
    )
    before = asc.get_system_cycle()
    first = asc.get_program_counter()
    asc.data_sync_barrier(asc.MemDsbT.UB)
    asc.printf("%d%d ", asc.get_system_cycle() > before, asc.get_program_counter() > first)
    asc.printf("%d\n", asc.get_data_block_size_in_bytes())


def test_core(capfd: pytest.CaptureFixture[str]) -> None:
    core[2]()
    assert capfd.readouterr().out == "011 0 11 32\n011 1 11 32\n"
