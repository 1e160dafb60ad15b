"""The C++ of libopwright_cpu: the files of this folder, and what is made of each operator's file.

In: the package's files. Out: one text of C++ for each operator: its `infer`, compiled, its `NATIVE` with the lines of
its Python, so that a compiler's complaint names the place where it can be fixed, and its entry; and the table of all of
them. Neither PyTorch nor the operators are imported: an operator's file is executed as far as `infer` needs it.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from opwright.schema import Schema, parse
from opwright.store.operator_files import Parts, parts_of

NATIVE = Path(__file__).parent
INCLUDE = NATIVE / "include"
OPERATORS = NATIVE.parent / "operators"
PACKAGE = "opwright.operators"


def operator_texts() -> dict[str, str]:
    """Texts of C++ by name: each operator's, and that of the table."""
    from opwright.native import entries  # the compiler of host functions, only when something is compiled

    schemas, texts = [], {}
    for path, parts in operator_parts():
        schema = replace(parse(parts.schema), space="opwright")
        texts[f"operator_{schema.name}"] = entries.operator_text(schema, infer_of(path, parts), path, parts)
        schemas.append(schema)
    return {**texts, "table": entries.table_text(schemas)}


def operator_parts() -> Iterator[tuple[Path, Parts]]:
    """The files of the operators that have C++, in the order of their names."""
    for path in sorted(OPERATORS.glob("[!_]*.py")):
        parts = parts_of(str(path), path.read_bytes())
        if parts is not None:
            yield path, parts


def schemas() -> list[Schema]:
    """The schemas of the library's operators."""
    return [replace(parse(parts.schema), space="opwright") for _, parts in operator_parts()]


def infer_of(path: Path, parts: Parts) -> Callable[..., Any]:
    """`infer` of an operator, from its file."""
    space: dict[str, Any] = {"__name__": f"{PACKAGE}.{path.stem}"}
    statements = []
    for node in parts.needed:
        if isinstance(node, ast.ImportFrom) and node.module == PACKAGE:
            for alias in node.names:
                space[alias.asname or alias.name] = _shared(alias.name)
        else:
            statements.append(node)
    exec(compile(ast.Module(statements, []), str(path), "exec"), space)
    found: Callable[..., Any] = space[parts.infer]
    return found


def _shared(name: str) -> ModuleType:
    """A file that operators share, without their package, which needs PyTorch."""
    if f"{PACKAGE}.{name}" in sys.modules:
        return sys.modules[f"{PACKAGE}.{name}"]
    spec = importlib.util.spec_from_file_location(f"{PACKAGE}.{name}", OPERATORS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cpu_files() -> list[Path]:
    """The files that are no operator's."""
    return sorted((NATIVE / "cpu").glob("*.cpp"))


def torch_files() -> list[Path]:
    """The adapter to PyTorch."""
    return sorted((NATIVE / "torch").glob("*.cpp"))
