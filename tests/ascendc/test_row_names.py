"""What a call does is declared by its row: other folders ask for traits, not for names of calls."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import opwright
from opwright.ascendc.kernel_types import CROSS_FLAG_CALLS
from opwright.ascendc.table import ROWS, row_with, rows_with
from opwright.ascendc.traits import (
    Allocates,
    NeedsCrossFlags,
    SetsFlag,
    StartsThreads,
    Trait,
    WaitsForFlag,
)

PACKAGE = Path(opwright.__file__).parent
OWN = {"ascendc", "asc", "operators", "tile"}  # rows, the names that users see, kernels, and what writes kernels
OPERATIONS = {"add", "sub", "mul", "div", "min", "max", "abs"}  # of Python, as the IR names them
MAKES = "makes this call itself, for Python that is not a call"
SUGGESTS = "suggests the call in a message"
METHOD = "a method of numbers has the same name"
TILES = "a function of tiles has the same name"
ALLOWED: dict[str, tuple[set[str], str]] = {
    "frontend/control.py": ({"printf"}, MAKES),
    "frontend/enclosing.py": ({"init_soc_state", "pipe_barrier"}, MAKES),
    "frontend/operators.py": ({"GlobalAddress.__add__"}, MAKES),
    "frontend/subscripts.py": (
        {"GlobalAddress.__getitem__", "GlobalAddress.__setitem__", "GlobalAddress.__add__"},
        MAKES,
    ),
    "ir/calls.py": ({"trap"}, MAKES),
    "ir/binding/bound.py": ({"GlobalAddress.__getitem__", "GlobalAddress.__setitem__"}, "says how people write it"),
    "frontend/hints.py": (
        {"ln", "adv.power", "reduce_max", "reduce_min", "reduce_sum", "sqrt", "rsqrt"},
        SUGGESTS,
    ),
    "twin/faults.py": ({"reset_mask", "set_mask_norm"}, SUGGESTS),
    "frontend/threads.py": ({"asc.vf_call"}, SUGGESTS),
    "frontend/values.py": ({"LocalTensor", "GlobalTensor"}, "the classes of the types of the IR"),
    "frontend/attributes.py": ({"cast"}, METHOD),
    "frontend/intrinsics.py": ({"cast"}, METHOD),
    "cli/_coverage.py": ({"cast"}, METHOD),
    "emit/python/module.py": ({"asc.LocalTensor", "asc.GlobalTensor"}, "annotations of the types of the IR"),
    "ir/tile.py": ({"exp", "reciprocal", "rsqrt", "sqrt"}, TILES),
    "cli/_overloads.py": ({"LocalTensor", "GlobalTensor"}, "reads signatures of public texts"),
    "check/events.py": ({"sync_all"}, "a kind of event"),
    "check/timeline.py": ({"sync_all"}, "a kind of event"),
    "hifloat8_tensor.py": ({"copy"}, "an argument of PyTorch"),
    "host/derived.py": ({"select"}, "an expression that the host computes has the same name"),
}


def names_in(path: Path) -> set[str]:
    """String constants of a file that are names of rows, docstrings left out; "asc.NAME" is what the IR calls it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in texts)
    words = (node.value for node in constants if isinstance(node.value, str))
    return {word for word in words if word.removeprefix("asc.") in ROWS} - OPERATIONS


def files() -> dict[str, Path]:
    paths = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    return {name: path for name, path in paths.items() if name.partition("/")[0] not in OWN}


def test_no_name_of_a_row_outside_its_folders() -> None:
    found = {name: names_in(path) - ALLOWED.get(name, (set(), ""))[0] for name, path in files().items()}
    assert {name: sorted(names) for name, names in found.items() if names} == {}


def test_nothing_is_allowed_in_vain() -> None:
    known = files()
    stale = {name: names - names_in(known[name]) for name, (names, _) in ALLOWED.items()}
    assert {name: names for name, names in stale.items() if names} == {}


def test_a_name_is_found(tmp_path: Path) -> None:
    file = tmp_path / "planted.py"
    file.write_text('"""set_flag"""\nif row.name == "set_flag" or call.name == "asc.wait_flag":\n    pass\n')
    assert names_in(file) == {"set_flag", "asc.wait_flag"}


def test_flags_between_cores_have_one_list() -> None:
    """A launch knows calls by their names only; the rows declare the same."""
    across = {row.name for row in rows_with(NeedsCrossFlags) if not row.dtypes}
    assert across == CROSS_FLAG_CALLS


@pytest.mark.parametrize(
    ("trait", "name"), [(SetsFlag, "set_flag"), (WaitsForFlag, "wait_flag"), (StartsThreads, "vf_call")]
)
def test_a_trait_finds_its_row(trait: type[Trait], name: str) -> None:
    assert row_with(trait) is ROWS[name]


def test_allocations_name_parameters_of_their_form() -> None:
    for row in rows_with(Allocates):
        for form in row.forms:
            takes = form.get(Allocates)
            assert takes is not None, (row.name, form.signature)
            named = {takes.operand, takes.elements, takes.size, takes.number, takes.begin, takes.shared} - {""}
            assert named <= set(form.named), (row.name, form.signature)
