"""What cannot be read, with the texts that users see."""

from collections.abc import Callable

import pytest
from refused import REFUSED

from opwright.errors import BadSchema
from opwright.schema import parse

pytestmark = pytest.mark.quick


def test_texts(golden: Callable[[str, str], None]) -> None:
    said = []
    for text in REFUSED:
        with pytest.raises(BadSchema) as raised:
            parse(text)
        said.append(f"{raised.value}\n")
    golden("refusals.txt", "\n".join(said))
