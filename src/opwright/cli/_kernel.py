"""What subcommands share: FILE.py:KERNEL, --soc, --arg NAME=VALUE, --without PASS.

In: words of the command line. Out: a kernel and its arguments. Refuses files, kernels and values that it cannot read,
and shows a line that would work.
"""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from pathlib import Path

import click

from opwright.ascendc.socs import SOCS
from opwright.cli._arrays import HELP, read_array
from opwright.errors import OpwrightError
from opwright.kernel.parameters import Parameter
from opwright.passes import names
from opwright.runtime.jit import JitFunction
from opwright.runtime.simt import SimtFunction
from opwright.settings import settings

_EXAMPLES = {
    "address": "f16[4096]",
    "int": "512",
    "float": "1.0",
    "bool": "true",
    "constant": "512",
    "number": "512",
    "struct": "512",
    "object": "",
    "any": "f16[4096]",
}


def takes_kernel(command: Callable[..., None], target: str = "FILE.py:KERNEL") -> Callable[..., None]:
    """Adds the options that name a kernel and say how it is compiled."""
    soc_default = "OPWRIGHT_SOC or ascend910b"
    without = "Disable a pass over the IR, in addition to those in OPWRIGHT_WITHOUT. Repeatable."
    for option in (
        click.option("--without", multiple=True, type=click.Choice(names()), metavar="PASS", help=without),
        click.option("--arg", "arguments", multiple=True, metavar="NAME=VALUE", help=HELP),
        click.option("--soc", type=click.Choice(list(SOCS)), default=lambda: settings.soc, show_default=soc_default),
        click.argument("kernel", metavar=target),
    ):
        command = option(command)
    return command


def chosen_soc(function: JitFunction) -> str | None:
    """The SoC of --soc. Without --soc, a SIMT kernel uses its own: the default SoC has no threads."""
    context = click.get_current_context()
    is_given = context.get_parameter_source("soc") is not click.core.ParameterSource.DEFAULT
    soc: str = context.params["soc"]
    return soc if is_given or not isinstance(function, SimtFunction) else None


def leaving_out(without: tuple[str, ...]) -> AbstractContextManager[None]:
    """Disables these passes for a while, in addition to those of the setting."""
    return settings.scope(without=",".join((settings.without, *without)))


def load_kernel(target: str) -> JitFunction:
    """The kernel that FILE.py:KERNEL names. The file is imported; what it prints goes to standard error."""
    file, colon, name = target.rpartition(":")
    path = Path(file)
    if not colon or not path.is_file():
        raise click.UsageError(f"{target!r} is not FILE.py:KERNEL" + (f": no file {file}" if colon else ""))
    # Not the file's own name: it may be that of an installed module.
    spec = importlib.util.spec_from_file_location(f"opwright_file_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise click.UsageError(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    # Modules beside the file can be imported, as with `python FILE.py`.
    sys.path.insert(0, str(path.parent.resolve()))
    sys.modules[spec.name] = module
    try:
        # Programs read the output of the command, so what the file prints does not belong there.
        with contextlib.redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except OpwrightError:
        raise  # it has a location already
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == path.resolve()]
        where = f"{file}:{lines[-1]}" if lines else file
        raise click.ClickException(f"{where} failed: {type(error).__name__}: {error}") from None
    kernels = {key: value for key, value in vars(module).items() if isinstance(value, JitFunction)}
    if name not in kernels:
        near = difflib.get_close_matches(name, kernels, n=1)
        known = f"did you mean {near[0]}?" if near else f"its kernels: {', '.join(kernels) or 'none'}"
        raise click.UsageError(f"{file} has no kernel {name!r}; {known}")
    return kernels[name]


def split_arguments(words: tuple[str, ...]) -> dict[str, str]:
    """The texts of --arg NAME=VALUE by name."""
    given: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise click.UsageError(f"--arg {word}: write --arg NAME=VALUE")
        if name in given:
            raise click.UsageError(f"--arg {name} is given twice")
        given[name] = value
    return given


def refuse_arguments(given: dict[str, str], wanted: dict[str, str], optional: Collection[str], command: str) -> None:
    """Refuses unknown names and missing ones; `wanted`: an example for every name."""
    unknown = [name for name in given if name not in wanted]
    missing = [name for name in wanted if name not in given and name not in optional]
    if unknown or missing:
        complaint = f"unknown argument {unknown[0]}" if unknown else f"no value for {', '.join(missing)}"
        line = " ".join(
            f"--arg {name}={given.get(name, example)}" for name, example in wanted.items() if name not in optional
        )
        raise click.UsageError(f"{complaint}; for example:\n\n  {command} {line}")


def read_number(text: str) -> object:
    """A truth or a number; any other text as it is."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def read_arguments(kernel: JitFunction, words: tuple[str, ...], command: str) -> dict[str, object]:
    """Reads --arg NAME=VALUE for every parameter; an error shows a line that would work."""
    given = split_arguments(words)
    wanted = {word: _EXAMPLES[parameter.kind] for parameter in kernel.binder.parameters for word in _words(parameter)}
    optional = {word for parameter in kernel.binder.parameters for word in _optional_words(parameter)}
    refuse_arguments(given, wanted, optional, command)
    values: dict[str, object] = {}
    for parameter in kernel.binder.parameters:
        read = {word: _read(parameter, given[word]) for word in _words(parameter) if word in given}
        if parameter.record is not None and read:
            values[parameter.name] = parameter.record(**{word.partition(".")[2]: value for word, value in read.items()})
        else:
            values.update(read)
    return values


def _words(parameter: Parameter) -> list[str]:
    """What --arg calls a parameter: its name, or one word per field of a struct."""
    if parameter.record is None:
        return [parameter.name]
    return [f"{parameter.name}.{field.name}" for field in dataclasses.fields(parameter.record)]


def _optional_words(parameter: Parameter) -> list[str]:
    """Those of `_words` that have a default."""
    if parameter.has_default or parameter.record is None:
        return _words(parameter) if parameter.has_default else []
    without = [field.default is field.default_factory for field in dataclasses.fields(parameter.record)]
    return [word for word, missing in zip(_words(parameter), without, strict=True) if not missing]


def _read(parameter: Parameter, text: str) -> object:
    """A value: f16[4096] describes an array, @x.npy is one, anything else is a number."""
    is_array = parameter.kind == "address" or (parameter.kind == "any" and ("[" in text or text.startswith("@")))
    return read_array(parameter.name, text) if is_array else read_number(text)
