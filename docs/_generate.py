"""Write the reference pages, which are made from the code and not committed: calls, operators, settings, errors."""

import importlib
import inspect
import json
import pkgutil
import re
from collections.abc import Callable
from pathlib import Path

import _operators as operator_pages
from _examples import stored_examples

import opwright.operators
from opwright import asc, errors
from opwright.ascendc import coverage, document, pictures
from opwright.ascendc.dtypes import DTYPES, OTHER_NAMES
from opwright.ascendc.words import wrapped
from opwright.kernel.names import LANGUAGE
from opwright.settings import settings

EVIDENCE = Path(__file__).parents[1] / "build" / "evidence.json"  # the tests of tests/ascendc and tests/simt write it


def parameters_of(function: Callable[..., object]) -> str:
    """A function's parameters as people write them; options alone if it has any."""
    parameters = list(inspect.signature(function).parameters.values())
    options = [parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    return ", ".join(
        f"{p.name}: {p.annotation}" + ("" if p.default is p.empty else f" = {p.default!r}")
        for p in options or parameters
    )


def language_page() -> str:
    """The names of `opwright.asc` that are no calls of Ascend C."""
    lines = [
        "# The language\n",
        "What `opwright.asc` has beside the calls of Ascend C. How it is used: "
        "[Writing kernels](../guide/writing_kernels.md).\n",
    ]
    for name, value in [("jit", asc.jit), *LANGUAGE.items()]:
        code = ""
        if inspect.isfunction(value):
            code = f"```python\n{wrapped(f'asc.{name}({parameters_of(value)})')}\n```\n\n"
        # A docstring names its parameters line by line; on a page that is a list.
        doc = re.sub(r"^(\w+): ", r"- `\1`: ", inspect.getdoc(value) or "", flags=re.MULTILINE)
        lines.append(f"## asc.{name}\n\n{code}{doc}\n")
    lines += ["## Data types\n", "| name | in Ascend C | short | bits |\n|---|---|---|---|"]
    others = {dtype.name: name for name, dtype in OTHER_NAMES.items()}
    for name, dtype in DTYPES.items():
        names = f"`asc.{name}`" + (f", `asc.{others[name]}`" if name in others else "")
        lines.append(f"| {names} | `{dtype.cpp}` | `{dtype.short}` | {8 * dtype.bytes} |")
    return "\n".join(lines) + "\n"


def settings_page() -> str:
    """Every OPWRIGHT_* variable."""
    # A doc is plain text: kernel[cores](...) would be a link.
    docs = {setting.name: setting.doc.replace("[", "\\[") for setting in settings}
    rows = [f"| `{setting.name}` | {setting.default or '–'} | {docs[setting.name]} |" for setting in settings]
    return "\n".join(
        [
            "# Settings\n",
            "Read from the environment once, when first needed. In code: `with settings.scope(threads=1): ...`.\n",
            "| variable | default | what it is for |\n|---|---|---|",
            *rows,
            "\nWithout `OPWRIGHT_CACHE_DIR` the cache is `opwright` in `XDG_CACHE_HOME`, or in `~/.cache`.\n",
        ]
    )


def errors_page() -> str:
    """Every exception with its text and its way out."""
    lines = ["# Errors\n", "Words in braces stand for what is known at the time.\n"]
    for name, kind in vars(errors).items():
        if isinstance(kind, type) and issubclass(kind, errors.OpwrightError):
            hint = f"\nhint: {kind.hint_text}" if kind.hint_text else ""
            base = kind.__mro__[1].__name__
            lines.append(f"## {name}\n\n{kind.__doc__} (a {base})\n\n```text\n{kind.text}{hint}\n```\n")
    return "\n".join(lines)


def coverage_page() -> str:
    """How much of the table the tests have run, if they were run in this checkout."""
    if not EVIDENCE.exists():
        return coverage.page(None)
    return coverage.page(coverage.Evidence.of(json.loads(EVIDENCE.read_text(encoding="utf-8"))))


def define_operators() -> None:
    """Imports what defines them; registering them as well would compile them."""
    for module in pkgutil.iter_modules(opwright.operators.__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{opwright.operators.__name__}.{module.name}")


def write(folder: Path) -> None:
    """Make the pages in `folder` be exactly those of the table; leave unchanged files untouched. Runs nothing."""
    define_operators()
    pages = {
        **document.pages(stored_examples()),
        "language": language_page(),
        "settings": settings_page(),
        "errors": errors_page(),
        "coverage": coverage_page(),
        **operator_pages.pages(),
    }
    files = {f"{stem}.md": text for stem, text in pages.items()}
    files |= {f"{document.PICTURES}/{name}.svg": text for name, text in pictures.drawings().items()}
    for old in [*folder.rglob("*.md"), *folder.rglob("*.svg")]:
        if old.relative_to(folder).as_posix() not in files:
            old.unlink()
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
