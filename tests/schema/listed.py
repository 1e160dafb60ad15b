"""Schemas to test with: those of this package, and lists of others, as their authors write them."""

import ast
from pathlib import Path

_FOLDER = Path(__file__).parent
_OPERATORS = Path(__file__).parents[2] / "src" / "opwright" / "operators"


def _lines(name: str) -> list[str]:
    return (_FOLDER / name).read_text(encoding="utf-8").splitlines()


def _own() -> list[str]:
    """What the files of the operators give to `operator`; they are read, not imported, as they need torch."""
    calls = [node for path in _OPERATORS.glob("*.py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    return [
        node.args[0].value
        for node in calls
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "operator"
    ]


LLM = _lines("llm.txt")  # what language models are served with
MUL = _lines("mul.txt")  # one operator of PyTorch under both of its names
OWN = _own()
