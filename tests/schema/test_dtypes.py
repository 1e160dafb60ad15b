"""Data types of frameworks beside those of kernels."""

import pytest

from opwright.ascendc.dtypes import ELEMENTS
from opwright.schema.dtypes import DTYPES, OTHER_NAMES, found

pytestmark = pytest.mark.quick

KIND = {"int": 0, "uint": 1, "float": 2, "bfloat": 4}


def test_kernels_have_the_same_sizes() -> None:
    shared = ELEMENTS.keys() & DTYPES.keys()
    assert {"int8", "float16", "bfloat16", "float32", "int64"} <= shared
    for name in shared:
        assert DTYPES[name].bits == ELEMENTS[name].bits, name
        if "float8" not in name:
            assert DTYPES[name].code == KIND["bfloat" if name == "bfloat16" else ELEMENTS[name].kind], name


def test_found() -> None:
    assert found("half") is OTHER_NAMES["half"] is DTYPES["float16"] is found("5")
    assert found("qint8") is None and found("12") is None
    assert len({dtype.number for dtype in DTYPES.values()}) == len(DTYPES)
