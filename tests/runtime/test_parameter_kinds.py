"""A kind of parameters of somebody else: arrays whose shape and strides the text takes behind their address."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.lib.stride_tricks import as_strided

from opwright import asc
from opwright.errors import BadStrides, NotAnArray, OutOfRange, WrongArguments, WrongRank
from opwright.frontend.compile import LoweredProgram, Watch, compile_function
from opwright.kernel import parameters, program
from opwright.kernel.arrays import MAX_RANK, ArrayView
from opwright.kernel.options import Options
from opwright.kernel.parameters import ParameterKind, register_kind
from opwright.kernel.program import Request, register_front_end
from opwright.runtime.compile import AscFrontEnd
from opwright.runtime.jit import JitFunction


class Tensor:
    """An annotation: the text takes shape and strides of every axis."""


class Padded:
    """An annotation: the same, with axes of one element in front, so that one text serves all ranks."""


def axes(name: str, view: ArrayView) -> list[tuple[str, int]]:
    """Lengths, then strides."""
    lengths = [(f"{name}_shape_{axis}", length) for axis, length in enumerate(view.shape)]
    return [*lengths, *((f"{name}_stride_{axis}", stride) for axis, stride in enumerate(view.strides))]


def padded(name: str, view: ArrayView) -> list[tuple[str, int]]:
    missing = MAX_RANK - len(view.shape)
    return axes(name, view._replace(shape=(1,) * missing + view.shape, strides=(0,) * missing + view.strides))


@asc.jit
def gathered(
    x: asc.GlobalAddress,
    x_shape_0: int,
    x_shape_1: int,
    x_shape_2: int,
    x_shape_3: int,
    x_shape_4: int,
    x_stride_0: int,
    x_stride_1: int,
    x_stride_2: int,
    x_stride_3: int,
    x_stride_4: int,
    z: asc.GlobalAddress,
):
    """What `gather` is lowered to."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    place = 0
    for a in range(x_shape_0):
        for b in range(x_shape_1):
            for c in range(x_shape_2):
                start = a * x_stride_0 + b * x_stride_1 + c * x_stride_2
                for d in range(x_shape_3):
                    for e in range(x_shape_4):
                        z_gm.set_value(place, x_gm.get_value(start + d * x_stride_3 + e * x_stride_4))
                        place += 1


class Lowering:
    """Compiles another function than the author wrote, as a front end does that lowers to `opwright.asc`."""

    name = "lowering"

    def identity(self) -> list[object]:
        return [gathered.source.text, *AscFrontEnd().identity()]

    def compile(self, request: Request, watch: Watch) -> LoweredProgram:
        return compile_function(replace(request, function=gathered.function, source=gathered.source), watch)


class LoweredFunction(JitFunction):
    front_end = "lowering"


def gather(x: Padded, z: asc.GlobalAddress) -> None:
    """Copies a view element by element."""


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    register_kind(Tensor, ParameterKind("address", strided=True, parts=axes))
    register_kind(Padded, ParameterKind("address", strided=True, parts=padded))
    register_front_end(Lowering())
    yield
    del parameters._KINDS[Tensor], parameters._KINDS[Padded], program._FRONT_ENDS["lowering"]


def numbers(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


VIEWS = {
    "rank 1": numbers(7),
    "rank 1, apart": numbers(21)[2::3],
    "transposed": numbers(5, 8).T,
    "columns": numbers(6, 10)[1:, 2:9:3],
    "broadcast": np.broadcast_to(numbers(4), (3, 4)),
    "rank 3": numbers(3, 4, 5)[:, ::2].transpose(2, 0, 1),
    "rank 4": numbers(2, 3, 4, 5)[:, :, 1:3, ::4],
    "rank 5": numbers(2, 3, 2, 3, 4).transpose(4, 2, 0, 3, 1)[1:, :, :, :2],
    "one row, backwards": numbers(1, 6)[::-1],
    "empty": numbers(4, 6)[4:],
}


def test_views_of_every_rank() -> None:
    kernel = LoweredFunction(gather, Options())
    for name, view in VIEWS.items():
        for x in (view, torch.from_numpy(view.copy()).as_strided(view.shape, dense(view.shape))):
            z = np.full(view.size + 1, -1, np.float32)
            kernel[1](x, z)
            np.testing.assert_array_equal(z[:-1], view.ravel(), err_msg=name)
            assert z[-1] == -1
    apart = torch.arange(60.0).reshape(6, 10)[1:, 2:9:3].T
    z = np.full(apart.numel(), -1, np.float32)
    kernel[1](apart, z)
    np.testing.assert_array_equal(z, apart.numpy().ravel())
    text = kernel.emit("f32[6,4]", "f32[24]")
    assert "gathered(GM_ADDR x, int64_t x_shape_0, " in text and "int64_t x_stride_4, GM_ADDR z)" in text


def dense(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(np.prod(shape[axis + 1 :], dtype=int)) for axis in range(len(shape)))


def test_the_bytes_spanned_are_checked() -> None:
    """The last element of the view is the last one that the kernel may read."""

    def one_more(name: str, view: ArrayView) -> list[tuple[str, int]]:
        longer = (*view.shape[:-1], view.shape[-1] + 1)
        return padded(name, view._replace(shape=longer))

    parameters._KINDS[Padded] = ParameterKind("address", strided=True, parts=one_more)
    with pytest.raises(OutOfRange):
        LoweredFunction(gather, Options())[1](numbers(40)[:20:3], np.zeros(8, np.float32))


def takes(x: Tensor, n: int) -> None:
    pass


def bound(value: object) -> list[tuple[str, str, int]]:
    """Name, kind and slot of each parameter of the text, without that of the address."""
    found = JitFunction(takes, Options()).binder.bind((value, 3), {}, described=True)
    assert len(found.names) == len(found.kinds) == len(found.slots) == len(found.memories)
    assert found.names[0] == "x" and found.kinds[0] == "float32" and found.views == ("x",)
    assert found.memories[0] is not None and found.memories[1:] == [None] * (len(found.names) - 1)
    return list(zip(found.names, found.kinds, found.slots, strict=True))[1:]


@pytest.mark.parametrize("rank", range(1, MAX_RANK + 1))
def test_slots(rank: int) -> None:
    shape = (2, 3, 4, 5, 6)[:rank]
    view = numbers(*shape).T
    lengths = [(f"x_shape_{axis}", "int", length) for axis, length in enumerate(reversed(shape))]
    strides = [(f"x_stride_{axis}", "int", stride) for axis, stride in enumerate(reversed(dense(shape)))]
    for value in (view, torch.from_numpy(view)):
        assert bound(value) == [*lengths, *strides, ("n", "int", 3)]
    words = ",".join(map(str, shape))
    assert [slot for *_, slot in bound(f"f32[{words}]")] == [*shape, *dense(shape), 3]


def test_an_axis_of_one_element_has_the_stride_of_a_dense_array() -> None:
    assert [slot for *_, slot in bound(numbers(6, 8)[:, 3:4])] == [6, 1, 8, 1, 3]
    assert [slot for *_, slot in bound(numbers(6, 8)[3:4, ::2])] == [1, 4, 8, 2, 3]
    assert [slot for *_, slot in bound(numbers(1, 8)[::-1])] == [1, 8, 8, 1, 3]


RECORDS = np.zeros(4, np.dtype([("a", np.float32), ("b", np.int8)]))["a"]


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (numbers(8)[::-1], BadStrides, "strides .-4,.: elements lie before the first one"),
        (numbers(3, 4)[:, ::-1], BadStrides, "elements lie before the first one"),
        (RECORDS, BadStrides, "not of whole elements"),
        (as_strided(numbers(16), (4,), (2,)), BadStrides, "not of whole elements"),
        (np.zeros((), np.float32), WrongRank, "has 0 axes, and may have 1 to 5"),
        (numbers(1, 1, 1, 1, 1, 1), WrongRank, "has 6 axes, and may have 1 to 5"),
        ("f32[1,1,1,1,1,1]", WrongRank, "has 6 axes"),
        ([1.0, 2.0], NotAnArray, "x"),
    ],
)
def test_refused(value: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        bound(value)


def test_two_parameters_of_one_name() -> None:
    def kernel(x: Tensor, x_shape_0: int) -> None:
        pass

    with pytest.raises(WrongArguments, match="its text would have two parameters x_shape_0"):
        JitFunction(kernel, Options()).binder.bind((numbers(4), 1), {})


def test_a_class_without_a_meaning() -> None:
    with pytest.raises(AssertionError):
        register_kind(int, ParameterKind("float"))
