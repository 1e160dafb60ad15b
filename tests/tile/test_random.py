"""Random expressions over tiles, more than a thousand: the twin gives the bits of NumPy, in every order.

`tools/random_tiles.py` runs more of them.
"""

from pathlib import Path

import pytest
from random_tiles import SOCS, TYPES, failures
from tile_expressions import EVERY_FORM, kernel_of

# ascend910_93 has the texts of ascend910b.
CASES = [(soc, dtype) for soc in SOCS[:2] for dtype in TYPES] * 2 + [(SOCS[2], "float32")]


@pytest.mark.parametrize("seed", range(len(CASES)))
def test_random_expressions(seed: int, tmp_path: Path) -> None:
    found, expressions = failures(tmp_path, seed, *CASES[seed])
    assert expressions * len(CASES) >= 1000
    assert not found, "\n".join(found)


@pytest.mark.quick
def test_kernels_are_of_every_form_and_the_same_every_time() -> None:
    made = [kernel_of(seed, "float32", 4) for seed in range(60)]
    assert {one.form for one in made} == set(EVERY_FORM)
    assert made == [kernel_of(seed, "float32", 4) for seed in range(60)]
    texts = "".join(one.text for one in made)
    assert all(word in texts for word in ("if ", "for _ in range", "stages=3", ".sum(axis=0", "bfloat16"))
