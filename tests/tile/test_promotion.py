"""The type that two tiles give: that of torch, among floats and among integers."""

import itertools

import pytest

from opwright import errors, tile

torch = pytest.importorskip("torch", reason="torch is not installed")

TYPES = ("int8", "int16", "int32", "uint8", "uint16", "uint32", "float16", "bfloat16", "float32")


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations_with_replacement(TYPES, 2)))
def test_promotion(first: str, second: str) -> None:
    a, b = (tile.zeros((2,), getattr(tile, name)) for name in (first, second))
    is_mixed = ("float" in first) != ("float" in second)
    try:
        wanted = torch.promote_types(getattr(torch, first), getattr(torch, second))
    except RuntimeError:
        wanted = None  # torch has none for some unsigned types
    if is_mixed or wanted is None or str(wanted) == "torch.int64":
        with pytest.raises(errors.TileDtype, match="no common type"):
            a + b
    else:
        assert str(wanted) == f"torch.{(a + b).dtype.name}" == f"torch.{(b + a).dtype.name}"
