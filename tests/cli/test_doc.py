"""`opwright doc` and `help` of calls and kernels (A17): signatures, element types and an example, from the row."""

import inspect
import pydoc
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from opwright import asc
from opwright.ascendc.table import ROWS
from opwright.ascendc.words import described, signature
from opwright.cli import cli
from opwright.kernel.names import Aggregate, Call

Golden = Callable[[str, str], None]
Run = Callable[..., subprocess.CompletedProcess[str]]


def opwright(*words: str) -> Result:
    return CliRunner().invoke(cli, words, prog_name="opwright")


@pytest.mark.quick
@pytest.mark.parametrize("name", ["exp", "asc.exp", "Exp"])
def test_doc(name: str, golden: Golden) -> None:
    done = opwright("doc", name)
    assert done.exit_code == 0
    golden("doc_exp.txt", done.stdout)


@pytest.mark.quick
def test_every_call_is_described() -> None:
    for row in ROWS.values():
        text = described(row)
        assert row.doc in text and row.example in text.replace("\n    ", "\n")
        assert all(signature(row, form) in text for form in row.forms)


@pytest.mark.quick
def test_doc_says_where_a_call_is() -> None:
    """SoCs and versions that have it, and forms that need a TPipe."""
    assert "\nNot on ascend910b: " in (copied := opwright("doc", "data_copy_l1_to_ub").stdout)
    assert "\nIn CANN from 9.1.0 on.\n" in copied
    summed = opwright("doc", "reduce_sum").stdout
    assert "\nForms 1, 2 of 3: On ascend910b, ascend910_93 only in kernels that make a `TPipe`.\n" in summed
    assert "\nint32 and uint32 in CANN after 9.2.0-beta.1.\n" in summed


@pytest.mark.quick
def test_unknown() -> None:
    done = opwright("doc", "asc.reduce_summ")
    assert done.exit_code == 2
    assert "there is no call 'asc.reduce_summ'; did you mean asc.reduce_sum" in done.stderr
    assert "opwright list calls lists them" in opwright("doc", "qqqqq").stderr


def test_help(run: Run, golden: Golden) -> None:
    golden("opwright_doc_help.txt", run("doc", "--help", COLUMNS="80").stdout)


@pytest.mark.quick
def test_help_of_a_call() -> None:
    shown = pydoc.render_doc(asc.exp, renderer=pydoc.plaintext)
    assert "asc.exp(dst: LocalTensor, src: LocalTensor, count: int)" in shown
    assert "float16, float32" in shown and "asc.exp(z_local, x_local, 64)" in shown
    assert asc.DataCopyParams.__doc__ == described(ROWS["DataCopyParams"])
    assert Call.__doc__.startswith("One function or class") and Aggregate.__doc__.startswith("A struct of Ascend C.")


@asc.jit
def documented(x: asc.GlobalAddress, n: int = 4):
    """Does nothing, and says so."""


@asc.jit
def bare(n: int):
    pass


@pytest.mark.quick
def test_help_of_a_kernel() -> None:
    """The author's docstring and signature, nothing of ours."""
    shown = pydoc.render_doc(documented, renderer=pydoc.plaintext)
    assert "Does nothing, and says so." in shown
    assert "documented(x: asc.GlobalAddress, n: int = 4)" in repr(documented)
    assert documented.__name__ == "documented" and list(inspect.signature(documented).parameters) == ["x", "n"]
    without = pydoc.render_doc(bare, renderer=pydoc.plaintext)
    assert "kernel_for" not in shown + without
    assert without.splitlines()[-1].strip() == "bare(n: int)"
    first = bare.function.__code__.co_firstlineno
    assert repr(bare) == f"<kernel bare(n: int) of {Path(__file__)}:{first}>"
