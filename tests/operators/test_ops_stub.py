"""The stub of `opwright.ops` as an editor uses it: it says what the functions are, and pyright refuses what is not."""

import ast
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

import opwright.ops  # noqa: E402
from opwright.frameworks.torch.loading import functions  # noqa: E402

STUB = Path(opwright.ops.__file__).with_suffix(".pyi")
RIGHT = """
import torch
from opwright.ops import rms_norm, silu_and_mul

x = torch.ones(2, 8)
y: torch.Tensor = rms_norm(x, None, 1e-6)
rms_norm(x, weight=x[0], epsilon=1e-6, variance_size=4, out=y)
codes, scale = opwright.ops.dynamic_quantize_to_hifloat8(x, [1, -1])
codes.shape, scale.dtype, silu_and_mul(x).shape
opwright.ops.rms_norm_(x, None, 1e-6).sum()
rms_norm(x, x[0], eps=1e-6, variance_size=4, out=y)
opwright.ops.rms_norm_(x, None, eps=1e-6).sum()
"""
WRONG = (
    "opwright.ops.rms_nrm(x, None, 1e-6)",
    "opwright.ops.rms_norm(x, None)",
    "opwright.ops.rms_norm(x, None, '1e-6')",
    "opwright.ops.rms_norm(x, None, epsilon=1e-6, eps=1e-6)",
    "opwright.ops.rms_norm(x, None, 1e-6, size=4)",
    "opwright.ops.silu_and_mul(x, x)",
    "opwright.ops.silu_and_mul([1.0, 2.0])",
    "opwright.ops.silu_and_mul_(x)",
    "opwright.ops.dynamic_quantize_to_hifloat8(x, [1, -1]).shape",
    "opwright.ops.encode_to_hifloat8(x, 'inf')",
)


def said(folder: Path, text: str) -> list[int]:
    """The lines of a text that pyright complains of, as it comes."""
    pytest.importorskip("pyright", reason="pyright is not installed")
    file = folder / "calls.py"
    file.write_text(f"import opwright.ops\n{text}")
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, str(file)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)["generalDiagnostics"]
    return sorted({one["range"]["start"]["line"] for one in found if one["severity"] == "error"})


def test_pyright_takes_right_calls_and_refuses_the_others(tmp_path: Path) -> None:
    before = f"import opwright.ops\n{RIGHT}".count("\n")
    wrong = "".join(f"{line}\n" for line in WRONG)
    assert said(tmp_path, RIGHT + wrong) == list(range(before, before + len(WRONG)))


def test_the_stub_has_the_functions() -> None:
    """All of them, with the parameters, defaults and docstrings that they have; synonyms in overloads."""
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    stated = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert {node.name for node in stated} == functions().keys()
    for name, function in functions().items():
        real = inspect.signature(function).parameters
        defaults: dict[str, str | None] = {}
        for node in (node for node in stated if node.name == name):
            arguments = node.args
            required = [None] * (len(arguments.args) - len(arguments.defaults))
            placed = zip(arguments.args, [*required, *arguments.defaults], strict=True)
            pairs = [*placed, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
            defaults |= {one.arg: ast.unparse(value) if value else None for one, value in pairs}
            first = (inspect.getdoc(function) or "").splitlines()[0]
            assert first in (ast.get_docstring(node) or ""), name
        assert defaults.keys() == real.keys()
        for one in real.values():
            if one.default is ...:  # it has a synonym
                continue
            has_default = one.default is not inspect.Parameter.empty
            assert defaults[one.name] == (repr(one.default) if has_default else None), (name, one.name)
