"""Digests of this package's own sources, stage by stage: what a stored kernel depends on besides what its author wrote.

In: the name of a stage. Out: one digest over its files. A wheel brings the digest of every file. In a checkout files
are hashed once and known again by their size, times and inode, so that a look-up opens one file of the store in place
of several hundred. For Python files only the syntax tree counts, without docstrings and line numbers;
for operators only their schema, `infer` with what it uses, and their C++.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from opwright.errors import CacheFailed
from opwright.store.store import Store, current_store, digest, key_of

if TYPE_CHECKING:
    import ast

PACKAGE = Path(__file__).parents[1]
IN_WHEEL = Path(__file__).parent / "digests.json"  # written when a wheel is built
_FRONT_END = ("ascendc/", "emit/", "frontend/", "ir/", "kernel/", "passes/")
# Files, or folders with a slash behind their name. tests/runtime/test_sources.py compares them with what imports say.
STAGES = {
    # From a function to a text.
    "frontend": _FRONT_END,
    # From a function over tiles to a text.
    "tile": (*_FRONT_END, "tile/"),
    # What the checked mode knows before any run.
    "static": (
        *_FRONT_END,
        "check/buffers.py",
        "check/frames.py",
        "check/pairing.py",
        "check/static.py",
        "findings/budget.py",
        "findings/formulas.py",
    ),
    # From a text to a shared object of the twin.
    "twin": (
        "twin/build.py",
        "twin/include/",
        "twin/library/",
        "twin/machine.py",
        "twin/objects.py",
        "twin/target.py",
        "twin/toolchain.py",
    ),
    # The libraries of the operators.
    "native cpu": (
        *_FRONT_END,
        "host/",
        "native/cpu/",
        "native/entries.py",
        "native/include/",
        "native/kernels.py",
        "native/sources.py",
        "native/stated.py",
        "operators/",
        "schema/",
        "store/operator_files.py",
        "tile/",
        "twin/build.py",
        "twin/include/",
        "twin/library/",
        "twin/toolchain.py",
    ),
    "native torch": ("native/include/opwright/abi.h", "native/include/opwright/memory.h", "native/torch/"),
}
_SUFFIXES = (".py", ".h", ".cpp")
# A file that changed within that time of being hashed may change again without another time of change.
_SETTLED_NS = 2_000_000_000


@cache
def stage(name: str) -> str:
    """The digest of a stage, computed once for a process."""
    return key_of({path: known for path, known in _digests().items() if path.startswith(STAGES[name])})


@cache
def _digests() -> dict[str, str]:
    if IN_WHEEL.exists():
        found: dict[str, str] = json.loads(IN_WHEEL.read_bytes())
        return found
    return stored_digests(current_store())


def stored_digests(store: Store) -> dict[str, str]:
    """The digest of every file, by path in the package; those of files that did not change are taken from a store."""
    key = key_of(str(PACKAGE))
    known = store.manifest("sources", key) or {}
    now = time.time_ns()
    found: dict[str, str] = {}
    record: dict[str, list[str]] = {}
    for path, status in _files(PACKAGE):
        sign = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"
        before = known.get(path)
        found[path] = before[1] if before and before[0] == sign else _digest(path)
        if status.st_ctime_ns < now - _SETTLED_NS:
            record[path] = [sign, found[path]]
    if record != known:
        # A look-up may be all that is wanted of a store which is full or only read.
        with contextlib.suppress(CacheFailed):
            store.save_manifest("sources", key, record)
    return found


def file_digests() -> dict[str, str]:
    """The digest of every file, by path in the package, from the files themselves."""
    return {path: _digest(path) for path, _ in _files(PACKAGE)}


def _files(package: Path) -> Iterator[tuple[str, os.stat_result]]:
    """The files of all stages, in one order."""
    wanted = tuple(dict.fromkeys(place for places in STAGES.values() for place in places))
    folders = sorted({place.partition("/")[0] for place in wanted})
    while folders:
        folder = folders.pop()
        inner = []
        for entry in sorted(os.scandir(package / folder), key=lambda entry: entry.name):
            path = f"{folder}/{entry.name}"
            if entry.is_dir():
                inner.append(path)
            elif path.endswith(_SUFFIXES) and path.startswith(wanted):
                yield path, entry.stat()
        folders += inner


def _digest(path: str) -> str:
    data = (PACKAGE / path).read_bytes()
    if path.startswith("operators/") and not path.startswith("operators/_"):
        return digest(of_operator(path, data))
    return digest(_code(data) if path.endswith(".py") else data)


def of_operator(path: str, text: bytes) -> bytes:
    """What the compiled library takes from an operator's file."""
    import ast

    from opwright.store.operator_files import parts_of

    parts = parts_of(path, text)
    if parts is None:
        return b""
    needed = [ast.dump(_without_docstrings(node)) for node in parts.needed]
    return json.dumps([parts.schema, needed, parts.cpp]).encode()


def _code(text: bytes) -> bytes:
    """What a Python file says to Python: its syntax tree without docstrings and places."""
    import ast  # only when a file has changed

    return ast.dump(_without_docstrings(ast.parse(text))).encode()


def _without_docstrings(tree: ast.AST) -> ast.AST:
    import ast

    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False):
            del node.body[0]
    return tree
