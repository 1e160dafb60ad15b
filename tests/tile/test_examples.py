"""What the example kernels cost, against what the design allows: lines, bytes of UB, flags of an iteration."""

import ast
import inspect

import numpy as np
import pytest
from launches import EXAMPLES, LAUNCHES, kernels_of, loaded
from test_placement import waits_of_loops

from opwright import tile
from opwright.tile.compiler.compile import Lowered

pytestmark = pytest.mark.quick

KERNELS = {name: one for path in EXAMPLES for name, one in kernels_of(loaded(path)).items()}
LINES = {"add": 3, "softmax": 6, "add_layer_norm": 10, "linear_gelu": 8, "attention": 30}
SOCS = ("ascend910b", "ascend950")


def lines_of(kernel: tile.TileKernel) -> int:
    """Lines behind the parameters, without those that say nothing to the compiler."""
    source = inspect.getsource(kernel.function)
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    body = function.body[1:] if ast.get_docstring(function) else function.body
    lines = source.splitlines()[body[0].lineno - 1 :]
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in lines)


def lowered(name: str, soc: str) -> Lowered:
    """The launch of an example: float32, or the types that it has."""
    (known,) = (one for key, one in LAUNCHES.items() if key.endswith(f":{name}") and key[0].isdigit())
    kernel = KERNELS[name]
    return kernel.program(kernel.binder.bind(known.arguments(np.float32), known.constants), soc).lowered


@pytest.mark.parametrize("name", LINES)
def test_lines(name: str) -> None:
    assert 1 < lines_of(KERNELS[name]) <= LINES[name]


@pytest.mark.parametrize("soc", SOCS)
@pytest.mark.parametrize(("name", "most"), [("softmax", 1.1), ("add_layer_norm", 1.1), ("attention", 1.3)])
def test_bytes_against_those_in_use(name: str, most: float, soc: str) -> None:
    """Of vector cores: what lies in UB, and what is in use at the fullest line."""
    placed = lowered(name, soc).placement
    assert placed.used.keys() == {"UB"} and placed.bound > 1000
    print(f"{name} on {soc}: {placed.bytes / placed.bound:.3f} of the bytes in use")
    assert placed.bytes <= most * placed.bound


@pytest.mark.parametrize("soc", SOCS)
def test_flags_of_an_iteration(soc: str) -> None:
    """Not more than versions by hand have; attention has three messages between cores in each iteration."""
    assert waits_of_loops(lowered("add", soc).text) == [4]
    assert waits_of_loops(lowered("softmax", soc).text) == [4]
    made = lowered("linear_gelu", soc).mixed
    assert made is not None
    assert sum(len(flag.pairs) for flag in made.cube.synchronisation.flags) == 6
    nodes = ast.walk(ast.parse(lowered("attention", soc).text))
    calls = [ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)]
    assert calls.count("asc.cross_core_set_flag") == calls.count("asc.cross_core_wait_flag") == 3
