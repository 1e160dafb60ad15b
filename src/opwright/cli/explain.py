"""`opwright explain OPERATOR`: says which provider serves a call of an operator, and why the others do not.

In: an operator's name and a value or description per argument; tensors are made, but never filled. Out: text or JSON.
Refuses values it cannot read, and a call that is wrong with the error that the call itself would raise.
"""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any

import click

from opwright.ascendc.socs import SOCS
from opwright.cli._kernel import read_number, refuse_arguments, split_arguments
from opwright.cli._table import show_json
from opwright.settings import settings

if TYPE_CHECKING:
    from opwright.schema import Argument

# By an argument's kind.
_EXAMPLES = {
    "Tensor": "bf16[16,128]",
    "int": "1",
    "SymInt": "1",
    "bool": "1",
    "float": "1e-6",
    "str": "text",
    "int[]": "[1,-1]",
    "SymInt[]": "[1,-1]",
    "ScalarType": "bf16",
}


@click.command(name="explain")
@click.argument("operator", metavar="OPERATOR")
@click.option(
    "--arg",
    "arguments",
    multiple=True,
    metavar="NAME=VALUE",
    help="An argument: a tensor described as TYPE[SHAPE], such as bf16[1024,4096], a number, a text, a list as [1,-1], "
    "a dtype, or None. Once for each.",
)
@click.option("--soc", type=click.Choice(list(SOCS)), default=lambda: settings.soc, help="Of the launch.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(operator: str, arguments: tuple[str, ...], soc: str, as_json: bool) -> None:
    """Says which provider serves a call of an operator.

    It names the provider, its file, and why the others do not serve the call, and how the operator's kernel would be
    launched on a SoC: cores, numbers, scratch memory. It computes nothing.

    \b
    Example:
      opwright explain rms_norm --arg x=bf16[1024,4096] --arg weight=bf16[4096] \\
        --arg epsilon=1e-6

    In zsh, put tensors and lists in quotes: --arg 'x=bf16[1024,4096]'.
    """
    importlib.import_module("opwright.ops")  # registers all operators, or says why there are none
    from opwright.frameworks.torch.explain import explain
    from opwright.frameworks.torch.loading import operator_named

    schema = operator_named(operator).schema
    given = split_arguments(arguments)
    wanted = {a.name: "None" if a.is_optional else _EXAMPLES[a.kind] for a in schema.arguments}
    optional = {a.name for a in schema.arguments if a.has_default}
    refuse_arguments(given, wanted, optional, f"opwright explain {operator}")
    with settings.scope(soc=soc):
        found = explain(operator, **{a.name: _read(a, given[a.name]) for a in schema.arguments if a.name in given})
    if as_json:
        show_json(found.to_dict())
    else:
        click.echo(str(found))


def _read(argument: Argument, text: str) -> object:
    """The value that a text means for an argument; a number of the wrong type is the operator's business."""
    kind = argument.kind
    if text == "None" and argument.is_optional:
        return None
    if kind == "Tensor":
        return _tensor(argument.name, text)
    if kind == "ScalarType":
        return _dtype(argument.name, text)
    if kind in ("int[]", "SymInt[]"):
        if not re.fullmatch(r"\[\s*(-?\d+\s*(,\s*-?\d+\s*)*)?\]", text):
            raise click.UsageError(f"--arg {argument.name}={text}: write a list of integers, such as [1,-1]")
        return [int(number) for number in re.findall(r"-?\d+", text)]
    return text if kind == "str" else read_number(text)


def _tensor(name: str, text: str) -> Any:
    import torch

    from opwright.kernel.arguments import array_described

    described = array_described(text)
    if described is None:
        raise click.UsageError(f"--arg {name}={text}: describe a tensor as TYPE[SHAPE], such as bf16[1024,4096]")
    dtype, shape = described
    try:
        return torch.empty(shape, dtype=_dtype(name, dtype))
    except RuntimeError as error:  # there is not so much memory
        raise click.UsageError(f"--arg {name}={text}: {str(error).splitlines()[0]}") from None


def _dtype(name: str, text: str) -> Any:
    """A dtype by its short name, or by PyTorch's."""
    import torch

    from opwright.ascendc.dtypes import parse

    found = getattr(torch, {"f64": "float64"}.get(text, text), None)
    if isinstance(found, torch.dtype):
        return found
    try:
        return getattr(torch, parse(text).name)
    except ValueError as error:
        raise click.UsageError(f"--arg {name}: {error}") from None
