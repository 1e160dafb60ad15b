"""What kernels print beside printf, against lines that Python writes; marks for profilers change nothing."""

from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.errors import OutOfRange, RaceError

ELEMENTS = 64


@asc.jit
def dumps(x: asc.GlobalAddress, size: int, first: int):
    """Nothing orders the copy and the dump: the call waits by itself."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 512, 64)
    asc.data_copy(a, x_gm, 64)
    asc.dump_tensor(x_gm[first:], 1, size)
    asc.dump_tensor(a, 4000000000, size)
    asc.dump_acc_chk_point(a, 2, first, size)
    asc.dump_acc_chk_point(x_gm, 3, first, size)
    asc.data_copy(x_gm, a, 64)


def kind_of(dtype: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, dtype) if dtype == "bfloat16" else dtype)


def values(dtype: str) -> np.ndarray:
    kind = kind_of(dtype)
    x = np.arange(-5, ELEMENTS - 5).astype(kind)
    if DTYPES[dtype].is_float():
        x[:6] = [np.nan, np.inf, -np.inf, -0.0, 0.15625, -1.5]
    else:
        info = np.iinfo(kind)
        x[:2] = [info.min, info.max]
    return x


def line(part: np.ndarray) -> str:
    if part.dtype.kind in "iu":
        return f"[{', '.join(str(int(value)) for value in part)}]"
    return f"[{', '.join(f'{float(value):g}' for value in part)}]"


@pytest.mark.parametrize("dtype", DTYPES)
def test_dumps(dtype: str, capsys: pytest.CaptureFixture[str], ran: Callable[[str, int, str], None]) -> None:
    x = values(dtype)
    itemsize = x.itemsize
    for size, first in ((0, 0), (0, 64), (1, 0), (7, 3), (33, 31), (64, 0)):
        (dumps.check if size == 33 and dtype == "float32" else dumps)[1](x, size, first)
        printed = capsys.readouterr().out.splitlines()
        where = [
            f"number 1, {size} elements of {dtype} in argument 0 at byte {first * itemsize}",
            f"number 4000000000, {size} elements of {dtype} in UB at byte 512",
            f"number 2, {size} elements of {dtype} in UB at byte {512 + first * itemsize}",
            f"number 3, {size} elements of {dtype} in argument 0 at byte {first * itemsize}",
        ]
        names = ["DumpTensor"] * 2 + ["DumpAccChkPoint"] * 2
        assert printed[::2] == [f"{name}: core 0, {words}" for name, words in zip(names, where, strict=True)]
        part = line(x[first : first + size])
        assert printed[1::2] == [part, line(x[:size]), part, part]
    np.testing.assert_array_equal(x.view(np.uint8), values(dtype).view(np.uint8))
    for form in (0, 1):
        ran("dump_tensor", form, dtype)
        ran("dump_acc_chk_point", form, dtype)


@asc.jit
def dumps_shapes(x: asc.GlobalAddress, size: int, rows: int, width: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    a = asc.LocalTensor(x.dtype, asc.TPosition.VECIN, 512, 64)
    asc.data_copy(a, x_gm, 64)
    asc.dump_tensor(x_gm, 1, size, asc.ShapeInfo([rows, width]))
    asc.dump_tensor(a, 2, size, asc.ShapeInfo([2, rows, width]))
    asc.dump_tensor(a, 3, size, asc.ShapeInfo())


def by_rows(x: np.ndarray, size: int, total: int, width: int) -> list[str]:
    """Rows of what is dumped and in the shape, the last one maybe with more to come; then what the shape lacks."""
    end = min(size, total)
    lines = []
    for first in range(0, end, max(width, 1)):
        text = line(x[first : min(first + width, end)])
        lines.append(text if first + width <= end else text.replace("]", ", ...]"))
    return [*lines, line(x[end:size])] if end < size or size == 0 else lines


@pytest.mark.parametrize("dtype", DTYPES)
def test_dumps_by_shape(dtype: str, capsys: pytest.CaptureFixture[str], ran: Callable[[str, int, str], None]) -> None:
    x = values(dtype)
    sizes = ((64, 8, 8), (12, 2, 4), (10, 4, 4), (0, 2, 2), (1, 1, 1), (5, 2, 0))
    for size, rows, width in sizes if dtype == "float32" else sizes[1:3]:
        dumps_shapes[1](x, size, rows, width)
        wanted = [f"DumpTensor: core 0, number 1, {size} elements of {dtype} in argument 0 at byte 0"]
        wanted += by_rows(x, size, rows * width, width)
        for number, total, row in ((2, 2 * rows * width, width), (3, size, size)):
            wanted.append(f"DumpTensor: core 0, number {number}, {size} elements of {dtype} in UB at byte 512")
            wanted += by_rows(x, size, total, row)
        assert capsys.readouterr().out.splitlines() == wanted, (size, rows, width)
    for form in (2, 3):
        ran("dump_tensor", form, dtype)


@pytest.mark.parametrize(("size", "first"), [(65, 0), (33, 32)])
def test_dumps_outside(size: int, first: int) -> None:
    with pytest.raises(OutOfRange, match=r"is used for|touches"):
        dumps[1](values("float32"), size, first)


@asc.jit
def dumps_what_another_core_writes(z: asc.GlobalAddress):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 64)
    a = asc.LocalTensor(z.dtype, asc.TPosition.VECOUT, 0, 64)
    if asc.get_block_idx() == 0:
        asc.duplicate(a, 1.0, 64)
        asc.pipe_barrier(asc.PipeID.PIPE_ALL)
        asc.data_copy(z_gm, a, 64)
    else:
        asc.dump_tensor(z_gm, 1, 8)


def test_a_race_with_another_core_is_found() -> None:
    with pytest.raises(RaceError, match=r"asc\.sync_all"):
        dumps_what_another_core_writes.check[2](np.zeros(64, np.float32))


@asc.jit
def stamps(z: asc.GlobalAddress, number: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 1)
    asc.metrics_prof_start()
    asc.print_time_stamp(number)
    z_gm.set_value(0, asc.get_system_cycle())
    asc.print_time_stamp(number + 1)
    asc.metrics_prof_stop()


def test_stamps(capsys: pytest.CaptureFixture[str], ran: Callable[[str, int, str], None]) -> None:
    z = np.full(1, 99, np.int64)
    for launch in (stamps[1], stamps.check[1]):
        launch(z, 41)
        assert capsys.readouterr().out.splitlines() == [
            "PrintTimeStamp: core 0, number 41, cycle 1",
            "PrintTimeStamp: core 0, number 42, cycle 3",
        ]
        assert z[0] == 2
    for call in ("print_time_stamp", "metrics_prof_start", "metrics_prof_stop"):
        ran(call, 0, "")
    ran("get_system_cycle", 0, "")


@asc.jit
def prints(n: int, x: float):
    asc.printf("n = %d, x = %.2f\n", n, x)


def test_printf(capsys: pytest.CaptureFixture[str], ran: Callable[[str, int, str], None]) -> None:
    prints[2](-3, 0.125)
    assert capsys.readouterr().out == "n = -3, x = 0.12\n" * 2
    ran("printf", 0, "")
