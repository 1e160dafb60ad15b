"""Runs one pass over IR text, for the tests of this folder.

A folder is a pass. `before/<case>.mlir` is what it gets, `golden/<case>.mlir` what it leaves. A case whose name begins
with `keeps_` must come out as it went in.
"""

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp
from xdsl.parser import Parser

from opwright.ir.calls import dialect
from opwright.ir.dialect import PyDialect

ALIASES = {
    "!int": '!asc.scalar<"int64">',
    "!float": '!asc.scalar<"float32">',
    "!bool": '!asc.scalar<"bool">',
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        before = sorted((Path(metafunc.definition.path).parent / "before").glob("*.mlir"))
        metafunc.parametrize("case", before, ids=[path.stem for path in before])


def read(text: str) -> ModuleOp:
    context = Context()
    for known in (Builtin, PyDialect, dialect()):
        context.load_dialect(known)
    return Parser(context, text).parse_module()


def written(module: ModuleOp) -> str:
    """IR as text that reads well and can be read back."""
    text = "\n".join(str(operation) for operation in module.body.block.ops) + "\n"
    for alias, name in ALIASES.items():
        text = text.replace(name, alias)
    return "\n".join(f"{alias} = {name}" for alias, name in ALIASES.items()) + "\n" + text


@pytest.fixture
def check(golden: Callable[[str, str], None]) -> Callable[[Path], None]:
    """Runs the pass of the folder over a case and compares."""

    def run(case: Path) -> None:
        module = read(case.read_text(encoding="utf-8"))
        module.verify()
        before = written(module)
        run_pass = importlib.import_module(f"opwright.passes.{case.parent.parent.name}").run
        run_pass(module)
        module.verify()
        after = written(module)
        if case.stem.startswith("keeps_"):
            assert after == before
        else:
            assert after != before
        golden(case.name, after)
        again = read(after)
        run_pass(again)
        assert written(again) == after, "a second run changes it again"
        for operation in module.walk():
            assert "at" in operation.attributes or operation.name in ("builtin.module", "py.func")

    return run


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.unchecked(reason="its kernels compute scalars only"))
