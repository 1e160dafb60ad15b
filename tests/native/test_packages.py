"""Operators of other packages with compiled libraries of their own: each runs its own, and says why it does not."""

import importlib.util
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from foreign import compiled, write_manifest

torch = pytest.importorskip("torch", reason="torch is not installed")

import opwright  # noqa: E402
import opwright.ops  # noqa: E402
from opwright.errors import BadType, BadValue  # noqa: E402
from opwright.frameworks.torch.register import calls, registered  # noqa: E402

X = torch.arange(24.0).reshape(3, 8) / 10

FILE = """
import torch
from opwright import host
from opwright.operators import operator

made = operator(
    "{schema}",
    dtypes=(torch.float32,),
    providers={{"cpu": ("native", "reference")}},
    library={library!r},
)


@made.infer
def _infer(x):
    return {result}


@made.reference
def _reference(x):
    \"\"\"Zeros, which tell who served.\"\"\"
    return torch.zeros_like({zeros})
"""
HALF = {"result": "host.dense((x.shape[0], x.shape[1] // 2), x.dtype)", "zeros": "x[:, : x.shape[1] // 2]"}
WHOLE = {"result": "host.dense(x.shape, x.dtype)", "zeros": "x"}


def defined(path: Path, schema: str, library: str | None, **words: str) -> Callable[..., Any]:
    """The function of an operator that a file of another package defines."""
    path.write_text(FILE.format(schema=schema, library=library, **words))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return opwright.ops.register(module.made)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = {}
    for space, factor in {"packages_a": 2, "packages_b": 3}.items():
        made[space] = compiled(tmp_path_factory.mktemp(space), space, factor)
    return made


def test_two_packages_and_ours(libraries: dict[str, Path], tmp_path: Path) -> None:
    """Three operators of one name: each has the code of its own library."""
    functions = {
        space: defined(tmp_path / f"{space}.py", f"{space}::silu_and_mul(Tensor input) -> Tensor", str(path), **HALF)
        for space, path in libraries.items()
    }
    ours = torch.nn.functional.silu(X[:, :4]) * X[:, 4:]
    torch.testing.assert_close(opwright.ops.silu_and_mul(X), ours)
    for (space, function), factor in zip(functions.items(), (2, 3), strict=True):
        name, out = f"{space}::silu_and_mul", torch.empty(3, 4)
        assert function(X).equal(factor * X[:, :4])
        assert function(X, out=out) is out and out.equal(factor * X[:, :4])
        assert calls(registered[name], "native") == 2 and calls(registered[name], "reference") == 0
        found = opwright.explain(name, X)
        assert found.provider == "native" and found.artefact == f"{libraries[space]}, part of its package"
        with opwright.using(name, "reference"):
            assert function(X).equal(torch.zeros(3, 4))


def test_errors_of_a_library(libraries: dict[str, Path], tmp_path: Path) -> None:
    """Its codes become classes, with its texts, though `infer` in Python would take the call."""
    copy = defined(tmp_path / "copy.py", "packages_a::copy(Tensor x) -> Tensor", str(libraries["packages_a"]), **WHOLE)
    assert copy(X).equal(X)
    with pytest.raises(BadValue, match=r"^copy: x must have a dimension$"):
        copy(torch.tensor(1.0))
    with pytest.raises(BadValue, match=r"^copy: x must have a dimension$"):
        copy(torch.tensor(1.0), out=torch.tensor(1.0))
    with pytest.raises(BadType, match=r"^copy: x has a dtype without a name here$"):
        copy(torch.zeros(4, dtype=torch.uint8).view(torch.float4_e2m1fn_x2))
    with pytest.raises(BadValue, match=r"^copy: out must have the shape \[3, 8\], not \[3, 7\]$"):
        copy(X, out=torch.empty(3, 7))
    with pytest.raises(RuntimeError, match=r"^copy: x must have a dimension$"):
        torch.ops.packages_a.copy(torch.tensor(1.0))
    # What the library leaves to others comes to the reference.
    assert copy(X.reshape(2, 3, 4)).equal(torch.zeros(2, 3, 4))


def _lacks(library: Path) -> dict[str, Callable[[], object]]:
    """What can be wrong with a library, and why it is refused."""
    manifest = library.with_name("manifest.json")
    return {
        "cannot be read: No such file": library.unlink,
        "manifest.json cannot be read": manifest.unlink,
        "is not what": lambda: library.write_bytes(library.read_bytes() + b" "),
        " says, in the form": lambda: manifest.write_text("[1"),
        "may be written to by others": lambda: library.chmod(0o777),
        "manifest.json may be written to by others": lambda: manifest.chmod(0o666),
        "cannot be loaded": lambda: (library.write_text("no library"), write_manifest(library)),
    }


@pytest.mark.parametrize("why", _lacks(Path("libother.so")))
def test_a_library_that_is_refused(why: str, libraries: dict[str, Path], tmp_path: Path) -> None:
    """The reference serves, and `explain` says why."""
    number = list(_lacks(tmp_path)).index(why)
    library = tmp_path / "libother.so"
    shutil.copy(libraries["packages_a"], library)
    write_manifest(library)
    _lacks(library)[why]()
    space = f"packages_lack_{number}"
    function = defined(tmp_path / f"{space}.py", f"{space}::copy(Tensor x) -> Tensor", str(library), **WHOLE)
    assert function(X).equal(torch.zeros(3, 8))
    assert why in opwright.explain(f"{space}::copy", X).refused["native"]


@pytest.mark.parametrize(
    ("schema", "has_library", "why"),
    [
        ("packages_none::silu_and_mul(Tensor input) -> Tensor", False, "its package names no library: operator(..."),
        ("packages_other::copy(Tensor x) -> Tensor", True, "the library was made without it"),
        (
            "packages_b::copy(Tensor x, int n=1) -> Tensor",
            True,
            "the library was made for another schema: packages_b::copy(Tensor x) -> Tensor",
        ),
    ],
)
def test_a_library_of_others(
    schema: str, has_library: bool, why: str, libraries: dict[str, Path], tmp_path: Path
) -> None:
    """Without one of its own that has the operator, it never runs ours."""
    library = str(libraries["packages_b"]) if has_library else None
    function = defined(tmp_path / "others.py", schema, library, **WHOLE)
    if "int n" not in schema:
        assert function(X).equal(torch.zeros(3, 8))
        assert why in opwright.explain(schema.partition("(")[0], X).refused["native"]
    else:
        assert registered["packages_b::copy"].operator.absent["native"] == why
