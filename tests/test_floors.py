"""The floors of the package: which folder may import which. Imports in functions and for types count, too.

The table goes from the ground up; a folder imports only what stands above it here. `docs/architecture.md` shows it:
rewrite that list with --update-golden.
"""

import ast
import importlib.util
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- floors -->\n", "<!-- end of floors -->\n"
FLOORS = {
    "_version": "",
    "errors": "",
    "ascendc": "errors",
    "ir": "ascendc errors",
    "passes": "ascendc ir",
    "settings": "ascendc errors passes",
    "tracebacks": "errors settings",
    "kernel": "ascendc errors",
    "store": "errors settings",
    "emit": "ascendc errors ir kernel",
    "frontend": "ascendc emit errors ir kernel passes settings",
    "findings": "ascendc errors ir kernel",
    "twin": "ascendc errors findings kernel settings store",
    "check": "_version ascendc errors findings ir kernel settings twin",
    "runtime": "_version ascendc check emit errors findings frontend ir kernel settings store tracebacks twin",
    "asc": "ascendc errors kernel runtime settings tracebacks",
    "tile": "asc ascendc emit errors frontend ir kernel runtime store tracebacks",
    "schema": "errors",
    "host": "ascendc emit errors frontend ir kernel schema tile",
    "native": "_version ascendc errors host kernel runtime schema settings store twin",
    "formats": "native schema",
    "operators": "asc ascendc errors formats host kernel schema settings tile",
    "frameworks": "errors native operators schema settings",
    "ops": "errors frameworks",
    "hifloat8_tensor": "operators ops",
    "compat": "errors ops",
    "package": "asc ascendc errors frameworks kernel native ops settings store twin",
    "opwright": "_version asc frameworks ops",
    "cli": "_version asc ascendc check errors findings frameworks ir kernel ops opwright package passes "
    "runtime schema settings store twin",
}


def imports_of(path: Path, module: str) -> set[str]:
    """Dotted names that a file imports, at any depth; `from a import b` gives a.b. `module`: its own name."""
    found = set()
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            found |= {f"{start}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module") and node.args:
            name, *start = (_said(one, {"__name__": module, "__package__": package}) for one in node.args)
            found.add(importlib.util.resolve_name(name, start[0] if start else None))
    return {name for name in found if name.split(".")[0] == "opwright"}


def _said(node: ast.expr, known: Mapping[str, str]) -> str:
    """The text of an expression, up to what only a run knows."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    text = ""
    for part in parts:
        part = part.value if isinstance(part, ast.FormattedValue) else part
        if isinstance(part, ast.Constant):
            text += str(part.value)
        elif isinstance(part, ast.Name) and part.id in known:
            text += known[part.id]
        else:
            break
    return text


def modules(source: Path) -> dict[str, Path]:
    """Every file by its dotted name."""
    found = {}
    for path in source.rglob("*.py"):
        name = ".".join(path.relative_to(source).with_suffix("").parts)
        found[name.removesuffix(".__init__")] = path
    return found


def edges_of(source: Path) -> dict[str, set[str]]:
    """Which file imports which."""
    known = modules(source)

    def module(name: str) -> str:
        while name not in known:
            name = name.rpartition(".")[0]
        return name

    return {name: {module(one) for one in imports_of(path, name)} - {name} for name, path in known.items()}


def folder(module: str) -> str:
    return module.split(".")[1] if "." in module else "opwright"


def wrong_imports(edges: Mapping[str, Iterable[str]], floors: Mapping[str, str]) -> list[str]:
    """Imports that the table does not have."""
    return [
        f"{module} imports {other}"
        for module, others in sorted(edges.items())
        for other in sorted(others)
        if folder(module) != folder(other) and folder(other) not in floors.get(folder(module), "").split()
    ]


def circle(edges: Mapping[str, Iterable[str]]) -> list[str]:
    """A circle of files, if there is one."""
    done: set[str] = set()

    def walk(module: str, way: list[str]) -> list[str]:
        if module in way:
            return [*way[way.index(module) :], module]
        if module in done:
            return []
        for other in sorted(edges[module]):
            if found := walk(other, [*way, module]):
                return found
        done.add(module)
        return []

    return next((found for module in sorted(edges) if (found := walk(module, []))), [])


def test_every_import_is_in_the_table() -> None:
    assert not wrong_imports(edges_of(SOURCE), FLOORS)


def test_no_circle_of_files() -> None:
    assert not circle(edges_of(SOURCE))


def test_the_table_goes_from_the_ground_up() -> None:
    order = list(FLOORS)
    edges = edges_of(SOURCE)
    there = {folder(module) for module in edges}
    assert set(order) == there, f"a line of FLOORS is missing or has no folder: {sorted(there ^ set(order))}"
    for name, allowed in FLOORS.items():
        assert all(order.index(other) < order.index(name) for other in allowed.split()), name
        used = {folder(other) for module in edges if folder(module) == name for other in edges[module]} - {name}
        assert used == set(allowed.split()), f"{name}: nobody needs {set(allowed.split()) - used}"


@pytest.mark.quick
def test_the_page_shows_the_table(request: pytest.FixtureRequest) -> None:
    rows = [f"| `{name}` | {', '.join(allowed.split()) or '–'} |\n" for name, allowed in FLOORS.items()]
    text = "| folder or file | imports |\n|---|---|\n" + "".join(rows)
    page = PAGE.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    shown, end, after = rest.partition(END)
    assert end, "the page has no list of floors"
    if request.config.getoption("--update-golden"):
        PAGE.write_text(before + BEGIN + text + END + after, encoding="utf-8")
    else:
        assert shown == text


@pytest.mark.quick
@pytest.mark.parametrize(
    "text",
    [
        "import opwright.runtime.jit",
        "def later():\n    from opwright.runtime import jit",
        "if TYPE_CHECKING:\n    from opwright.runtime.jit import jit",
        "from ..runtime import jit",
        "from ..runtime.jit import jit",
        "importlib.import_module('opwright.runtime.jit')",
        "importlib.import_module('.jit', 'opwright.runtime')",
        "importlib.import_module(f'opwright.runtime.jit.{name}')",
    ],
)
def test_a_wrong_import_is_found(text: str, tmp_path: Path) -> None:
    """Planted in a package of two folders, which it also makes a circle."""
    for name, content in (("runtime/jit.py", "from opwright.kernel import names"), ("kernel/names.py", text)):
        path = tmp_path / "opwright" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        (path.parent / "__init__.py").touch()
    (tmp_path / "opwright" / "__init__.py").touch()
    edges = edges_of(tmp_path)
    assert wrong_imports(edges, {"runtime": "kernel"}) == ["opwright.kernel.names imports opwright.runtime.jit"]
    assert circle(edges) == ["opwright.kernel.names", "opwright.runtime.jit", "opwright.kernel.names"]


@pytest.mark.quick
def test_an_import_by_the_own_name_is_found(tmp_path: Path) -> None:
    path = tmp_path / "opwright" / "kernel"
    path.mkdir(parents=True)
    (tmp_path / "opwright" / "__init__.py").touch()
    (path / "__init__.py").write_text("importlib.import_module(f'{__name__}.names')")
    (path / "names.py").write_text("from opwright.kernel import anything")
    edges = edges_of(tmp_path)
    assert edges["opwright.kernel"] == {"opwright.kernel.names"} and edges["opwright.kernel.names"] == {
        "opwright.kernel"
    }
    assert circle(edges) == ["opwright.kernel", "opwright.kernel.names", "opwright.kernel"]
