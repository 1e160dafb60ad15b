"""Front ends: one of somebody else, registered without a change of the package, builds IR without any Python source."""

import inspect
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from opwright import asc
from opwright.ascendc.dtypes import DataType
from opwright.ascendc.enums import HardEvent, TPosition
from opwright.ascendc.kernel_types import KERNEL_TYPES
from opwright.ascendc.table import ROWS
from opwright.errors import FrontEndTaken, Location, UnknownFrontEnd, UnsupportedSyntax
from opwright.frontend.compile import LoweredProgram, Watch, finish
from opwright.ir import ModuleOp, Operation, SSAValue, StringAttr
from opwright.ir.binding.bind import CallContext, bind
from opwright.ir.binding.build import build
from opwright.ir.language import FuncOp
from opwright.ir.types import address
from opwright.ir.values import Constant, RunTimeValue, Value
from opwright.kernel import program
from opwright.kernel.options import Options
from opwright.kernel.program import Request, register_front_end, registered_front_end
from opwright.runtime.compile import AscFrontEnd
from opwright.runtime.jit import JitFunction
from opwright.settings import settings

LANES = 64


class Line:
    """The one line of a kernel: where all of its operations stand."""

    def __init__(self, request: Request) -> None:
        kinds = [(name, address(element)) for name, element in request.types]
        self.kernel = FuncOp(request.source.name, kinds)
        self.context = CallContext(request.soc, KERNEL_TYPES[None], KERNEL_TYPES[None].kinds)
        self.at: Location = request.source.locate(len(request.source.lines), 4)
        self.mark = f"{len(request.source.lines)}:4"

    def add(self, operation: Operation) -> Operation:
        operation.attributes["at"] = StringAttr(self.mark)
        self.kernel.body.block.add_op(operation)
        return operation

    def array(self, element: DataType, values: Sequence[Value]) -> SSAValue:
        raise NotImplementedError

    def refined(self, tensor: SSAValue) -> None:
        """A global tensor was given its memory."""

    def call(self, name: str, *arguments: object) -> Value:
        values = [one if isinstance(one, (Constant, RunTimeValue)) else Constant(one) for one in arguments]
        return build(self, bind(ROWS[name], values, {}, self.context, self.at))


class Words:
    """A kernel is a docstring of two words, a call and a number: what to do with every element of the first array."""

    name = "words"

    def __init__(self) -> None:
        self.compiled = 0

    def identity(self) -> list[object]:
        return [self.name, LANES]

    def compile(self, request: Request, watch: Watch) -> LoweredProgram:
        self.compiled += 1
        call, number = (request.function.__doc__ or "").split()
        line = Line(request)
        x, y = map(RunTimeValue, line.kernel.body.block.args)
        tensors = [line.call("GlobalTensor"), line.call("GlobalTensor")]
        for tensor, given in zip(tensors, (x, y), strict=True):
            line.call("GlobalTensor.set_global_buffer", tensor, given, LANES)
        element = getattr(asc, dict(request.types)["x"])
        local = line.call("LocalTensor", element, TPosition.VECCALC, 0, LANES)
        line.call("data_copy", local, tensors[0], LANES)
        for event, work in ((HardEvent.MTE2_V, call), (HardEvent.V_MTE3, "")):
            line.call("set_flag", event, 0)
            line.call("wait_flag", event, 0)
            if work:
                line.call(work, local, local, float(number), LANES)
        line.call("data_copy", tensors[1], local, LANES)
        return finish(request, ModuleOp([line.kernel]), watch=watch)


class WordsFunction(JitFunction):
    front_end = "words"


def doubled(x: asc.GlobalAddress, y: asc.GlobalAddress) -> None:
    """muls 2"""


def raised(x: asc.GlobalAddress, y: asc.GlobalAddress) -> None:
    """adds 2.5"""


def wrong(x: asc.GlobalAddress, y: asc.GlobalAddress) -> None:
    """set_flag 1"""


@pytest.fixture
def words(tmp_path: Path) -> Iterator[Words]:
    front_end = Words()
    register_front_end(front_end)
    with settings.scope(cache_dir=tmp_path / "cache"):
        yield front_end
    del program._FRONT_ENDS["words"]


def test_a_front_end_of_somebody_else(words: Words) -> None:
    x = np.arange(LANES, dtype=np.float32)
    for function, expected in ((doubled, x * 2), (raised, x + 2.5)):
        words.compiled = 0
        for _ in range(2):  # the second kernel knows nothing of what this process has loaded
            kernel = WordsFunction(function, Options())
            y = np.full_like(x, -1)
            kernel[1](x, y)
            np.testing.assert_array_equal(y, expected)
        assert words.compiled == 1
    kernel.check[1](x, y)  # has IR for the checks before a launch, and places for what it could find
    assert kernel.check.report().findings == ()
    assert "Adds(" in kernel.emit("f32[64]", "f32[64]")


def test_what_it_refuses_has_a_place(words: Words) -> None:
    with pytest.raises(Exception, match="set_flag") as caught:
        WordsFunction(wrong, Options()).emit("f32[64]", "f32[64]")
    assert '"""set_flag 1"""' in str(caught.value)


def test_its_keys_are_its_own(words: Words) -> None:
    """One function, two front ends: neither finds what the other made."""
    x = np.arange(LANES, dtype=np.float32)
    y = np.full_like(x, -1)
    asc.jit(doubled)[1](x, y)  # to this front end a docstring is nothing
    assert (y == -1).all()
    WordsFunction(doubled, Options())[1](x, y)
    np.testing.assert_array_equal(y, x * 2)


def test_a_front_end_is_short() -> None:
    """The contract asks for little: all of the front end above."""
    lines = [line for part in (Line, Words) for line in inspect.getsource(part).splitlines()]
    assert 30 < len(lines) < 70


def test_two_front_ends_of_one_name(words: Words) -> None:
    with pytest.raises(FrontEndTaken, match=r"there is a front end words already: .*Words; .*Words cannot take its"):
        register_front_end(Words())
    with pytest.raises(FrontEndTaken, match=r"front end asc already: opwright\.runtime\.compile\.AscFrontEnd"):
        register_front_end(AscFrontEnd())
    assert registered_front_end("words") is words


def test_a_front_end_that_nobody_registered() -> None:
    with pytest.raises(UnknownFrontEnd, match="there is no front end words; there are: asc"):
        WordsFunction(doubled, Options()).emit("f32[64]", "f32[64]")


in_words = WordsFunction(doubled, Options())


@asc.jit
def calls_words(x: asc.GlobalAddress, y: asc.GlobalAddress) -> None:
    in_words(x, y)


def test_no_kernel_calls_those_of_another_front_end() -> None:
    with pytest.raises(UnsupportedSyntax, match="calling in_words, a kernel of the front end words, "):
        calls_words.emit("f32[64]", "f32[64]")
