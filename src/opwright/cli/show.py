"""`opwright show FILE.py:KERNEL`: prints one stage of the compilation of a kernel.

In: a kernel as for `opwright emit`, and a stage: ast, ir, a pass, or text. Out: that stage on standard output, in
colour on a terminal; without a stage a table of all of them. Refuses a pass that is left out.
"""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

from opwright.cli._kernel import chosen_soc, leaving_out, load_kernel, read_arguments, takes_kernel
from opwright.cli._table import show_table
from opwright.passes import names

if TYPE_CHECKING:
    from opwright.ir import Block, Operation, SSAValue
    from opwright.runtime.jit import JitFunction

# How the parts of IR are coloured.
_IR_STYLES = {r'"(py|asc)\.[\w.]+"': "bold", r"%\w+": "cyan", r"![a-z]+\.[a-z]+": "green", r'at = "[\d:]*"': "dim"}


@dataclass
class Stages:
    """Every stage of one kernel: its text, how large it is, and what was done to the one before."""

    texts: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, str] = field(default_factory=dict)
    work: dict[str, str] = field(default_factory=dict)
    _before: dict[Operation, tuple[Block | None, tuple[SSAValue, ...]]] = field(default_factory=dict)

    def add(self, stage: str, text: str, size: str, work: str) -> None:
        """Notes a stage."""
        self.texts[stage], self.sizes[stage], self.work[stage] = text, size, work

    def watch(self, stage: str, root: Operation) -> None:
        """Notes the IR as it is now."""
        now = {operation: (operation.parent, tuple(operation.operands)) for operation in root.walk()}
        kept = self._before.keys() & now.keys()
        counts = {
            "removed": len(self._before) - len(kept),
            "added": len(now) - len(kept),
            "moved": sum(now[operation][0] is not self._before[operation][0] for operation in kept),
            "given other operands": sum(now[operation][1] != self._before[operation][1] for operation in kept),
        }
        words = ", ".join(f"{count} {word}" for word, count in counts.items() if count) or "nothing to do"
        self.add(stage, str(root) + "\n", f"{len(now)} operations", words if stage != "ir" else "the kernel as lowered")
        self._before = now


def stages_of(kernel: JitFunction, soc: str | None, values: dict[str, object]) -> Stages:
    """Compiles a kernel and keeps every stage."""
    stages = Stages()
    tree = ast.parse(kernel.source.text)
    nodes = sum(1 for _ in ast.walk(tree))
    stages.add("ast", ast.dump(tree, indent=2) + "\n", f"{nodes} nodes", "Python's syntax tree")
    bound = kernel.binder.bind((), values, described=True)
    program = kernel.program(bound, soc, stages.watch)
    stages.add("text", program.text, f"{len(program.text.splitlines())} lines", "Ascend C")
    return stages


def _print(stage: str, text: str) -> None:
    """Prints a stage as it is; in colour on a terminal."""
    if not sys.stdout.isatty():
        click.echo(text, nl=False)
        return
    from rich.console import Console
    from rich.syntax import Syntax
    from rich.text import Text

    if stage in ("ast", "text"):
        shown = Syntax(text, "python" if stage == "ast" else "cpp", theme="ansi_dark").highlight(text)
    else:
        shown = Text(text)
        for pattern, style in _IR_STYLES.items():
            shown.highlight_regex(pattern, style)
    Console(highlight=False).print(shown, soft_wrap=True, end="")


@click.command(name="show")
@takes_kernel
@click.option(
    "--stage",
    type=click.Choice(["ast", "ir", *names(), "text"]),
    metavar="STAGE",
    help=f"What to print: ast, ir, text, or the IR after a pass: {', '.join(names())}.",
)
def command(kernel: str, soc: str, arguments: tuple[str, ...], without: tuple[str, ...], stage: str | None) -> None:
    """Prints one stage of the compilation from Python to Ascend C.

    The stages are ast (Python's syntax tree), ir (the IR as lowered), the IR after each pass, and text (the Ascend C
    text). Without --stage, a table lists all stages in order, with their sizes and what each pass did.

    FILE.py is imported, which runs its top level. Put code for a script below if __name__ == "__main__".

    \b
    Example:
      opwright show examples/01_vector_add.py:vadd --stage fold \\
        --arg x=f16[4096] --arg y=f16[4096] --arg z=f16[4096] --arg block_length=512

    In zsh, put the arrays in quotes: --arg 'x=f16[4096]'.
    """
    function = load_kernel(kernel)
    values = read_arguments(function, arguments, f"opwright show {kernel} --soc {soc}")
    with leaving_out(without):
        stages = stages_of(function, chosen_soc(function), values)
    if stage is None:
        rows = [(name, stages.sizes[name], stages.work[name]) for name in stages.texts]
        show_table(("stage", "size", "what it is, or what the pass did"), rows, numbers=("size",))
    elif stage not in stages.texts:
        raise click.UsageError(f"the pass {stage} is disabled, so there is no such stage")
    else:
        _print(stage, stages.texts[stage])
