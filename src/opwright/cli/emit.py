"""`opwright emit FILE.py:KERNEL`, `opwright emit OPERATOR`: prints the Ascend C text of kernels.

In: a kernel, a SoC, a value or description per argument, passes to disable; or the name of an operator, and perhaps the
data type of a tensor. Out: the text on standard output, of an operator that of every variant of its kernels.
"""

from __future__ import annotations

import importlib
import re
from functools import partial

import click

from opwright.cli._kernel import chosen_soc, leaving_out, load_kernel, read_arguments, takes_kernel
from opwright.runtime.jit import JitFunction

_OPERATOR = re.compile(r"(\w+::)?\w+(\.\w+)?")


@click.command(name="emit")
@click.option("--dtype", metavar="TYPE", help="Of an operator: only kernels with a tensor of it, such as bf16.")
@partial(takes_kernel, target="FILE.py:KERNEL|OPERATOR")
def command(kernel: str, soc: str, arguments: tuple[str, ...], without: tuple[str, ...], dtype: str | None) -> None:
    """Prints the Ascend C text of a kernel or of an operator.

    FILE.py is imported, which runs its top level. Put code for a script below if __name__ == "__main__".

    \b
    Examples:
      opwright emit examples/01_vector_add.py:vadd --soc ascend910b \\
        --arg x=f16[4096] --arg y=f16[4096] --arg z=f16[4096] --arg block_length=512
      opwright emit silu_and_mul --soc ascend950 --dtype bf16

    In zsh, put the arrays in quotes: --arg 'x=f16[4096]'.
    """
    with leaving_out(without):
        if _OPERATOR.fullmatch(kernel):
            if arguments:
                raise click.UsageError("an operator's kernels take no --arg: choose among them with --dtype")
            click.echo(_of_operator(kernel, soc, dtype), nl=False)
            return
        if dtype:
            raise click.UsageError("--dtype is for operators: describe the arguments of a kernel with --arg")
        function = load_kernel(kernel)
        values = read_arguments(function, arguments, f"opwright emit {kernel} --soc {soc}")
        click.echo(function.emit(soc=chosen_soc(function), **values), nl=False)


def _of_operator(name: str, soc: str, dtype: str | None) -> str:
    """The texts of an operator's kernels, each under the name that `launch` gives it."""
    importlib.import_module("opwright.ops")  # registers all operators, or says why there are none
    from opwright.ascendc.dtypes import parse
    from opwright.frameworks.torch.loading import operator_named

    found = operator_named(name)
    if not found.kernels:
        raise click.UsageError(f"{name} states no kernel")
    types = {one.name: [dtype.name for dtype in one.tensors.values()] for one in found.kernels.values()}
    try:
        wanted = parse(dtype).name if dtype else None
    except ValueError as error:
        raise click.UsageError(f"--dtype {dtype}: {error}") from None
    known = list(dict.fromkeys(taken for listed in types.values() for taken in listed))
    if wanted and wanted not in known:
        raise click.UsageError(f"--dtype {dtype}: the kernels of {name} take {', '.join(known)}")
    texts = []
    for one in found.kernels.values():
        if not wanted or wanted in types[one.name]:
            assert isinstance(one.kernel, JitFunction)
            texts.append(f"// {one.name} on {soc}\n{one.kernel.emit(soc=soc, **one.described())}")
    return "\n".join(texts)
