"""Which conversions make a type of another: rows and headers say the same of every pair, mode and SoC."""

import subprocess
from pathlib import Path

from opwright.ascendc.cube_fixpipe import conversions
from opwright.ascendc.dtypes import ELEMENTS
from opwright.ascendc.enums import QuantModes
from opwright.twin.build import INCLUDE
from opwright.twin.toolchain import find_compiler

SOURCES = ("float32", "int32")
TARGETS = ("float32", "int32", "float16", "bfloat16", "float8_e4m3", "hifloat8", "int8", "uint8")
# No call takes them, by its element types.
NEVER = {("float32", "int32"), ("int32", "float32"), ("int32", "float8_e4m3"), ("int32", "hifloat8")}
PAIRS = [(source, target) for source in SOURCES for target in TARGETS if (source, target) not in NEVER]
LINE = """\
    for (int mode = 0; mode < {modes}; ++mode)
        for (int is_3510 = 0; is_3510 < 2; ++is_3510)
            if (opwright::makes_of<{target}, {source}>(static_cast<QuantMode_t>(mode), is_3510))
                std::printf("{number} %d %d\\n", mode, is_3510);
"""


def test_rows_and_headers_agree(tmp_path: Path) -> None:
    last = max(mode.value for mode in QuantModes)
    lines = [
        LINE.format(modes=last + 1, source=ELEMENTS[source].cpp, target=ELEMENTS[target].cpp, number=number)
        for number, (source, target) in enumerate(PAIRS)
    ]
    code = tmp_path / "conversions.cpp"
    code.write_text('#include "kernel_operator.h"\n#include <cstdio>\nint main() {\n' + "".join(lines) + "}\n")
    program = tmp_path / "conversions"
    subprocess.run([find_compiler(), "-std=c++17", f"-I{INCLUDE}", code, "-o", program], check=True)
    printed = subprocess.run([program], capture_output=True, text=True, timeout=60, check=True).stdout
    of_headers = {tuple(map(int, line.split())) for line in printed.splitlines()}
    of_rows = {
        (number, QuantModes[mode].value, is_950)
        for number, pair in enumerate(PAIRS)
        for is_950 in (0, 1)
        for mode in conversions(*pair, bool(is_950))
    }
    assert of_rows == of_headers
    assert len(of_rows) > 2 * len(PAIRS)
