"""Views whose elements lie apart (A16): taken by parameters that say so, refused by others."""

import numpy as np
import pytest
import torch

from opwright import asc
from opwright.errors import NotContiguous, OutOfRange, ReadOnlyArgument

COLUMNS = 16


@asc.jit
def rows(x: asc.StridedAddress, z: asc.StridedAddress, count: int, x_step: int, z_step: int):
    """Copies rows of 16 float32, which start every so many elements."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    row = asc.LocalTensor(asc.float32, asc.TPosition.VECCALC, 0, COLUMNS)
    for i in range(asc.get_block_idx(), count, asc.get_block_num()):
        asc.data_copy(row, x_gm[i * x_step :], COLUMNS)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(z_gm[i * z_step :], row, COLUMNS)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)


@asc.jit
def dense(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    x_gm.set_value(0, 1.0)


def table(height: int = 6, width: int = 40) -> np.ndarray:
    return np.arange(height * width, dtype=np.float32).reshape(height, width)


@pytest.mark.parametrize("checked", [False, True])
def test_numpy(checked: bool) -> None:
    x, z = table()[1:, 8:24], np.full((5, 64), np.nan, np.float32)
    launcher = rows.check if checked else rows
    launcher[2](x, z[:, 32:48], 5, 40, 64)
    np.testing.assert_array_equal(z[:, 32:48], x)
    assert np.isnan(z[:, :32]).all() and np.isnan(z[:, 48:]).all()
    if checked:
        report = rows.check.report()
        assert report.findings == () and report.unwritten == ()


def test_torch() -> None:
    x = torch.from_numpy(table())
    z = torch.full((3, 20), torch.nan)
    rows[1](x[::2, 24:], z[:, :16], 3, 80, 20)
    assert torch.equal(z[:, :16], x[::2, 24:]) and z[:, 16:].isnan().all()


def test_dense_arrays_are_taken_too() -> None:
    x, z = table(4, 16), np.zeros((4, 16), np.float32)
    rows[1](x, z, 4, 16, 16)
    np.testing.assert_array_equal(z, x)


def test_the_view_ends_with_its_last_element() -> None:
    """The array goes on behind it."""
    x, z = table()[:2, :16], np.zeros((3, 16), np.float32)
    with pytest.raises(OutOfRange, match="x"):
        rows[1](x, z, 3, 40, 16)


def test_refused() -> None:
    z = np.zeros((4, 16), np.float32)
    with pytest.raises(NotContiguous, match=r"argument x has strides .*: elements lie before the first one"):
        rows[1](table(4, 16)[::-1], z, 4, 16, 16)
    with pytest.raises(NotContiguous, match=r"asc\.StridedAddress"):
        dense[1](table()[:, :16])
    with pytest.raises(NotContiguous):
        rows[1](torch.from_numpy(table(4, 16)).to_sparse(), z, 4, 16, 16)
    with pytest.raises(ReadOnlyArgument):
        rows[1](table(4, 16), np.broadcast_to(np.zeros(16, np.float32), (4, 16)), 4, 16, 0)


def test_empty() -> None:
    rows[1](table()[:0, :16], np.zeros((0, 16), np.float32), 0, 40, 16)
