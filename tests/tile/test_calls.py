"""`tile.call`: helpers of Ascend C within kernels over tiles, on the twin, against their references in NumPy."""

import numpy as np
import pytest
from test_compiled import compare

from opwright import asc, tile
from opwright.errors import NotForVector, OpwrightError, TileNotBuilt, TileShape, WrongType
from opwright.settings import settings


@asc.jit
def leaky(z: asc.LocalTensor, x: asc.LocalTensor, slope: float, n: int):
    """A helper of a helper."""
    asc.muls(z, x, slope, n)
    asc.pipe_barrier(asc.PipeID.PIPE_V)
    asc.max(z, z, x, n)


@asc.jit
def leaky_of_sum(x: asc.LocalTensor, y: asc.LocalTensor, slope, n, z: asc.LocalTensor, room: asc.LocalTensor):
    total = room.reinterpret_cast(asc.float32)
    asc.add(total, x, y, n)
    for step in range(2):
        if step > 0:
            asc.muls(total, total, 0.5, n)
    leaky(z, total, slope, n)


def leaky_of_sum_in_numpy(x, y, slope, n):
    total = (x + y) * np.float32(0.5)
    found = np.zeros(64, np.float32)
    found[:n] = np.where(np.float32(slope) * total > total, np.float32(slope) * total, total)
    return found


@tile.jit
def activated(x: tile.Tensor, y: tile.Tensor, z: tile.Tensor, slope: float):
    for i in tile.parallel(x.shape[0], 64):
        t = x[i] * 3.0
        u = tile.call(
            leaky_of_sum,
            t,
            y[i],
            slope,
            i.count,
            out=((64,), tile.float32),
            scratch=256,
            reference=leaky_of_sum_in_numpy,
        )
        z[i] = u - t


@asc.jit
def doubles(x: asc.LocalTensor, z: asc.LocalTensor):
    asc.muls(z, x, 2.0, 8 * 16)


@tile.jit
def of_grids(x: tile.Tensor, y: tile.Tensor, COLS: tile.constexpr = 16):
    tile.assume(x.shape[1] == COLS)
    tile.assume(y.shape[1] == COLS)
    for rows in tile.parallel(x.shape[0], 8):
        t = x[rows, :]
        y[rows, :] = tile.call(doubles, t, out=((8, COLS), tile.float32), reference=lambda x: x * 2) + t


@pytest.mark.parametrize("soc", ["ascend910b", "ascend910_93", "ascend950"])
def test_helpers(soc: str) -> None:
    generator = np.random.default_rng(0)
    with settings.scope(soc=soc):
        for length in (0, 1, 63, 64, 65, 131):
            x, y = (generator.standard_normal(length).astype(np.float32) for _ in range(2))
            compare(activated, [x, y, np.zeros_like(x), 0.1], {}, 0)
        x = generator.standard_normal((24, 16)).astype(np.float32)
        compare(of_grids, [x, np.zeros_like(x)], {}, 0)


@asc.jit
def waits(x: asc.LocalTensor, z: asc.LocalTensor):
    asc.exp(z, x, 64)
    asc.set_flag(asc.HardEvent.V_MTE3)


@asc.jit
def reads_a_number(x: asc.LocalTensor, z: asc.LocalTensor):
    if 1 > 0:
        asc.duplicate(z, x.get_value(0), 64)


@asc.jit
def sets_an_element(x: asc.LocalTensor, z: asc.LocalTensor):
    asc.exp(z, x, 64)
    z[3] = 1.0


@asc.jit
def works_in_place(x: asc.LocalTensor, z: asc.LocalTensor):
    asc.exp(x, x, 64)


@asc.jit
def places_a_tensor(x: asc.LocalTensor, z: asc.LocalTensor):
    y = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, 64)
    asc.exp(y, x, 64)


def calling(helper: object, shape: object = 64) -> tile.TileKernel:
    @tile.jit
    def calls(x: tile.Tensor, y: tile.Tensor, SHAPE: tile.constexpr = shape):
        for i in tile.parallel(x.shape[0], 64):
            y[i] = tile.call(helper, x[i], out=(SHAPE, tile.float32))

    return calls


REFUSED = [
    (waits, NotForVector, "calls asc.set_flag"),
    (reads_a_number, NotForVector, "calls asc.LocalTensor.get_value, which runs on PIPE_S"),
    (sets_an_element, NotForVector, "calls asc.LocalTensor.set_value, which runs on PIPE_S"),
    (works_in_place, NotForVector, "changes one of its inputs by asc.exp"),
    (places_a_tensor, NotForVector, "calls asc.LocalTensor"),
    (max, WrongType, "a function marked @asc.jit"),
]


@pytest.mark.parametrize(("helper", "error", "words"), REFUSED, ids=lambda one: getattr(one, "__name__", ""))
def test_what_helpers_must_not_do(helper: object, error: type[OpwrightError], words: str) -> None:
    with pytest.raises(error) as caught:
        calling(helper).lower("f32[64]", "f32[64]")
    assert words in str(caught.value)
    if error is NotForVector:  # at the helper's line, with that of the kernel
        assert caught.value.at.line != caught.value.at.calls[0].line


def test_rows_follow_one_another() -> None:
    with pytest.raises(TileNotBuilt, match="rows that do not fill blocks"):
        of_grids.lower("f32[8, 12]", "f32[8, 12]", COLS=12)


def test_numpy_needs_a_reference() -> None:
    arrays = np.zeros(64, np.float32), np.zeros(64, np.float32)
    with pytest.raises(TileNotBuilt, match="without a reference"):
        calling(waits).numpy(*arrays)

    @tile.jit
    def gives_less(x: tile.Tensor, y: tile.Tensor):
        for i in tile.parallel(x.shape[0], 64):
            y[i] = tile.call(waits, x[i], out=(64, tile.float32), reference=lambda x: x[:3])

    with pytest.raises(TileShape, match="the reference gave an array of shape"):
        gives_less.numpy(*arrays)
