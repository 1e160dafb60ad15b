"""Questions about names in a piece of a syntax tree.

In: nodes. Out: which names they set, whether a name is read later, which name was meant.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import lru_cache

from opwright.ir.binding.similar import did_you_mean


def assigned_names(nodes: Sequence[ast.stmt]) -> set[str]:
    """All names that these statements may set."""
    return {name for statement in nodes for name in _assigned(statement)}


@lru_cache(maxsize=4096)
def _assigned(node: ast.AST) -> frozenset[str]:
    """Names that a node may set. Each branch of a nest is asked for again, from every level above it."""
    if isinstance(node, ast.Name):
        return frozenset([node.id] if isinstance(node.ctx, ast.Store) else [])
    return frozenset().union(*map(_assigned, ast.iter_child_nodes(node)))


def loaded_after(function: ast.FunctionDef, statement: ast.stmt, name: str) -> bool:
    """Whether the function reads `name` further down than `statement`."""
    end = (statement.end_lineno or 0, statement.end_col_offset or 0)
    return _last_loads(function).get(name, (0, 0)) >= end


@lru_cache(maxsize=64)
def _last_loads(function: ast.FunctionDef) -> dict[str, tuple[int, int]]:
    """Where the function reads each name last. Every branch asks for many names."""
    found: dict[str, tuple[int, int]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found[node.id] = max(found.get(node.id, (0, 0)), (node.lineno, node.col_offset))
    return found


def attribute_hint(name: str, known: Iterable[str]) -> str:
    """What may have been meant, or what there is."""
    public = [attribute for attribute in known if not attribute.startswith("_")]
    there_is = f"it has {', '.join(public)}" if 0 < len(public) <= 20 else "look for it in the documentation"
    return did_you_mean(name, public) or there_is


def bad_name_hint(name: str, known: Iterable[str]) -> str:
    """What may have been meant."""
    return did_you_mean(name, known) or "set it before it is used"
