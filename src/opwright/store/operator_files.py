"""What of an operator's file the compiled library is made from: its schema, `infer` with all that it uses, and its C++.

In: a file of Python, as text. Out: `Parts`, with the statements of the file that `infer` needs, in their order. Nothing
is imported, so that a file is read without PyTorch. Gives None for a file that defines no operator with C++, and
refuses C++ that is not one literal text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Parts:
    """The parts of one file. `cpp_line` is where the text of the C++ begins."""

    schema: str
    infer: str  # the name of the function
    needed: list[ast.stmt]  # it, without its decorator, and what it uses
    cpp: str
    cpp_line: int


def parts_of(path: str, text: bytes) -> Parts | None:
    """The parts of an operator's file."""
    body = ast.parse(text).body
    native = _assigned(body, "NATIVE")
    if native is None:
        return None
    if not isinstance(native, ast.Constant) or not isinstance(native.value, str):
        raise ValueError(f"{path}:{native.lineno}: NATIVE must be one literal text")
    for node in body:
        if not (isinstance(node, ast.Assign) and _is_definition(node.value)):
            continue
        assert isinstance(node.value, ast.Call) and isinstance(node.targets[0], ast.Name)
        schema, variable = node.value.args[0], node.targets[0].id
        infer = next((one for one in body if isinstance(one, ast.FunctionDef) and _is_infer(one, variable)), None)
        if infer is None or not isinstance(schema, ast.Constant) or not isinstance(schema.value, str):
            raise ValueError(f"{path}:{node.lineno}: an operator with C++ has a literal schema, and infer in its file")
        infer.decorator_list = []
        return Parts(schema.value, infer.name, _needed(body, infer), native.value, native.lineno)
    return None


def _assigned(body: list[ast.stmt], name: str) -> ast.expr | None:
    for node in body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [name]:
            return node.value
    return None


def _is_definition(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "operator"


def _is_infer(function: ast.FunctionDef, variable: str) -> bool:
    return any(ast.unparse(decorator) == f"{variable}.infer" for decorator in function.decorator_list)


def _needed(body: list[ast.stmt], infer: ast.FunctionDef) -> list[ast.stmt]:
    """The statements that define what `infer` uses, at any depth; annotations are never evaluated."""
    by_name = {name: node for node in body for name in _defines(node)}
    found: set[ast.stmt] = set()
    left: list[ast.stmt] = [infer]
    while left:
        node = left.pop()
        if node not in found:
            found.add(node)
            left += [by_name[name] for name in _uses(node) if name in by_name]
    return [node for node in body if node in found or _is_future(node)]


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _defines(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from ((alias.asname or alias.name).partition(".")[0] for alias in node.names)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from (one.id for one in ast.walk(target) if isinstance(one, ast.Name))


def _uses(node: ast.stmt) -> Iterator[str]:
    evaluated: list[ast.AST] = [node]
    if isinstance(node, ast.FunctionDef):
        evaluated = [*node.body, *node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
    elif isinstance(node, ast.AnnAssign):
        evaluated = [node.value] if node.value else []
    for part in evaluated:
        yield from (one.id for one in ast.walk(part) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load))
