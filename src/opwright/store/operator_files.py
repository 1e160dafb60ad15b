"""What of an operator's file the compiled library is made from: its schema, `infer`, its kernels, and its C++.

In: a file of Python, as text. Out: `Parts`, with the statements of the file that state `infer` and, if calls come to
its kernels, these and `launch`, and all that they use, in their order. A family states all of them:
`gated(silu_and_mul, ...)`. Nothing is imported, so that a file is read without PyTorch. Gives None for a file that
defines no operator with C++ or kernels, and refuses C++ that is not one literal text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Parts:
    """The parts of one file. `cpp_line` is where the text of the C++ begins; without any the text is empty."""

    schema: str
    operator: str  # what the file calls the operator
    has_kernels: bool  # whether calls come to its kernels: on CPUs they are asked before the reference
    needed: list[ast.stmt]  # what states its functions and kernels, and what that uses
    cpp: str
    cpp_line: int


def parts_of(path: str, text: bytes) -> Parts | None:
    """The parts of an operator's file."""
    body = ast.parse(text).body
    definition = next((node for node in body if isinstance(node, ast.Assign) and _is_definition(node.value)), None)
    if definition is None:
        return None
    assert isinstance(definition.value, ast.Call) and isinstance(definition.targets[0], ast.Name)
    schema, operator = definition.value.args[0], definition.targets[0].id
    stating = {kind: [node for node in body if _states(node, operator, kind)] for kind in ("infer", "kernel", "launch")}
    cpp, line = _native(path, body)
    has_kernels = bool(stating["kernel"]) and _asks_kernels(definition.value)
    if not cpp and not has_kernels:
        return None
    wanted = ("infer", "kernel", "launch") if has_kernels else ("infer",)
    missing = [kind for kind in wanted if not stating[kind]]
    if missing or not isinstance(schema, ast.Constant) or not isinstance(schema.value, str):
        words = " and ".join(("a literal schema", *(kind for kind in wanted if kind != "kernel")))
        raise ValueError(f"{path}:{definition.lineno}: an operator with C++ or kernels has {words} in its file")
    roots = [node for kind in wanted for node in stating[kind]]
    return Parts(schema.value, operator, has_kernels, _needed(body, roots, definition), cpp, line)


def _native(path: str, body: list[ast.stmt]) -> tuple[str, int]:
    """The operator's own C++ and its line; "" if it has none."""
    native = _assigned(body, "NATIVE")
    if native is None:
        return "", 0
    if not isinstance(native, ast.Constant) or not isinstance(native.value, str):
        raise ValueError(f"{path}:{native.lineno}: NATIVE must be one literal text")
    return native.value, native.lineno


def _assigned(body: list[ast.stmt], name: str) -> ast.expr | None:
    for node in body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [name]:
            return node.value
    return None


def _is_definition(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "operator"


def _asks_kernels(definition: ast.Call) -> bool:
    """Whether the order of providers on CPUs has the kernel before the reference, which takes every call."""
    orders = next((one.value for one in definition.keywords if one.arg == "providers"), None)
    order = ast.literal_eval(orders).get("cpu", ()) if orders is not None else ()
    return "kernel" in order[: order.index("reference")] if "reference" in order else "kernel" in order


def _states(node: ast.stmt, operator: str, kind: str) -> bool:
    """Whether a statement gives the operator a function or a kernel: by a decorator, by a call, or by its family."""
    if isinstance(node, ast.FunctionDef):
        return any(ast.unparse(decorator) == f"{operator}.{kind}" for decorator in node.decorator_list)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        is_family = [ast.unparse(one) for one in node.value.args[:1]] == [operator]
        return is_family or ast.unparse(node.value.func) == f"{operator}.{kind}"
    return False


def _needed(body: list[ast.stmt], roots: list[ast.stmt], definition: ast.stmt) -> list[ast.stmt]:
    """The statements that define what `roots` use, at any depth; annotations are never evaluated.

    Imports of PyTorch are none of them: what uses it is only handed on.
    """
    others = [node for node in body if node is not definition and not _is_of_torch(node)]
    by_name = {name: node for node in others for name in _defines(node)}
    found: set[ast.stmt] = set()
    left = list(roots)
    while left:
        node = left.pop()
        if node not in found:
            found.add(node)
            left += [by_name[name] for name in _uses(node) if name in by_name]
    return [node for node in body if node in found or _is_future(node)]


def _is_of_torch(node: ast.stmt) -> bool:
    named = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    named += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
    return any(name.partition(".")[0] == "torch" for name in named)


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
