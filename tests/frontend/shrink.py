"""Makes a failing program smaller: statements are left out, expressions replaced by their parts.

In: a text and a test that says whether a text still fails. Out: the smallest failing text that was found.
"""

import ast
import copy
from collections.abc import Callable, Iterator

_PARTS: dict[type, tuple[str, ...]] = {
    ast.BinOp: ("left", "right"),
    ast.UnaryOp: ("operand",),
    ast.IfExp: ("body", "orelse"),
    ast.BoolOp: ("values",),
    ast.Call: ("args",),
}


def shrink(text: str, fails: Callable[[str], bool], most: int = 300) -> str:
    """Tries at most so many texts: without statements as long as that helps, then with simpler expressions."""
    left = most
    while True:
        before = text
        for smaller in (_fewer_statements, _simpler_expressions):
            place = passed = 0
            candidates = list(smaller(text))
            while passed < len(candidates) and left > 0:
                left -= 1
                if fails(candidates[place % len(candidates)]):
                    # What was refused before this place is mostly refused again: go on from here, and round.
                    text, passed = candidates[place % len(candidates)], 0
                    candidates = list(smaller(text))
                else:
                    place, passed = place + 1, passed + 1
        if text == before or left == 0:
            return text


def _nodes(tree: ast.AST) -> list[ast.AST]:
    return [node for node in ast.walk(tree) if not isinstance(node, ast.Module)]


def _fewer_statements(text: str) -> Iterator[str]:
    """Texts without a statement, or with the body of one in its place."""
    tree = ast.parse(text)
    for number, node in enumerate(_nodes(tree)):
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                for index, statement in enumerate(value):
                    if not isinstance(statement, ast.Pass):
                        yield from _edited(tree, number, name, index, [])
                    for inner in ("body", "orelse"):
                        if parts := getattr(statement, inner, None):
                            yield from _edited(tree, number, name, index, parts)


def _simpler_expressions(text: str) -> Iterator[str]:
    """Texts with a part of an expression in its place."""
    tree = ast.parse(text)
    for number, node in enumerate(_nodes(tree)):
        for name, value in ast.iter_fields(node):
            for index, part in enumerate(value if isinstance(value, list) else [value]):
                for inner in _PARTS.get(type(part), ()):
                    found = getattr(part, inner)
                    for replacement in found if isinstance(found, list) else [found]:
                        yield from _edited(tree, number, name, index, [replacement])


def _edited(tree: ast.AST, number: int, name: str, index: int, parts: list) -> Iterator[str]:
    """The text with a part of a node replaced, if it is still Python."""
    made = copy.deepcopy(tree)
    node = _nodes(made)[number]
    value = getattr(node, name)
    if isinstance(value, list):
        value[index : index + 1] = copy.deepcopy(parts)
        if not value and name == "body":
            value.append(ast.Pass())
    else:
        setattr(node, name, copy.deepcopy(parts[0]))
    text = ast.unparse(ast.fix_missing_locations(made)) + "\n"
    try:
        ast.parse(text)
    except SyntaxError:
        return
    yield text
