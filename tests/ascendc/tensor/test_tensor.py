"""Tensors of every type: where they lie, how large they are, what is in them, and the notes on them."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from call_kernels import NUMPY

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.errors import OutOfRange, RaceError, RuleError, UnsupportedSyntax
from opwright.runtime.jit import JitFunction

Ran = Callable[[str, int, str], None]
TYPES = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32")
NUMBERS = 24  # that a kernel tells about each type
AT = 256  # the byte at which the local tensor lies
UB = 188416
ROOM = 180224  # bytes of a buffer, less than all
FIRST, N = 8, 5


@asc.jit
def in_global_memory(x: asc.GlobalAddress, z: asc.GlobalAddress, found, base: int, first: int, n: int):
    """z[:6] becomes x[first:first + 6], each element on another way."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    tail = asc.GlobalTensor()
    tail.set_global_buffer(x + first)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 64)
    again = asc.GlobalTensor()
    again.set_global_buffer(x_gm.get_phy_addr(), 64)
    further = asc.GlobalTensor()
    further.set_global_buffer(x_gm.get_phy_addr(first), 8)
    x_gm.set_l2_cache_hint(asc.CacheMode.CACHE_MODE_DISABLE)
    x_gm.set_shape_info(asc.ShapeInfo([n, 4, 2]))
    found.set_value(base, x_gm.get_size())
    found.set_value(base + 1, x_gm[first:].get_size())
    found.set_value(base + 2, tail.get_size())
    found.set_value(base + 3, x_gm[first:].get_shape_info().shape(0))
    z_gm.set_value(0, x_gm.get_value(first))
    z_gm.set_value(1, x_gm[first:].get_value(1))
    z_gm.set_value(2, tail.get_value(2))
    z_gm[3:].set_value(0, again.get_value(first + 3))
    z_gm.set_value(4, further.get_value(4))
    z_gm.set_value(5, x_gm(first).get_value(5))


@asc.jit
def on_the_chip(x: asc.GlobalAddress, z: asc.GlobalAddress, found, base: int, first: int, n: int):
    """z[8:14] becomes x[first:first + 6], each element on another way, and z[32:] x[:32] but for element 3."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 64)
    local = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, AT, 64)
    asc.data_copy(local, x_gm, 64)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    by_address = asc.LocalTensor(x.dtype, AT)
    placed = asc.LocalTensor(x.dtype)
    found.set_value(base + 4, placed.get_size())
    placed.set_addr_with_offset(local, first)
    low = asc.LocalTensor(asc.uint8)
    low.set_addr_with_offset(placed, 1)
    cast = low.reinterpret_cast(x.dtype)
    found.set_value(base + 5, local.get_position())
    found.set_value(base + 6, by_address.get_position())
    found.set_value(base + 7, by_address.get_size())
    found.set_value(base + 8, local.get_length())
    found.set_value(base + 9, local.get_phy_addr())
    found.set_value(base + 10, local.get_phy_addr(first))
    found.set_value(base + 11, placed.get_phy_addr())
    found.set_value(base + 12, placed.get_size())
    found.set_value(base + 13, low.get_phy_addr())
    found.set_value(base + 14, low.get_size())
    found.set_value(base + 15, local.reinterpret_cast(asc.uint8).get_size())
    z_gm.set_value(8, local.get_value(first))
    z_gm.set_value(9, local[first:].get_value(1))
    z_gm.set_value(10, by_address.get_value(first + 2))
    z_gm.set_value(11, placed.get_value(3))
    z_gm.set_value(12, cast.get_value(3))
    z_gm.set_value(13, local(first)[5])
    local.set_value(3, local.get_value(first + 3))
    # Of small elements all of z lies in one line of the cache, which the copy must not meet there.
    asc.data_cache_clean_and_invalid(asc.CacheLine.ENTIRE_DATA_CACHE, asc.DcciDst.CACHELINE_OUT, z_gm)
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)
    asc.data_copy(z_gm[32:], local, 32)
    local.set_user_tag(-n)
    local.set_shape_info(asc.ShapeInfo([n, 8], [3, n + 1], asc.DataFormat.NZ))
    found.set_value(base + 16, local[first:].get_user_tag())
    found.set_value(base + 17, local.get_shape_info().shape(1))
    found.set_value(base + 18, local.get_shape_info().original_shape(1))
    found.set_value(base + 19, asc.get_shape_size(local.get_shape_info()))
    local.set_size(n)
    found.set_value(base + 20, local.get_size())
    local.set_buffer_len(x.dtype.sizeof() * (n + 64))
    found.set_value(base + 21, local.get_size())
    local.set_user_tag()
    local.set_size()
    found.set_value(base + 22, local.get_length() + local.get_user_tag())
    asc.pipe_barrier(asc.PipeID.PIPE_ALL)


@asc.jit
def each(x: asc.GlobalAddress, z: asc.GlobalAddress, found, base: int, first: int, n: int):
    in_global_memory(x, z, found, base, first, n)
    on_the_chip(x, z, found, base, first, n)


@asc.jit
def tensors(
    found_at: asc.GlobalAddress, first: int, n: int,
    a, a_out, b, b_out, c, c_out, d, d_out, e, e_out, f, f_out, g, g_out, h, h_out, i, i_out, j, j_out, k, k_out,
):  # fmt: skip
    found = asc.GlobalTensor()
    found.set_global_buffer(found_at)
    each(a, a_out, found, 0, first, n)
    each(b, b_out, found, NUMBERS, first, n)
    each(c, c_out, found, 2 * NUMBERS, first, n)
    each(d, d_out, found, 3 * NUMBERS, first, n)
    each(e, e_out, found, 4 * NUMBERS, first, n)
    each(f, f_out, found, 5 * NUMBERS, first, n)
    each(g, g_out, found, 6 * NUMBERS, first, n)
    each(h, h_out, found, 7 * NUMBERS, first, n)
    each(i, i_out, found, 8 * NUMBERS, first, n)
    each(j, j_out, found, 9 * NUMBERS, first, n)
    each(k, k_out, found, 10 * NUMBERS, first, n)


@asc.jit
def two_tensors(found_at: asc.GlobalAddress, first: int, n: int, a, a_out, b, b_out):
    """The same of two types, for the checked twin: all of them would take it long to compile."""
    found = asc.GlobalTensor()
    found.set_global_buffer(found_at)
    each(a, a_out, found, 0, first, n)
    each(b, b_out, found, NUMBERS, first, n)


def contents(name: str) -> np.ndarray:
    """Numbers that every type holds exactly, and whose bytes are not alike."""
    return (np.arange(64) * (3 if DTYPES[name].bytes == 1 else 97) % 125).astype(NUMPY[name])


def numbers_of(size: int) -> list[int]:
    """What the kernel tells about a type of `size` bytes."""
    here, there = AT, AT + FIRST * size
    in_memory = [64, 64 - FIRST, 0, N]
    places = [11, 9, (UB - AT) // size, 64 * size, here, there, there, 64 - FIRST]
    low = [there + 1 * size, (63 - FIRST) * size, 64 * size]
    return [*in_memory, 0, *places, *low, -N, 8, N + 1, 8 * N, N, N + 64, 0, 99]


def run(launch: Callable[..., None], types: Sequence[str]) -> tuple[np.ndarray, list[np.ndarray], list[np.ndarray]]:
    found = np.full(len(types) * NUMBERS, 99, np.int64)
    given = [contents(name) for name in types]
    fills = [np.nan if DTYPES[name].is_float() else 99 for name in types]
    made = [np.full(64, fill, x.dtype) for x, fill in zip(given, fills, strict=True)]
    launch(found, FIRST, N, *(array for pair in zip(given, made, strict=True) for array in pair))
    return found.reshape(len(types), NUMBERS), given, made


FORMS = {
    "GlobalAddress.__add__": 1, "GlobalTensor": 1, "GlobalTensor.set_global_buffer": 2, "GlobalTensor.__getitem__": 1,
    "GlobalTensor.get_value": 1, "GlobalTensor.set_value": 1, "GlobalTensor.get_size": 1,
    "GlobalTensor.get_phy_addr": 2, "GlobalTensor.set_l2_cache_hint": 1, "GlobalTensor.set_shape_info": 1,
    "GlobalTensor.get_shape_info": 1, "LocalTensor": 3, "LocalTensor.__getitem__": 1, "LocalTensor.get_value": 1,
    "LocalTensor.set_value": 1, "LocalTensor.get_size": 1, "LocalTensor.get_length": 1, "LocalTensor.get_phy_addr": 2,
    "LocalTensor.reinterpret_cast": 1, "LocalTensor.get_position": 1, "LocalTensor.set_size": 1,
    "LocalTensor.set_buffer_len": 1, "LocalTensor.set_addr_with_offset": 1, "LocalTensor.set_user_tag": 1,
    "LocalTensor.get_user_tag": 1, "LocalTensor.set_shape_info": 1, "LocalTensor.get_shape_info": 1,
}  # fmt: skip


def test_tensors(ran: Ran, asserted: Callable[[str], None]) -> None:
    found, given, made = run(tensors[1], TYPES)
    for name, numbers, x, z in zip(TYPES, found, given, made, strict=True):
        assert numbers.tolist() == numbers_of(x.itemsize), name
        wanted = np.full(64, np.nan if DTYPES[name].is_float() else 99, x.dtype)
        wanted[:6] = x[FIRST : FIRST + 6]
        wanted[8:14] = x[FIRST : FIRST + 6]
        wanted[32:] = x[:32]
        wanted[35] = x[FIRST + 3]
        assert z.tobytes() == wanted.tobytes(), name
        for call, forms in FORMS.items():
            for form in range(forms):
                ran(call, form, name)
    for word in ("GlobalTensor.__call__", "LocalTensor.__call__", "CacheMode.CACHE_MODE_DISABLE"):
        asserted(word)


def test_nothing_is_found_by_the_checked_twin() -> None:
    found, given, _ = run(two_tensors.check[1], ("int8", "float32"))
    assert [numbers.tolist() for numbers in found] == [numbers_of(x.itemsize) for x in given]
    assert two_tensors.check.report().findings == ()


# Wrong uses ---------------------------------------------------------------------------------------------------


@asc.jit
def wrong(x: asc.GlobalAddress, which: int, n: int):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    pipe = asc.TPipe()
    buffer = asc.TBuf(asc.TPosition.VECCALC)
    pipe.init_buffer(buffer, ROOM)
    local = buffer.get(x.dtype, 64)
    queue = asc.TQue(asc.TPosition.VECIN, 1)
    pipe.init_buffer(queue, 2, 256)
    of_queue = queue.alloc_tensor(x.dtype)
    empty = asc.LocalTensor(x.dtype)
    asc.data_copy(local, x_gm, 64)
    local.set_shape_info(asc.ShapeInfo([n, 2]))
    if which == 0:
        local.set_size(n)
    if which == 1:
        local.set_buffer_len(n)
    if which == 2:
        of_queue.set_size(n)
    if which == 3:
        empty.set_addr_with_offset(local, n)
    if which == 4:
        asc.adds(local, empty, 1.0, n)
    if which == 5:
        asc.printf("%d", local.get_shape_info().shape(n))
    if which == 6:
        asc.printf("%d", local.get_shape_info().original_shape(n))
    if which == 7:
        local.set_user_tag(n)
    queue.free_tensor(of_queue)


@pytest.mark.parametrize(
    ("which", "n", "kind", "words"),
    [
        (0, ROOM // 4 + 1, OutOfRange, f"{ROOM + 4} bytes are too many: only {ROOM} remain"),
        (1, ROOM + 1, OutOfRange, f"{ROOM + 1} bytes are too many: only {ROOM} remain"),
        (2, 65, OutOfRange, "260 bytes are too many: only 256 remain"),
        (3, 65, OutOfRange, "offset 65 is outside the tensor"),
        (4, 8, OutOfRange, "src is used for 32 bytes, but its tensor has only 0"),
        (5, 2, OutOfRange, "dimension 2 of a shape that has 2"),
        (6, -1, OutOfRange, "dimension -1 of a shape that has 2"),
        (7, 1 << 40, RuleError, "tag of asc.LocalTensor.set_user_tag does not fit its type"),
    ],
)
def test_beyond_what_is_there(which: int, n: int, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        wrong[1](np.zeros(64, np.float32), which, n)


def test_edges_are_there() -> None:
    for which, n in ((0, ROOM // 4), (1, ROOM), (2, 64), (3, 64), (5, 1), (7, -(1 << 31))):
        wrong[1](np.zeros(64, np.float32), which, n)


@asc.jit(auto_sync=False)
def read_too_early(x: asc.GlobalAddress):
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x, 64)
    local = asc.LocalTensor(x.dtype, asc.TPosition.VECCALC, 0, 64)
    asc.data_copy(local, x_gm, 64)
    asc.printf("%f", local.get_value(0))


def test_a_race_is_found() -> None:
    with pytest.raises(RaceError, match="MTE2"):
        read_too_early.check[1](np.zeros(64, np.float32))


@asc.jit
def changed_copy(n: int):
    tensor = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 8)
    for _ in range(n):
        tensor = tensor[1:]
    tensor.set_size(n)


@asc.jit
def copy_of_changed(n: int):
    tensor = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 8)
    other = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 32, 8)
    tensor.set_size(n)
    for _ in range(n):
        other = tensor
    asc.adds(other, other, 1.0, 1)


@asc.jit
def placed_twice():
    tensor = asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 8)
    tensor.set_addr_with_offset(tensor, 1)


@asc.jit
def changed_parameter(tensor: asc.LocalTensor, n: int):
    tensor.set_user_tag(n)


@asc.jit
def changed_by_a_helper(n: int):
    changed_parameter(asc.LocalTensor(asc.float32, asc.TPosition.VECIN, 0, 8), n)


@pytest.mark.parametrize(
    ("kernel", "arguments", "words"),
    [
        (changed_copy, (2,), "set_size on a tensor that a branch, a loop, a field or a helper has set"),
        (copy_of_changed, (2,), "setting 'other' in a branch or a loop to a tensor that a call changes"),
        (placed_twice, (), "set_addr_with_offset on a tensor that was made with memory"),
        (changed_by_a_helper, (2,), "set_user_tag on a tensor that a branch, a loop, a field or a helper has set"),
    ],
)
def test_refused_before_the_run(kernel: JitFunction, arguments: tuple[int, ...], words: str) -> None:
    with pytest.raises(UnsupportedSyntax, match=words):
        kernel.emit(*arguments)


# Shapes -------------------------------------------------------------------------------------------------------


@asc.jit
def shapes(z: asc.GlobalAddress, n: int):
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z, 16)
    extents = asc.array(asc.uint32, (n, 3))
    ready = asc.ShapeInfo(extents)
    formatted = asc.ShapeInfo([1, 2, 3, 4, 5, 6, 7, n], data_format=asc.DataFormat.NC1HWC0)
    both = asc.ShapeInfo([n, 16], (n - 3, 10, 2), asc.DataFormat.NHWC)
    z_gm.set_value(0, ready.shape(0) * 100 + ready.original_shape(1))
    z_gm.set_value(1, asc.get_shape_size(ready))
    z_gm.set_value(2, formatted.shape(7) + formatted.original_shape(6))
    z_gm.set_value(3, asc.get_shape_size(formatted))
    z_gm.set_value(4, both.shape(0) * 100 + both.original_shape(0))
    z_gm.set_value(5, both.original_shape(2))
    z_gm.set_value(6, asc.get_shape_size(both))
    z_gm.set_value(7, asc.get_shape_size(asc.ShapeInfo()))


def test_shapes(ran: Ran, asserted: Callable[[str], None]) -> None:
    z = np.full(16, 99, np.int64)
    shapes[1](z, 12)
    by_hand = [1203, 36, 12 + 7, 5040 * 12, 1209, 2, 192, 1]
    assert z.tolist() == by_hand + [99] * 8
    for form in range(4):
        ran("ShapeInfo", form, "")
    for call in ("ShapeInfo.shape", "ShapeInfo.original_shape", "get_shape_size"):
        ran(call, 0, "")
    text = shapes.emit("i64[16]", 12)
    for name in ("NC1HWC0", "NHWC"):
        assert f"AscendC::DataFormat::{name}" in text
        asserted(f"DataFormat.{name}")
