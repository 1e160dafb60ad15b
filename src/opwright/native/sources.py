"""The C++ of libopwright_cpu: the files of this folder, and what operators hold as their `NATIVE`.

In: the package's files, read as text: nothing is imported. Out: one file of C++ for each operator, with the lines of
its Python, so that a compiler's complaint names the place where it can be fixed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from opwright.store.sources import native_assignment

NATIVE = Path(__file__).parent
INCLUDE = NATIVE / "include"
OPERATORS = NATIVE.parent / "operators"


def operator_sources() -> Iterator[tuple[Path, int, str]]:
    """File, line and C++ of every operator that has some."""
    for path in sorted(OPERATORS.glob("[!_]*.py")):
        found = native_assignment(path.read_bytes())
        if found is None:
            continue
        if not isinstance(found.value, ast.Constant) or not isinstance(found.value.value, str):
            raise ValueError(f"{path}:{found.lineno}: NATIVE must be one literal text")
        yield path, found.value.lineno, found.value.value


def cpu_files() -> list[Path]:
    """The files that are no operator's."""
    return sorted((NATIVE / "cpu").glob("*.cpp"))


def torch_file() -> Path:
    """The adapter to PyTorch."""
    return NATIVE / "torch" / "adapter.cpp"
