"""Rules about the source itself: sizes, docstrings, and what may be used where."""

import ast
import functools
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.unchecked(reason="launches nothing")

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "opwright"
MODULES = sorted(PACKAGE.rglob("*.py"))
SOURCES = sorted(
    path
    for folder in ("src", "tests", "tools", "benchmarks", "examples")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".py", ".h", ".cpp"}
)
TEXTS = sorted(
    {
        *SOURCES,
        *(ROOT / "docs").glob("*.*"),
        *(ROOT / "tools").glob("*.sh"),
        *ROOT.glob("*.md"),
        ROOT / "pyproject.toml",
        ROOT / ".ci" / "run",
    }
)
MOST_LINES = 1000
MANY_LINES = 400
MANY_IN_FUNCTION = 80  # lines
MANY_BRANCHES = 30
MAX_METHODS = 25


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every import in a module as (line, absolute dotted name), at any depth."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def within(dotted: str, *packages: str) -> bool:
    return any(dotted == package or dotted.startswith(package + ".") for package in packages)


@pytest.mark.quick
def test_there_are_sources() -> None:
    assert MODULES
    assert Path(__file__) in SOURCES


@pytest.mark.quick
def test_no_file_is_too_long() -> None:
    lines = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    long = {path: count for path, count in lines.items() if count > MANY_LINES}
    if long:
        listed = ", ".join(f"{path} ({count})" for path, count in long.items())
        warnings.warn(f"files above {MANY_LINES} lines: {listed}", stacklevel=1)
    assert {path: count for path, count in long.items() if count > MOST_LINES} == {}


@pytest.mark.quick
def test_modules() -> None:
    assert {name(path): found for path in MODULES if (found := what_is_wrong(path))} == {}


def what_is_wrong(path: Path) -> list[str]:
    """What a module must not have, with lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    wrong = [] if ast.get_docstring(tree) else ["1: the module has no docstring"]
    for line, dotted in imports(tree):
        if within(dotted, "xdsl") and PACKAGE / "ir" not in path.parents:
            wrong.append(f"{line}: xdsl is imported outside ir/")
        if within(dotted, "pickle", "cPickle", "cloudpickle", "dill", "marshal", "shelve"):
            wrong.append(f"{line}: {dotted} can run code when it loads data")
        if within(dotted, "os.environ", "os.getenv") and path != PACKAGE / "settings.py":
            wrong.append(f"{line}: the environment is read outside settings.py")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "os":
            if node.attr in {"environ", "environb", "getenv", "putenv"} and path != PACKAGE / "settings.py":
                wrong.append(f"{node.lineno}: the environment is used outside settings.py")
            if node.attr in {"system", "popen"}:
                wrong.append(f"{node.lineno}: os.{node.attr} runs a shell")
        if isinstance(node, ast.keyword) and node.arg in {"shell", "allow_pickle"}:
            if not (isinstance(node.value, ast.Constant) and node.value.value is False):
                wrong.append(f"{node.value.lineno}: {node.arg} is not False")
    return wrong


def test_what_others_import_of_the_package_is_there() -> None:
    """Tools and benchmarks run seldom: a name that moved away is found here."""
    others = [path for path in SOURCES if path.suffix == ".py" and ROOT / "src" not in path.parents]
    missing = {name(path): found for path in others if (found := missing_imports(path))}
    assert others and missing == {}


def missing_imports(path: Path) -> list[str]:
    """What a file imports of the package and is not there."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = sorted({node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module})
    missing = []
    for dotted in modules:
        file = PACKAGE.parent.joinpath(*dotted.split("."))
        if dotted.startswith("opwright.") and not (file.with_suffix(".py").exists() or (file / "__init__.py").exists()):
            missing.append(dotted)
    for line, dotted in imports(tree):
        module, _, attribute = dotted.rpartition(".")
        file = PACKAGE.parent.joinpath(*module.split(".")).with_suffix(".py")
        if module.startswith("opwright.") and file.exists() and not has_name(file, attribute):
            missing.append(f"{line}: {dotted}")
    return missing


@functools.cache
def names_of(file: Path) -> frozenset[str] | None:
    """The names that a module has at its top level; None if it makes names up (`__getattr__`)."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.Name(ctx=ast.Store()):
                names.add(node.id)
            case ast.alias():
                names.add((node.asname or node.name).split(".")[0])
    return None if "__getattr__" in names or "globals" in file.read_text(encoding="utf-8") else frozenset(names)


def has_name(file: Path, attribute: str) -> bool:
    """Whether a module has a name, as far as its text shows."""
    names = names_of(file)
    return names is None or attribute in names


def test_functions_and_classes_are_small() -> None:
    assert {name(path): found for path in MODULES if (found := large_parts(path))} == {}


def large_parts(path: Path) -> list[str]:
    """Functions and classes of a module that are too large."""
    branching = (ast.If, ast.For, ast.While, ast.ExceptHandler, ast.match_case)
    large = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            branches = sum(isinstance(part, branching) for part in ast.walk(node))
            if lines >= MANY_IN_FUNCTION or branches >= MANY_BRANCHES:
                large.append(f"{node.name}: {lines} lines, {branches} branches")
        elif isinstance(node, ast.ClassDef):
            methods = sum(isinstance(part, ast.FunctionDef) for part in node.body)
            if methods > MAX_METHODS:
                large.append(f"{node.name}: {methods} methods")
    return large


def test_texts_stay_within_the_repository() -> None:
    """No text sends the reader to notes that are not in the repository."""
    outside = re.compile(r"\.\./share[d]\b|\b(?:shared|facts)/\w+\.(?:md|csv)|(?<![\w.])/wor[k]/")
    found = [
        f"{name(path)}:{number}: {line.strip()}"
        for path in TEXTS
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if outside.search(line)
    ]
    assert found == []
