"""Loops over floats give, in every instruction set, the bits of one float at a time; exp is at most one unit off."""

import subprocess
from pathlib import Path

import numpy as np

from opwright.native.build import FLAGS, baseline
from opwright.native.sources import INCLUDE, NATIVE
from opwright.twin.toolchain import find_compiler

HERE = Path(__file__).parent


def test_floats(tmp_path: Path) -> None:
    program = tmp_path / "floats"
    own = (NATIVE / "cpu" / name for name in ("floats.cpp", "float_conversions.cpp"))
    files = [str(HERE / "floats.cpp"), *map(str, own)]
    built = [find_compiler(), *FLAGS, *baseline(), f"-I{INCLUDE}", *files, "-o", str(program)]
    subprocess.run(built, check=True)
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "0 wrong\n")


def test_one_at_a_time_is_what_numpy_gives(tmp_path: Path) -> None:
    """The judge of the test above, for every half and for floats near them."""
    source = tmp_path / "halves.cpp"
    source.write_text(
        '#include "opwright/numbers.h"\n#include <cstdio>\nusing namespace opwright;\nint main() {\n'
        "    for (uint32_t i = 0; i < 65536; ++i) {\n"
        "        const float x = widen(Half{static_cast<uint16_t>(i)});\n"
        "        const float near = bit_cast<float>(bit_cast<uint32_t>(x) + 0x1001);\n"
        "        const uint16_t back = narrow<Half>(near).bits;\n"
        "        std::fwrite(&x, 4, 1, stdout);\n        std::fwrite(&near, 4, 1, stdout);\n"
        "        std::fwrite(&back, 2, 1, stdout);\n    }\n}\n"
    )
    program = tmp_path / "halves"
    subprocess.run([find_compiler(), "-std=c++17", "-O1", f"-I{INCLUDE}", str(source), "-o", str(program)], check=True)
    kind = np.dtype([("x", "<f4"), ("near", "<f4"), ("back", "<u2")])
    found = np.frombuffer(subprocess.run([str(program)], capture_output=True, check=True).stdout, kind)
    np.testing.assert_array_equal(found["x"], np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float32))
    with np.errstate(over="ignore"):
        wanted = found["near"].astype(np.float16)
    is_number = ~np.isnan(found["near"])
    np.testing.assert_array_equal(found["back"][is_number], wanted.view(np.uint16)[is_number])
    assert np.isnan(found["back"].view(np.float16)[~is_number]).all()
