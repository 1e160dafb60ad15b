"""The public surface, as a file: whatever changes it shows up in a review.

Rewrite it with --update-golden.
"""

import enum
import inspect
import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest

import opwright
import opwright.ops
from opwright import asc, errors
from opwright.ascendc.table import ROWS
from opwright.cli import cli
from opwright.kernel.options import Options
from opwright.operators._operator import operators
from opwright.runtime.jit import JitFunction
from opwright.runtime.launching import Launcher
from opwright.settings import Settings, settings

pytestmark = pytest.mark.unchecked(reason="launches nothing")

Golden = Callable[[str, str], None]


def compare(golden: Golden, name: str, value: object) -> None:
    golden(name, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def forms(name: str) -> list[str]:
    return [f"({form.signature})" + (f" -> {form.result}" if form.result else "") for form in ROWS[name].forms]


def describe(name: str) -> object:
    """One name of `opwright.asc`."""
    value = getattr(asc, name)
    if name in ROWS:
        methods = {row: forms(row) for row in ROWS if row.startswith(f"{name}.")}
        return {"forms": forms(name), "methods": methods} if methods else forms(name)
    if inspect.ismodule(value):
        inner = {own: getattr(value, own) for own in value.__all__}
        return {
            own: str(inspect.signature(one)) if inspect.isfunction(one) else forms(f"{name}.{own}")
            for own, one in inner.items()
        }
    if value is asc.simt:
        return {own: forms(f"{name}.{own}") for own in dir(value)}
    if isinstance(value, asc.DataType):
        return f"{value.name}: {value.cpp}, {value.bytes} bytes"
    if isinstance(value, enum.Enum):
        return str(value)
    if inspect.isclass(value) and hasattr(value, "__members__"):
        return {member.name: member.value for member in value}
    if inspect.isclass(value):
        return {row: forms(row) for row in ROWS if row.startswith(f"{name}.")} or "class"
    return str(inspect.signature(value))


def test_names(golden: Golden) -> None:
    assert opwright.__all__ == sorted(opwright.__all__)
    assert all(hasattr(opwright, name) for name in opwright.__all__)
    assert len(set(asc.__all__)) == len(asc.__all__)
    compare(golden, "api/names.json", {"opwright": opwright.__all__, "asc": {n: describe(n) for n in asc.__all__}})


def test_every_row_is_public() -> None:
    public = {*asc.__all__, *(f"adv.{name}" for name in asc.adv.__all__), *(f"simt.{name}" for name in dir(asc.simt))}
    assert {name for name, row in ROWS.items() if not row.is_method} <= public
    assert {row.owner for row in ROWS.values() if row.is_method} <= public


def public(kind: type) -> dict[str, str]:
    """Public methods and properties of a class with their signatures, those of our own classes below it included."""
    special = ("__call__", "__getitem__")
    ours = [base for base in reversed(kind.__mro__) if base.__module__.startswith("opwright.")]
    found = {}
    for name, value in (pair for base in ours for pair in vars(base).items()):
        if name.startswith("_") and name not in special:
            continue
        found[name] = str(inspect.signature(value)) if inspect.isfunction(value) else type(value).__name__
    return dict(sorted(found.items()))


def test_jit(golden: Golden) -> None:
    surface = {
        "asc.jit": str(inspect.signature(asc.jit)),
        "options": {name: repr(field.default) for name, field in Options.__dataclass_fields__.items()},
        "JitFunction": public(JitFunction),
        "Launcher": public(Launcher),
    }
    parameters = [name for name in inspect.signature(asc.jit).parameters if name != "function"]
    # Behind our own options stand those of PyAsc, which no kernel keeps.
    assert list(surface["options"]) == parameters[: len(surface["options"])]
    compare(golden, "api/jit.json", surface)


def test_commands(golden: Golden) -> None:
    def command(group: click.Command) -> object:
        parameters = [
            {
                "names": [*parameter.opts, *parameter.secondary_opts],
                "kind": parameter.param_type_name,
                "type": parameter.type.name,
                "required": parameter.required,
                "multiple": parameter.multiple,
            }
            for parameter in group.params
            if "--version" not in parameter.opts
        ]
        nested = {name: command(sub) for name, sub in group.commands.items()} if isinstance(group, click.Group) else {}
        return {"parameters": parameters, "commands": nested} if nested else {"parameters": parameters}

    compare(golden, "api/commands.json", command(cli))


def test_operators(golden: Golden, request: pytest.FixtureRequest) -> None:
    """Schemas of released operators change on purpose only; a new one is written down in the changelog first."""
    own = {found.name: found for found in operators().values() if found.schema.space == "opwright"}
    path = Path(__file__).with_name("golden") / "api/operators.json"
    released = json.loads(path.read_text()) if path.exists() else {}
    listed = {
        name: {"forms": [form.schema.text for form in found.forms], "gradient": found.gradient}
        for name, found in own.items()
    }
    changelog = " ".join((Path(__file__).parents[1] / "CHANGELOG.md").read_text(encoding="utf-8").split())
    new = [name for name in listed.keys() - released.keys() if listed[name]["forms"][0] in changelog]
    if not request.config.getoption("--update-golden"):
        listed = {name: one for name, one in listed.items() if name not in new}
    compare(golden, "api/operators.json", listed)


def test_settings(golden: Golden) -> None:
    listed = {setting.name: {"default": setting.default, "doc": setting.doc} for setting in settings}
    assert all(name.startswith("OPWRIGHT_") for name in listed)
    assert len(listed) == sum(1 for name in vars(Settings) if not callable(vars(Settings)[name]) and name[0] != "_")
    compare(golden, "api/settings.json", listed)


def test_errors(golden: Golden) -> None:
    classes = {name: value for name, value in vars(errors).items() if inspect.isclass(value)}
    listed = {
        name: {"base": kind.__base__.__name__, "text": kind.text, "hint": kind.hint_text, "doc": kind.__doc__}
        for name, kind in classes.items()
        if issubclass(kind, errors.OpwrightError)
    }
    assert all(entry["doc"] for entry in listed.values())
    compare(golden, "api/errors.json", listed)
