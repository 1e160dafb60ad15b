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


def shrink(text: str, fails: Callable[[str], bool], most: int = 200) -> str:
    """Tries at most so many texts."""
    tried = 0
    while True:
        for candidate in _smaller(text):
            if tried == most:
                return text
            tried += 1
            if fails(candidate):
                text = candidate
                break
        else:
            return text


def _smaller(text: str) -> Iterator[str]:
    """Texts with a little less, the largest steps first."""
    tree = ast.parse(text)
    places = [node for node in ast.walk(tree) if not isinstance(node, ast.Module)]
    for number, node in enumerate(places):
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                for index, statement in enumerate(value):
                    yield from _edited(tree, number, name, index, [])
                    for inner in ("body", "orelse"):
                        if parts := getattr(statement, inner, None):
                            yield from _edited(tree, number, name, index, parts)
    for number, node in enumerate(places):
        for name, value in ast.iter_fields(node):
            for index, part in enumerate(value if isinstance(value, list) else [value]):
                for inner in _PARTS.get(type(part), ()):
                    found = getattr(part, inner)
                    for replacement in found if isinstance(found, list) else [found]:
                        yield from _edited(tree, number, name, index, [replacement])


def _edited(tree: ast.AST, number: int, name: str, index: int, parts: list) -> Iterator[str]:
    """The text with a part of a node replaced, if it is still Python."""
    made = copy.deepcopy(tree)
    node = [node for node in ast.walk(made) if not isinstance(node, ast.Module)][number]
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
