"""Scratch in global memory that a program asks for: the launch gives it, behind the arguments that a caller passes."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from opwright import asc
from opwright.errors import OutOfRange
from opwright.frontend.compile import LoweredProgram, Watch, compile_function
from opwright.kernel import program
from opwright.kernel.options import Options
from opwright.kernel.program import Request, Workspace, register_front_end
from opwright.runtime.compile import AscFrontEnd
from opwright.runtime.jit import JitFunction

ELEMENTS = 16  # of the workspace, for each core


@asc.jit
def through_scratch(x: asc.GlobalAddress, z: asc.GlobalAddress, scratch: asc.GlobalAddress):
    """What `doubled` is lowered to."""
    x_gm = asc.GlobalTensor()
    x_gm.set_global_buffer(x)
    z_gm = asc.GlobalTensor()
    z_gm.set_global_buffer(z)
    scratch_gm = asc.GlobalTensor()
    begin = asc.get_block_idx() * 16
    scratch_gm.set_global_buffer(scratch + begin)
    for i in range(16):
        scratch_gm.set_value(i, x_gm.get_value(begin + i) * 2)
    for i in range(16):
        z_gm.set_value(begin + i, scratch_gm.get_value(i))


class Scratch:
    """A front end whose kernels have a parameter more than their author wrote."""

    name = "scratch"
    elements = ELEMENTS

    def identity(self) -> list[object]:
        return [self.elements, through_scratch.source.text, *AscFrontEnd().identity()]

    def compile(self, request: Request, watch: Watch) -> LoweredProgram:
        scratch = Workspace("scratch", "float32", self.elements)
        made = replace(
            request,
            function=through_scratch.function,
            source=through_scratch.source,
            types=[*request.types, (scratch.name, scratch.element)],
        )
        return replace(compile_function(made, watch), workspaces=(scratch,))


class ScratchFunction(JitFunction):
    front_end = "scratch"


def doubled(x: asc.GlobalAddress, z: asc.GlobalAddress) -> None:
    """z = 2 x."""


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    register_front_end(Scratch())
    yield
    del program._FRONT_ENDS["scratch"]


def run(cores: int) -> None:
    x, z = np.arange(16 * cores, dtype=np.float32), np.zeros(16 * cores, np.float32)
    kernel = ScratchFunction(doubled, Options())
    kernel[cores](x, z)
    np.testing.assert_array_equal(z, 2 * x)


def test_a_launch_gives_memory_for_its_cores() -> None:
    for cores in (1, 3):
        run(cores)
    run(2)  # from the store: another function object has compiled nothing
    text = ScratchFunction(doubled, Options()).emit("f32[8]", "f32[8]")
    assert "through_scratch(GM_ADDR x, GM_ADDR z, GM_ADDR scratch)" in text


def test_checked_and_in_other_orders() -> None:
    x, z = np.arange(48, dtype=np.float32), np.zeros(48, np.float32)
    kernel = ScratchFunction(doubled, Options())
    kernel.check(perturb=4)[3](x, z)
    assert not kernel.check.report().findings
    np.testing.assert_array_equal(z, 2 * x)


def test_it_ends_where_the_program_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Scratch, "elements", ELEMENTS - 1)
    x, z = np.arange(48, dtype=np.float32), np.zeros(48, np.float32)
    with pytest.raises(OutOfRange, match="scratch"):
        ScratchFunction(doubled, Options())[3](x, z)
