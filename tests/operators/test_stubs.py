"""Every schema that language models are served with can be an operator: registered, called, compiled, functionalised.

Operators are made from the schemas (stubs.py). What a call of any form gives, and what it writes, is compared with the
functional twin of the reference, which changes nothing that it is given.
"""

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
from battery_out import check_in_place, check_outputs  # noqa: E402
from battery_values import check_aliases, check_fake, check_stale_contents, check_undeclared_writes  # noqa: E402
from battery_writing import check_written  # noqa: E402
from stubs import arguments_of, stub  # noqa: E402
from torch import Tensor  # noqa: E402

import opwright.ops  # noqa: E402
from opwright.frameworks.torch.register import Registered, registered  # noqa: E402
from opwright.operators import Operator  # noqa: E402
from opwright.operators._forms import Form  # noqa: E402
from opwright.operators._operator import as_tuple  # noqa: E402
from opwright.operators._twin import copied, functional  # noqa: E402

LLM = (Path(__file__).parents[1] / "schema" / "llm.txt").read_text(encoding="utf-8").splitlines()
# One of each kind goes through Inductor: lists, numbers by name, a form in place for two, several that are written.
BY_INDUCTOR = ("add", "cat", "rotary_embedding", "reshape_and_cache_flash", "dynamic_scaled_int8_quant")
OF_RESULTS = (check_aliases, check_fake, check_outputs, check_stale_contents, check_undeclared_writes)
STUBS: dict[str, Operator] = {}
for place, schema_text in enumerate(LLM):  # each in a namespace of its own: one may have the name of another's form
    made = stub(schema_text, f"stub{place}")
    STUBS[made.name] = made
NAMES = list(STUBS)


def registration(name: str) -> Registered:
    opwright.ops.register(STUBS[name])
    return registered[STUBS[name].schema.qualified]


def wanted_of(operator: Operator, form: Form, values: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
    """What a form returns, and what it writes, by the reference on copies."""
    if operator.is_writing:
        every = list(functional(operator)(*values))
        count = len(operator.schema.results)
        return every[:count], [one for one in every[count:] if one is not None]
    results = as_tuple(operator.functions["reference"](*values))
    into = dict(form.into)
    written = [results[into[one.name]] for one in form.schema.arguments if one.name in into]
    return [one for i, one in enumerate(results) if i not in into.values()], written


def call_of(operator: Operator, form: Form, values: tuple[Any, ...]) -> tuple[list[Any], dict[str, Any]]:
    """Copies of a call's arguments as a form takes them; its outputs hold NaN."""
    named = dict(zip([one.name for one in operator.schema.arguments], map(copied, values), strict=True))
    outs = {one.name: torch.full((3, 4), float("nan")) for one in form.schema.arguments if one.name not in named}
    return form.schema.split([{**named, **outs}[one.name] for one in form.schema.arguments])


def absent_written(form: Form, placed: list[Any], by_name: dict[str, Any]) -> bool:
    """Whether a result goes nowhere, as the argument for it is None."""
    return len(form.written()(*placed, **by_name)) < len([one for one in form.schema.arguments if one.is_written])


def check(operator: Operator, form: Form, overload: Any, values: tuple[Any, ...], backend: str | None) -> None:
    placed, by_name = call_of(operator, form, values)
    returned, written = wanted_of(operator, form, values)

    def run(placed: list[Any], by_name: dict[str, Any]) -> Any:
        return overload(*placed, **by_name)

    called = run
    if backend:
        torch._dynamo.reset()
        called = torch.compile(run, fullgraph=True, backend=backend)
    found = called(placed, by_name)
    assert (found is None) == (not returned)
    torch.testing.assert_close(list(as_tuple(found)) if returned else [], returned)
    if not absent_written(form, placed, by_name):
        torch.testing.assert_close(form.written()(*placed, **by_name), written)


@pytest.mark.parametrize("name", NAMES)
def test_stub(name: str) -> None:
    """All forms, with all arguments and without those that may be absent, in eager mode."""
    operator, forms = STUBS[name], registration(name).forms
    for is_full in (True, False):
        values = arguments_of(operator.schema, 1, is_full)
        for overload, form in forms.items():
            check(operator, form, overload, values, None)


@pytest.mark.parametrize("name", NAMES)
def test_compiled_stub(name: str) -> None:
    """Through functionalisation, in one graph; no node of it writes, and the call does."""
    operator = STUBS[name]
    backend = "inductor" if name in BY_INDUCTOR else "aot_eager"
    for overload, form in registration(name).forms.items():
        check(operator, form, overload, arguments_of(operator.schema, 2, True), backend)


@pytest.mark.parametrize(
    "name", [name for name in NAMES if any(a.kind == "Generator" for a in STUBS[name].schema.arguments)]
)
def test_generators(name: str) -> None:
    """A generator reaches the provider, which draws from it; PyTorch knows that the operator is random."""
    operator, forms = STUBS[name], registration(name).forms
    values = arguments_of(operator.schema, 3, True)
    place = [one.kind for one in operator.schema.arguments].index("Generator")
    stated = next(iter(forms))

    def run(seed: int) -> Tensor:
        placed, by_name = operator.schema.split(
            [torch.Generator().manual_seed(seed) if i == place else v for i, v in enumerate(values)]
        )
        found: Tensor = stated(*placed, **by_name)
        return found

    assert run(1).equal(run(1)) and not run(1).equal(run(2))
    assert torch.Tag.nondeterministic_seeded in stated.tags


@pytest.mark.parametrize("name", NAMES)
def test_battery(name: str) -> None:
    """The checks that need only arguments and a reference: what is written, and what is left alone."""
    registration(name)
    operator = STUBS[name]
    checks = [check_written] if operator.is_writing else [*OF_RESULTS, *([check_in_place] if operator.writes else [])]
    for check_one in checks:
        check_one(operator, "reference", torch.float32)


def test_all_of_them() -> None:
    assert len(STUBS) == 37
