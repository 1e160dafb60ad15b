"""The sign of zero: no compiler folds it away. One kernel of many expressions, with every compiler, against CPython."""

import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from harness import load
from reference import as_numbers, interpret

from opwright.settings import settings

VALUES = """x
n
float(n)
-n
float(n - m)
float(b)
(x if b else float(n))
(n if b else m)
(1.0 if b else float(n))
abs(n)
-float(n)
asc.number(n, asc.int32)
asc.number(n, asc.uint8)
max(n, m)
min(x, float(n))
(x + n)""".split("\n")
FORMS = """0.0 - {0}
0 - {0}
-0.0 - {0}
{0} - 0.0
{0} + 0.0
-(0.0 - {0})
{0} * 0.0
{0} * -0.0
0.0 - {0} * 2.0
{0} / -1.0
-({0} - 1.0)
-({0} * 2.0)
{0} - {0}
{0} + -{0}
-{0} + 0.0
0.0 + -{0}
0.0 - (0.0 - {0})
0.0 - abs({0})
abs({0}) * -1.0
max({0}, 0.0)
min(0.0, 0.0 - {0})
({0} if {0} > 0.0 else 0.0)
(0.0 if {0} == 0.0 else {0})
({0} if {0} != 0.0 else -0.0)
({0} if {0} > 0.0 else -{0})
(-{0} if {0} < 0.0 else 0.0 - {0})
0.0 - (x - {0})
0.0 - ({0} - x)
(0.0 - {0}) * (0.0 - x)
0.0 - (0.0 if b else {0})
1.0 / (0.0 - {0} - 1.0)""".split("\n")
EXPRESSIONS = [form.format(value) for form in FORMS for value in VALUES]
HEAD = "from opwright import asc\n\n\n"
PAIRS = ((0, 0), (3, 3), (-7, 0))
NUMBERS = [(x, n, b, m) for x in (0.0, -0.0, 2.5, -math.inf) for n, m in PAIRS for b in (False, True)]


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_no_compiler_drops_it(compiler: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    parameters = "x: float, n: int, b: bool, m: int"
    lines = "".join(f"    z_gm.set_value({i}, float({text}))\n" for i, text in enumerate(EXPRESSIONS))
    start = "    z_gm = asc.GlobalTensor()\n    z_gm.set_global_buffer(z)\n"
    end = "    asc.data_cache_clean_and_invalid(asc.CacheLine.ENTIRE_DATA_CACHE, z_gm)\n"
    made = load(tmp_path, f"{HEAD}@asc.jit\ndef run(z: asc.GlobalAddress, {parameters}):\n{start}{lines}{end}")
    listed = "".join(f"        float({text}),\n" for text in EXPRESSIONS)
    scope, _ = interpret(f"{HEAD}def run({parameters}):\n    return [\n{listed}    ]\n")
    with settings.scope(compiler=compiler):
        for numbers in NUMBERS:
            z = np.full(len(EXPRESSIONS), 9, np.float32)
            made.run[1](z, *numbers)
            expected = np.array(scope["run"](*map(as_numbers, numbers)), np.float32)
            same = (z == expected) & (np.signbit(z) == np.signbit(expected)) | (np.isnan(z) & np.isnan(expected))
            wrong = [f"{EXPRESSIONS[i]}: {z[i]}, Python says {expected[i]}" for i in np.flatnonzero(~same)]
            assert not wrong, (numbers, wrong)
