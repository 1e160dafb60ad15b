"""Kernels that operators state, on the checked twin of every SoC: every variant, by the operator's own cases.

The cases of an operator must reach every variant. Results are compared with the reference. A kernel takes seconds to
compile, so the gate runs each variant on one SoC and each kernel on all of them; nightly all are run on all. Not run
on an NPU.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

import opwright.ops  # noqa: E402, F401
from opwright.ascendc.socs import SOCS  # noqa: E402
from opwright.errors import BadType  # noqa: E402
from opwright.operators import _kernels  # noqa: E402
from opwright.operators._operator import OWN, Operator, as_tuple, cases_of, operators  # noqa: E402
from opwright.operators._twin import functional  # noqa: E402
from opwright.settings import settings  # noqa: E402

OPERATORS = {made.name: made for made in operators().values() if made.kernels and made.schema.space == OWN}
NAMES = list(SOCS)


def calls_of(operator: Operator) -> Iterator[tuple[str, list[Any]]]:
    """Calls with elements and the variants that serve them."""
    for dtype in operator.dtypes:
        for case in cases_of(operator, dtype):
            values = operator.schema.complete(case.args, case.kwargs)
            results = operator.fake(values)
            if case.large or (results and not any(result.numel() for result in results)):
                continue
            try:
                yield operator.launch_for(*values, *results).kernel, values
            except BadType:  # no variant is for these; that each is reached has a test of its own
                continue


def run(operator: Operator, soc: str, variants: set[str]) -> None:
    with settings.scope(soc=soc, check=True):
        for variant, values in calls_of(operator):
            if variant not in variants:
                continue
            both = (partial(_kernels.run, operator), operator.functions["reference"])
            runs = [functional(operator, one) if operator.is_writing else one for one in both]
            for found, wanted in zip(*(as_tuple(one(*values)) for one in runs), strict=True):
                atol, rtol = operator.tolerance.get(wanted.dtype, (0, 0))
                torch.testing.assert_close(found, wanted, atol=atol, rtol=rtol, equal_nan=True)


@pytest.mark.parametrize("name", OPERATORS)
def test_cases_reach_every_variant(name: str) -> None:
    reached = {variant for variant, _ in calls_of(OPERATORS[name])}
    assert reached == set(OPERATORS[name].kernels)


@pytest.mark.parametrize("soc", NAMES)
@pytest.mark.parametrize("name", OPERATORS)
def test_some_variants(name: str, soc: str) -> None:
    # Data types are listed in the same order for every kernel: each kernel begins with another SoC.
    variants = OPERATORS[name].kernels
    kernels = list(dict.fromkeys(one.kernel.__name__ for one in variants.values()))
    shifted = (i + kernels.index(one.kernel.__name__) for i, one in enumerate(variants.values()))
    run(OPERATORS[name], soc, {one for one, place in zip(variants, shifted, strict=True) if NAMES[place % 3] == soc})


@pytest.mark.slow
@pytest.mark.parametrize("soc", NAMES)
@pytest.mark.parametrize("name", OPERATORS)
def test_every_variant(name: str, soc: str) -> None:
    run(OPERATORS[name], soc, set(OPERATORS[name].kernels))
