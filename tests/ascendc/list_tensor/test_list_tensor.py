"""Lists of tensors: what a kernel is told about each, for every type, and what it may touch."""

from collections.abc import Callable

import numpy as np
import pytest
from call_kernels import NUMPY

from opwright import asc
from opwright.ascendc.dtypes import DTYPES
from opwright.errors import NotAnArray, OutOfRange, WrongDtype

Ran = Callable[[str, int, str], None]
TYPES = tuple(DTYPES[name] for name in NUMPY)
NUMBERS = 8


@asc.jit
def lists(
    words: asc.GlobalAddress, in_bytes: asc.GlobalAddress, z: asc.GlobalAddress, length: int, count: int,
    a, b, c, d, e, f, g, h, i, j, k,
):  # fmt: skip
    """The first elements of every tensor of the list become its last ones."""
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    tensors = asc.ListTensorDesc(words, length, count)
    same = asc.ListTensorDesc(in_bytes)
    later = asc.ListTensorDesc()
    z_gm.set_value(0, 10000 * later.get_size() + 100 * same.get_size() + tensors.get_size())
    later.init(words, length, count)
    z_gm.set_value(1, later.get_size())
    later.init(in_bytes)
    for number in asc.static_range(11):
        sizes = asc.array(asc.uint64, 4)
        desc = asc.TensorDesc(TYPES[number])
        desc.set_shape_addr(sizes)
        tensors.get_desc(desc, number)
        told = NUMBERS * (number + 1)
        z_gm.set_value(told, desc.get_dim())
        z_gm.set_value(told + 1, desc.get_index())
        z_gm.set_value(told + 2, desc.get_shape(0))
        z_gm.set_value(told + 3, sizes[1])
        tensor = desc.get_data_obj()
        z_gm.set_value(told + 4, tensor.get_size())
        by_list = asc.GlobalTensor()
        by_list.set_global_buffer(later.get_data_ptr(number, TYPES[number]), 32)
        by_desc = asc.GlobalTensor()
        by_desc.set_global_buffer(desc.get_data_ptr(), 32)
        tensor.set_value(0, by_list.get_value(31))
        by_list.set_value(1, by_desc.get_value(30))
        by_desc.set_value(2, tensor.get_value(29))


@pytest.mark.parametrize("checked", [False, True])
def test_lists(checked: bool, ran: Ran) -> None:
    shapes = [(4, 8), (8, 4), (2, 4, 4), (2, 2, 2, 4)]
    arrays = [np.arange(32).reshape(shapes[i % 4]).astype(NUMPY[dtype.name]) for i, dtype in enumerate(TYPES[:11])]
    words = asc.list_of_tensors(arrays)
    z = np.full(NUMBERS * 12, 99, np.int64)
    launch = lists.check[1] if checked else lists[1]
    launch(words, words.view(np.uint8), z, words.nbytes, 11, *arrays)
    assert z[:8].tolist() == [11 * 101, 11, *[99] * 6]
    for number, (array, told) in enumerate(zip(arrays, z[8:].reshape(11, -1), strict=True)):
        shape = shapes[number % 4]
        assert told.tolist() == [len(shape), number, shape[0], shape[1], 32, 99, 99, 99]
        assert array.reshape(-1).astype(int).tolist() == [31, 30, 29, *range(3, 32)]
        for call in ("ListTensorDesc.get_desc", "ListTensorDesc.get_data_ptr", "TensorDesc", "TensorDesc.get_dim"):
            ran(call, 0, TYPES[number].name)
        for call in ("set_shape_addr", "get_index", "get_shape", "get_data_ptr", "get_data_obj"):
            ran(f"TensorDesc.{call}", 0, TYPES[number].name)
    ran("ListTensorDesc", 0, "")
    ran("ListTensorDesc.get_size", 0, "")
    for dtype in ("uint8", "uint64"):
        ran("ListTensorDesc", 1, dtype)
        ran("ListTensorDesc.init", 0, dtype)


def test_the_array_of_a_list() -> None:
    """By hand: the addresses start behind six words."""
    x, y = np.zeros((2, 3), np.float32), np.zeros(5, np.int8)
    words = asc.list_of_tensors([x, y])
    addresses = [array.__array_interface__["data"][0] for array in (x, y)]
    assert words.dtype == np.uint64 and words.tolist() == [48, 2, 2, 3, (1 << 32) | 1, 5, *addresses]
    for wrong in ([], [3], ["x"]):
        with pytest.raises(NotAnArray):
            asc.list_of_tensors(wrong)


@asc.jit
def wrong(words: asc.GlobalAddress, x: asc.GlobalAddress, length: int, count: int, index: int, dim: int):
    tensors = asc.ListTensorDesc(words, length, count)
    sizes = asc.array(asc.uint64, 2)
    desc = asc.TensorDesc(asc.float32)
    desc.set_shape_addr(sizes)
    tensors.get_desc(desc, index)
    asc.printf("%d %f\n", desc.get_shape(dim), desc.get_data_obj().get_value(0))


def test_wrong_uses() -> None:
    x, y, z = np.zeros((2, 3), np.float32), np.ones(5, np.float32), np.ones((1, 1, 1), np.float32)
    words = asc.list_of_tensors([x, y, z])
    wrong[1](words, x, words.nbytes, 3, 0, 1)

    def refuse(message: str, *arguments: int, given: np.ndarray = words) -> None:
        with pytest.raises(OutOfRange, match=message):
            wrong[1](given, x, *arguments)

    size = words.nbytes
    refuse("shape_size says 2 tensors, and the list has 3", size, 2, 0, 0)
    refuse(f"the list is read up to byte {size - 8}, and length says that it has {size - 16}", size - 16, 3, 1, 0)
    refuse("tensor 3 of a list that has 3", size, 3, 3, 0)
    refuse("dimension 2 of a shape that has 2", size, 3, 0, 2)
    refuse("the tensor has 3 extents, and the array holds 2", size, 3, 2, 0)
    refuse(
        "this is not a list of tensors: its addresses start at byte 7", size, 3, 0, 0, given=np.full(9, 7, np.uint64)
    )
    # The second tensor is not an argument of the kernel.
    refuse("tensor 1 of the list is not an argument of the kernel", size, 3, 1, 0)


def test_a_list_is_words() -> None:
    with pytest.raises(WrongDtype, match="a list of tensors is an array of uint64, or its bytes"):
        wrong.emit("f32[9]", "f32[8]", 72, 1, 0, 0)
