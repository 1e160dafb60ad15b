"""Random programs of the kernel language, printed as Python: both are kernels, and CPython computes the same."""

import sys
from pathlib import Path

import numpy as np
import pytest
from round_trip import print_kernel, text_after
from short import short

sys.path.insert(0, str(Path(__file__).parents[1] / "frontend"))

from random_kernels import ARGUMENTS, Batch, programs, same
from reference import as_numbers, interpret

PER_BATCH = 60
Numbers = tuple[list[int], np.ndarray]


def computed(text: str, batch: Batch) -> dict[tuple[int, int], Numbers]:
    """What CPython computes from the text of a kernel, by the number of the program and of the arguments."""
    scope, made = interpret(text)
    found = {}
    for which in batch.programs:
        for place, (*numbers, fields) in enumerate(ARGUMENTS):
            made.clear()
            given = [which, *numbers, batch.module.Tiling(*fields)]
            scope["kernel"](None, None, *map(as_numbers, given))
            ints, floats = (tensor.values for tensor in made)
            found[which, place] = [int(ints[i]) for i in (0, 4, 8)], np.array([floats[0], floats[8]], np.float32)
    return found


@pytest.mark.parametrize("seed", short(range(10), 2))
def test_printed_programs_compute_the_same(seed: int, tmp_path: Path) -> None:
    batch = Batch(tmp_path, programs(seed, PER_BATCH)[0])
    kernel = batch.module.kernel
    *numbers, fields = ARGUMENTS[0]
    given = ("i64[12]", "f32[16]", 0, *numbers, batch.module.Tiling(*fields))
    request = kernel.request(kernel.binder.bind(given, {}, described=True))
    python, text = print_kernel(request)
    got, wanted = computed(python.text, batch), computed(batch.text, batch)
    wrong = [key for key in wanted if not same(got[key], wanted[key])]
    assert not wrong, batch.programs[wrong[0][0]]
    # Names that nobody gave may differ, and a value that nothing changes may be computed earlier or later. No test is
    # lost; an index that two lines need is tested twice.
    after = text_after(tmp_path, request, python.text)
    assert after.count("\n") == pytest.approx(text.count("\n"), rel=0.01)
    assert after.count("AscendC::Trap();") >= text.count("AscendC::Trap();")
