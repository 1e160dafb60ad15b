"""What `opwright check` and `opwright trace` share: a launch from words of the command line.

In: a kernel, its arguments as words, cores, a seed. Out: the kernel for the chosen SoC, and its arguments, with arrays
made from their descriptions. Refuses arguments that a launch would refuse.
"""

from __future__ import annotations

import contextlib
import dataclasses
import sys
import threading
from collections.abc import Callable, Iterator

import click

from opwright.ascendc.dtypes import DTYPES
from opwright.cli._arrays import Described
from opwright.cli._kernel import load_kernel, read_arguments
from opwright.errors import ArgumentError, BadThreads
from opwright.runtime.jit import JitFunction
from opwright.runtime.launching import Launcher
from opwright.runtime.simt import SimtFunction
from opwright.store.progress import showing
from opwright.twin.launch import MAX_GRID

_SLOW = 3.0  # seconds after which a message appears at a terminal


def takes_launch(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options that say how a kernel is launched."""
    grid = click.IntRange(1, MAX_GRID)
    for option in (
        click.option(
            "--seed",
            type=click.IntRange(0),
            default=0,
            show_default=True,
            help="Seed of random arrays.",
        ),
        click.option(
            "--block",
            type=axes,
            metavar="X[,Y[,Z]]",
            default="32",
            show_default=True,
            help="Threads per block, for a SIMT kernel.",
        ),
        click.option(
            "--grid",
            type=axes,
            metavar="X[,Y[,Z]]",
            default="1",
            show_default=True,
            help="Blocks, for a SIMT kernel.",
        ),
        click.option("--cores", type=grid, default=1, show_default=True, help="Number of cores."),
    ):
        command = option(command)
    return command


def axes(text: str) -> tuple[int, ...]:
    """The number of blocks or threads along x, y and z: one to three integers."""
    words = text.split(",")
    if not all(word.strip().isdecimal() for word in words) or len(words) > 3:
        raise click.BadParameter(f"{text!r} is not X, X,Y or X,Y,Z")
    return tuple(int(word) for word in words)


def launcher_of(function: JitFunction) -> Launcher:
    """The kernel with its cores, or with its grid and block, for the command that is running."""
    context = click.get_current_context()
    own, other = (
        (("grid", "block"), ("cores",)) if isinstance(function, SimtFunction) else (("cores",), ("grid", "block"))
    )
    for name in other:
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            kind = "a SIMT kernel" if isinstance(function, SimtFunction) else "not a SIMT kernel"
            words = " and ".join(f"--{name}" for name in own)
            raise click.UsageError(f"--{name}: {function.__name__} is {kind}; give {words}")
    given = tuple(context.params[name] for name in own)
    try:
        return function[given if len(given) > 1 else given[0]]
    except (ArgumentError, BadThreads) as error:
        raise click.UsageError(str(error)) from None


def prepared(target: str, words: tuple[str, ...], seed: int) -> tuple[JitFunction, dict[str, object]]:
    """The kernel and its arguments, for the command that is running."""
    context = click.get_current_context()
    function = load_kernel(target)
    if context.get_parameter_source("soc") is not click.core.ParameterSource.DEFAULT:
        function.options = dataclasses.replace(function.options, soc=context.params["soc"])
    values = read_arguments(function, words, f"{context.command_path} {target}")
    try:
        bound = function.binder.bind((), values, described=True)
    except ArgumentError as error:
        raise click.UsageError(str(error)) from None
    import numpy

    random = numpy.random.default_rng(seed)
    for (name, kind), memory in zip(bound.types, bound.memories, strict=True):
        described = values.get(name)
        if memory is not None and isinstance(described, Described):
            values[name] = described.made(name, DTYPES[kind], random)
    return function, values


@contextlib.contextmanager
def message_if_slow(words: str) -> Iterator[None]:
    """Says at a terminal what takes so long."""

    def tell() -> None:
        if not showing():  # a spinner says more
            click.echo(f"{words} ...", err=True)

    timer = threading.Timer(_SLOW, tell)
    if sys.stderr.isatty():
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
