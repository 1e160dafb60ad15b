"""The floors of the package: which folder may import which. Imports in functions and for types count, too.

The table goes from the ground up; a folder imports only what stands above it here. `docs/architecture.md` shows it:
rewrite that list with --update-golden.
"""

import ast
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
    "native": "errors settings store twin",
    "formats": "native",
    "operators": "asc ascendc errors formats settings",
    "hifloat8_tensor": "operators",
    "frameworks": "errors native operators settings",
    "ops": "errors frameworks",
    "compat": "errors ops",
    "package": "asc ascendc errors frameworks kernel native ops settings store twin",
    "opwright": "_version asc frameworks ops",
    "cli": "_version asc ascendc check errors findings frameworks ir kernel operators ops opwright package passes "
    "runtime settings store twin",
}


def imports_of(path: Path) -> set[str]:
    """Dotted names that a file imports, at any depth; `from a import b` gives a.b."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module") and node.args:
            found |= {str(one.value) for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant)}
    return {name for name in found if name.split(".")[0] == "opwright"}


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

    return {name: {module(one) for one in imports_of(path)} - {name} for name, path in known.items()}


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
        "importlib.import_module('opwright.runtime.jit')",
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
