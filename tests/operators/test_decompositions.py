"""`opwright.ops.decompositions()`: exported programs of every operator become plain PyTorch with the same numbers."""

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

import opwright.ops  # noqa: E402
from opwright.operators._operator import as_tuple, cases_of, operators  # noqa: E402

OWN = {name: one for name, one in operators().items() if one.schema.space == "opwright" and not one.is_writing}


@pytest.mark.parametrize("name", OWN)
def test_exported_programs_are_decomposed(name: str) -> None:
    found = OWN[name]
    case = [one for one in cases_of(found, found.dtypes[0]) if not one.large][3]
    overload = getattr(torch.ops.opwright, found.schema.name).default
    tensors = tuple(one for one in case.args if isinstance(one, torch.Tensor))

    class Calling(torch.nn.Module):
        def forward(self, *given: torch.Tensor) -> object:
            rest = iter(given)
            return overload(*(next(rest) if isinstance(one, torch.Tensor) else one for one in case.args), **case.kwargs)

    exported = torch.export.export(Calling(), tensors)
    assert str(overload) in exported.graph_module.code
    plain = exported.run_decompositions(opwright.ops.decompositions())
    assert "opwright" not in plain.graph_module.code
    wanted = as_tuple(found.functions["reference"](*found.schema.complete(case.args, case.kwargs)))
    for got, one in zip(as_tuple(plain.module()(*tensors)), wanted, strict=True):
        torch.testing.assert_close(got, one, rtol=0, atol=0, equal_nan=True)


def test_an_operator_that_writes_has_none() -> None:
    assert all(not overload._schema.is_mutable for overload in opwright.ops.decompositions())
