"""Prints the pytest line for what changed since main, committed or not.

In: git, and the imports and includes of the checkout. Out: the line, with the places to test: tests that import or name
what changed, the folder of tests named after its folder or chapter, and those of the folders that import it. It is a
first look, not a proof: what a change does at a distance only the whole suite shows.

    python tools/affected.py             changes since the branch left main
    python tools/affected.py a.py b.h    these files instead
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path("src/opwright")
INCLUDE = PACKAGE / "twin" / "include"
LIBRARY = PACKAGE / "twin" / "library"
OF_LIBRARY = {Path("tests/twin"), Path("tests/check"), Path("tests/simt")}  # every launch of theirs goes through it
EVERYTHING = {Path("pyproject.toml"), Path("tests/conftest.py")}
MOST_PLACES = 30  # a change that reaches more of them is tested by whole folders
RULES = {Path("tests/test_layout.py"), Path("tests/test_floors.py")}  # these read every source file


def changed(root: Path = ROOT) -> list[Path]:
    """Files that differ from where the branch left main, and files that git does not know yet."""

    def git(*words: str) -> list[str]:
        done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=False)
        return done.stdout.split("\n")[:-1] if done.returncode == 0 else []

    base = (git("merge-base", "HEAD", "main") or ["HEAD"])[0]
    names = git("diff", "--name-only", "--no-renames", base) + git("ls-files", "--others", "--exclude-standard")
    return [Path(name) for name in dict.fromkeys(names)]


def places(files: Iterable[Path]) -> list[Path]:
    """The folders and files of tests for some changed files, none of them inside another."""
    found = {place for file in files for place in _places_of(file) if (ROOT / place).exists()}
    if len(found) > MOST_PLACES:
        found = {Path(*place.parts[:2]) for place in found}
    return sorted(place for place in found if not found & set(place.parents))


def _places_of(file: Path) -> set[Path]:
    if file in EVERYTHING:
        return {Path("tests")}
    if file.parts[0] == "tests":
        return {_of_tests(file)}
    if file.suffix in (".h", ".cpp") and INCLUDE in file.parents:
        return _of_header(file)
    if file.suffix in (".h", ".cpp") and LIBRARY in file.parents:
        return RULES | OF_LIBRARY | _that_name(file)
    if PACKAGE in file.parents:
        return RULES | _of_source(file)
    return RULES | _that_name(file)


def _of_tests(file: Path) -> Path:
    """A test is its own place; helpers and goldens belong to the nearest folder that has tests."""
    if file.name.startswith("test_") and file.suffix == ".py":
        return file
    return next(folder for folder in file.parents if any((ROOT / folder).glob("test_*.py")) or folder == Path("tests"))


def _of_source(file: Path) -> set[Path]:
    """The tests of its chapter or folder, of folders that import the file, and all tests that import it."""
    folder = file.relative_to(PACKAGE).parts[0]
    found = {Path("tests") / folder} if file.parent != PACKAGE else set()
    if folder == "ascendc":
        chapter = _of_chapter(file.stem)
        found = {chapter, *_files(Path("tests/ascendc"))} if chapter else found
    if file.suffix != ".py":
        return found
    module = ".".join(file.with_suffix("").relative_to("src").parts).removesuffix(".__init__")
    sources = (path.relative_to(ROOT) for path in (ROOT / PACKAGE).rglob("*.py") if path.parent != ROOT / PACKAGE)
    importing = {path.relative_to(PACKAGE).parts[0] for path in sources if module in _imported(path)}
    found |= {Path("tests") / name for name in importing - {folder}}
    return found | {test for test, names in _imports().items() if module in names}


def _of_header(file: Path) -> set[Path]:
    """The tests of every chapter whose header includes this one, and those of the twin."""
    reached = {file.name}
    while more := {name for name, included in _includes().items() if included & reached} - reached:
        reached |= more
    chapters = {place for name in reached if (place := _of_chapter(name.removesuffix(".h")))}
    return {Path("tests/twin"), *chapters, *_that_name(file)}


def _of_chapter(chapter: str) -> Path | None:
    """`tests/ascendc/cube` is about cube_load, and `tests/simt` about the calls of threads."""
    folders = [path.name for path in (ROOT / "tests" / "ascendc").iterdir() if path.is_dir()]
    fitting = [name for name in folders if chapter == name or chapter.startswith(f"{name}_")]
    if fitting:
        return Path("tests/ascendc") / max(fitting, key=len)
    return Path("tests/simt") if chapter.startswith("simt") else None


def _that_name(file: Path) -> set[Path]:
    """Tests whose text names a file: in whole, without `.py`, or by its folder in quotes."""
    words = [rf"\b{re.escape(file.name)}\b"]
    words += [rf"\b{re.escape(file.stem)}\b"] if file.suffix == ".py" else []
    words += [f'"{re.escape(file.parent.name)}"'] if len(file.parts) > 2 and file.suffix != ".h" else []
    return {path for path in _tests() if re.search("|".join(words), (ROOT / path).read_text(encoding="utf-8"))}


@cache
def _tests() -> list[Path]:
    return [path.relative_to(ROOT) for path in sorted((ROOT / "tests").rglob("test_*.py"))]


def _files(folder: Path) -> list[Path]:
    return [path for path in _tests() if path.parent == folder]


@cache
def _imports() -> dict[Path, set[str]]:
    """Test -> the modules that it or a helper beside it imports, at any depth of its code."""
    found = {}
    for test in _tests():
        names = set(_imported(test))
        for folder in (test.parent, Path("tests/ascendc")):
            helpers = [folder / f"{name}.py" for name in names if "." not in name]
            for helper in helpers:
                if (ROOT / helper).exists():
                    names |= set(_imported(helper))
        found[test] = names
    return found


@cache
def _imported(file: Path) -> frozenset[str]:
    return frozenset(_names_of_imports(file))


def _names_of_imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def _includes() -> dict[str, set[str]]:
    """Header -> the names of those that it includes."""
    headers = (ROOT / INCLUDE).rglob("*.h")
    return {
        path.name: {Path(name).name for name in re.findall(r'#include "(.+?)"', path.read_text(encoding="utf-8"))}
        for path in headers
        if path.name not in ("kernel_operator.h", "chapters.h", "simt_chapters.h")  # they include everything
    }


def main() -> int:
    """Prints the line; nothing to test is a sentence."""
    files = [Path(word) for word in sys.argv[1:]] or changed()
    found = places(files)
    if not found:
        print(f"nothing to test: {len(files)} files changed, and no test is about them")
        return 0
    print(f'pytest -q -n 2 -m "not slow" {" ".join(place.as_posix() for place in found)}')
    return 0


if __name__ == "__main__":
    sys.exit(main())
