"""The stages of our own sources: that they leave nothing out, and what of a file counts."""

import ast
import json
from pathlib import Path

import pytest

from opwright.store import sources
from opwright.store.store import Store

pytestmark = pytest.mark.unchecked(reason="launches nothing")

# What no result depends on, or what keys hold by value: errors, and the settings.
APART = {"errors.py", "settings.py", "_version.py", "tracebacks.py"}


def imported(start: str) -> set[str]:
    """All files of the package that a file imports, at any depth and in functions."""
    found: set[str] = set()
    left = [start]
    while left:
        place = left.pop()
        if place in found:
            continue
        found.add(place)
        for node in ast.walk(ast.parse((sources.PACKAGE / place).read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            for name in names:
                path = "/".join(name.split(".")[1:])
                left += [file for file in (f"{path}.py", f"{path}/__init__.py") if (sources.PACKAGE / file).is_file()]
    return found


@pytest.mark.parametrize(
    ("stage", "start", "apart"),
    [
        ("frontend", "frontend/compile.py", ()),
        # The kernel that it makes names calls, which the table has.
        ("tile", "tile/compiler/compile.py", ("asc/", "check/", "findings/", "runtime/", "store/", "twin/")),
        ("static", "check/buffers.py", ()),
        ("static", "check/pairing.py", ()),
        # Which rows there are is part of the front end's stage, which every key has.
        ("twin", "twin/objects.py", ("ascendc/", "kernel/", "store/", "passes/", "ir/")),
        # A launch that is derived from a kernel over tiles is no part of `infer`.
        ("native cpu", "native/sources.py", ("asc/", "check/", "findings/", "runtime/", "store/", "tile/", "twin/")),
    ],
)
def test_a_stage_holds_what_it_imports(stage: str, start: str, apart: tuple[str, ...]) -> None:
    missing = {
        place
        for place in imported(start)
        if place not in APART and not place.startswith((*sources.STAGES[stage], *apart, "__init__"))
    }
    assert not {place for place in missing if not place.endswith("/__init__.py")}
    assert start in imported(start) and len(imported(start)) > 5


def code(text: str) -> bytes:
    return sources._code(text.encode())


def test_what_counts_of_python() -> None:
    text = 'import os\n\ndef f(x):\n    return x in {"a", "b"}\n'
    said = '"""Doc."""\n# why\nimport os\n\n\ndef f(x):\n    """Doc."""\n\n    return x in {"a", "b"}\n'
    assert code(text) == code(said)
    changes = [('"b"', '"c"'), ("f(x)", "f(x, y=1)"), ("os", "sys"), ("return", "assert x; return")]
    assert len({code(text), *(code(text.replace(*change)) for change in changes)}) == 5


OPERATOR = '''
from __future__ import annotations
import torch
from opwright import host
from opwright.operators import _shared as shared, operator

LIMIT = 3
f = operator("f(Tensor x) -> Tensor", dtypes=(host.float32,))

def _checked(x: host.Tensor) -> None:
    host.require(x.ndim < LIMIT, "too many")

@f.infer
def _infer(x: host.Tensor) -> host.Tensor:
    _checked(x)
    shared.check(x)
    return host.like(x)

@f.reference
def _reference(x: torch.Tensor) -> torch.Tensor:
    """Doubles."""
    return x + x

NATIVE = "int f();"
'''


def test_what_counts_of_an_operator() -> None:
    """Its schema, `infer` with all that it uses, and its C++; nothing of how PyTorch computes it."""

    def counted(text: str) -> bytes:
        return sources.of_operator("f.py", text.encode())

    changes = [("Tensor x) -> Tensor", "Tensor y) -> Tensor"), ("int f()", "int g()"), ("LIMIT = 3", "LIMIT = 4")]
    changes += [("too many", "too few"), ("_shared as", "_other as"), ("host.like(x)", "host.like(x, x.dtype)")]
    assert len({counted(OPERATOR), *(counted(OPERATOR.replace(*change)) for change in changes)}) == 7
    alike = [("x + x", "2 * x"), ("import torch\n", "import torch\n\n\n"), ("dtypes=(host.float32,)", "dtypes=()")]
    assert {counted(OPERATOR.replace(*change)) for change in alike} == {counted(OPERATOR)}
    assert sources.of_operator("f.py", OPERATOR.replace("NATIVE", "OTHER").encode()) == b""
    for change in [('"int f();"', "str(1)"), ("@f.infer\n", "")]:
        with pytest.raises(ValueError, match=r"^f\.py:\d+: "):
            counted(OPERATOR.replace(*change))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of a few files."""
    package = tmp_path / "package"
    for place, text in {"kernel/a.py": "A = 1", "twin/include/b.h": "int b;", "twin/other.py": "B = 1"}.items():
        (package / place).parent.mkdir(parents=True, exist_ok=True)
        (package / place).write_text(text)
    monkeypatch.setattr(sources, "PACKAGE", package)
    monkeypatch.setattr(sources, "STAGES", {"one": ("kernel/",), "two": ("twin/include/",)})
    return package


def test_files_are_hashed_once(package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path / "store")
    hashed: list[str] = []
    real = sources._digest
    monkeypatch.setattr(sources, "_digest", lambda path: (hashed.append(path), real(path))[1])
    monkeypatch.setattr(sources, "_SETTLED_NS", -1)  # as if they had been there for a while
    first = sources.stored_digests(store)
    assert sorted(hashed) == sorted(first) == ["kernel/a.py", "twin/include/b.h"]
    assert sources.stored_digests(store) == first == sources.file_digests()
    hashed.clear()
    (package / "kernel" / "a.py").write_text("A = 2")
    second = sources.stored_digests(store)
    assert hashed == ["kernel/a.py"] and second["kernel/a.py"] != first["kernel/a.py"]
    (path,) = (store.root / "sources").iterdir()
    assert set(json.loads(path.read_bytes())) == {*second, "sha256"}


def test_a_file_that_has_just_changed_is_hashed_again(package: Path, tmp_path: Path) -> None:
    """Two changes may have one time."""
    store = Store(tmp_path / "store")
    sources.stored_digests(store)
    assert store.manifest("sources", sources.key_of(str(package))) is None
